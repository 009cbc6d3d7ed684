"""Algorithms that end at an exact minimiser: Lemma A, a regulariser that no record changes cancels.

`lipschitz` is ρ, how fast one record's loss can change with the coefficients (row norm times the largest slope);
`strong_convexity` is that of the whole objective, whose data part is the mean over n records.
"""

from __future__ import annotations

import math

from equipoise._checks import not_negative, number, positive, shown, whole
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.stability.bound import Kind, StabilityBound, granted

EXACT = "the exact minimiser; within τ of it, 2τ more"
CONVEX = "convex losses, ρ-Lipschitz wherever minimisers can lie"
PUBLIC = "n, the penalty and any convex constraint are public"


def _lemma_a(lipschitz: float, strong_convexity: float, n: int) -> float:
    """2ρ/(μn)."""
    return 2 * positive(lipschitz=lipschitz) / (positive(strong_convexity=strong_convexity) * whole(n=n))


def regularised_erm(lipschitz: float, strong_convexity: float, n: int) -> StabilityBound:
    """Mean loss + a μ-strongly convex penalty: 2ρ/(μn), attained."""
    value = _lemma_a(lipschitz, strong_convexity, n)
    return granted(value, Kind.WEIGHTS_L2, (CONVEX, EXACT, PUBLIC), "Lemma A: 2ρ/(μn)")


def strongly_convex_losses(lipschitz: float, strong_convexity: float, n: int) -> StabilityBound:
    """Every record's loss μ-strongly convex by itself: 2ρ/(μ(n + 1)), attained."""
    value = _lemma_a(lipschitz, strong_convexity, whole(n=n) + 1)
    bounded = "minimised over a bounded convex set: no loss is strongly convex and Lipschitz without bound"
    return granted(value, Kind.WEIGHTS_L2, (CONVEX, EXACT, bounded), "Lemma A′: 2ρ/(μ(n + 1))")


def elastic_net(lipschitz: float, alpha: float, n: int, *, l1: float = 0.0) -> StabilityBound:
    """Penalty (alpha/2)‖w‖² + l1·‖w‖₁: 2ρ/(alpha·n), attained; the L1 part cancels.

    In the notation λ(γ‖w‖² + η‖w‖₁) of Watson et al. alpha is 2λγ.
    """
    not_negative(l1=l1)
    value = _lemma_a(lipschitz, positive(alpha=alpha), n)
    return granted(value, Kind.WEIGHTS_L2, (CONVEX, EXACT, PUBLIC), "Lemma A: 2ρ/(αn), the L1 part cancels")


def elastic_net_as_printed(slope: float, row_norm: float, alpha: float, n: int) -> StabilityBound:
    """4L√κ/(alpha·√n) of Watson et al. 2020, for studies: larger than the proved one unless κ > 4n, then refused."""
    printed = 4 * positive(slope=slope) * math.sqrt(positive(row_norm=row_norm)) / positive(alpha=alpha)
    value, proved = printed / math.sqrt(whole(n=n)), _lemma_a(slope * row_norm, alpha, n)
    if value < proved:
        raise MechanismRefused(f"n={n}: the printed constant is below the proved one here, use elastic_net")
    return granted(value, Kind.WEIGHTS_L2, (CONVEX, EXACT, PUBLIC), "Watson et al. 2020, section 5, as printed")


def bridge(lipschitz: float, strength: float, power: float, n: int, *, loss_at_zero: float) -> StabilityBound:
    """Penalty strength·Σ|w_j|^p, 1 < p ≤ 2: 2ρr^(2−p)/(nλp(p−1)) with r = (loss at zero/λ)^(1/p).

    `loss_at_zero` bounds any record's loss at w = 0: log 2 for logistic, 1 for the hinge, Y² for the squared loss.
    """
    p, scale = number(power=power), positive(strength=strength)
    if not 1 < p <= 2:
        raise InvalidInput(f"power={shown(power)}: must be above 1 and at most 2, the bound diverges at 1")
    reach = (positive(loss_at_zero=loss_at_zero) / scale) ** (1 / p)
    value = _lemma_a(lipschitz, scale * p * (p - 1) * reach ** (p - 2), n)
    inside = "any constraint contains 0, losses are not negative"
    return granted(value, Kind.WEIGHTS_L2, (CONVEX, EXACT, PUBLIC, inside), "Lemma A on a box that holds both")


def multi_task(lipschitz: float, strong_convexity: float, records: int) -> StabilityBound:
    """All tasks stacked, the mean over all N examples of all tasks: 2ρ/(μN) for the stacked coefficients."""
    value = _lemma_a(lipschitz, strong_convexity, whole(records=records))
    unit = "one row of one task is replaced; the penalty is μ-strongly convex in the stacked coefficients"
    return granted(value, Kind.WEIGHTS_L2, (CONVEX, EXACT, unit), "Lemma A on the stacked problem: 2ρ/(μN)")


def ranking(
    pair_lipschitz: float, strong_convexity: float, n: int, *, smallest_class: int | None = None
) -> StabilityBound:
    """The mean over all pairs of n records: 4ρ/(μn), ρ of one pair's loss (2B·slope for rows within B), attained.

    With `smallest_class` the mean is over pairs of different classes, whose labels are public: 2ρ/(μ·smallest_class).
    """
    if smallest_class is None:
        value = 2 * _lemma_a(pair_lipschitz, strong_convexity, n)
        return granted(value, Kind.WEIGHTS_L2, (CONVEX, EXACT, PUBLIC), "Lemma A: a record is in 2/n of all pairs")
    if whole(smallest_class=smallest_class) > whole(n=n) // 2:
        raise InvalidInput(f"smallest_class={smallest_class}: must be at most half of n={n}")
    value = _lemma_a(pair_lipschitz, strong_convexity, smallest_class)
    labels = "labels are public and stay; with secret labels the number of pairs would be a leak"
    return granted(value, Kind.WEIGHTS_L2, (CONVEX, EXACT, labels), "Lemma A: a record is in 1/n_min of the pairs")
