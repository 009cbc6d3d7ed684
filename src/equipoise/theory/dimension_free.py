"""A ridge that does not know how many columns there are, and the excess risk that it promises.

Nothing here touches privacy: any ridge made of public facts is private.  Gaussian noise has one size in every
direction, and a row of norm B feels B times that however many columns there are.  So excess risk over the best
coefficients of norm K is at most (α/2)K² plus what a score's noise costs, and the best α follows in closed form
(docs/proofs/dimension_free.md; Jain, Thakurta 2014, Theorems 1 and 2, with constants of our own).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise.errors import MechanismRefused
from equipoise.theory import sensitivity
from equipoise.theory.accounting.calibrate import gaussian_shift
from equipoise.theory.guarantees import Budget
from equipoise.theory.plan import Facts, OutputPlan, TiltedPlan

RULE = "dimension-free"
"""What a caller writes for `alpha`."""


@dataclass(frozen=True, slots=True)
class Promise:
    """E F(w) − F(θ) ≤ (α/2)K² + min(steep·σ, bent·σ²) for every θ of norm K, where σ = noise/α."""

    norm: float
    """K."""
    noise: float
    """Standard deviation of each coefficient, times α."""
    steep: float
    """What noise of size one costs a loss by its slope."""
    bent: float
    """By its curvature; infinite for a loss with a kink."""

    @property
    def alpha(self) -> float:
        """The ridge of the least bound."""
        by_slope = math.sqrt(2 * self.steep * self.noise) / self.norm
        if math.isinf(self.bent):
            return by_slope
        by_bend = math.cbrt(4 * self.bent * self.noise**2 / self.norm**2)
        return min(by_slope, by_bend, key=self.excess)

    def excess(self, alpha: float) -> float:
        """The bound with this ridge, where noise is in inverse proportion to it."""
        return self.pulled(alpha) + self.blurred(self.noise / alpha)

    def pulled(self, alpha: float) -> float:
        """What the ridge costs."""
        return 0.5 * alpha * self.norm**2

    def blurred(self, sigma: float) -> float:
        """What noise of this size in each coefficient costs."""
        return min(self.steep * sigma, self.bent * sigma**2)


def promise(facts: Facts, budget: Budget) -> Promise:
    """From public facts; the number of columns is not among them."""
    if budget.delta == 0:
        raise MechanismRefused(f'alpha="{RULE}": needs delta > 0, pure noise grows with the number of columns')
    if facts.penalty.bend > 0 or facts.penalty.centre is not None:
        raise MechanismRefused(f'alpha="{RULE}": is about a ridge around zero alone, give a number or "auto"')
    change, slope = sensitivity.of_tilted_gradient(facts), sensitivity.slope_bound(facts)
    scores, norm = facts.loss.outputs, facts.bounds.norm
    # The mean length of a Gaussian vector with one coordinate for each score.
    length = math.sqrt(2) * math.exp(math.lgamma((scores + 1) / 2) - math.lgamma(scores / 2))
    return Promise(
        norm=facts.bounds.coef_norm if math.isfinite(facts.bounds.coef_norm) else _usual_norm(facts),
        noise=change / (facts.n * gaussian_shift(budget)),
        steep=slope * length,
        bent=0.5 * facts.loss.facts(math.inf).trace * norm**2,
    )


def _usual_norm(facts: Facts) -> float:
    """Of the best coefficients, where nobody bounded them."""
    return facts.loss.traits.usual.ball * facts.loss.label_bound / facts.bounds.norm


def excess_of(plan: OutputPlan | TiltedPlan) -> float:
    """What a plan of output or objective perturbation with Gaussian noise promises, the solver's radius included."""
    facts, alpha = plan.facts, plan.facts.penalty.strong_convexity
    bound = promise(facts, plan.budget)
    stopped = sensitivity.slope_bound(facts) * plan.radius
    tilted = bound.blurred(plan.tilt.rms / facts.n / alpha) if isinstance(plan, TiltedPlan) else 0.0
    return bound.pulled(alpha) + tilted + bound.blurred(plan.noise.rms) + stopped
