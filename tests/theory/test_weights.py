"""Where the number of records is secret: one more moves no weighted sum by more than its own size, however many there
are, and what is counted in all has a public bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.inside import Private, Records, cut, mean_gradient, minimise, weighed
from equipoise.inside.design import design_from
from equipoise.inside.tables.moments import second_moments
from equipoise.theory import sensitivity
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic, SmoothedHinge
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import L2
from equipoise.theory.weights import KEPT_ROWS, LARGEST_TOTAL, MOST_ROWS, record_weight

Array = npt.NDArray[np.float64]
NOMINAL = 3
FACTS = Facts(SmoothedHinge(0.5), L2(0.5), Bounds(1.0), NOMINAL, 2, Adjacency.ADD_REMOVE)
SIZES = (0, 1, NOMINAL, 40, 95, 96, 97, 150, 190, 191, 192, 193, 500)


def _table(rows: int, extra: tuple[Array, float] | None = None) -> Private[Records]:
    """All pull one way; the extra record, put first, pulls the other."""
    X, labels = np.tile([1.0, 0.0], (rows, 1)), np.ones(rows)
    if extra is not None:
        X, labels = np.vstack([extra[0], X]), np.append(extra[1], labels)
    return Private(Records(design_from(X.reshape(-1, 2), 1.0, 0.0), labels))


EXTRAS = [(np.array([1.0, 0.0]), -1.0), (np.array([1.0, 0.0]), 1.0), (np.array([0.0, 1.0]), 1.0)]


def test_the_weight_times_the_number_never_passes_the_total() -> None:
    totals = [rows * record_weight(rows, NOMINAL) / NOMINAL for rows in range(2 * MOST_ROWS * NOMINAL)]
    assert max(totals) == LARGEST_TOTAL
    assert totals[MOST_ROWS * NOMINAL :] == [0.0] * (MOST_ROWS * NOMINAL)
    assert record_weight(NOMINAL, NOMINAL) == 1 - 1 / MOST_ROWS


@pytest.mark.parametrize("rows", SIZES)
def test_one_record_more_moves_a_gradient_by_no_more_than_stated(rows: int) -> None:
    for w in (np.zeros(2), np.array([-3.0, 1.0])):
        stated = sensitivity.of_mean_gradient(FACTS, float(np.linalg.norm(w))).l2
        before = mean_gradient(weighed(_table(rows), FACTS), FACTS.loss, NOMINAL, w).reveal()
        for extra in EXTRAS:
            after = mean_gradient(weighed(_table(rows, extra), FACTS), FACTS.loss, NOMINAL, w).reveal()
            assert float(np.linalg.norm(after - before)) <= stated


def test_a_record_that_pulls_against_many_comes_near_the_stated_bound() -> None:
    """So a bound that forgot what the others lose would be seen."""
    at, shares = np.array([-3.0, 0.0]), []
    for rows in SIZES:
        before = mean_gradient(weighed(_table(rows), FACTS), FACTS.loss, NOMINAL, at).reveal()
        after = mean_gradient(weighed(_table(rows, (np.array([-1.0, 0.0]), -1.0)), FACTS), FACTS.loss, NOMINAL, at)
        less = mean_gradient(weighed(_table(rows, (np.zeros(2), 1.0)), FACTS), FACTS.loss, NOMINAL, at).reveal()
        shares.append(NOMINAL * max(float(np.linalg.norm(one - before)) for one in (after.reveal(), less)))
    assert max(shares) > 0.9


@pytest.mark.parametrize("rows", SIZES)
def test_one_record_more_moves_a_minimiser_by_no_more_than_stated(rows: int) -> None:
    stated, radius = sensitivity.of_minimiser(FACTS).l2, sensitivity.certifiable_radius(FACTS)
    before = minimise(weighed(_table(rows), FACTS), FACTS.loss, FACTS.penalty, NOMINAL, radius).reveal().point
    for extra in EXTRAS:
        table = weighed(_table(rows, extra), FACTS)
        after = minimise(table, FACTS.loss, FACTS.penalty, NOMINAL, radius).reveal().point
        assert float(np.linalg.norm(after - before)) <= stated + 2 * radius


@pytest.mark.parametrize("rows", SIZES)
def test_one_record_more_moves_the_moments_by_no_more_than_stated(rows: int) -> None:
    stated = sensitivity.of_moments(FACTS, 0.8).l2
    square, product = np.array([1.0, np.sqrt(2), 1.0]), np.sqrt(2) * 0.8
    before = second_moments(weighed(_table(rows), FACTS), square, product, 0.64).reveal()
    for extra in EXTRAS:
        after = second_moments(weighed(_table(rows, extra), FACTS), square, product, 0.64).reveal()
        assert float(np.linalg.norm(after - before)) <= stated


def test_beyond_the_largest_number_nothing_counts() -> None:
    for rows in (MOST_ROWS * NOMINAL, 1000):
        left = weighed(_table(rows), FACTS).reveal()
        assert left.design.rows == 0
        point = minimise(Private(left), FACTS.loss, FACTS.penalty, NOMINAL, 1e-9).reveal().point
        np.testing.assert_array_equal(point, np.zeros(2))


def test_a_tilted_objective_keeps_the_first_rows_whole() -> None:
    kept = cut(_table(200, EXTRAS[0]), FACTS).reveal()
    assert kept.design.rows == KEPT_ROWS * NOMINAL
    assert kept.weight == 1.0
    assert kept.labels[0] == -1.0
    few = cut(_table(5), FACTS).reveal()
    assert few.design.rows == 5


def test_a_public_number_is_left_alone() -> None:
    public = replace(FACTS, adjacency=Adjacency.REPLACE_ONE, loss=Logistic())
    table = _table(500)
    assert weighed(table, public) is table
    assert cut(table, public) is table
    assert public.total == 1.0
    assert public.most_rows == NOMINAL
