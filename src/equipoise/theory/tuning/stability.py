"""The constants of tuning by stability: how far a score moves, what choosing costs, how a budget is divided.

docs/proofs/tuning.md proves each; Chaudhuri, Vinterbo 2013 had the idea, the constants are ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from equipoise._checks import not_negative, positive, shown, whole
from equipoise.errors import MechanismRefused
from equipoise.theory.accounting import epsilon_of, total_delta, total_spent
from equipoise.theory.accounting.search import greatest_within
from equipoise.theory.events import Event, GaussianRelease, PureRelease
from equipoise.theory.guarantees import Budget, Gaussian, Pure
from equipoise.theory.plan import Plan
from equipoise.theory.rounding import GRID_ROOM, LONG_SUM, down, up
from equipoise.theory.sensitivity import MACHINE, of_mean_loss

Array = npt.NDArray[np.float64]

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""Parts of ε that choosing may be given by default."""


MOST_NUMERIC = 2.0**-40
"""No search adds more than this to δ for arithmetic."""


@dataclass(frozen=True, slots=True)
class Beta:
    """How far one replaced record moves every score: through the training part, and through the validation part."""

    training: float
    validation: float

    @property
    def most(self) -> float:
        """A row is in one part, so the larger of the two."""
        return max(self.training, self.validation)


def score_rounding(features: int, outputs: int, reach: float) -> float:
    """How far the scores of a row of d products are off in doubles, |score| ≤ reach, ten times over."""
    return 10 * MACHINE * (features + 32 + outputs) * (reach + 1) * math.sqrt(outputs)


def beta_of_mean(slope: float, cap: float, norm: float, stability: float, rounding: float, rows: int) -> Beta:
    """A mean of Lipschitz losses: L·B·Δ for a row that trains, cap/m for a row that is scored; then rounding."""
    computed = 2 * slope * rounding + 128 * MACHINE * cap
    return Beta(up(slope * norm * stability + computed), of_mean_loss(cap, rows))


def expected_loss(beta: float, candidates: int, epsilon: float, chance: float = 1.0) -> float:
    """2β(ln k + ln(1/γ))/ε: the chosen score is short of the best by more with chance at most γ; γ = 1: on average."""
    whole(candidates=candidates)
    return 2 * not_negative(beta=beta) * (math.log(candidates) - math.log(positive(chance=chance))) / epsilon


RARELY = 0.1
"""The chance γ that stated losses of a choice speak of."""

DOUBT = 0.01
"""How far predicted risk may be off: a candidate predicted worse by this much is e times less likely beforehand."""

FAINTEST = -50.0
"""The logarithm of the least likely candidate's weight: none is ruled out."""

GRADED_MOVE = up(1.0, LONG_SUM)
"""How far one record moves a graded score, the rounding of its quotients included."""


def log_weights(risks: Sequence[float]) -> list[float]:
    """What public facts say of the candidates before any is tried, in logarithms; the best has 0."""
    best = min(risks)
    return [max((best - risk) / DOUBT, FAINTEST) for risk in risks]


def weighted_scores(scores: Array, beta: float, weights: Array, epsilon: float) -> Array:
    """Scores on one scale with a public head start: at equal scores weights decide."""
    return scores + 2 * beta / epsilon * weights


def graded_scores(scores: Array, betas: Array, weights: Array, epsilon: float) -> Array:
    """min over j of (q_i − q_j)/(β_i + β_j) + (2/ε)(ln π_i − ln π_j): each pair on its own scale, with a head start.

    Moved by at most 1 when every q_i moves by at most β_i.  After Raskhodnikova, Smith 2016; docs/proofs/tuning.md.
    """
    start = 2 / epsilon * weights
    pairs = (scores[:, None] - scores) / (betas[:, None] + betas) + start[:, None] - start
    return np.asarray(pairs.min(axis=1))


def usual_scale(betas: Sequence[float], weights: Sequence[float] | None, *, graded: bool) -> float:
    """What stands for β in the loss of a choice: the largest, or graded twice the mean by weight."""
    if not graded or weights is None:
        return max(betas)
    shares = np.exp(np.array(weights))
    return 2 * float(np.dot(shares, betas) / shares.sum())


def plan_within(plan_at: Callable[[Budget], Plan], budget: Budget, choosing: float) -> Plan:
    """The plan of a fit that together with an ε-private choice stays within the budget.

    Gaussian noise and a pure choice compose to less than the sum of their ε: the largest Gaussian fit that still goes
    with the choice is taken.  Everything else adds up.
    """
    left = what_is_left(budget, choosing)
    at_most = _gaussian_epsilon(budget, choosing) if budget.delta > 0 else 0.0
    for tried in (Budget(at_most, budget.delta), left) if at_most > left.epsilon else (left,):
        plan = plan_at(tried)
        if isinstance(plan.event, GaussianRelease):
            if _fits(plan.event, budget, choosing):
                return plan
        elif tried is left:
            return plan
    return plan_at(replace(left, delta=0.0))  # a huge ε weighs the tails of a grid's law too much


def what_is_left(budget: Budget, choosing: float) -> Budget:
    """By addition, rounded down."""
    left = down(budget.epsilon - positive(choosing=choosing))
    if left <= 0:
        raise MechanismRefused(f"share: choosing takes all of epsilon={shown(budget.epsilon)}, lower it")
    return Budget(left, budget.delta)


@lru_cache(maxsize=256)
def _gaussian_epsilon(budget: Budget, choosing: float) -> float:
    """ε, at the budget's δ, of the largest Gaussian release that fits beside the choice; with room for the grid."""
    room = down(budget.epsilon, LONG_SUM)
    mu = greatest_within(lambda mu: total_delta([Pure(choosing), Gaussian(mu)], room), budget.delta)
    return down(epsilon_of(Gaussian(mu), budget.delta), GRID_ROOM) if mu > 0 else 0.0


@lru_cache(maxsize=256)
def _fits(event: Event, budget: Budget, choosing: float) -> bool:
    spent = total_spent([PureRelease(choosing), event], budget.delta)
    return spent.epsilon <= budget.epsilon and spent.delta_numeric <= MOST_NUMERIC


def promise(risks: Sequence[float], scale: float, epsilon: float) -> float:
    """Predicted risk of what will be chosen: the best candidate's, and what a noisy choice loses.

    That is no more than DOUBT, since without any word from the data the choice follows the prediction.
    """
    return min(risks) + min(expected_loss(scale, len(risks), epsilon), DOUBT)
