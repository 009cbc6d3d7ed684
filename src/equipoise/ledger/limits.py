"""May this release still be made, and what is left?  Pure functions of the terms and the events so far.

What the totals mean when prices are chosen as one goes: docs/proofs/accounting.md, section 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from equipoise._checks import fraction, whole
from equipoise.errors import BudgetExhausted
from equipoise.ledger.ledger import Remaining
from equipoise.ledger.tally import Tally
from equipoise.ledger.terms import Terms
from equipoise.theory.accounting.compose import Spent, delta_numeric, simple, total_spent
from equipoise.theory.accounting.filters import Filtered, Prices, exact_within, filtered, smallest_limit
from equipoise.theory.accounting.prices import pure_release
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget


def spent(terms: Terms, tally: Tally, delta: float | None = None) -> Spent:
    """The smallest ε whose limit would have let all of this through, at the account's δ or at another one.

    Without a limit nothing was filtered: then it is what the events cost together had they been settled beforehand.
    """
    at = terms.delta if delta is None else fraction(delta=delta)
    if terms.epsilon is None:
        return total_spent(tally.events, at)
    epsilon = smallest_limit(*_parts(terms, tally), Budget(terms.epsilon, at), terms.prices) if tally.entries else 0.0
    return Spent(epsilon, at, delta_numeric(simple(tally.events), epsilon, at))


def refuse_over(terms: Terms, tally: Tally, new: Event) -> None:
    """Raise BudgetExhausted if `new` on top of `tally` would pass the limit."""
    limit = terms.limit
    if limit is None or fits(terms, tally, new):
        return
    found = _judged(terms, tally.plus([new]), limit)
    if not found.affordable:
        raise BudgetExhausted(_too_much("delta", float(found.claimed), limit))
    raise BudgetExhausted(_too_much("epsilon", found.epsilon, limit))


def fits(terms: Terms, tally: Tally, new: Event) -> bool:
    """True if `reserve` would accept `new` on top of `tally`."""
    limit = terms.limit
    if limit is None:
        return True
    opening, later = _parts(terms, tally.plus([new]))
    if not later:
        return exact_within(opening, limit)
    return filtered(opening, later, limit, terms.prices).within(limit)


def most(terms: Terms, tally: Tally, event_for: Callable[[int], Event], at_most: int) -> int:
    """The largest count up to `at_most` whose event fits, if larger counts never cost less; 0 if none does."""
    few, many = 0, at_most and whole(at_most=at_most)
    while few < many:
        middle = (few + many + 1) // 2
        few, many = (middle, many) if fits(terms, tally, event_for(middle)) else (few, middle - 1)
    return few


def remaining(terms: Terms, tally: Tally) -> Remaining | None:
    """What is left of the limit, rounded down; None without a limit."""
    limit = terms.limit
    if limit is None:
        return None
    if not tally.entries:
        return Remaining(limit.epsilon, limit.delta)
    speck = pure_release(5e-324)  # so that an opening is no longer alone: what follows it is what is asked about
    after = _judged(terms, tally.plus([speck]), limit)
    largest = _by_trying if terms.prices is Prices.FIXED else _by_halving
    return Remaining(largest(terms, tally, limit), _down(float(after.claimable - after.claimed)))


def _judged(terms: Terms, tally: Tally, limit: Budget) -> Filtered:
    return filtered(*_parts(terms, tally), limit, terms.prices)


def _parts(terms: Terms, tally: Tally) -> tuple[Mapping[Event, int], Mapping[Event, int]]:
    """The opening and what came later; where all prices were settled beforehand, all of it is one opening."""
    if tally.opening is None or terms.prices is Prices.FIXED:
        return tally.events, {}
    return {tally.opening: 1}, tally.later


def _by_trying(terms: Terms, tally: Tally, limit: Budget) -> float:
    """A pure ε close to what the total leaves and that fits; the exact curve is too slow for halving."""
    left = _down(limit.epsilon - _judged(terms, tally, limit).epsilon)
    offers = (left * (1 - cut) for cut in (0.0, 1e-9, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5))
    return next((offer for offer in offers if offer > 0 and fits(terms, tally, pure_release(offer))), 0.0)


def _by_halving(terms: Terms, tally: Tally, limit: Budget) -> float:
    """The largest pure ε that fits without any slack: a point that was tried, or 0."""

    def room_for(epsilon: float) -> bool:
        found = _judged(terms, tally.plus([pure_release(epsilon)]), limit)
        return found.affordable and found.epsilon <= limit.epsilon

    low, high = 0.0, limit.epsilon
    for _ in range(60):
        middle = low + (high - low) / 2  # their sum may be beyond doubles
        low, high = (middle, high) if middle > 0 and room_for(middle) else (low, middle)
    return max(0.0, low - 2 * math.ulp(limit.epsilon))


def _down(left: float) -> float:
    return max(0.0, math.nextafter(left, -math.inf))


def _too_much(name: str, total: float, limit: Budget) -> str:
    return (
        f"{name}: this release would bring the total to {total:.12g}, over the limit "
        f"(epsilon={limit.epsilon:.12g}, delta={limit.delta:.12g}); nothing was spent, "
        "ask for no more than ledger.remaining()"
    )
