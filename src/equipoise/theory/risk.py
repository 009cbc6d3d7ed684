"""Predicted excess risk, from public facts only: what `"auto"` compares.

Nothing here touches privacy.  A mechanism's error is worked out exactly on a *reference problem*: a quadratic loss
whose curvature falls off over the directions as real, scaled tables do (a few strong directions and a tail, here the
mean over a flat, a usual and a steep one) and whose best scores have the size usual for the loss.  Each loss
states both (`Usual` in theory/losses/traits.py); any public choice is private.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.theory.plan import Facts, Schedule

Array = npt.NDArray[np.float64]

DECAYS = (1.5, 2.5, 3.5)
"""Curvature of direction j, of d, is proportional to j to minus one of these; each counts a third."""

BINS = 32
MEMORY = 0.5
"""Noisy gradients release the average of the last half of the iterates."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Directions in bins: how many, their curvature, and the squared best coefficient in each."""

    count: Array
    curvature: Array
    signal: float

    def excess(self, kept_away: Array, variance: Array) -> float:
        """½Σ h·(bias² + variance); `kept_away` is the share of the best coefficient that is missed."""
        return float(0.5 * np.sum(self.count * self.curvature * (kept_away**2 * self.signal + variance)))


def usual_bend(facts: Facts) -> float:
    """The sum of the reference problem's curvatures for one score."""
    return facts.loss.traits.usual.curvature * facts.bounds.norm**2


def reference(facts: Facts) -> Reference:
    """The reference problem for these facts; the scores of a softmax are as many copies of one."""
    edges = np.unique(np.geomspace(1, facts.features + 1, BINS + 1).astype(np.int64))
    count = np.diff(edges).astype(np.float64)
    middle = np.sqrt(edges[:-1] * (edges[1:] - 1.0))
    shares = [middle**-decay / np.sum(count * middle**-decay) for decay in DECAYS]
    size = facts.loss.traits.usual.score / facts.bounds.norm
    weight = facts.loss.outputs / len(DECAYS)
    return Reference(np.tile(count, len(DECAYS)) * weight, usual_bend(facts) * np.concatenate(shares), size**2)


def of_output(problem: Reference, alpha: float, noise: float) -> float:
    """Output perturbation with ridge α and noise of this size in every coordinate."""
    away = alpha / (problem.curvature + alpha)
    return problem.excess(away, np.full_like(away, noise**2))


def of_objective(problem: Reference, alpha: float, tilt: float) -> float:
    """Objective perturbation with ridge α, the mean objective tilted by noise of this size per coordinate."""
    away = alpha / (problem.curvature + alpha)
    return problem.excess(away, (tilt / (problem.curvature + alpha)) ** 2)


def of_gradients(problem: Reference, alpha: float, schedule: Schedule, noise: float) -> float:
    """Noisy gradient descent: `noise` in every coordinate of every step, last half of the iterates averaged."""
    steps, size = schedule.steps, schedule.step_size
    away, echo = _responses(problem.curvature + alpha, schedule)
    first = int(steps * (1 - MEMORY))
    reached = problem.curvature / (problem.curvature + alpha)
    left = np.mean(away[first:], axis=0)
    sums = np.vstack([np.zeros(echo.shape[1]), np.cumsum(echo, axis=0)])
    drawn = np.arange(steps)
    kept = sums[steps - drawn] - sums[np.maximum(first - drawn, 0)]
    weights = size * kept / (steps - first)
    return problem.excess(1 - reached * (1 - left), noise**2 * np.sum(weights**2, axis=0))


def _responses(curvature: Array, schedule: Schedule) -> tuple[Array, Array]:
    """After each step: how much of the starting distance is left, and the echo of a unit push in the first step.

    Both rows have one entry per direction.  An unstable direction grows until it is cut off, far beyond any use.
    """
    decay, push = 1 - schedule.step_size * curvature, schedule.momentum
    distance, speed = np.ones_like(curvature), np.zeros_like(curvature)
    echo, echo_speed = np.ones_like(curvature), np.ones_like(curvature)
    away, echoes = [], [echo]
    for _ in range(schedule.steps):
        moved = decay * distance + push * speed
        speed, distance = moved - distance, np.clip(moved, -1e6, 1e6)
        away.append(distance)
        moved = decay * echo + push * echo_speed
        echo_speed, echo = moved - echo, np.clip(moved, -1e6, 1e6)
        echoes.append(echo)
    return np.array(away), np.array(echoes[: schedule.steps])
