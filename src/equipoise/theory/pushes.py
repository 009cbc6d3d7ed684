"""How much of the noise inside a computation is left in what is released, at most.

Public: the plan alone says it.  Proofs: docs/proofs/uncertainty.md, sections 5 and 6.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.theory.plan import TiltedPlan
from equipoise.theory.schedule import Schedule

Array = npt.NDArray[np.float64]


def of_tilt(plan: TiltedPlan) -> float:
    """Of one coordinate of a tilted minimiser: the ridge alone holds the tilt back, and the second noise is added."""
    return plan.tilt.rms / (plan.facts.n * plan.facts.penalty.strong_convexity) + plan.noise.rms


def on_flat_ground(schedule: Schedule) -> Array:
    """By how much a unit of noise in each step's gradient moves the released average where nothing bends.

    Nothing is forgotten there: an echo of a push grows to 1/(1 − momentum) and stays.  No convex quadratic lets a
    push count for more.
    """
    steps, first = schedule.steps, schedule.first
    sums = np.concatenate([[0.0], np.cumsum(echoes(schedule.momentum, steps)[::-1])])
    drawn = np.arange(steps)
    entered = sums[steps - drawn] - sums[np.maximum(first - drawn, 0)]
    return np.asarray(schedule.step_size * entered / (steps - first))


def echoes(momentum: float, steps: int) -> Array:
    """What a push of each step, the first one first, has grown to after so many steps of size one on flat ground."""
    ages = np.arange(steps, 0, -1, dtype=np.float64)
    return ages if momentum >= 1 else np.asarray((1 - momentum**ages) / (1 - momentum))
