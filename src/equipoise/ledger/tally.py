"""The events of an account, counted instead of listed: composing depends on how many different ones there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from equipoise.theory.events import Event


@dataclass(frozen=True, slots=True)
class Tally:
    """The opening, and how often each event came after it.  A value: adding makes a new one.

    Events are those the account counts, already converted to its neighbours.
    """

    opening: Event | None = None
    later: Mapping[Event, int] = field(default_factory=lambda: MappingProxyType({}))
    entries: int = 0

    @property
    def events(self) -> Mapping[Event, int]:
        """All of them, the opening included."""
        first = {} if self.opening is None else {self.opening: 1}
        return MappingProxyType(Counter(self.later) + Counter(first))

    def plus(self, events: Iterable[Event]) -> Tally:
        more = list(events)
        if self.opening is None and more:
            return Tally(more[0], entries=1).plus(more[1:])
        counted = MappingProxyType(Counter(self.later) + Counter(more))
        return Tally(self.opening, counted, self.entries + len(more))
