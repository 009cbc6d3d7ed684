"""The constant: count the labels with noise and predict the same for everybody.

Guarantee.  ε-DP with Laplace noise on one number, spherical noise on one for each of several classes.
Assumes.    Labels within their bound, or classes; a constant column to hold the answer.  Rows are not looked at.
Adjacency.  Replace-one, or add-remove with a public nominal size.
Numerics.   Grid of 2⁻²⁴ noise scales; the rounding of the sum is part of the sensitivity.
Reference.  docs/proofs/constant.md.

It is what "auto" falls back on where nothing else is expected to do better: few records, many columns, little ε.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from equipoise.errors import MechanismRefused
from equipoise.gate import laws
from equipoise.gate.door import add_noise
from equipoise.gate.models.mechanism import Mechanism, Needs
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records, weighed
from equipoise.inside.tables.labels import label_sums
from equipoise.ledger import Entry
from equipoise.outside.released import Released
from equipoise.theory import family, sensitivity
from equipoise.theory.accounting.prices import pure_release
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Coding, zero_sum_basis
from equipoise.theory.losses.links import OF_TWO, logits_of, margins_of
from equipoise.theory.mechanisms import CONSTANT
from equipoise.theory.plan import Facts, StatisticsPlan

Array = npt.NDArray[np.float64]

NAME = CONSTANT.name

USUAL_MEAN = 0.6
"""Of labels coded as −1 and 1: how unequal classes usually are."""


def plan(facts: Facts, budget: Budget) -> StatisticsPlan:
    """Settle the noise from public facts."""
    if facts.bounds.intercept == 0:
        raise MechanismRefused(f'mechanism="{NAME}": needs fit_intercept=True, use another mechanism')
    if facts.penalty.centre is not None:
        raise MechanismRefused(f'mechanism="{NAME}": would forget the centre, use another mechanism')
    moved = sensitivity.of_labels(facts)
    l2 = laws.spanning(moved.l2, budget.epsilon, 2 * facts.total * facts.n)
    law = laws.pure(l2, _numbers(facts), budget.epsilon)
    return StatisticsPlan(
        mechanism=NAME,
        theorem=f"constant, {law.noise.law.words} noise",
        facts=facts,
        budget=budget,
        event=pure_release(budget.epsilon, law.delta_numeric),
        sensitivity=moved,
        noise=law.noise,
        norm=facts.ball,
        notes=("one prediction for everybody: rows are not looked at",),
    )


def _numbers(facts: Facts) -> int:
    """How many are released: the sum of the labels, or how many there are of each class."""
    return facts.loss.outputs + 1 if facts.loss.traits.labels is Coding.PLACES else 1


def predict_risk(plan: StatisticsPlan) -> float:
    """Excess risk over the family of problems: every slope is missed."""
    facts, error = plan.facts, plan.noise.rms / plan.facts.n
    coding = facts.loss.traits.labels
    if coding is Coding.SIGNS:
        error *= 2 / (1 - USUAL_MEAN**2)  # a mean label is the hyperbolic tangent of half a score
    elif coding is Coding.PLACES:
        error *= facts.loss.outputs + 1
    return family.of_constant(facts, error)


def release(records: Private[Records], plan: StatisticsPlan, entry: Entry, bits: Bits) -> Released:
    """One trip through the door; the rest is arithmetic on released numbers."""
    facts = plan.facts
    places = _numbers(facts) if facts.loss.traits.labels is Coding.PLACES else 0
    sums = add_noise(label_sums(weighed(records, facts), places), plan.noise, plan.event, entry, bits)
    value = np.zeros((facts.loss.outputs, facts.features))
    value[:, -1] = scores(sums, plan) / facts.bounds.intercept
    return Released(_around(value.reshape(-1), facts), plan.event, plan.guarantee(bits.seeded))


def scores(sums: Array, plan: StatisticsPlan) -> Array:
    """The constant score that goes with noisy sums; drawn towards even chances by as much as noise may mislead."""
    facts, doubt = plan.facts, 1 + plan.noise.rms
    loss = facts.loss
    if loss.traits.labels is Coding.PLACES:
        chances = np.maximum(sums, 0.0) + doubt
        return np.asarray(zero_sum_basis(len(sums)) @ logits_of(chances / chances.sum(), loss.traits.cap))
    mean = float(np.clip(sums[0] / facts.n, -1.0, 1.0))
    if loss.traits.labels is Coding.SIGNS:
        mean *= facts.n / (facts.n + doubt)
    if loss.traits.link in OF_TWO:
        return margins_of(np.array([math.log1p(mean) - math.log1p(-mean)]), loss.traits.cap)
    return np.array([mean * loss.label_bound])


def _around(value: Array, facts: Facts) -> Array:
    """Within the ball, if there is one."""
    norm = float(np.linalg.norm(value))
    return value if norm <= facts.ball else value * (facts.ball / norm)


MECHANISM = Mechanism(
    about=CONSTANT,
    needs=Needs(smooth=False, ball=False, constant_column=True, least_delta=0.0),
    plan=plan,
    release=release,
    predict_risk=predict_risk,
    ridges=lambda facts: [],
)
