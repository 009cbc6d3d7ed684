"""Limits and prices from all over the range of doubles: totals are numbers, and never less than what was paid."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import equipoise as eq
from equipoise.theory.accounting.filters import Prices, filtered
from equipoise.theory.accounting.prices import bounded_range_answers, gaussian_release, promised, pure_release
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget

PRICES: dict[float, Event] = {
    5e-324: pure_release(5e-324),
    1e-300: pure_release(1e-300),
    1.0: pure_release(1.0),
    2.0: gaussian_release(2.0, 1e-7, 3),
    3.0: promised(3.0, 1e-9),
    1e12: pure_release(1e12),
    1e200: bounded_range_answers(1e200, 1),
    1e300: pure_release(1e300),
    1e307: promised(1e307, 1e-9),
    1.7e308: pure_release(1.7e308),
}
LIMITS = [1e-300, 1.0, 1e12, 1e300, 1.7e308]


@pytest.fixture(autouse=True)
def nothing_is_heard() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("delta", [0.0, 1e-300, 1e-6, 0.5])
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("rule", [Prices.ADAPTIVE, Prices.SUMS])
def test_a_total_is_a_number_between_the_dearest_and_the_sum(limit: float, delta: float, rule: Any) -> None:
    for (first, opening), (then, later) in itertools.product(PRICES.items(), PRICES.items()):
        found = filtered({opening: 1}, {later: 1}, Budget(limit, delta), rule)
        assert not math.isnan(found.epsilon)
        if found.affordable and delta <= 1e-6:
            dearest = max(price for price in (first, then) if price != 2.0) if {first, then} != {2.0} else 0.0
            assert found.epsilon >= 0.9 * dearest - 1.0  # a little of a small one may be had for δ
        pure = {1e-300, 1.0, 1e12, 1e200, 1e300, 1.7e308}
        if {first, then} <= pure:
            assert found.epsilon <= (first + then) * (1 + 1e-9)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("prices", ["adaptive", "sums", "fixed"])
def test_what_costs_little_fits_whatever_the_limit_and_what_is_left_is_told(
    limit: float, delta: float, prices: Any
) -> None:
    ledger = eq.Ledger(limit, delta, prices=prices)
    for _ in range(3):
        for price in (1e-300, 1.0, 1e12, 1e300, 1e307):
            if price <= limit / 16:
                ledger.reserve(pure_release(price))
    left = ledger.remaining()
    assert left is not None
    assert 0 < left.epsilon <= limit
    assert 0.5 * limit < left.epsilon + ledger.spent().epsilon
    if limit < 1.0:  # so little is had for δ
        return
    with pytest.raises(eq.BudgetExhausted, match="epsilon"):
        ledger.reserve(pure_release(min(1.7e308, 2 * limit)))
