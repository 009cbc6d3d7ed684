"""Private answers of a linear predictor: the coefficients stay inside, every answer gets fresh noise of its own size.

Guarantee.  Each answer is ε-DP (Laplace, δ = 0) or (ε, δ)-DP (Gaussian); k answers compose as k adaptive releases.
Assumes.    A learner whose coefficients one record moves by at most `per_norm`
            (theory/prediction/linear_answers.py); public queries.
Adjacency.  Replace-one; for one pass of gradient steps the replaced row keeps its place.
Numerics.   Answers in units of ‖x‖·per_norm have sensitivity one plus rounding; integer noise on a grid of 2⁻²⁴
            noise scales, multiplied back by public numbers.  Gaussian noise is the continuous law, rounded.
Reference.  docs/proofs/prediction.md; Dwork, Feldman 2018, Lemma 4.5, Corollary 4.11, Theorem 4.12 (constants ours).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise._checks import LARGEST, SMALLEST, positive
from equipoise.errors import MechanismRefused
from equipoise.gate import laws
from equipoise.gate.door import add_noise
from equipoise.gate.models.choose import RIDGES
from equipoise.gate.models.output_perturbation import radius_for, smoothed
from equipoise.gate.noise import Bits
from equipoise.gate.noise.inversion import laplace_by_inversion
from equipoise.gate.noise.rounded import rounded_gaussian
from equipoise.inside import Private, Records, minimise, point_of
from equipoise.inside.answers.linear_answers import unit_answers
from equipoise.inside.answers.sgd import one_pass
from equipoise.ledger import Entry
from equipoise.theory import risk, sensitivity
from equipoise.theory.accounting.prices import gaussian_answers, pure_answers
from equipoise.theory.accounting.room import LARGEST_EPSILON, gaussian_rate
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.noise import Law, Noise
from equipoise.theory.plan import Facts
from equipoise.theory.prediction import linear_answers as answers
from equipoise.theory.prediction.linear_answers import Stability
from equipoise.theory.scanning import best_of

Vector = npt.NDArray[np.float64]

STEPS = np.geomspace(1e-4, 1.0, 41)
"""Candidates for a step size, in units of the longest one allowed."""

BLOCK = 2**16
"""Queries answered at once: what is done once for a block should not count, and half a megabyte stays at hand."""


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """Answers, settled before a record is seen: noise of one answer in units of its stability, and the price."""

    mechanism: str
    theorem: str
    facts: Facts
    budget: Budget
    stability: Stability
    noise: Noise
    mu: float | None
    """Gaussian privacy of one answer; None for Laplace noise."""
    radius: float = 0.0
    step_size: float | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        laws.drawable(self.noise)

    def event(self, count: int) -> Event:
        """What `count` answers cost.  For Gaussian noise the grid's slack is that of all answers jointly."""
        if self.mu is None:
            return pure_answers(self.budget.epsilon, count)
        return gaussian_answers(self.budget.epsilon, self.budget.delta, 1, count)

    @property
    def spread(self) -> float:
        """Root mean square of the noise in one answer, per unit of query norm."""
        return self.stability.per_norm * self.noise.rms

    def guarantee(self, seeded: bool) -> Guarantee:
        """Of one answer."""
        bounds = self.facts.bounds
        named = {
            "records": float(self.facts.n),
            "row norm with intercept": bounds.norm,
            "stability per unit of query norm": self.stability.exact,
            "the same with arithmetic": self.stability.per_norm,
            "noise scale in units of it": self.noise.scale,
            "grid step in units of it": self.noise.step,
        }
        if self.facts.person_rows is not None:
            named["rows per person"] = float(self.facts.person_rows)
        if self.step_size is None:
            named |= {**self.facts.penalty.constants(), "solver radius": self.radius}
        else:
            named |= {"step size": self.step_size, "coefficient norm": self.facts.ball}
        return Guarantee(
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            delta_numeric=self.event(1).delta_numeric,
            adjacency=self.facts.adjacency,
            mechanism=self.mechanism,
            theorem=self.theorem,
            sensitivity=self.stability.per_norm * bounds.norm,
            noise_scale=self.noise.scale * self.stability.per_norm * bounds.norm,
            seeded=seeded,
            unit=self.facts.unit,
            constants=named,
            notes=("this is the price of one answer; cost_of(k) gives that of k", *self.notes),
        )


