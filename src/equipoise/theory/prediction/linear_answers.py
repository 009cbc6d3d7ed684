"""How far one record can move a linear prediction: the constants of answering without releasing the model.

A learner that keeps its coefficients inside and answers x·w moves each answer by at most γ(x) = ‖x‖·‖w − w′‖.  The
query x is public, so its own norm counts, and the number of coefficients does not.  Proofs: docs/proofs/prediction.md;
tests/theory/prediction/test_linear_answers.py attacks each of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise._checks import positive, shown
from equipoise.errors import BoundsRequired, MechanismRefused
from equipoise.theory import risk, sensitivity
from equipoise.theory.plan import Facts
from equipoise.theory.rounding import FORMULA, down, up

MACHINE = sensitivity.MACHINE


@dataclass(frozen=True, slots=True)
class Stability:
    """One record moves the answer to a query of norm r by at most r·`per_norm`, before arithmetic.

    `exact` is the part of it that the theorem gives for the ideal learner; the rest covers its approximation.
    `coef_norm` bounds the learner's coefficients, whatever the records.
    """

    per_norm: float
    exact: float
    coef_norm: float
    because: str

    def unit_sensitivity(self, features: int) -> float:
        """Of an answer in units of r·`per_norm`, as computed in doubles: one, and what rounding can add.

        The direction of the query is right within (features + 16) units, the product with the coefficients within as
        many units of r·`coef_norm`, on both sides; ten times over.
        """
        depth = 10 * (features + 16) * MACHINE
        return up(1 + depth + 2 * depth * self.reach)

    @property
    def reach(self) -> float:
        """The largest answer, in units of r·`per_norm`."""
        return self.coef_norm / self.per_norm


def of_minimiser(facts: Facts, radius: float) -> Stability:
    """Regularised empirical risk, minimised within `radius`: γ(x) = ‖x‖(Δ₂ + 2·radius)."""
    moved = sensitivity.of_minimiser(facts)
    norm = up(sensitivity.minimiser_norm(facts) + radius)
    return Stability(up(moved.l2 + 2 * radius), moved.l2, norm, moved.because)


def longest_step(facts: Facts) -> float:
    """2/(curvature·B²): up to here a gradient step brings no two points further apart."""
    curvature = facts.loss.facts(math.inf).curvature
    if not facts.loss.smooth:
        raise MechanismRefused(f"loss: a step on the {facts.loss.name} loss can drive points apart, use a smooth one")
    return down(2 / (curvature * facts.bounds.norm**2), FORMULA)


def of_one_pass(facts: Facts, step_size: float) -> Stability:
    """One pass of projected gradient steps in the order of the rows, average of w₁ … w_n: ‖x‖·D·η·(n − 1)/n.

    D is the gradient diameter within the ball.  The first record moves every iterate but the first, each by at most
    D·η, and that is attained; twice the constant of Dwork and Feldman 2018, Theorem 4.12.
    """
    if positive(step_size=step_size) > longest_step(facts):
        raise MechanismRefused(
            f"step_size={shown(step_size)}: must be at most {longest_step(facts):.6g}, two over the curvature of the"
            " loss"
        )
    if math.isinf(facts.ball):
        raise BoundsRequired("coef_norm: one pass of gradient steps is projected to a ball, give its radius")
    change = facts.together * facts.bounds.norm * facts.loss.facts(facts.bounds.norm * facts.ball).diameter
    exact = up(change * step_size * ((facts.n - 1) / facts.n))
    total = up(exact + 2 * _pass_rounding(facts, step_size))
    return Stability(total, exact, up(facts.ball, FORMULA), "one pass of non-expansive steps, gradient diameter")


def _pass_rounding(facts: Facts, step_size: float) -> float:
    """How far the average computed in doubles can be from the exact one, ten times over.

    Each step errs by a few units of what it adds up and, being non-expansive, passes earlier errors on undiminished.
    """
    norm, ball, depth = facts.bounds.norm, facts.ball, facts.features + 16
    loss = facts.loss.facts(norm * ball)
    moved = step_size * norm * (loss.curvature * depth * norm * ball + 16 * loss.slope)
    return 10 * MACHINE * facts.n * (3 * depth * ball + moved)


def alpha_by_corollary(facts: Facts, coef_norm: float, epsilon: float) -> float:
    """The ridge of Dwork and Feldman 2018, Corollary 4.11, corrected: α = 2λ, λ = (L/R)·√((1 + ε)/(nε)).

    Their penalty λ‖w‖² is 2λ-strongly convex, and it cancels between neighbours.
    """
    pull = facts.bounds.norm * facts.loss.facts(facts.bounds.norm * coef_norm).slope
    return 2 * pull / coef_norm * math.sqrt((1 + epsilon) / (facts.n * epsilon))


def risk_of_minimiser(facts: Facts, noise: float) -> float:
    """Predicted excess risk with noise of `noise` per unit of query norm in every answer: what "auto" compares."""
    return risk.of_output(risk.reference(facts), facts.penalty.strong_convexity, noise)


def risk_of_one_pass(facts: Facts, step_size: float, noise: float) -> float:
    """The regret of one pass from zero to the edge of the ball, and the curvature's price for the noise."""
    pull = facts.bounds.norm * facts.loss.facts(facts.bounds.norm * facts.ball).slope
    regret = facts.ball**2 / (2 * step_size * facts.n) + step_size * pull**2 / 2
    return regret + 0.5 * risk.usual_bend(facts) * noise**2
