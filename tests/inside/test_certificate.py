"""A certificate's distance is never below the true one.  Oracles: closed forms, and Newton in long doubles."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import expit

from equipoise.inside import Records
from equipoise.inside.certificate import in_ball, smooth
from equipoise.inside.design import design_from
from equipoise.inside.objective import Objective
from equipoise.theory.losses import Huber, Logistic, Loss, SmoothedHinge, Softmax, Squared, zero_sum_basis
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]
Long = npt.NDArray[np.longdouble]

ROWS, COLUMNS = 40, 3
ALPHA = 0.05
LOSSES: list[Loss] = [Logistic(), SmoothedHinge(0.5), Squared(), Huber(0.4), Softmax(3)]


def _slopes(loss: Loss, scores: Long, labels: Long) -> Long:
    """Derivatives in the score, written out again in long doubles."""
    if isinstance(loss, Logistic):
        return np.asarray(-labels / (1 + np.exp(labels * scores)))
    if isinstance(loss, SmoothedHinge):
        return np.asarray(-labels * np.clip((1 + loss.width - labels * scores) / (2 * loss.width), 0, 1))
    if isinstance(loss, Squared):
        return 2 * (scores - labels)
    if isinstance(loss, Huber):
        return np.asarray(np.clip(scores - labels, -loss.threshold, loss.threshold))
    basis = zero_sum_basis(3).astype(np.longdouble)
    odds = np.exp(scores @ basis)
    wrong = odds / odds.sum(axis=1, keepdims=True) - np.eye(3)[labels.astype(int)]
    return np.asarray(wrong @ basis.T)


def _problem(loss: Loss, dressed: bool, seed: int = 0) -> tuple[Objective, Long]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, COLUMNS)) / 2
    labels = rng.uniform(-1, 1, size=ROWS)
    if isinstance(loss, Softmax):
        labels = rng.integers(0, 3, size=ROWS).astype(float)
    elif not isinstance(loss, Squared | Huber):
        labels = np.sign(labels + X[:, 0])
    size = loss.outputs * COLUMNS
    centre = tuple(rng.normal(size=size).tolist()) if dressed else None
    tilt = rng.normal(size=size) / 10 if dressed else None
    records = Records(design_from(X, 100.0, 0.0), labels)
    return Objective(loss, L2(ALPHA, centre), records, ROWS + 3.0, tilt), X.astype(np.longdouble)


def _long_gradient(objective: Objective, X: Long, w: Long) -> Long:
    outputs = objective.loss.outputs
    scores = X @ (w if outputs == 1 else w.reshape(outputs, -1).T)
    slopes = _slopes(objective.loss, scores, objective.records.labels.astype(np.longdouble))
    data = (X.T @ slopes).T.reshape(-1) / objective.divisor
    tilt = 0 if objective.tilt is None else objective.tilt
    return np.asarray(data + ALPHA * (w - objective.centre) + tilt)


def _minimiser(objective: Objective, X: Long, pressure: float = 0.0) -> Long:
    """Damped Newton: Hessian in doubles, gradient in long doubles."""
    w = objective.centre.astype(np.longdouble)
    for _ in range(400):
        gradient = _long_gradient(objective, X, w) + pressure * w
        bend = objective.hessian(w.astype(float)) + pressure * np.eye(len(w))
        step = np.linalg.solve(bend, gradient.astype(float))
        w = w - step if np.linalg.norm(gradient.astype(float)) < 1e-3 else w - step / 2
        if np.linalg.norm(step) < 1e-19:
            break
    return w


def _minimiser_in_ball(objective: Objective, X: Long, radius: float) -> Long:
    low, high = 0.0, 10.0
    for _ in range(55):
        middle = (low + high) / 2
        w = _minimiser(objective, X, middle)
        low, high = (middle, high) if float(np.sqrt(w @ w)) > radius else (low, middle)
    return np.asarray(w * (radius / np.sqrt(w @ w)))


def _distance(w: Array, exact: Long) -> float:
    return float(np.sqrt(np.sum((w - exact) ** 2)))


@pytest.mark.parametrize("dressed", [False, True], ids=["plain", "centre and tilt"])
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_smooth_certificate_covers_the_true_distance(loss: Loss, dressed: bool) -> None:
    objective, X = _problem(loss, dressed)
    exact = _minimiser(objective, X)
    rng = np.random.default_rng(1)
    for scale in (10.0, 1.0, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0.0):
        w = exact.astype(float) + scale * rng.normal(size=len(exact))
        assert smooth(objective, w, objective.gradient(w)).distance >= _distance(w, exact)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_smooth_certificate_is_of_the_right_size(loss: Loss) -> None:
    """Never above smoothness/α times the distance, and rounding alone stays below 1e-11."""
    objective, X = _problem(loss, False)
    exact = _minimiser(objective, X)
    w = exact.astype(float) + 1e-4
    bound = smooth(objective, w, objective.gradient(w)).distance
    assert bound <= objective.smoothness / ALPHA * _distance(w, exact) * 1.001
    at_best = exact.astype(float)
    assert smooth(objective, at_best, objective.gradient(at_best)).distance < 1e-11


@pytest.mark.parametrize("dressed", [False, True], ids=["plain", "centre and tilt"])
@pytest.mark.parametrize("loss", [Logistic(), Squared()], ids=lambda loss: loss.name)
def test_ball_certificate_covers_the_true_distance(loss: Loss, dressed: bool) -> None:
    objective, X = _problem(loss, dressed)
    radius = 0.6 * float(np.linalg.norm(_minimiser(objective, X).astype(float)))
    exact = _minimiser_in_ball(objective, X, radius)
    rng = np.random.default_rng(2)
    for scale in (1.0, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0.0):
        w = exact.astype(float) + scale * rng.normal(size=len(exact))
        w *= radius / np.linalg.norm(w)
        assert in_ball(objective, w, objective.gradient(w), radius).distance >= _distance(w, exact)
    at_best = exact.astype(float)
    assert in_ball(objective, at_best, objective.gradient(at_best), radius).distance < 1e-10


def test_ball_certificate_counts_a_point_off_the_sphere() -> None:
    objective, X = _problem(Squared(), False)
    radius = 0.5 * float(np.linalg.norm(_minimiser(objective, X).astype(float)))
    exact = _minimiser_in_ball(objective, X, radius).astype(float)
    for stretch in (0.9, 0.999, 1.001, 1.1):
        w = exact * stretch
        assert in_ball(objective, w, objective.gradient(w), radius).distance >= float(np.linalg.norm(w - exact))


def test_ball_certificate_survives_the_zero_point() -> None:
    objective, _ = _problem(Squared(), False)
    zero = np.zeros(COLUMNS)
    assert in_ball(objective, zero, objective.gradient(zero), 0.1).distance >= 0.1


def test_what_is_not_a_number_certifies_nothing() -> None:
    objective, _ = _problem(Squared(), False)
    broken = np.full(COLUMNS, np.nan)
    assert smooth(objective, broken, broken).distance == math.inf
    assert in_ball(objective, broken, broken, 1.0).distance == math.inf


def test_the_oracle_agrees_with_a_closed_form() -> None:
    objective, X = _problem(Squared(), False)
    wide = X.astype(float)
    normal = 2 * wide.T @ wide / objective.divisor + ALPHA * np.eye(COLUMNS)
    closed = np.linalg.solve(normal, 2 * wide.T @ objective.records.labels / objective.divisor)
    np.testing.assert_allclose(_minimiser(objective, X).astype(float), closed, atol=1e-14)


def test_the_oracles_slopes_agree_with_the_losses() -> None:
    score = np.linspace(-3, 3, 13)
    logistic = _slopes(Logistic(), score.astype(np.longdouble), np.ones(13, dtype=np.longdouble)).astype(float)
    np.testing.assert_allclose(logistic, -expit(-score), rtol=1e-14)
