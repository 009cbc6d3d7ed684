"""A search ends wherever it stands: among the smallest doubles there may be none between two that differ."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

from equipoise import Ledger
from equipoise.theory.accounting.convert import delta_gaussian
from equipoise.theory.accounting.prices import pure_release
from equipoise.theory.accounting.search import greatest, greatest_within, least, least_within

PLACES = [5e-324, 1e-323, 1.5e-323, 3e-320, 2.2e-308, 1e-300, 1.0, 1e299]


def _counted(holds: Callable[[float], bool]) -> Callable[[float], bool]:
    """Stops a search that asks for ever."""
    asked = itertools.count()

    def once_more(x: float) -> bool:
        assert next(asked) < 10_000
        return holds(x)

    return once_more


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("start", PLACES)
def test_every_search_ends_at_a_point_that_was_tried(place: float, start: float) -> None:
    found = least(_counted(lambda x: x >= place), start)
    assert found >= place
    assert found <= max(place * (1 + 1e-11), math.nextafter(1e-300, 1), start if start < 1e-300 else 0.0)
    found = greatest(_counted(lambda x: x <= place), start)
    assert 0 <= found <= place


CURVES: dict[str, Callable[[float], float]] = {
    "a power": lambda x: x**3,
    "a root": lambda x: x**0.05,
    "beyond doubles": lambda x: math.exp(min(x, 709.0) * 1.0),
    "a step": lambda x: 1e-9 if x < 3.7 else 5.0,
    "flat and steep": lambda x: 1e-6 * x + (1e9 * (x - 2) if x > 2 else 0.0),
    "nothing for long": lambda x: max(0.0, x - 40.0),
    "noise": lambda x: x * (1 + 1e-13 * math.sin(1e9 * x)),
    "no number": lambda x: x if x < 50 else math.nan,
    "Gaussian": lambda x: delta_gaussian(1.0, x),
}


@pytest.mark.parametrize("limit", [1e-12, 1e-5, 0.3, 17.0])
@pytest.mark.parametrize("start", [1e-6, 1.0, 1e7])
@pytest.mark.parametrize("name", CURVES)
def test_lines_end_where_halves_do_and_where_the_condition_holds(name: str, start: float, limit: float) -> None:
    curve, asked = CURVES[name], itertools.count()

    def counted(x: float) -> float:
        assert next(asked) < 5_000
        return curve(x)

    found = greatest_within(counted, limit, start)
    assert found == pytest.approx(greatest(lambda x: curve(x) <= limit, start), rel=1e-9)
    assert found == 0 or curve(found) <= limit
    found = least_within(lambda x: counted(1 / x), limit, start)
    assert found == pytest.approx(least(lambda x: curve(1 / x) <= limit, start), rel=1e-9)
    assert found == math.inf or curve(1 / found) <= limit


def test_lines_need_a_third_of_the_looks() -> None:
    asked = itertools.count()
    for epsilon, delta in itertools.product((0.1, 0.7, 3.0, 12.0), (1e-12, 1e-6, 1e-3)):
        greatest_within(lambda mu, epsilon=epsilon: (next(asked), delta_gaussian(epsilon, mu))[1], delta)  # type: ignore[misc]
    assert next(asked) < 12 * 18


@pytest.mark.parametrize("epsilon", PLACES[:6])
@pytest.mark.parametrize("prices", ["adaptive", "sums", "fixed"])
def test_totals_of_the_smallest_releases_are_told(epsilon: float, prices: Any) -> None:
    ledger = Ledger(1.0, prices=prices)
    for _ in range(3):
        ledger.reserve(pure_release(epsilon))
    assert ledger.spent().epsilon >= 2.9 * epsilon
    remaining = ledger.remaining()
    assert remaining is not None
    assert remaining.epsilon <= 1.0
