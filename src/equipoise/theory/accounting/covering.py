"""Does what was debited pay for what is about to happen?  The rules by which the door decides."""

from __future__ import annotations

from equipoise.theory.events import ApproximateRelease, Event, PureRelease, leaves


def covers(paid: Event, needed: Event) -> bool:
    """The very event that was paid for, or one of its parts."""
    return paid == needed or any(part == needed for part in leaves(paid))


def covers_choice(paid: Event, needed: Event) -> bool:
    """A choice at no more than the ε and δ of what was paid for, or of one of its parts.

    A choice is often a share of one event (the grid of a histogram, the winner of a search), and for pure and (ε, δ)
    events less is implied by more; a Gaussian release says nothing about a choice.  Choices of bounded range are paid
    for as such.
    """
    return covers(paid, needed) or any(_within(needed, part) for part in leaves(paid))


def _within(needed: Event, part: Event) -> bool:
    small, large = _pair(needed), _pair(part)
    return small is not None and large is not None and small[0] <= large[0] and small[1] <= large[1]


def _pair(event: Event) -> tuple[float, float] | None:
    """(ε, δ) of a pure or approximate release; None where the event says something else."""
    if isinstance(event, PureRelease):
        return event.epsilon, 0.0
    return (event.epsilon, event.delta) if isinstance(event, ApproximateRelease) else None
