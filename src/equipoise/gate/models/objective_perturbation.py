"""Objective perturbation: tilt the objective by noise b, minimise, and blur the solver's residue.

Guarantee.  ε-DP with spherical b (δ = 0), (ε, δ)-DP with Gaussian b.
Assumes.    Convex loss with a Lipschitz gradient (refused by name otherwise); Gaussian b: generalised linear losses.
Adjacency.  Replace-one, or add-remove with a public nominal size, at the noise of a replaced record.
Numerics.   The second noise covers the certified radius and the grid of b, and puts the output on a grid itself.
Reference.  docs/proofs/objective_perturbation.md; Chaudhuri et al. 2011; Iyengar et al. 2019; Redberg et al. 2023.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from equipoise.errors import MechanismRefused
from equipoise.gate import laws
from equipoise.gate.door import add_noise, tilt
from equipoise.gate.models import evened
from equipoise.gate.models.mechanism import Mechanism, Needs, Steady
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records, cut, point_of
from equipoise.ledger import Entry
from equipoise.outside.released import Released
from equipoise.theory import family, sensitivity
from equipoise.theory.accounting import calibrate
from equipoise.theory.accounting.calibrate import ObjectiveLaw
from equipoise.theory.accounting.prices import promised
from equipoise.theory.accounting.room import LARGEST_EPSILON, longest, tilt_room, within_reach
from equipoise.theory.accounting.slack import LARGEST_DIM
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.extremes import SMALLEST_PARTED_DELTA
from equipoise.theory.guarantees import Budget
from equipoise.theory.mechanisms import OBJECTIVE
from equipoise.theory.noise import Noise
from equipoise.theory.plan import Facts, Sensitivity, TiltedPlan
from equipoise.theory.pushes import of_tilt
from equipoise.theory.rounding import down, up

NAME = OBJECTIVE.name

DRAWS = 2
"""Draws to average a score over, when settings are compared: one more costs a solve."""

PURE_FOR_PERSONS = "several rows of a person are covered for pure noise alone: this holds with delta=0"
LEAST_BLUR, MOST_BLUR, TELLING = 1 / 64, 1 / 8, 1.6e6
"""The part of ε and δ that pays for the second noise: the least, the most, and the records times ε at which it would be
all, if it grew so far.  Many records bear a small ridge, and with it the solver's radius outgrows the tilt's noise."""


def plan(facts: Facts, budget: Budget) -> TiltedPlan:
    """Settle the ridge, the tilt, the radius and the second noise from public facts."""
    if not facts.loss.smooth:
        raise MechanismRefused(
            f'mechanism="objective": the {facts.loss.name} loss has a kink, use "output" or a smoothed hinge'
        )
    evened.check(facts)
    asked, budget = budget, _for_persons(facts, budget)
    if budget.delta == 0 and facts.dim > LARGEST_DIM:
        raise MechanismRefused(f'mechanism="objective": {facts.dim} numbers, at most 2**20 of pure noise, use "output"')
    if 0 < budget.delta < SMALLEST_PARTED_DELTA:
        raise MechanismRefused(f'mechanism="objective": parts delta, give 0 or at least {SMALLEST_PARTED_DELTA:g}')
    part = blur_part(facts.n, budget.epsilon)
    blur = Budget(budget.epsilon * part, budget.delta * part)
    main = Budget(down(budget.epsilon - blur.epsilon), down(budget.delta - blur.delta))
    facts, notes = _with_enough_ridge(facts, main)
    swapped = _as_replaced(facts)
    moved = Sensitivity(sensitivity.of_tilted_gradient(swapped), "change of the summed gradient")
    tilt, numeric = _tilt(swapped, main)
    radius = radius_for(facts, longest(tilt) / facts.n)
    away = radius + _rounding_of_tilt(facts, tilt)
    residue = laws.spanning(up(2 * away), blur.epsilon, laws.WIDEST / facts.bounds.norm)
    second = _blur(residue, facts.dim, blur)
    numeric += second.delta_numeric
    return TiltedPlan(
        mechanism=NAME,
        theorem=f"objective perturbation, {'Gaussian' if budget.delta > 0 else 'spherical'} noise",
        facts=facts,
        budget=asked,
        event=promised(budget.epsilon, budget.delta, numeric),
        sensitivity=moved,
        tilt=tilt,
        noise=second.noise,
        norm=facts.ball,
        radius=radius,
        blur=part,
        notes=(*notes, PURE_FOR_PERSONS) if budget != asked else notes,
    )


def blur_part(n: int, epsilon: float) -> float:
    """Of the budget, for the second noise; any part is private, and this one depends on public facts alone."""
    return min(MOST_BLUR, max(LEAST_BLUR, n * epsilon / TELLING))


def _for_persons(facts: Facts, budget: Budget) -> Budget:
    """The vertex argument of Gaussian noise is about one record; pure noise serves any number of them."""
    return replace(budget, delta=0.0) if facts.together > 1 else budget


def _as_replaced(facts: Facts) -> Facts:
    """Under add-remove the first rows are kept, so that one more can move another out: a replaced record."""
    return replace(facts, adjacency=Adjacency.REPLACE_ONE)


def _with_enough_ridge(facts: Facts, main: Budget) -> tuple[Facts, tuple[str, ...]]:
    """The change of variables may cost at most half of ε: raise α until it does."""
    least = sensitivity.alpha_for_log_jacobian(facts, within_reach(main.epsilon) / 2)
    if facts.penalty.strong_convexity >= least:
        return facts, ()
    raised = replace(facts, penalty=facts.penalty.of_strength(least))
    return raised, (f"alpha raised to {least:.4g}, the least that objective perturbation allows at this epsilon",)


def _tilt(facts: Facts, main: Budget) -> tuple[Noise, float]:
    """The law of b in the sum form, and what arithmetic adds to δ."""
    room = tilt_room(main.epsilon, main.delta, facts.dim)
    if main.delta == 0:
        return laws.spherical_tilt(_pure_rate(facts, room.epsilon), facts.dim), room.delta_numeric
    return laws.gaussian_tilt(_gaussian_sigma(facts, room.epsilon, main.delta), facts.dim), room.delta_numeric


def _pure_rate(facts: Facts, epsilon: float) -> float:
    """The largest noise rate β; where the loss has a theorem of its own, the better of the two."""
    change, jacobian = sensitivity.of_tilted_gradient(facts), sensitivity.log_jacobian(facts)
    rate = calibrate.objective_pure_rate(epsilon, change=change, log_jacobian=jacobian)
    sharper = facts.loss.traits.sharper_rate
    if sharper is None or facts.together > 1:  # it is about one record
        return rate
    ridge = facts.n * facts.penalty.strong_convexity
    return max(rate, sharper(epsilon, facts.bounds.norm, ridge, facts.adjacency))


_sigma = lru_cache(maxsize=4096)(calibrate.objective_sigma)


def _gaussian_sigma(facts: Facts, epsilon: float, delta: float) -> float:
    """σ of b by the vertex argument; several scores per row count their own vertices."""
    law = facts.loss.traits.tilt
    gradient = sensitivity.corner_bound(facts) if law is ObjectiveLaw.SOFTMAX else sensitivity.slope_bound(facts)
    return _sigma(
        epsilon,
        delta,
        gradient=gradient,
        log_jacobian=sensitivity.log_jacobian(facts),
        law=law,
        adjacency=facts.adjacency,
        classes=facts.loss.outputs + 1,
    )


def radius_for(facts: Facts, tilt: float) -> float:
    """What the solver reaches in doubles, whatever the records, for tilts up to this length."""
    return sensitivity.certifiable_radius(facts, tilt)


def _rounding_of_tilt(facts: Facts, tilt: Noise) -> float:
    """b on its grid is within half a step per coordinate of the continuous b, which moves the minimiser by this."""
    return up(tilt.step * math.sqrt(facts.dim) / (2 * facts.n * facts.penalty.strong_convexity))


def _blur(l2: float, dim: int, blur: Budget) -> laws.Calibrated:
    if blur.delta == 0 or blur.epsilon > LARGEST_EPSILON:
        return laws.pure(l2, dim, blur.epsilon)
    return laws.gaussian(l2, dim, blur.epsilon, blur.delta)


def predict_risk(plan: TiltedPlan) -> float:
    """Excess risk over the family of problems: the tilt's, and the second noise's."""
    return family.of_objective(plan.facts, plan.tilt.rms / plan.facts.n, plan.noise.rms)


def release(records: Private[Records], plan: TiltedPlan, entry: Entry, bits: Bits) -> Released:
    """Tilt, solve, blur."""
    solution = tilt(cut(records, plan.facts), plan.tilt, plan, entry, bits)
    value = add_noise(point_of(solution), plan.noise, plan.event, entry, bits)
    spread = of_tilt(plan)
    variances = np.full(plan.facts.dim, spread * spread)
    return Released(value, plan.event, plan.guarantee(bits.seeded), covariance=variances)


def steady(plan: TiltedPlan, rows: int, draws: int | None) -> Steady:
    """For a fixed tilt the minimiser moves by at most D/(nα), D over the ball; the second noise does not move it."""
    facts = replace(plan.facts, n=rows)
    radius = radius_for(facts, longest(plan.tilt) / plan.facts.n)
    stability = up(sensitivity.of_tilted_minimiser(facts) + 2 * radius)
    return Steady(plan, facts, radius, stability, draws or DRAWS)


MECHANISM = Mechanism(
    about=OBJECTIVE,
    needs=Needs(most_pure=LARGEST_DIM, pure_for_persons=True, least_delta=SMALLEST_PARTED_DELTA),
    plan=plan,
    release=release,
    predict_risk=predict_risk,
    steady=steady,
    finish=evened.where_noisy(plan, predict_risk),
    rescaled=lambda _, facts, budget: plan(facts, budget),
    on_grid=True,
)
