"""How far a walk of noisy gradients goes: in all, in one step, and by momentum.  None of it touches privacy."""

from __future__ import annotations

import math

import numpy as np

from equipoise.theory.plan import Facts
from equipoise.theory.schedule import Schedule

MOST_MOMENTUM = 0.95


def lengths(facts: Facts, steps: int) -> list[float]:
    """How far to walk in all, up to what so many steps with the most momentum can cover."""
    longest = steps * longest_step(facts) / (1 - MOST_MOMENTUM)
    return [float(length) for length in np.geomspace(longest / 65536, longest, 33)]


def longest_step(facts: Facts) -> float:
    """Beyond it a walk may swing itself up where the loss bends most."""
    return facts.loss.traits.usual.longest_step / (bend(facts) + facts.penalty.strong_convexity)


def bend(facts: Facts) -> float:
    """The most that a mean loss curves."""
    return float(facts.loss.facts(math.inf).curvature * facts.bounds.norm**2)


def schedule(facts: Facts, steps: int, length: float, mu: float) -> Schedule:
    """Momentum makes up for what the step size may not cover: in slow directions each step counts 1/(1 − momentum)."""
    step_size = min(longest_step(facts), length / steps)
    momentum = max(0.0, 1 - step_size * steps / length)
    return Schedule(steps, step_size, momentum, facts.ball, mu)
