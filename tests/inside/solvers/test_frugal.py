"""Sparse rows: a few products with the table instead of a Hessian, and the Hessian where they do not do."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from equipoise.inside import Records, solvers
from equipoise.inside.design import design_from, gram_pairs
from equipoise.inside.objective import Objective
from equipoise.inside.solvers import head_start, solve
from equipoise.inside.solvers.ball import solve_within
from equipoise.inside.solvers.chord import Chord
from equipoise.theory.losses import CappedLogistic, CappedSoftmax, Logistic, Softmax
from equipoise.theory.regularisers import L2

ROWS, COLUMNS, FILLED = 3000, 60, 3
RADIUS = 1e-8


def problem(ridge: float = 0.01, loss: Any = None, spread: float = 0.0) -> Objective:
    """`spread` makes columns of very different lengths, which conjugate gradients take long for."""
    rng = np.random.default_rng(0)
    places = rng.integers(0, COLUMNS, size=ROWS * FILLED)
    lengths = np.exp(-spread * np.arange(COLUMNS) / COLUMNS)
    X = sparse.csr_array(
        (rng.normal(size=ROWS * FILLED) * lengths[places], places, np.arange(ROWS + 1) * FILLED), shape=(ROWS, COLUMNS)
    )
    loss = loss or Logistic()
    y = rng.integers(0, loss.outputs, size=ROWS).astype(float) if loss.outputs > 1 else rng.choice([-1.0, 1.0], ROWS)
    return Objective(loss, L2(ridge), Records(design_from(X, 1.0, 0.5), y), float(ROWS))


@pytest.fixture
def hessians(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often one was made, where every Hessian of sparse rows is dear."""
    monkeypatch.setattr(solvers, "DEAR_PAIRS", 0.0)
    made, hessian = [0], Objective.hessian

    def counted(self: Objective, w: Any) -> Any:
        made[0] += 1
        return hessian(self, w)

    monkeypatch.setattr(Objective, "hessian", counted)
    return made


@pytest.mark.parametrize("ball", [math.inf, 0.05])
@pytest.mark.parametrize("loss", [Logistic(), Softmax(3)], ids=["two classes", "three"])
def test_the_minimiser_is_the_same_without_a_hessian(loss: Any, ball: float, hessians: list[int]) -> None:
    found = solve(problem(loss=loss), RADIUS, ball)
    assert found.certificate.distance <= RADIUS
    if ball == math.inf:
        assert hessians == [0]
    other = solve_within(problem(loss=loss), RADIUS, ball, Chord())
    assert np.linalg.norm(found.point - other.point) <= 2 * RADIUS


def test_where_a_hundred_products_do_not_do_a_hessian_is_made(
    hessians: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solvers, "FEW_PRODUCTS", 5)
    found = solve(problem(1e-4, spread=8.0), 1e-6)
    assert found.certificate.distance <= 1e-6
    assert hessians[0] > 0


def test_dense_tables_small_ones_and_crowded_ones_keep_their_hessian() -> None:
    X = np.random.default_rng(0).normal(size=(50, 5))
    assert gram_pairs(design_from(X, 1.0, 0.5)) == gram_pairs(design_from(sparse.csr_array(X), 1.0, 0.0)) == 0.0
    pairs = gram_pairs(problem().records.design)
    assert 0.9 * ROWS * FILLED**2 < pairs <= ROWS * FILLED**2
    assert pairs < solvers.DEAR_PAIRS


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_start, "FEWEST", 100)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("loss", [CappedLogistic(0.5), CappedSoftmax(3)], ids=["two classes", "three"])
def test_capped_losses_begin_at_a_few_of_the_records(loss: Any, hessians: list[int]) -> None:
    """Told by no record of the others, and to the same end."""
    objective = problem(loss=loss)
    begun = head_start.start_by_products(objective)
    found = solve(objective, RADIUS)
    other = solve_within(objective, RADIUS, math.inf, Chord())
    assert np.linalg.norm(found.point - other.point) <= 2 * RADIUS
    assert np.any(begun != 0)
    asked = ROWS // head_start.SPARSE_SHARE
    others = np.arange(ROWS) % (ROWS // max(100, asked)) != 0
    labels = objective.records.labels.copy()
    labels[others] = labels[others][::-1]
    same = replace(objective, records=replace(objective.records, labels=labels))
    np.testing.assert_array_equal(head_start.start_by_products(same), begun)


@pytest.mark.usefixtures("few")
def test_losses_that_bend_everywhere_begin_at_the_centre() -> None:
    np.testing.assert_array_equal(head_start.start_by_products(problem()), np.zeros(COLUMNS + 1))
    short = problem(loss=CappedLogistic(0.5))
    short = replace(short, records=short.records.first(250))
    np.testing.assert_array_equal(head_start.start_by_products(short), np.zeros(COLUMNS + 1))
