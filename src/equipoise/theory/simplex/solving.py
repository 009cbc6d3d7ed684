"""How close a solver comes to the weights that a theorem speaks of, for every table: planned, never hoped for.

docs/proofs/simplex.md, section 3: dual averaging with steps of 1/(1+κ) contracts, and what rounding adds is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise.errors import MechanismRefused
from equipoise.theory import sensitivity
from equipoise.theory.plan import Facts
from equipoise.theory.rounding import LONG_SUM, up
from equipoise.theory.simplex.corners import Corners

MACHINE = 2.0**-53

RESIDUAL_SHARE = 2.0**-10
"""Of what one record pulls: it costs a tenth of a per cent of ε."""

LARGEST_SHARE = 0.25
"""If rounding alone would cost more than this part of ε, the problem is refused."""

QUICKER = 4
"""The accelerated method gets this many times the steps it needs in exact arithmetic."""


@dataclass(frozen=True, slots=True)
class Course:
    """What the solver is allowed and guaranteed, all from public facts."""

    alpha: float
    condition: float
    """κ."""
    rounding: float
    """What doubles add to the gradient of one step, all told."""
    residual: float
    """The promised bound on half the range of α·log θ + gradient."""
    steps: int
    """Of dual averaging, after which the residual is within its bound whatever the table."""
    quick_steps: int
    """Of the accelerated method, which nearly always ends sooner."""

    @property
    def damping(self) -> float:
        return 1 / (1 + self.condition)

    @property
    def momentum(self) -> float:
        """τ with κτ² + τ = 1."""
        return 2 / (1 + math.sqrt(1 + 4 * self.condition))


def course_for(facts: Facts, corners: Corners) -> Course:
    """Residual and steps for these facts."""
    alpha, bend = facts.penalty.strong_convexity, sensitivity.corner_condition(facts)
    rounding, pull = _rounding(facts, bend), sensitivity.corner_push(facts)
    residual = max(RESIDUAL_SHARE * pull, up(2 * (1 + 2 * bend) * rounding, LONG_SUM))
    if residual > LARGEST_SHARE * pull:
        raise MechanismRefused(
            f"alpha={alpha:.3g}: rounding in doubles would drown what one record does, raise alpha or lower coef_norm"
        )
    start = 3 * bend * alpha * math.sqrt(2 * math.log(corners.count + 1)) + _largest(facts)
    digits = math.log(max(math.e, 2 * start / residual))
    steps = math.ceil(2 * (1 + bend) * digits) + 2
    quick = math.ceil(QUICKER * 2 * digits * (1 + math.sqrt(1 + 4 * bend)) / 2) + 16
    return Course(alpha, bend, rounding, residual, steps, quick)


def _largest(facts: Facts) -> float:
    """L·R: the largest slope of one record's loss in a weight."""
    reach = sensitivity.corner_reach(facts)
    return up(facts.loss.facts(reach).slope * reach)


def exponent_reach(facts: Facts) -> float:
    """Bound on |exponent| of a weight: a mean gradient over α."""
    return up(2 * _largest(facts) / facts.penalty.strong_convexity)


def _rounding(facts: Facts, bend: float) -> float:
    """The gradient's, that of the running average and that of the weights at which it is taken."""
    alpha, largest = facts.penalty.strong_convexity, _largest(facts)
    weights = bend * alpha * MACHINE * (4 * largest / alpha + 600)
    return up(2 * (sensitivity.corner_rounding(facts) + 8 * MACHINE * largest * (1 + bend) + weights), LONG_SUM)
