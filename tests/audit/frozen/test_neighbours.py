"""The search for worst neighbours: it reaches the bounds claimed tight, passes none, and catches a twin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise.audit.bounds.pairs import refuse_strangers
from equipoise.audit.frozen.neighbours import worst_neighbours
from equipoise.audit.frozen.pairs_at_corners import Data, corner_pairs
from equipoise.errors import InvalidInput
from equipoise.theory import sensitivity
from equipoise.theory.plan import Facts, Sensitivity

Fit = Callable[[Data], object]
SIGNS = (-1, 1)
GIVEN: dict[str, Any] = {"alpha": 0.1, "fit_intercept": False, "random_state": 4}


def classifier(kind: Any, mechanism: str) -> Fit:
    return lambda data: kind(1.0, mechanism=mechanism, classes=SIGNS, **GIVEN).fit(*data)


def regressor(mechanism: str) -> Fit:
    return lambda data: eq.LinearRegression(1.0, mechanism=mechanism, label_bounds=SIGNS, **GIVEN).fit(*data)


@pytest.mark.parametrize(
    ("fit", "numbers", "reached"),
    [
        (classifier(eq.LinearSVC, "output"), False, 0.99),
        (classifier(eq.LogisticRegression, "output"), False, 0.85),
        (classifier(eq.LogisticRegression, "objective"), False, 0.5),
        (regressor("sufficient-statistics"), True, 0.99),
        (regressor("functional"), True, 0.8),
    ],
    ids=["svc output", "logistic output", "logistic objective", "sufficient statistics", "functional"],
)
def test_the_search_comes_near_what_is_stated_and_never_passes_it(fit: Fit, numbers: bool, reached: float) -> None:
    found = worst_neighbours(fit, 24, 2, labels=SIGNS, numbers=numbers, starts=1, climbs=2, sizes=(3,))
    assert reached <= found.ratio <= 1 + 1e-9
    assert found.holds
    assert found.refused == 0
    assert found.distance <= found.stated * (1 + 1e-9)


def test_climbing_never_makes_the_best_pair_better_for_privacy() -> None:
    fit = classifier(eq.LogisticRegression, "output")
    low, high = (worst_neighbours(fit, 8, 1, starts=0, climbs=climbs, sizes=()).ratio for climbs in (0, 12))
    assert low <= high <= 1


def test_a_sensitivity_made_smaller_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = sensitivity.of_minimiser

    def smaller(facts: Facts) -> Sensitivity:
        return replace(honest(facts), l2=honest(facts).l2 * 0.8)

    monkeypatch.setattr(sensitivity, "of_minimiser", smaller)
    found = worst_neighbours(classifier(eq.LinearSVC, "output"), 24, 1, starts=0, climbs=0, sizes=())
    assert not found.holds
    assert found.ratio > 1.2


def test_a_run_that_tells_a_label_ends_the_search() -> None:
    def nosy(data: Data) -> None:
        for _ in range(2 if data[1][0] > 0 else 1):
            classifier(eq.LinearSVC, "output")(data)

    found = worst_neighbours(nosy, 8, 1, starts=3, climbs=3)
    assert not found.holds
    assert found.replayed.problems
    assert found.tried < 10


@pytest.mark.parametrize("d", [1, 2, 5])
def test_every_corner_is_a_pair_of_neighbours_within_its_bounds(d: int) -> None:
    pairs = list(corner_pairs(9, d, SIGNS, 2.0))
    assert len({pair.case for pair in pairs}) == len(pairs) > 20
    for pair in pairs:
        refuse_strangers(pair.left, pair.right)
        for X, y in (pair.left, pair.right):
            assert X.shape == (9, d)
            assert np.linalg.norm(X, axis=1).max() <= 2.0 * (1 + 1e-12)
            assert set(y) <= set(SIGNS)
        assert not all(np.array_equal(a, b) for a, b in zip(pair.left, pair.right, strict=True))


def test_what_refuses_every_table_and_too_few_records_are_told() -> None:
    def refusing(data: Data) -> None:
        raise InvalidInput("X: no")

    with pytest.raises(InvalidInput, match="refused every table"):
        worst_neighbours(refusing, 8, 1, starts=1, climbs=1)
    with pytest.raises(InvalidInput, match="n=1"):
        worst_neighbours(classifier(eq.LinearSVC, "output"), 1, 1)
