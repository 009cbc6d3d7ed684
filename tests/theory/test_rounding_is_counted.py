"""What doubles add is counted, and on both sides of a pair of neighbours: measured against arithmetic with more digits.

A theorem speaks of exact numbers; what leaves was computed.  Each allowance here is attacked with numbers that make
rounding pile up in one direction, where it grows with the number of terms and not with its root.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.inside import Private, Records
from equipoise.inside.answers.linear_answers import unit_answers
from equipoise.inside.answers.sgd import one_pass
from equipoise.inside.design import design_from
from equipoise.theory import sensitivity
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Huber, Logistic, Loss, SmoothedHinge, Softmax, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.prediction.linear_answers import Stability, of_one_pass
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]
Long = np.longdouble

LOSSES: list[Loss] = [Logistic(), SmoothedHinge(0.5), Squared(), Huber(0.4), Softmax(3)]


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_a_gradient_is_rounded_on_both_tables(loss: Loss, adjacency: Adjacency) -> None:
    for n, norm in ((10, 0.5), (10**6, 3.0), (10**12, 3.0)):
        facts = Facts(loss, L2(0.1), Bounds(2.0, 1.0, coef_norm=3.0), n, 4, adjacency)
        known = loss.facts(facts.bounds.norm * norm)
        exact = facts.bounds.norm * (known.slope if adjacency is Adjacency.ADD_REMOVE else known.diameter) / n
        rounding = sensitivity.gradient_rounding(facts, norm)
        assert sensitivity.of_mean_gradient(facts, norm).l2 >= exact + 2 * rounding * (1 - 1e-9)


@pytest.mark.parametrize("label_share", [0.3, 0.8, 1.0])
def test_moments_and_quadratics_are_rounded_on_both_tables(label_share: float) -> None:
    for n in (10**7, 10**12):
        facts = Facts(Squared(), L2(0.1), Bounds(2.0, coef_norm=3.0), n, 3)
        few = replace(facts, n=1)
        rounding = sensitivity.sums_rounding(facts) - sensitivity.sums_rounding(few)
        moved = sensitivity.of_moments(facts, label_share).l2 - sensitivity.of_moments(few, label_share).l2
        assert moved >= 2 * rounding * (1 - 1e-6)
        record = facts.dim * facts.bounds.norm**2 + 2 * math.sqrt(facts.dim) * facts.bounds.norm
        moved = sensitivity.of_quadratic(facts) - sensitivity.of_quadratic(few)
        assert moved >= 2 * rounding * record * (1 - 1e-6)


@pytest.mark.parametrize("features", [1, 40, 10_000])
def test_an_answer_is_rounded_on_both_tables(features: int) -> None:
    """Ten times over on each: a sum of that many products is off by as many units of the largest answer."""
    for reach in (1e3, 1e9):
        known = Stability(1.0 / reach, 1.0 / reach, 1.0, "here")
        one_table = 10 * (features + 16) * sensitivity.MACHINE * reach
        assert known.unit_sensitivity(features) - 1 >= 2 * one_table * (1 - 1e-6) - 1e-15


@pytest.mark.parametrize("reach", [1.0, 1e6, 1e11])
@pytest.mark.parametrize("columns", [2, 40])
def test_an_answer_is_computed_within_what_its_sensitivity_leaves_for_that(columns: int, reach: float) -> None:
    """In units of the stability; coefficients of which almost everything cancels lose the most."""
    draw, bounds = np.random.default_rng(columns), Bounds(1.0, 0.5)
    known = Stability(1.0 / reach, 1.0 / reach, 1.0, "here")
    queries = draw.uniform(-1, 1, size=(300, columns)) / math.sqrt(columns)
    for w in (draw.normal(size=columns + 1), np.where(np.arange(columns + 1) % 2, -1.0, 1.0)):
        w /= np.linalg.norm(w)
        units, _ = unit_answers(Private(w), queries.copy(), bounds, known.per_norm)
        long = np.column_stack([queries.astype(Long), np.full(len(queries), bounds.intercept, dtype=Long)])
        lengths = np.sqrt(np.sum(long**2, axis=1))
        exact = (long @ w.astype(Long)) / lengths / Long(known.per_norm)
        missed = float(np.abs(units.reveal() - exact).max())
        assert 2 * missed <= known.unit_sensitivity(columns + 1) - 1


def long_pass(row: float, label: float, step: float, ball: float, n: int) -> Long:
    """The average of the iterates on equal rows, squared loss, one column."""
    w, total = Long(0), Long(0)
    for _ in range(n):
        total += w
        w -= Long(step) * 2 * (Long(row) * w - Long(label)) * Long(row)
        w = min(max(w, -Long(ball)), Long(ball))
    return total / n


@pytest.mark.parametrize("n", [200, 30_000])
def test_one_pass_over_the_rows_rounds_no_more_than_stated(n: int) -> None:
    """Equal rows: every step, and every addition to the average, is rounded the same way."""
    row, label, step, ball = 0.9, 0.7, 1e-6, 0.1
    facts = Facts(Squared(), L2(1.0), Bounds(1.0, coef_norm=ball), n, 1)
    known = of_one_pass(facts, step)
    records = Private(Records(design_from(np.full((n, 1), row), 1.0, 0.0), np.full(n, label)))
    missed = abs(float(one_pass(records, Squared(), step, ball).reveal()[0] - long_pass(row, label, step, ball, n)))
    assert 2 * missed <= known.per_norm - known.exact
    # Non-expansive steps pass every earlier error on, so the allowance must grow with their number.
    many, exact = (of_one_pass(replace(facts, n=100 * n), step) for _ in range(2))
    assert many.per_norm - exact.exact >= 90 * (known.per_norm - known.exact) - 1e-15
