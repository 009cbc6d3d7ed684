"""A head start from a few of the records changes where a solver begins, and never what is certified."""

from __future__ import annotations

import math

import numpy as np
import pytest

from equipoise.inside import Records
from equipoise.inside.design import design_from
from equipoise.inside.objective import Objective
from equipoise.inside.solvers import chord, head_start, solve
from equipoise.inside.solvers.ball import solve_within
from equipoise.inside.solvers.chord import Chord
from equipoise.inside.solvers.descent import Place
from equipoise.theory.losses import Huber, Logistic, Softmax, Squared
from equipoise.theory.regularisers import L2

ROWS = 4000


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_start, "FEWEST", 100)
    monkeypatch.setattr(head_start, "PER_COEFFICIENT", 10)


def problem(kind: str, tilted: bool = False) -> Objective:
    """`kind` says what is wrong with every n-th record."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 4))
    y = np.where(X @ rng.normal(size=4) + rng.logistic(size=ROWS) > 0, 1.0, -1.0)
    if kind == "empty":
        X[:: ROWS // 100] = 0.0
    elif kind == "opposite":
        y[:: ROWS // 100] *= -1
    elif kind == "sorted":
        X, y = X[np.argsort(y)], np.sort(y)
    records = Records(design_from(X, 1.0, 0.5), y)
    return Objective(Logistic(), L2(0.01), records, float(ROWS), np.full(5, 0.02) if tilted else None)


@pytest.mark.parametrize("ball", [math.inf, 0.5])
@pytest.mark.parametrize("tilted", [False, True])
@pytest.mark.parametrize("kind", ["usual", "empty", "opposite", "sorted"])
def test_the_minimiser_is_the_same_wherever_one_begins(kind: str, tilted: bool, ball: float) -> None:
    objective, radius = problem(kind, tilted), 1e-9
    begun = head_start.rough_start(objective, Chord())
    assert isinstance(begun, np.ndarray)
    assert not np.array_equal(begun, objective.centre)
    found = solve(objective, radius, ball)
    plain = solve_within(objective, radius, ball, Chord())
    assert found.certificate.distance <= radius
    assert np.linalg.norm(found.point - plain.point) <= 2 * radius


def test_it_is_near_the_minimiser_and_few_records_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_start, "FEWEST", 600)
    objective = problem("usual")
    goal = objective.value(solve(objective, 1e-9).point)
    start = head_start.rough_start(objective, Chord())
    assert isinstance(start, np.ndarray)
    begun = objective.value(start)
    assert begun - goal < 0.3 * (objective.value(objective.centre) - goal)
    few = Records(objective.records.design.take(np.arange(500)), objective.records.labels[:500])
    small = Objective(Logistic(), L2(0.01), few, 500.0)
    np.testing.assert_array_equal(head_start.rough_start(small, Chord()), small.centre)


def test_the_hessian_for_all_comes_from_some_of_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """An eighth of them; of all only if a step by that one brings too little."""
    looked_at: list[int] = []
    hessian = Objective.hessian

    def counted(self: Objective, w: np.ndarray) -> np.ndarray:
        looked_at.append(self.records.design.rows)
        return hessian(self, w)

    monkeypatch.setattr(Objective, "hessian", counted)
    monkeypatch.setattr(chord, "enough_for_a_pass", lambda size: 0.5)
    assert solve(problem("usual"), 1e-9).certificate.distance <= 1e-9
    assert looked_at[-1] == len(range(0, ROWS, head_start.SHARE))
    assert max(looked_at) < ROWS


@pytest.mark.parametrize("loss", [Softmax(3), Squared()], ids=lambda loss: loss.name)
def test_several_scores_and_numbers_have_one_too(loss: Softmax | Squared) -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, size=ROWS).astype(float) if loss.outputs > 1 else rng.uniform(-1, 1, size=ROWS)
    records = Records(design_from(rng.normal(size=(ROWS, 3)), 1.0, 0.5), labels)
    assert solve(Objective(loss, L2(0.05), records, float(ROWS)), 1e-9).certificate.distance <= 1e-9


def test_a_loss_of_parabolas_takes_the_hessian_of_all_where_that_saves_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a loss that hardly bends elsewhere two steps are left then, and the first gradient comes with it."""
    monkeypatch.setattr(head_start, "FEWEST", 600)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 20)) / 20**0.5
    y = np.clip(X @ rng.normal(size=20) / 3 + rng.normal(size=ROWS) / 8, -1, 1)
    records = Records(design_from(X, 1.0, 0.5), y)
    wide, narrow = (Objective(Huber(bend), L2(1e-3), records, float(ROWS)) for bend in (0.5, 0.05))
    for objective in (wide, narrow):
        begun = head_start.rough_start(objective, Chord())
        assert isinstance(begun, Place)
        np.testing.assert_allclose(begun.gradient, objective.gradient(begun.w), rtol=1e-12, atol=1e-15)
        assert solve(objective, 1e-9).certificate.distance <= 1e-9
    passes: list[int] = []
    usual = Objective.gradient

    def counted(self: Objective, w: np.ndarray) -> np.ndarray:
        passes.extend([1] * (self.records.design.rows == ROWS))
        return usual(self, w)

    monkeypatch.setattr(Objective, "gradient", counted)
    solve(wide, 1e-9)
    assert len(passes) <= 4


@pytest.mark.parametrize(("size", "rows", "worth"), [(51, 10**5, True), (51, 10**7, False), (301, 10**5, False)])
def test_the_hessian_of_all_is_worth_it_for_few_columns_and_rows(size: int, rows: int, worth: bool) -> None:
    assert head_start._worth_all(size, rows // head_start.SHARE, rows) is worth
