"""The stated rounding against sixty digits: every loss, with tilts, centres and pressures of any size.

A tilt is drawn, and a rare one is far longer than the data's pull: then the gradient's error is that of adding it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import numpy.typing as npt
import pytest
from tests.inside.exact_minimiser import slope_and_bend
from tests.lists.losses import EXAMPLES, labels_of, name_of

from equipoise.inside import Records
from equipoise.inside.design import design_from
from equipoise.inside.objective import MARGIN, Objective
from equipoise.theory.losses import CappedSoftmax, ClippedSoftmax, Loss, Softmax, zero_sum_basis
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]

ROWS, COLUMNS, ALPHA = 12, 3, 1e-6
SIZES = [0.0, 1e-9, 1.0, 1e9, 1e18, 1e40]
LOSSES = list({name_of(loss.stand_in()): loss.stand_in() for loss in EXAMPLES}.values())


def _exact(numbers: Any) -> Any:
    return mpmath.matrix(np.asarray(numbers, dtype=float).tolist())


def _slopes(loss: Loss, scores: list[Any], label: float) -> list[Any]:
    """One number for each score of a row, from the definitions."""
    if not isinstance(loss, Softmax | CappedSoftmax | ClippedSoftmax):
        return [slope_and_bend(loss, scores[0], mpmath.mpf(label))[0]]
    basis, own = zero_sum_basis(loss.classes), int(label)
    logits = [mpmath.fdot(scores, [mpmath.mpf(float(entry)) for entry in basis[:, k]]) for k in range(loss.classes)]
    odds = [mpmath.exp(logit - max(logits)) for logit in logits]
    chances = [each / mpmath.fsum(odds) for each in odds]
    if isinstance(loss, CappedSoftmax) and chances[own] < 1 - mpmath.mpf(loss.cap):
        rest = mpmath.fsum(odds) - odds[own]
        chances = [mpmath.mpf(loss.cap) * each / rest for each in odds]
        chances[own] = 1 - mpmath.mpf(loss.cap)
    chances[own] -= 1
    if isinstance(loss, ClippedSoftmax):
        length = mpmath.norm(chances)
        chances = [each * min(mpmath.mpf(1), mpmath.mpf(loss.longest) / length) for each in chances]
    return [mpmath.fdot(chances, [mpmath.mpf(float(entry)) for entry in row]) for row in basis]


def _error(objective: Objective, w: Array) -> float:
    """‖computed gradient − true one‖."""
    outputs, columns = objective.loss.outputs, objective.records.design.columns
    X = _exact(objective.records.design.matvec(np.eye(columns)))
    W = _exact(w.reshape(outputs, columns))
    tilt = np.zeros(objective.size) if objective.tilt is None else objective.tilt
    ridge, pressure = mpmath.mpf(objective.penalty.strong_convexity), mpmath.mpf(objective.pressure)
    pairs = zip(_exact(w), _exact(objective.centre), _exact(tilt), strict=True)
    true = [ridge * (at - centre) + pressure * at + push for at, centre, push in pairs]
    scores = X * W.T
    for i, label in enumerate(objective.records.labels):
        slopes = _slopes(objective.loss, [scores[i, a] for a in range(outputs)], float(label))
        for a in range(outputs):
            for j in range(columns):
                true[a * columns + j] += slopes[a] * X[i, j] / mpmath.mpf(objective.divisor)
    computed = objective.gradient(w)
    return float(mpmath.norm([mpmath.mpf(float(each)) - exact for each, exact in zip(computed, true, strict=True)]))


def _objective(loss: Loss, rng: np.random.Generator, across: Array | None = None) -> Objective:
    """Rows at random, or square to a direction up to rounding, where scores are what is left of large products."""
    X = rng.normal(size=(ROWS, COLUMNS))
    if across is not None:
        X -= np.outer(X @ across, across) / (across @ across)
    design = design_from(X, 1.5, 0.5 if across is None else 0.0)
    return Objective(loss, L2(ALPHA), Records(design, labels_of(loss, rng, ROWS)), float(ROWS))


@pytest.mark.parametrize("loss", LOSSES, ids=name_of)
@pytest.mark.parametrize("part", ["tilt", "centre", "pressure", "point"])
def test_no_gradient_is_farther_from_the_true_one_than_a_tenth_of_the_stated_rounding(loss: Loss, part: str) -> None:
    """One part after another outgrows all others."""
    rng = np.random.default_rng(len(name_of(loss)))
    usual, largest = _objective(loss, rng), 0.0
    for size in SIZES:
        w, other = rng.normal(size=usual.size), rng.normal(size=usual.size)
        objective = {
            "tilt": replace(usual, tilt=size * other),
            "centre": replace(usual, penalty=L2(ALPHA, tuple((size * other).tolist()))),
            "pressure": replace(usual, pressure=size),
            "point": replace(usual, tilt=other),
        }[part]
        w = w * size if part == "point" else w
        stated, error = objective.rounding(w), _error(objective, w)
        assert MARGIN * error <= stated, size
        largest = max(largest, error / stated)
    assert largest > 1e-7, "nothing was rounded"


@pytest.mark.parametrize("loss", LOSSES, ids=name_of)
def test_nor_where_large_products_cancel_in_the_scores(loss: Loss) -> None:
    rng = np.random.default_rng(len(name_of(loss)))
    for size in (1.0, 1e4, 1e8, 1e12):
        across = rng.normal(size=COLUMNS)
        objective, w = _objective(loss, rng, across), size * np.tile(across, loss.outputs)
        assert MARGIN * _error(objective, w) <= objective.rounding(w), size
