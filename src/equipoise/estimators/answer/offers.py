"""What an offer is: for k questions within a budget, the price of one answer and its predicted error.

Each predictor makes its own (`_offer`); here is what they share.  Public facts alone: nothing of what was learnt is
read.  Where the caller left a choice (ridge, step, number of shards) to the library, it is made again for the lower
price that k answers allow, so answers are shown at their best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from equipoise.estimators.linear.base import INTERCEPT_SHARE
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Logistic, Loss, Softmax, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import L2

WRONG = "share of wrong answers beyond the best rule's"
DISTANCE = "root mean square distance from the best prediction"


@dataclass(frozen=True, slots=True)
class Quote:
    """One of k answers: its price, and its predicted error."""

    epsilon: float
    delta: float
    error: float


@dataclass(frozen=True, slots=True)
class Offer:
    """`facts` are those of the model that would be released instead; `scale` turns errors into the labels' units."""

    facts: Facts
    quote: Callable[[int, Budget], Quote]
    unit: str = WRONG
    scale: float = 1.0
    notes: tuple[str, ...] = ()


def usual_facts(rows: int, columns: int, classes: int, labels: tuple[float, float] | None) -> Facts:
    """Of the linear model that would be released for this task, rows scaled to norm one."""
    loss: Loss = Squared() if labels is not None else Logistic() if classes == 2 else Softmax(classes)
    bounds = Bounds(1.0, INTERCEPT_SHARE, labels, None if labels is not None else tuple(range(classes)))
    return Facts(loss, L2(1.0), bounds, rows, columns + 1)
