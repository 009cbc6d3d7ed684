"""How many bends there are where none opens on the way: what the plan can pay for, and more epsilon never hurts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise.errors import MechanismRefused
from equipoise.estimators.additive import bends
from equipoise.estimators.additive.bends import MISSED, MISSED_IN_WIDE_LABELS
from equipoise.theory.additive import Encoding
from equipoise.theory.plan import Plan

EPSILONS = (0.1, 0.3, 1.0, 2.4, 3.0, 10.0, 30.0, 100.0)


def made(numbers: bool, epsilon: float, columns: int = 3, **how: Any) -> Any:
    """Either estimator for columns between −1 and 1."""
    stated = {"column_bounds": [(-1, 1)] * columns, **how}
    if numbers:
        return eq.AdditiveRegressor(epsilon, label_bounds=(-1, 1), **stated)
    return eq.AdditiveClassifier(epsilon, classes=[0, 1], **stated)


def encoding_of(plan: Plan) -> Encoding:
    found = plan.facts.bounds.encoding
    assert found is not None
    return found


@pytest.mark.parametrize("numbers", [True, False])
@pytest.mark.parametrize(("rows", "columns"), [(300, 3), (2000, 6), (2000, 50), (20_000, 20)])
def test_more_epsilon_never_takes_bends_away_and_they_cost_no_more_than_they_are_worth(
    numbers: bool, rows: int, columns: int
) -> None:
    plans = [made(numbers, epsilon, columns).plan(rows, columns) for epsilon in EPSILONS]
    many = [encoding_of(plan).bends or 0 for plan in plans]
    assert many == sorted(many)
    left = [bends._open(plan) for plan in plans]
    worth = (MISSED_IN_WIDE_LABELS if numbers else MISSED)[0]
    assert all(after - before <= max(worth, MISSED[0]) for before, after in pairwise(left))
    assert all(part <= bends.NOISE for part, some in zip(left, many, strict=True) if some)


def test_bends_are_taken_one_after_the_other_and_all_of_them_in_the_end() -> None:
    found = [made(False, epsilon).plan(100_000, 3).facts.features - 1 for epsilon in (0.003, 0.01, 0.03, 0.1, 1000.0)]
    assert found == sorted(found)
    assert (found[0], found[-1]) == (3, 3 * (1 + 14 + 1))
    assert len(set(found)) >= 4


def test_a_column_that_carries_all_is_learnt_no_worse_with_more_epsilon() -> None:
    """Few bends used to come at a number of rows for each column, and cost two fifths of what there was to learn."""
    scores = []
    for epsilon in (2.4, 3.0, 4.5):
        of_each = []
        for seed in range(3):
            X = np.random.default_rng(seed).uniform(-1, 1, (4000, 50))
            y = 0.9 * X[:, 0]
            model = made(True, epsilon, 50, random_state=seed).fit(X[:2000], y[:2000])
            of_each.append(model.score(X[2000:], y[2000:]))
        scores.append(np.mean(of_each))
    assert scores[0] > 0.8
    assert scores[1] > scores[0] - 0.03
    assert scores[2] > scores[1] - 0.03


@pytest.mark.parametrize("more", [{}, {"adjacency": "add-remove", "public_n": 2000}])
def test_narrow_labels_are_learnt_no_worse_with_more_epsilon(more: dict[str, Any]) -> None:
    """Under add-remove nobody finds out first where labels lie."""
    scores = []
    for epsilon in (2.4, 3.0):
        of_each = []
        for seed in range(4):
            X = np.random.default_rng(seed).uniform(-1, 1, (4000, 6))
            y = 0.9 + 0.03 * X[:, 0]
            model = made(True, epsilon, 6, random_state=seed, **more).fit(X[:2000], y[:2000])
            of_each.append(model.score(X[2000:], y[2000:]))
        scores.append(np.mean(of_each))
    assert scores[1] > scores[0] - 0.2
    assert scores[1] > 0.5


def test_bends_are_learnt_where_there_are_records_for_them() -> None:
    X = np.random.default_rng(0).uniform(-1, 1, (24_000, 6))
    y = 0.7 * np.sin(6 * X[:, 0])
    model = made(True, 1.0, 6, random_state=0).fit(X[:20_000], y[:20_000])
    assert model.score(X[20_000:], y[20_000:]) > 0.8


def test_who_says_how_smooth_shapes_are_has_them_so_and_who_lets_them_open_has_them_open() -> None:
    assert encoding_of(made(True, 0.01, smoothness=0.4).plan(100, 3)).bends is None
    assert encoding_of(made(True, 1.0, delta=1e-6).plan(2000, 3)).told is not None
    assert encoding_of(made(True, 0.01, delta=1e-6).plan(2000, 3)).bends == 0


def test_a_mechanism_that_refuses_so_many_numbers_keeps_the_most_it_serves() -> None:
    estimator = made(False, 10.0)

    def plan_for(bounds: Any) -> Plan:
        if bounds.encoding.bends > 3:
            raise MechanismRefused("too many")
        return eq.AdditiveClassifier._plan(estimator, 60_000, 3, 2, bounds)

    plan = bends.planned(estimator, estimator._bounds_for(3, 60_000), plan_for)
    assert encoding_of(plan).bends in (1, 3)


def test_the_card_says_what_missing_numbers_count_as() -> None:
    X = np.random.default_rng(0).uniform(-1, 1, (40_000, 3))
    for epsilon, said in ((0.01, "one that is missing adds nothing"), (100.0, "has its own value")):
        card = " ".join(str(made(True, epsilon).fit(X, X[:, 0]).card()).split())
        assert said in card
