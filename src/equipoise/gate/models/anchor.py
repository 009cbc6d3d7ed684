"""The anchor of noisy gradients: the mean of what the slopes leave over, with noise, is the intercept.

Guarantee.  A Gaussian release of √k times the privacy of a step, k a square number: the price of k steps.
Assumes.    A Huber loss that stands in for the squared one, one output, a constant column, no lift.
Adjacency.  Replace-one, rows: a mean needs their number.  The sensitivity is that of one coordinate, 2cT/n.
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
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.losses import Huber
from equipoise.theory.noise import Noise
from equipoise.theory.plan import Facts, GradientPlan
from equipoise.theory.rounding import LONG_SUM, up
from equipoise.theory.schedule import Anchor

Vector = npt.NDArray[np.float64]

CLIP = 1.5
"""Of what slopes leave over, in label bounds: only where they predict more than half of one beyond the middle, of the
labels at the other end, is anything cut."""

PRICES = (1, 4, 9, 16, 25, 36)
"""In steps.  Squares: the privacy of the anchor is then a whole multiple of a step's, without rounding."""


def offers(facts: Facts) -> list[Anchor]:
    """At every price, where an anchor serves."""
    clipped = Huber(CLIP * facts.loss.label_bound, facts.loss.label_bound)
    return [Anchor(clipped, price) for price in PRICES] if serves(facts) else []


def words(last: Anchor) -> str:
    """For the plan and the card."""
    price = f"{last.steps} step{'s' if last.steps > 1 else ''}"
    return f"the intercept is the mean of what the slopes leave over, at the price of {price}"


def serves(facts: Facts) -> bool:
    """Whether the mean is sought, one number holds it for everybody, and records are counted: where their number is
    secret, or rows of a person may be left out, a sum over n is not a mean."""
    alone = facts.bounds.lift is None and facts.partners is None and facts.loss.outputs == 1
    counted = facts.adjacency is Adjacency.REPLACE_ONE and facts.person_rows is None
    return alone and counted and facts.bounds.intercept > 0 and isinstance(facts.loss, Huber) and facts.loss.for_squared


def error(plan: GradientPlan) -> float | None:
    """Standard deviation of the anchor's noise, in scores; None without one."""
    if plan.anchor is None:
        return None
    beyond = CLIP * plan.facts.loss.label_bound / plan.facts.bounds.norm  # from this norm on the clip is what bounds
    return noise_at(plan, plan.anchor, beyond).rms / plan.facts.bounds.intercept


def noise_at(plan: GradientPlan, last: Anchor, norm: float) -> Noise:
    """At a released point of this norm."""
    facts, mu = replace(plan.facts, loss=last.loss), math.isqrt(last.steps) * plan.schedule.mu
    moved, farthest = sensitivity.of_mean_residual(facts, norm), facts.longer * norm
    longest = 2 * facts.total * facts.bounds.intercept * facts.loss.facts(facts.bounds.norm * farthest).slope
    return laws.gaussian_of(laws.spanning(moved.l2, mu, longest), 1, mu)


def set_intercept(
    records: Private[Records],
    plan: GradientPlan,
    last: Anchor,
    point: Vector,
    spread: Vector,
    entry: Entry,
    bits: Bits,
) -> tuple[Vector, Vector]:
    """The point with the mean of what its slopes leave over for its intercept, and the variances of its errors, or
    their covariance, as they were handed in.

    The slopes' errors move that mean by at most the row norm times theirs.
    """
    facts, column = plan.facts, plan.facts.bounds.intercept
    value, errors = point.copy(), spread.copy()
    value[-1] = 0.0  # what is left over by the slopes alone: where the walk put the intercept does not matter
    noise = noise_at(plan, last, up(float(np.linalg.norm(value)), LONG_SUM))
    (found,) = add_noise(mean_residual(records, last.loss, facts.n, value), noise, plan.event, entry, bits)
    with np.errstate(all="ignore"):  # at extreme units, as in the walk
        value[-1] = -found / column**2
        own = (noise.rms / column**2) ** 2 + (facts.bounds.reach / column) ** 2 * _largest(spread)
        if spread.ndim == 2:
            errors[-1], errors[:, -1] = 0.0, 0.0  # how it goes with the slopes depends on the mean row, which is secret
            errors[-1, -1] = own
        else:
            errors[-1] = own
    return value, errors


def _largest(spread: Vector) -> float:
    """The variance of the slopes along any direction, at most."""
    return float(spread[0] if spread.ndim == 1 else np.linalg.norm(spread[:-1, :-1], 2))
