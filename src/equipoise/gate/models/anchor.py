"""The anchor of noisy gradients: the mean residual at the end of the walk, with noise, sets the intercept.

Guarantee.  A Gaussian release of √k times the privacy of a step, k = 1, 4, 9 or 16: the price of k steps.
Assumes.    A Huber loss that stands in for the squared one, one output, a constant column, no lift.
Adjacency.  That of the steps; the sensitivity is one coordinate's, 2cT/n for a replaced record.
Numerics.   The value is a coordinate of a mean gradient, and rounded like one.
Reference.  docs/proofs/noisy_gradients.md, section 2.

A small threshold leaves the middle of labels that pile up or have a tail off their mean; this makes the intercept right
at any threshold.  Whether it pays, public facts say.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from equipoise.gate import laws
from equipoise.gate.door import add_noise
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records, mean_residual
from equipoise.ledger import Entry
from equipoise.theory import sensitivity
from equipoise.theory.losses import Huber
from equipoise.theory.noise import Noise
from equipoise.theory.plan import Anchor, Facts, GradientPlan
from equipoise.theory.rounding import LONG_SUM, up

Vector = npt.NDArray[np.float64]

PRICES = (1, 4, 9, 16)
"""In steps.  Squares: the privacy of the anchor is then a whole multiple of a step's, without rounding."""


def offers(facts: Facts) -> list[Anchor]:
    """At every price, where an anchor serves."""
    clipped = Huber(facts.loss.label_bound, facts.loss.label_bound)
    return [Anchor(clipped, price) for price in PRICES] if serves(facts) else []


def words(last: Anchor) -> str:
    """For the plan and the card."""
    return f"the mean residual sets the intercept, at the price of {last.steps} step{'s' if last.steps > 1 else ''}"


def serves(facts: Facts) -> bool:
    """Whether the mean is sought, and one number holds it for everybody."""
    alone = facts.bounds.lift is None and facts.partners is None and facts.loss.outputs == 1
    return alone and facts.bounds.intercept > 0 and isinstance(facts.loss, Huber) and facts.loss.for_squared


def error(plan: GradientPlan) -> float | None:
    """Standard deviation of the anchor's noise, in scores; None without one."""
    if plan.anchor is None:
        return None
    return noise_at(plan, plan.anchor, plan.facts.penalty.centre_norm).rms / plan.facts.bounds.intercept


def noise_at(plan: GradientPlan, last: Anchor, norm: float) -> Noise:
    """At a released point of this norm."""
    facts, mu = replace(plan.facts, loss=last.loss), math.isqrt(last.steps) * plan.schedule.mu
    moved = sensitivity.of_mean_residual(facts, norm)
    longest = 2 * facts.total * facts.bounds.intercept * facts.loss.facts(facts.bounds.norm * norm).slope
    return laws.gaussian_of(laws.spanning(moved.l2, mu, longest), 1, mu)


def set_intercept(
    records: Private[Records],
    plan: GradientPlan,
    last: Anchor,
    point: Vector,
    variances: Vector,
    entry: Entry,
    bits: Bits,
) -> tuple[Vector, Vector]:
    """The point with the intercept moved by the mean residual there, and the variances of its errors.

    The slopes' errors move the mean residual by at most the row norm times theirs.
    """
    facts, column = plan.facts, plan.facts.bounds.intercept
    noise = noise_at(plan, last, up(float(np.linalg.norm(point)), LONG_SUM))
    (found,) = add_noise(mean_residual(records, last.loss, facts.n, point), noise, plan.event, entry, bits)
    value, errors = point.copy(), variances.copy()
    with np.errstate(all="ignore"):  # at extreme units, as in the walk
        value[-1] -= found / column**2
        errors[-1] = (noise.rms / column**2) ** 2 + (facts.bounds.row_norm / column) ** 2 * variances[0]
    return value, errors
