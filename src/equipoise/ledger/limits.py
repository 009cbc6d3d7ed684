"""May this release still be made, and what is left?  Pure functions of the terms and the events so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise._checks import fraction, positive
from equipoise.errors import BudgetExhausted
from equipoise.ledger.ledger import Remaining
from equipoise.theory.accounting.compose import Spent, total_spent
from equipoise.theory.events import Event, PureRelease
from equipoise.theory.guarantees import Approximate, Budget

# Ten times 0.1 is a little over 1.0 in binary.  Totals may pass the limit by this factor, once and not once per
# entry: docs/proofs/ledger.md says why that is harmless.
SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Terms:
    """What an account was opened with.  Without an ε there is no limit; δ is then the one reports are made at."""

    epsilon: float | None
    delta: float

    def __post_init__(self) -> None:
        if self.epsilon is not None:
            object.__setattr__(self, "epsilon", positive(epsilon=self.epsilon))
        object.__setattr__(self, "delta", fraction(delta=self.delta))

    @property
    def limit(self) -> Budget | None:
        return None if self.epsilon is None else Budget(self.epsilon, self.delta)


def claimed_delta(events: Sequence[Event]) -> float:
    """The δ that (ε, δ) releases claim by themselves, whatever the accountant does with the rest."""
    costs = (event.cost for event in events)
    return math.fsum(cost.delta for cost in costs if isinstance(cost, Approximate))


def spent(terms: Terms, events: Sequence[Event], delta: float | None = None) -> Spent:
    """Everything so far, at the account's δ or at another one."""
    at = terms.delta if delta is None else fraction(delta=delta)
    return total_spent(events, at)


def refuse_over(terms: Terms, events: Sequence[Event], new: Event) -> None:
    """Raise BudgetExhausted if `new` on top of `events` would pass the limit."""
    limit = terms.limit
    if limit is None:
        return
    together = (*events, new)
    delta = claimed_delta(together)
    if delta > limit.delta * (1 + SLACK):
        raise BudgetExhausted(_too_much("delta", delta, limit))
    epsilon = _epsilon(together, limit)
    if not epsilon <= limit.epsilon * (1 + SLACK):
        raise BudgetExhausted(_too_much("epsilon", epsilon, limit))


def remaining(terms: Terms, events: Sequence[Event]) -> Remaining | None:
    """What is left of the limit, rounded down; None without a limit."""
    limit = terms.limit
    if limit is None:
        return None
    delta = _down(limit.delta - claimed_delta(events))
    epsilon = _down(limit.epsilon - _epsilon(events, limit))
    return Remaining(_sure_to_fit(terms, events, epsilon), delta)


def _epsilon(events: Sequence[Event], limit: Budget) -> float:
    # The claimed δ may stand above the limit by rounding alone, and composing needs a δ no smaller than it.
    return total_spent(events, max(limit.delta, claimed_delta(events))).epsilon


def _sure_to_fit(terms: Terms, events: Sequence[Event], most: float) -> float:
    """A pure ε close to `most` that `reserve` would accept: composing all anew is not always as good as adding."""
    if most == 0:
        return 0.0
    offers = (most * (1 - cut) for cut in (0.0, 1e-9, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5))
    return next((offer for offer in offers if _fits(terms, events, PureRelease(offer))), 0.0)


def _fits(terms: Terms, events: Sequence[Event], new: Event) -> bool:
    try:
        refuse_over(terms, events, new)
    except BudgetExhausted:
        return False
    return True


def _down(left: float) -> float:
    return max(0.0, math.nextafter(left, -math.inf))


def _too_much(name: str, total: float, limit: Budget) -> str:
    return (
        f"{name}: this release would bring the total to {total:.12g}, over the limit "
        f"(epsilon={limit.epsilon:.12g}, delta={limit.delta:.12g}); nothing was spent, "
        "ask for no more than ledger.remaining()"
    )
