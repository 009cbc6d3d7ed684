"""From the stability of a loss to that of coefficients, and what a steadier algorithm is worth in ε."""

from __future__ import annotations

import math

from equipoise._checks import not_negative, positive, whole
from equipoise.errors import MechanismRefused
from equipoise.theory.rounding import FORMULA, up
from equipoise.theory.stability.bound import ON_AVERAGE, Kind, StabilityBound, granted

NOT_A_MINIMISER = (
    "exact_minimiser=False: a steady loss says nothing about coefficients other than a minimiser's, state how far they"
    " move"
)


def from_uniform_stability(
    beta: float | StabilityBound, strong_convexity: float, n: int, *, exact_minimiser: bool, gap: float = 0.0
) -> StabilityBound:
    """√(2β/(μn)): how far the minimiser of a μ-strongly convex mean over n records moves, if the losses of the two
    exchanged records move by at most β.

    `exact_minimiser` is the caller's word that the algorithm ends at the minimiser, up to a `gap` in the objective that
    it keeps whatever the records; the gap adds 2√(2·gap/μ).  Theorem 7 of Watson et al. 2020, corrected: it holds for
    minimisers alone, and is √n smaller than printed.
    """
    if exact_minimiser is not True:
        raise MechanismRefused(NOT_A_MINIMISER)
    mu = positive(strong_convexity=strong_convexity)
    moved = math.sqrt(2 * _of_loss(beta) / (mu * whole(n=n)))
    value = moved + 2 * math.sqrt(2 * not_negative(gap=gap) / mu)
    assumes = (
        "mean of convex losses plus a public penalty, μ-strongly convex together, over a public convex set",
        "the minimiser, up to a gap in the objective that no record can raise",
        "β bounds the change of the exchanged records' losses between the two exact minimisers",
    )
    return granted(value, Kind.WEIGHTS_L2, assumes, "strong convexity at both minimisers: √(2β/(μn))")


def amplified_epsilon(beta_old: float | StabilityBound, beta_new: float | StabilityBound, eps: float) -> float:
    """The ε of noise that was tuned to `beta_old` for ε = `eps`, on an algorithm of stability `beta_new`.

    Noise whose log-density falls linearly with distance (spherical, Laplace) costs ε in proportion to how far the
    coefficients move: with the square root of a loss's β (plain numbers are that), in proportion to a bound on weights.
    """
    old, new = _distance(beta_old), _distance(beta_new)
    if isinstance(old, StabilityBound) != isinstance(new, StabilityBound):
        raise MechanismRefused("beta_new: must bound the same as beta_old, both the loss or both the weights")
    return up(positive(eps=eps) * _moved(new) / _moved(old), FORMULA)


def _of_loss(beta: float | StabilityBound) -> float:
    if not isinstance(beta, StabilityBound):
        return positive(beta=beta)
    if not beta.kind.worst_case:
        raise MechanismRefused(ON_AVERAGE)
    if beta.kind is not Kind.LOSS:
        raise MechanismRefused(f"beta: bounds the {beta.kind}, a bound on the loss is converted here")
    return beta.value


def _distance(beta: float | StabilityBound) -> float | StabilityBound:
    """A number for the loss, the bound itself for weights."""
    if not isinstance(beta, StabilityBound) or beta.kind is Kind.LOSS or not beta.kind.worst_case:
        return _of_loss(beta)
    beta.weights_l2()
    return beta


def _moved(beta: float | StabilityBound) -> float:
    return beta.value if isinstance(beta, StabilityBound) else math.sqrt(beta)