@dataclass(frozen=True, eq=False, repr=False)
class LinearAnswers:
    """Private coefficients and the plan by which they answer."""

    coefficients: Private[Vector]
    plan: AnswerPlan
    seeded: bool

    @property
    def guarantee(self) -> Guarantee:
        return self.plan.guarantee(self.seeded)

    def event(self, count: int) -> Event:
        return self.plan.event(count)

    def answer(self, queries: Vector, entry: Entry, bits: Bits) -> Vector:
        """x·w with noise for each query, if the entry has paid for exactly so many answers."""
        event, told = self.plan.event(len(queries)), np.empty(len(queries))
        for start in range(0, len(queries), BLOCK):
            told[start : start + BLOCK] = self._block(queries[start : start + BLOCK], event, entry, bits)
        return told

    def _block(self, queries: Vector, event: Event, entry: Entry, bits: Bits) -> Vector:
        per_norm = self.plan.stability.per_norm
        units, towards = unit_answers(self.coefficients, queries, self.plan.facts.bounds, per_norm)
        noise = replace(self.plan.noise, dim=len(queries))
        noisy = add_noise(units, noise, event, entry, bits, draw_many)
        noisy *= towards.norms
        noisy *= per_norm
        return noisy


def draw_many(noise: Noise, bits: Bits) -> npt.NDArray[np.int64]:
    """The faster of the exact samplers: a batch needs much noise."""
    in_steps = noise.scale / noise.step
    if noise.law is Law.LAPLACE:
        return laplace_by_inversion(math.ceil(in_steps), noise.dim, bits)
    if noise.law is Law.GAUSSIAN:
        return rounded_gaussian(in_steps, noise.dim, bits)
    raise MechanismRefused(f"{noise.law.value} noise: no answer is told in it, use Laplace or Gaussian noise")


def plan_stable(facts: Facts, budget: Budget, alpha: float | None) -> AnswerPlan:
    """Certified regularised risk.  `alpha=None` takes the ridge of least predicted risk, from public facts alone."""
    if alpha is not None:
        return _stable(facts, budget, positive(alpha=alpha))
    ridges = np.clip(RIDGES * risk.usual_bend(facts), SMALLEST**2, LARGEST**2).tolist()
    best = best_of(
        len(ridges),
        lambda place: _stable(facts, budget, ridges[place]),
        lambda plan: answers.risk_of_minimiser(plan.facts, plan.spread),
        stride=8,
    )
    chosen = f"alpha={best.facts.penalty.strong_convexity:.4g} chosen by predicted excess risk"
    return replace(best, notes=(*best.notes, chosen))


def _stable(facts: Facts, budget: Budget, alpha: float) -> AnswerPlan:
    facts, notes = smoothed(replace(facts, penalty=facts.penalty.of_strength(alpha)))
    radius = radius_for(facts, sensitivity.of_minimiser(facts).l2)
    noise, mu = _noise(answers.of_minimiser(facts, radius), facts.features, budget)
    return AnswerPlan(
        "stable-prediction",
        f"prediction stability of regularised risk, {noise.law.words} noise",
        facts,
        budget,
        answers.of_minimiser(facts, radius),
        noise,
        mu,
        radius,
        notes=notes,
    )


def plan_one_pass(facts: Facts, budget: Budget, step_size: float | None) -> AnswerPlan:
    """One pass of gradient steps.  `step_size=None` takes the one of least predicted risk among those allowed."""
    if step_size is not None:
        return _one_pass(facts, budget, step_size)
    plans = [_one_pass(facts, budget, float(step)) for step in STEPS * answers.longest_step(facts)]
    steps = {plan.step_size or math.inf: plan for plan in plans}
    best = min(steps, key=lambda step: answers.risk_of_one_pass(facts, step, steps[step].spread))
    return replace(steps[best], notes=(f"step_size={best:.4g} chosen by predicted risk",))


def _one_pass(facts: Facts, budget: Budget, step_size: float) -> AnswerPlan:
    stability = answers.of_one_pass(facts, step_size)
    noise, mu = _noise(stability, facts.features, budget)
    theorem = f"prediction stability of one pass of gradient steps, {noise.law.words} noise"
    return AnswerPlan("sgd-prediction", theorem, facts, budget, stability, noise, mu, step_size=step_size)


def _noise(stability: Stability, features: int, budget: Budget) -> tuple[Noise, float | None]:
    """The law of one answer in units of its stability, and μ if it is Gaussian."""
    moved = laws.spanning(stability.unit_sensitivity(features), budget.epsilon, stability.reach)
    if budget.delta == 0 or budget.epsilon > LARGEST_EPSILON:
        return laws.pure(moved, 1, budget.epsilon).noise, None
    mu = gaussian_rate(budget.epsilon, budget.delta, 1)
    return laws.gaussian_of(moved, 1, mu), mu


def learn_stable(records: Private[Records], plan: AnswerPlan, seeded: bool) -> LinearAnswers:
    """Minimise to the planned radius; the minimiser stays inside."""
    facts = plan.facts
    solution = minimise(records, facts.loss, facts.penalty, facts.n, plan.radius, facts.ball)
    return LinearAnswers(point_of(solution), plan, seeded)


def learn_one_pass(records: Private[Records], plan: AnswerPlan, seeded: bool) -> LinearAnswers:
    """Walk once over the rows in their order; the average stays inside."""
    step_size = plan.step_size or 0.0
    return LinearAnswers(one_pass(records, plan.facts.loss, step_size, plan.facts.ball), plan, seeded)
