"""Minimisers in sixty digits, written out again from the definitions: how far a solver's point truly is.

Newton's method with halved steps, from the solver's point; its own error is bounded by the gradient it leaves, in the
same sixty digits, so an oracle that did not arrive says so.
"""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import numpy.typing as npt

from equipoise.inside.objective import Objective
from equipoise.theory.losses import CappedLogistic, Huber, Logistic, Loss, SmoothedHinge, Squared, SquaredHinge
from equipoise.theory.regularisers import Bridge, Elastic

mpmath.mp.dps = 60
Vector = Any


def slope_and_bend(loss: Loss, score: Any, label: Any) -> tuple[Any, Any]:
    """First and second derivative in the score."""
    if isinstance(loss, Logistic):
        odds = 1 / (1 + mpmath.exp(label * score))
        return -label * odds, odds * (1 - odds)
    if isinstance(loss, CappedLogistic):
        odds = 1 / (1 + mpmath.exp(label * score))
        return -label * min(odds, mpmath.mpf(loss.cap)), odds * (1 - odds) if odds < loss.cap else mpmath.mpf(0)
    if isinstance(loss, SmoothedHinge):
        past = (1 + loss.width - label * score) / (2 * mpmath.mpf(loss.width))
        return -label * min(max(past, 0), 1), 1 / (2 * mpmath.mpf(loss.width)) if 0 < past < 1 else mpmath.mpf(0)
    if isinstance(loss, Squared):
        return 2 * (score - label), mpmath.mpf(2)
    if isinstance(loss, SquaredHinge):
        short = max(1 - label * score, mpmath.mpf(0))
        return -2 * label * short, mpmath.mpf(2 if short > 0 else 0)
    assert isinstance(loss, Huber)
    residual, most = score - label, mpmath.mpf(loss.threshold)
    return loss.scale * min(max(residual, -most), most), mpmath.mpf(loss.scale) if abs(residual) < most else 0 * most


class Exact:
    """One objective with one score per row, in exact copies of its doubles."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        columns = np.eye(objective.records.design.columns)
        dense = objective.records.design.matvec(columns)
        self.X = [[mpmath.mpf(float(entry)) for entry in row] for row in dense]
        self.y = [mpmath.mpf(float(label)) for label in objective.records.labels]
        self.alpha, self.divisor = mpmath.mpf(objective.penalty.strong_convexity), mpmath.mpf(objective.divisor)
        self.centre = [mpmath.mpf(float(entry)) for entry in objective.centre]
        tilt = np.zeros(objective.size) if objective.tilt is None else objective.tilt
        self.tilt = [mpmath.mpf(float(entry)) for entry in tilt]

    def gradient_and_hessian(self, w: list[Any], pressure: Any) -> tuple[list[Any], Any]:
        size = len(w)
        gradient = [self.alpha * (w[j] - self.centre[j]) + pressure * w[j] + self.tilt[j] for j in range(size)]
        hessian = (self.alpha + pressure) * mpmath.eye(size)
        self._round_corners(w, gradient, hessian)
        for row, label in zip(self.X, self.y, strict=True):
            score = mpmath.fdot(row, w)
            slope, bend = slope_and_bend(self.objective.loss, score, label)
            for j in range(size):
                gradient[j] += slope * row[j] / self.divisor
                for k in range(size if bend else 0):
                    hessian[j, k] += bend * row[j] * row[k] / self.divisor
        return gradient, hessian

    def _round_corners(self, w: list[Any], gradient: list[Any], hessian: Any) -> None:
        """The L1 part of an elastic net."""
        penalty = self.objective.penalty
        if isinstance(penalty, Bridge):
            self._bow(penalty, w, gradient, hessian)
        if not isinstance(penalty, Elastic):
            return
        weight, width = mpmath.mpf(penalty.l1), mpmath.mpf(penalty.width)
        for j in range(len(w) - penalty.spared):
            share = min(max(w[j] / width, -1), 1)
            gradient[j] += weight * share
            hessian[j, j] += weight / width if abs(share) < 1 else 0

    def _bow(self, penalty: Bridge, w: list[Any], gradient: list[Any], hessian: Any) -> None:
        """What the power adds to a ridge: slopes of α·r^(2−p)·t^(p−1)/(p − 1), a line below ω, none beyond r."""
        p, near, far = mpmath.mpf(penalty.power), mpmath.mpf(penalty.width), mpmath.mpf(penalty.reach)
        for j in range(len(w) - penalty.spared):
            size = abs(w[j])
            held = min(max(size, near), far)
            slope = far ** (2 - p) * held ** (p - 1) / (p - 1) * min(size / near, 1)
            gradient[j] += self.alpha * (slope - min(size, far)) * (1 if w[j] > 0 else -1)
            bend = (far / held) ** (2 - p) / (p - 1 if size < near else 1)
            hessian[j, j] += self.alpha * (bend - 1)

    def free(self, start: list[Any], pressure: Any, close: Any) -> list[Any]:
        """Without constraint, until the gradient proves the distance `close`."""
        w = start
        gradient, hessian = self.gradient_and_hessian(w, pressure)
        for _ in range(200):
            steepness = mpmath.norm(gradient)
            if steepness <= close * (self.alpha + pressure):
                return w
            step = mpmath.lu_solve(hessian, mpmath.matrix(gradient))
            length = mpmath.mpf(1)
            for _ in range(60):  # along the step the slope rises; stop before it is uphill, nearly
                there = [w[j] - length * step[j] for j in range(len(w))]
                after, bend = self.gradient_and_hessian(there, pressure)
                if -mpmath.fdot(after, step) <= mpmath.mpf("0.5") * mpmath.fdot(gradient, step):
                    break
                length /= 2
            w, gradient, hessian = there, after, bend
        raise AssertionError("the oracle did not arrive")

    def within(self, start: list[Any], ball: float, close: Any) -> list[Any]:
        """Over the ball: the pressure that puts the minimiser on the sphere, by bisection."""
        w = self.free(start, mpmath.mpf(0), close)
        if mpmath.norm(w) <= ball:
            return w
        low, high = mpmath.mpf(0), self.alpha
        while mpmath.norm(w) > ball:
            w = self.free(w, high, close * mpmath.mpf(10) ** -6)
            low, high = (high, 8 * high) if mpmath.norm(w) > ball else (low, high)
        for _ in range(120):
            middle = (low + high) / 2
            w = self.free(w, middle, close * mpmath.mpf(10) ** -6)
            low, high = (middle, high) if mpmath.norm(w) > ball else (low, middle)
            if (high - low) * ball <= close * self.alpha / 10:
                break
        return w


def distance(objective: Objective, point: npt.NDArray[np.float64], ball: float, close: float) -> float:
    """From the point to the minimiser over the ball, within about `close`."""
    exact = Exact(objective)
    start = [mpmath.mpf(float(entry)) for entry in point]
    w = exact.within(start, ball, mpmath.mpf(close))
    return float(mpmath.norm([a - b for a, b in zip(start, w, strict=True)]))
