"""What a search costs: fits on parts, a choice among them, and a fit that covers whichever was chosen.

Arguments: docs/proofs/selection.md and docs/proofs/tuning.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from equipoise.errors import MechanismRefused
from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.accounting.groups import row_budget
from equipoise.theory.accounting.prices import choice_then_fit, pure_release
from equipoise.theory.events import ApproximateRelease, Event, GaussianRelease, PureRelease
from equipoise.theory.guarantees import Budget, Pure
from equipoise.theory.rounding import FORMULA, up

MOST_NUMERIC = 2.0**-40
"""No search adds more than this to δ for arithmetic."""


def for_one_row(budget: Budget, largest: int | None) -> Budget:
    """What the rows of one person may cost each, so that together they cost no more than the budget.

    `largest` is the most rows of one person; None where the unit is the row.
    """
    return budget if largest is None else row_budget(budget, largest)


def parallel_event(events: Sequence[Event], choosing: bool, budget: Budget, largest: int | None) -> Event:
    """Fits on disjoint parts at the whole budget and, on one more part, an ε-private choice: the dearest part.

    Choosing is ε-private and no better, so a Gaussian event of the fits would understate it.
    """
    if not choosing and largest is None:
        return events[0]
    return whole_event(budget, all_pure(events), max(event.delta_numeric for event in events), largest)


def shared_event(events: Sequence[Event], budget: Budget, largest: int | None) -> Event:
    """Fits on the same rows that share the budget and, on other rows, a choice at all of it."""
    row = for_one_row(budget, largest)
    pure = row.delta == 0 and all_pure(events)
    return whole_event(budget, pure, total_spent(events, row.delta).delta_numeric, largest)


def whole_event(budget: Budget, pure: bool, numeric: float, largest: int | None) -> Event:
    """The budget as one event; arithmetic's part of δ is a row's and grows for a group as δ does."""
    row = for_one_row(budget, largest).epsilon
    if largest is not None:
        numeric *= up(math.expm1(min(budget.epsilon, 700.0)) / math.expm1(min(row, 700.0)), FORMULA)
    if numeric > MOST_NUMERIC:
        raise MechanismRefused(f"delta_numeric={numeric:.2g}: arithmetic would cost too much, lower epsilon")
    if pure:
        return PureRelease(budget.epsilon, numeric)
    return ApproximateRelease(budget.epsilon, budget.delta, numeric)


def charged(event: Event, budget: Budget, numeric: float) -> Event:
    """A whole search that was settled for a smaller ε, at the ε that was asked for."""
    if isinstance(event, PureRelease):
        return PureRelease(budget.epsilon, numeric)
    return ApproximateRelease(budget.epsilon, budget.delta, numeric)


def all_pure(events: Sequence[Event]) -> bool:
    """Whether they are private at some ε without any δ but that of arithmetic."""
    return all(isinstance(measure, Pure) for event in events for measure, _ in event.costs)


def choice_and_fit(choosing: float, fits: Sequence[tuple[Event, Budget]]) -> Event:
    """A choice at this ε, and a fit that covers whichever is chosen."""
    return choice_then_fit(pure_release(choosing), dearest(fits))


def dearest(fits: Sequence[tuple[Event, Budget]]) -> Event:
    """One event that is at least as dear as any of these fits, since the debit comes before the choice.

    A Gaussian curve and an (ε, δ) promise cross, so kinds that are mixed count by the budget they share.
    """
    events = [event for event, _ in fits]
    numeric = max(event.delta_numeric for event in events)
    pure = [event for event in events if isinstance(event, PureRelease)]
    if len(pure) == len(events):
        return PureRelease(max(_of_all_steps(event.epsilon, event.steps) for event in pure), numeric)
    gaussian = [event for event in events if isinstance(event, GaussianRelease)]
    if len(gaussian) == len(events):
        slack = max(event.epsilon_numeric for event in gaussian)
        mu = max(_of_all_steps(event.mu, event.steps, 0.5) for event in gaussian)
        return GaussianRelease(mu, 1, numeric, slack)
    return ApproximateRelease(max(each.epsilon for _, each in fits), max(each.delta for _, each in fits), numeric)


def _of_all_steps(once: float, steps: int, power: float = 1.0) -> float:
    """What so many steps come to: ε of theirs add up, and squares of μ."""
    return once if steps == 1 else up(once * steps**power, FORMULA)
