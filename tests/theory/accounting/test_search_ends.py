"""A search ends wherever it stands: among the smallest doubles there may be none between two that differ."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

from equipoise import Ledger
from equipoise.theory.accounting.prices import pure_release
from equipoise.theory.accounting.search import greatest, least

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
