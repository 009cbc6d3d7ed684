"""May this release still be made, and what is left?  Pure functions of the terms and the events so far."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from equipoise._checks import fraction, positive, whole
from equipoise.errors import BudgetExhausted
from equipoise.ledger.ledger import Remaining
from equipoise.ledger.tally import Tally
from equipoise.theory.accounting.compose import (
    Events,
    Spent,
    costs_of,
    epsilon_numeric,
    simple,
    total_spent,
    total_within,
)
from equipoise.theory.accounting.parts import exact_sum
from equipoise.theory.events import Event, PureRelease, to_dict
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


def claimed_delta(events: Events) -> float:
    """The δ that (ε, δ) releases claim by themselves, whatever the accountant does with the rest."""
    deltas: Counter[float] = Counter()
    for cost, times in costs_of(simple(events)).items():
        if isinstance(cost, Approximate):
            deltas[cost.delta] += times
    return exact_sum(deltas)


def spent(terms: Terms, tally: Tally, delta: float | None = None) -> Spent:
    """Everything so far, at the account's δ or at another one."""
    at = terms.delta if delta is None else fraction(delta=delta)
    return total_spent(tally.events, at)


def refuse_over(terms: Terms, tally: Tally, new: Event) -> None:
    """Raise BudgetExhausted if `new` on top of `tally` would pass the limit."""
    limit = terms.limit
    if limit is None:
        return
    together = simple(tally.plus([new]).events)
    if _claims_too_much(together, limit):
        raise BudgetExhausted(_too_much("delta", claimed_delta(together), limit))
    if not _within(together, limit):
        raise BudgetExhausted(_too_much("epsilon", _epsilon(together, limit), limit))


def fits(terms: Terms, tally: Tally, new: Event) -> bool:
    """True if `reserve` would accept `new` on top of `tally`."""
    limit = terms.limit
    if limit is None:
        return True
    together = simple(tally.plus([new]).events)
    return not _claims_too_much(together, limit) and _within(together, limit)


def most(terms: Terms, tally: Tally, event_for: Callable[[int], Event], at_most: int) -> int:
    """The largest count up to `at_most` whose event fits, if larger counts never cost less; 0 if none does."""
    few, many = 0, at_most and whole(at_most=at_most)
    while few < many:
        middle = (few + many + 1) // 2
        event = event_for(middle)
        to_dict(event)  # an event that could not be written down is refused here as by `reserve`
        few, many = (middle, many) if fits(terms, tally, event) else (few, middle - 1)
    return few


def remaining(terms: Terms, tally: Tally) -> Remaining | None:
    """What is left of the limit, rounded down; None without a limit."""
    limit = terms.limit
    if limit is None:
        return None
    happened = simple(tally.events)
    delta = _down(limit.delta - claimed_delta(happened))
    epsilon = _down(limit.epsilon - _epsilon(happened, limit))
    return Remaining(_sure_to_fit(terms, tally, epsilon), delta)


def _claims_too_much(happened: Counter[Event], limit: Budget) -> bool:
    return claimed_delta(happened) > limit.delta * (1 + SLACK)


def _within(happened: Counter[Event], limit: Budget) -> bool:
    """Is the total ε at most the limit's, but for the slack?  One look on either side of the limit decides it unless
    the total lies in between, and spares the search for the smallest ε."""
    if _proved(happened, limit.epsilon, limit):
        return True
    if not _proved(happened, limit.epsilon * (1 + 3 * SLACK), limit):
        return False
    return _epsilon(happened, limit) <= limit.epsilon * (1 + SLACK)


def _proved(happened: Counter[Event], epsilon: float, limit: Budget) -> bool:
    numeric = epsilon_numeric(happened)
    left = _down(epsilon - numeric) if numeric > 0 else epsilon
    return numeric < epsilon and total_within(costs_of(happened), left, _room(happened, limit))


def _epsilon(happened: Counter[Event], limit: Budget) -> float:
    return total_spent(happened, _room(happened, limit)).epsilon


def _room(happened: Mapping[Event, int], limit: Budget) -> float:
    # The claimed δ may stand above the limit by rounding alone, and composing needs a δ no smaller than it.
    return max(limit.delta, claimed_delta(happened))


def _sure_to_fit(terms: Terms, tally: Tally, left: float) -> float:
    """A pure ε close to `left` that `reserve` would accept: composing all anew is not always as good as adding."""
    if left == 0:
        return 0.0
    offers = (left * (1 - cut) for cut in (0.0, 1e-9, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5))
    return next((offer for offer in offers if fits(terms, tally, PureRelease(offer))), 0.0)


def _down(left: float) -> float:
    return max(0.0, math.nextafter(left, -math.inf))


def _too_much(name: str, total: float, limit: Budget) -> str:
    return (
        f"{name}: this release would bring the total to {total:.12g}, over the limit "
        f"(epsilon={limit.epsilon:.12g}, delta={limit.delta:.12g}); nothing was spent, "
        "ask for no more than ledger.remaining()"
    )
