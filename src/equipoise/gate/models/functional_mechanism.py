"""Functional mechanism: Laplace noise in every coefficient of the squared objective, then minimise what came out.

Guarantee.  ε-DP, whatever δ is.
Assumes.    The squared loss; rows within B, labels within one.  No ball, no ridge and no solver enter the guarantee.
Adjacency.  Replace-one, or add-remove with a public nominal size.
Numerics.   Grid of 2⁻²⁴ noise scales, exact discrete Laplace; the rounding of the sums is part of the sensitivity.
Reference.  docs/proofs/functional_mechanism.md; Zhang et al. 2012 (sensitivity ours, for any bounds).

A baseline, offered by name: it pays for d²/2 coefficients by their L1 norm.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from equipoise.errors import MechanismRefused
from equipoise.gate import laws
from equipoise.gate.door import add_noise
from equipoise.gate.models.mechanism import Mechanism, Needs
from equipoise.gate.models.sufficient_statistics import MOST_FEATURES
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records, weighed
from equipoise.inside.tables.moments import second_moments, without_labels
from equipoise.ledger import Entry
from equipoise.outside.released import Released
from equipoise.theory import risk, sensitivity
from equipoise.theory.accounting.prices import pure_release
from equipoise.theory.guarantees import Budget
from equipoise.theory.mechanisms import FUNCTIONAL
from equipoise.theory.plan import Facts, Sensitivity, StatisticsPlan
from equipoise.theory.projection import project

Array = npt.NDArray[np.float64]

NAME = FUNCTIONAL.name

RIDGE_IN_NOISE = 4.0
"""Ridge added to the noisy quadratic, in standard deviations of its noise, as its authors advise."""


def plan(facts: Facts, budget: Budget) -> StatisticsPlan:
    """Settle the noise from public facts."""
    if not facts.loss.traits.quadratic:
        raise MechanismRefused(f'mechanism="{NAME}": serves the squared loss only, use "output" or "objective"')
    if facts.features > MOST_FEATURES:
        raise MechanismRefused(f'mechanism="{NAME}": {facts.features} features, at most {MOST_FEATURES}, use "output"')
    moved, count = sensitivity.of_quadratic(facts), facts.dim * (facts.dim + 3) // 2
    notes = [f"{count} coefficients of the objective are released, with their sensitivity in L1"]
    if budget.delta > 0:
        notes.append("Laplace noise needs no delta: this holds with delta=0")
    return StatisticsPlan(
        mechanism=NAME,
        theorem="functional mechanism, Laplace noise",
        facts=facts,
        budget=budget,
        event=pure_release(budget.epsilon),
        sensitivity=Sensitivity(moved, "L1 change of the objective's coefficients"),
        noise=laws.laplace(laws.spanning(moved, budget.epsilon, _largest(facts)), count, budget.epsilon),
        norm=facts.ball,
        notes=tuple(notes),
    )


def _largest(facts: Facts) -> float:
    """No coefficient of the objective is larger, so that none is clamped on the grid however large ε is."""
    size = facts.bounds.norm
    return 2 * facts.total * facts.n * max(size * size, size)


def predict_risk(plan: StatisticsPlan) -> float:
    """Excess risk on the reference problem: the ridge's, and the noise of the linear system at its solution."""
    facts, problem = plan.facts, risk.reference(plan.facts)
    reach = min(facts.ball**2, problem.signal * facts.dim)
    noise = plan.noise.rms * math.sqrt(1 + reach) / facts.n
    alpha = facts.penalty.strong_convexity + 2 * RIDGE_IN_NOISE * plan.noise.rms / facts.n
    return risk.of_objective(problem, alpha, noise)


def release(records: Private[Records], plan: StatisticsPlan, entry: Entry, bits: Bits) -> Released:
    """The objective's coefficients through the door, then its minimiser."""
    facts = plan.facts
    rows, columns = np.triu_indices(facts.dim)
    monomials = second_moments(weighed(records, facts), np.where(rows == columns, 1.0, 2.0), 2.0, 0.0)
    noisy = add_noise(without_labels(monomials), plan.noise, plan.event, entry, bits)
    square = np.zeros((facts.dim, facts.dim))
    square[rows, columns] = noisy[: len(rows)] / 2
    value = solve(square + square.T, noisy[len(rows) :] / 2, facts, plan.noise.rms)
    return Released(project(value, facts.ball), plan.event, plan.guarantee(bits.seeded))


def solve(square: Array, product: Array, facts: Facts, noise: float) -> Array:
    """Minimise wᵀ·square·w − 2·product·w + (nα/2)‖w − w₀‖² + ridge: directions still not above the noise are left
    at the centre, so the answer is finite and unique however indefinite the noisy quadratic is."""
    centre = np.zeros(facts.dim) if facts.penalty.centre is None else np.asarray(facts.penalty.centre)
    height, axes = np.linalg.eigh(square)
    height = height + facts.penalty.strong_convexity * facts.n / 2 + RIDGE_IN_NOISE * noise
    inverse = np.where(height > noise, 1 / np.where(height > noise, height, 1.0), 0.0)
    return np.asarray(centre + (axes * inverse) @ (axes.T @ (product - square @ centre)))


MECHANISM = Mechanism(
    about=FUNCTIONAL,
    needs=Needs(quadratic=True, least_delta=0.0),
    plan=plan,
    release=release,
    predict_risk=predict_risk,
    in_auto=False,
)
