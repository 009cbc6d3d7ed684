"""The events of an account, counted instead of listed: composing depends on how many different ones there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from equipoise.theory.events import Event


@dataclass(frozen=True, slots=True)
class Tally:
    """How many entries there are, and how often each event is among them.  A value: adding makes a new one."""

    entries: int = 0
    events: Mapping[Event, int] = field(default_factory=lambda: MappingProxyType({}))

    def plus(self, events: Iterable[Event]) -> Tally:
        more = Counter(events)
        return Tally(self.entries + more.total(), MappingProxyType(Counter(self.events) + more))
