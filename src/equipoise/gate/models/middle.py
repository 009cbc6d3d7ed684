"""The middle of noisy gradients: the mean row, with noise, from which rows are seen in every step that follows.

Guarantee.  A Gaussian release of √k times the privacy of a step, k a square number: the price of k steps.
Assumes.    Rows within a public norm R; neither encoded nor lifted.  No given ball, no given start of the coefficients.
Adjacency.  Replace-one, rows: a mean needs their number.  The sensitivity is 2R/n.
Numerics.   A sum over the records, as in docs/proofs/certificates.md.
Reference.  docs/proofs/noisy_gradients.md, section 3.

Noise is made for the longest row, but rows of a table lie on one side of it, most of them at a like distance from their
middle.  Seen from there they are half as long, and what one of them can do is half as much.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from equipoise.gate import laws
from equipoise.gate.door import add_noise
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records, mean_row, seen_from
from equipoise.ledger import Entry
from equipoise.theory import family, sensitivity
from equipoise.theory.accounting.prices import gaussian_steps
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import View
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import is_regression
from equipoise.theory.noise import Noise
from equipoise.theory.plan import Facts, GradientPlan
from equipoise.theory.rounding import LONG_SUM, up
from equipoise.theory.schedule import Middle

Vector = npt.NDArray[np.float64]

REACH = 0.4
"""Of the row norm: how far from the middle a row may lie.  Most rows are shortened to that; with many columns what is
lost by it is little (docs/decisions/0060)."""

FEWEST_COLUMNS = 16
"""With fewer, how far a row lies from the middle tells too much."""

NEAR = 0.25
"""Of the row norm: noise in the middle longer than that is too long."""

LARGEST_PART = 0.25
"""Of all that is paid: the most for a middle."""

NUMBERS_SETTLED, CLASSES_SETTLED = 500.0, 5000.0
"""Records times ε, over the square root of the numbers in a row: with more, noise no longer decides what is learnt, and
rows as they are tell more."""

PRICES = tuple(root * root for root in range(1, 10))
"""In steps.  Squares: the privacy of the middle is then a whole multiple of a step's, without rounding.  More than the
last is too large a part beside the most steps that are ever taken."""


def serves(facts: Facts, budget: Budget) -> bool:
    """Whether rows can be seen from a middle, it can be paid for, and it is worth that: by public facts alone."""
    return _can(facts, budget) and _pays(facts, budget)


def _can(facts: Facts, budget: Budget) -> bool:
    """What the proof asks for."""
    bounds = facts.bounds
    as_they_are = bounds.lift is None and bounds.encoding is None and facts.partners is None
    counted = facts.adjacency is Adjacency.REPLACE_ONE and facts.person_rows is None
    free = math.isinf(bounds.coef_norm) and facts.penalty.centre is None and facts.penalty.bend == 0
    return as_they_are and counted and free and bounds.intercept > 0 and budget.delta > 0 and facts.loss.smooth


def _pays(facts: Facts, budget: Budget) -> bool:
    """What figures ask for: many columns, few enough numbers that nobody waits, and noise that matters."""
    wide = facts.features > FEWEST_COLUMNS and facts.n * facts.dim <= family.DEAR
    settled = NUMBERS_SETTLED if is_regression(facts.loss) else CLASSES_SETTLED
    return wide and facts.n * budget.epsilon <= settled * math.sqrt(facts.features)


def seen(facts: Facts) -> Facts:
    """The facts of rows as they are seen from a middle that is still to be released; the constant column keeps its
    share of a row."""
    bounds = facts.bounds
    narrow = replace(bounds, view=View(REACH * bounds.row_norm), intercept=REACH * bounds.intercept)
    return replace(facts, bounds=narrow)


def offer(facts: Facts, budget: Budget, steps: int) -> Middle | None:
    """The cheapest middle that is near enough, beside so many steps; None where that would cost too much."""
    for price in PRICES:
        if price > LARGEST_PART * (steps + price):
            return None
        mu = gaussian_steps(budget.epsilon, budget.delta, facts.dim, steps + price).mu
        length = noise_of(facts, Middle(price), mu).rms * math.sqrt(facts.features - 1)
        if length <= NEAR * facts.bounds.row_norm:
            return Middle(price)
    return None


def noise_of(facts: Facts, first: Middle, mu: float) -> Noise:
    """Of the mean row, where a step is this private."""
    own = math.isqrt(first.steps) * mu
    moved = sensitivity.of_mean_row(facts)
    return laws.gaussian_of(laws.spanning(moved.l2, own, 2 * facts.bounds.row_norm), facts.features - 1, own)


def stated(facts: Facts, first: Middle, mu: float) -> Middle:
    """With the numbers that its own promise rests on, where a step is this private."""
    return replace(first, moved=sensitivity.of_mean_row(facts).l2, scale=noise_of(facts, first, mu).scale)


def words(facts: Facts, first: Middle) -> str:
    """For the plan and the card."""
    price = f"{first.steps} step{'s' if first.steps > 1 else ''}"
    return (
        f"rows are seen from their middle, which is released first, at the price of {price}: what is further from it"
        f" than {facts.bounds.reach:.4g} is brought to that distance, in predictions too"
    )


def release(
    records: Private[Records], plan: GradientPlan, first: Middle, entry: Entry, bits: Bits
) -> tuple[View, Private[Records]]:
    """The middle, and the records as seen from it."""
    facts = plan.facts
    noise = noise_of(facts, first, plan.schedule.mu)
    found = add_noise(mean_row(records, facts.n), noise, plan.event, entry, bits)
    view = View(facts.bounds.reach, tuple(shrunk(found, noise.rms, facts.bounds.row_norm).tolist()))
    return view, seen_from(records, view, facts.bounds.intercept)


def shrunk(found: Vector, noise: float, most: float) -> Vector:
    """As near to zero as its noise warrants, and no further from it than a row can be: arithmetic on a release."""
    with np.errstate(all="ignore"):  # at extreme units: paid for by now, so this may neither fail nor warn
        square = float(found @ found)
        kept = max(0.0, 1 - len(found) * noise**2 / square) if square > 0 else 0.0
        short = np.nan_to_num(found * kept, posinf=0.0, neginf=0.0)
        length = up(float(np.linalg.norm(short)), LONG_SUM)
        return short if length <= most else short * (most / length)
