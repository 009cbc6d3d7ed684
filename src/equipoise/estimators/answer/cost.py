"""What a batch of questions costs, told before or after it is paid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from equipoise._docs import documented
from equipoise.ledger import Spent
from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.events import Event


@documented(record=True)
@dataclass(frozen=True, slots=True)
class Cost:
    """What a batch costs: `epsilon` and `delta` are of its new answers together, at the ledger's δ.

    `total_epsilon` is what the ledger shows once they are paid; `affordable` whether its limit allows them.
    """

    new: int
    repeated: int
    event: Event | None
    epsilon: float
    delta: float
    delta_numeric: float
    total_epsilon: float
    affordable: bool


@lru_cache(maxsize=256)
def price_of(event: Event, delta: float) -> Spent:
    """What the event alone costs at that δ."""
    return total_spent([event], delta)
