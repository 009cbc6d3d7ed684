"""The objective's derivatives, and the allowance for their rounding."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.inside import Private, Records, compiled, enter, mean_gradient
from equipoise.inside.design import dense, design_from
from equipoise.inside.objective import MARGIN, Objective, data_gradient
from equipoise.theory.bounds import Bounds
from equipoise.theory.evening import Evening
from equipoise.theory.losses import Huber, Logistic, Loss, SmoothedHinge, Softmax, Squared
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]

ROWS, COLUMNS = 60, 4


def _objectives() -> Iterator[Objective]:
    rng = np.random.default_rng(11)
    design = design_from(rng.normal(size=(ROWS, COLUMNS)), 1.5, 0.5)
    signs = rng.choice([-1.0, 1.0], size=ROWS)
    targets = rng.uniform(-1, 1, size=ROWS)
    losses: list[tuple[Loss, Array]] = [
        (Logistic(), signs),
        (SmoothedHinge(0.5), signs),
        (Squared(), targets),
        (Huber(0.4, scale=2.0), targets),
        (Softmax(4), rng.integers(0, 4, size=ROWS).astype(float)),
    ]
    for loss, labels in losses:
        size = loss.outputs * (COLUMNS + 1)
        centre, tilt = tuple(rng.normal(size=size).tolist()), rng.normal(size=size)
        yield Objective(loss, L2(0.1, centre), Records(design, labels), 50.0, tilt, pressure=0.3)
        yield Objective(loss, L2(0.2), Records(design, labels), float(ROWS))
        yield Objective(loss, L2(0.1), Records(design, labels), 50.0, tilt, evened=Evening(1.6))


OBJECTIVES = list(_objectives())


@pytest.fixture(params=OBJECTIVES, ids=lambda objective: objective.loss.name)
def objective(request: pytest.FixtureRequest) -> Objective:
    assert isinstance(request.param, Objective)
    return request.param


@pytest.fixture
def w(objective: Objective) -> Array:
    return np.random.default_rng(5).normal(size=objective.size)


def test_gradient_is_the_slope_of_the_value(objective: Objective, w: Array) -> None:
    step = 1e-6
    slopes = [
        (objective.value(w + step * side) - objective.value(w - step * side)) / (2 * step) for side in np.eye(len(w))
    ]
    np.testing.assert_allclose(objective.gradient(w), slopes, atol=1e-7)


def test_hessian_is_the_slope_of_the_gradient(objective: Objective, w: Array) -> None:
    step = 1e-7
    bends = [
        (objective.gradient(w + step * side) - objective.gradient(w - step * side)) / (2 * step)
        for side in np.eye(len(w))
    ]
    np.testing.assert_allclose(objective.hessian(w), bends, atol=1e-6)


def test_hessian_product_is_the_hessian(objective: Objective, w: Array) -> None:
    product = objective.hessian_product(w)
    columns = np.column_stack([product(side) for side in np.eye(len(w))])
    np.testing.assert_allclose(columns, objective.hessian(w), atol=1e-13)


def test_smoothness_and_strong_convexity_enclose_the_hessian(objective: Objective, w: Array) -> None:
    eigenvalues = np.linalg.eigvalsh(objective.hessian(w))
    assert eigenvalues[0] >= objective.strong_convexity * (1 - 1e-9)
    assert eigenvalues[-1] <= objective.smoothness * (1 + 1e-9)


@pytest.mark.parametrize("with_passes", [True, False])
@pytest.mark.parametrize("loss", [Logistic(), Softmax(3)], ids=lambda loss: loss.name)
def test_a_pass_in_many_blocks_is_one_pass(loss: Loss, with_passes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row's own label goes with its scores, whichever block it is in, with compiled passes and without."""
    if not with_passes:
        monkeypatch.setattr(compiled, "PASSES", None)
    rng = np.random.default_rng(12)
    labels = rng.choice([-1.0, 1.0], size=900) if loss.outputs == 1 else rng.integers(0, 3, size=900).astype(float)
    records = Records(design_from(rng.normal(size=(900, COLUMNS)), 1.5, 0.5), labels)
    objective = Objective(loss, L2(0.2), records, 900.0)
    w = rng.normal(size=objective.size)
    slopes = loss.slope(objective.scores(w), labels)
    expected = records.design.rmatvec(slopes).T.reshape(-1) / 900 + 0.2 * w
    monkeypatch.setattr(dense, "BLOCK_ENTRIES", 1)
    np.testing.assert_allclose(objective.gradient(w), expected, rtol=1e-12, atol=1e-15)


def test_mean_gradient_is_the_datas_part(objective: Objective, w: Array) -> None:
    if objective.evened is None:
        alone = mean_gradient(Private(objective.records), objective.loss, objective.divisor, w).reveal()
    else:
        alone = data_gradient(objective.loss, objective.records, objective.divisor, w, objective.evened)
    rest = objective.penalty.gradient(w) + objective.pressure * w + (0.0 if objective.tilt is None else objective.tilt)
    np.testing.assert_allclose(alone + rest, objective.gradient(w), atol=1e-14)


def _squared_gradient_in_long_doubles(X: Array, y: Array, w: Array, alpha: float) -> npt.NDArray[np.longdouble]:
    wide = X.astype(np.longdouble)
    return wide.T @ (2 * (wide @ w.astype(np.longdouble) - y)) / len(y) + alpha * w.astype(np.longdouble)


@pytest.mark.parametrize("rows", [30, 30_000])
@pytest.mark.parametrize("same", [True, False], ids=["equal rows", "different rows"])
def test_rounding_allowance_covers_the_true_error_tenfold(rows: int, same: bool) -> None:
    rng = np.random.default_rng(rows)
    X = np.tile(rng.normal(size=(1, 7)) / 5, (rows, 1)) if same else rng.normal(size=(rows, 7)) / 5
    y, w = rng.uniform(-1, 1, size=rows), rng.normal(size=7) * 10
    objective = Objective(Squared(), L2(0.1), Records(design_from(X, 100.0, 0.0), y), rows)
    error = np.linalg.norm((objective.gradient(w) - _squared_gradient_in_long_doubles(X, y, w, 0.1)).astype(float))
    assert float(error) * MARGIN <= objective.rounding(w)


def test_rounding_leaves_room_for_a_fine_radius_at_a_million_rows() -> None:
    """α·radius for a radius of 2⁻¹² of the smallest logistic sensitivity, 1/(αn)."""
    rows = 1_000_000
    private = enter(np.ones((rows, 1)), np.ones(rows), Bounds(1.0, classes=(-1, 1)))
    for alpha in (1.0, 1e-3, 1e-6):
        objective = Objective(Logistic(), L2(alpha), private.reveal(), rows)
        w = np.full(1, math.sqrt(0.28 / alpha))
        assert objective.rounding(w) < 2.0**-12 / rows / 2
