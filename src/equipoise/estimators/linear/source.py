"""Tables that are not in memory, as estimators take them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

from equipoise._checks import shown
from equipoise.errors import MechanismRefused
from equipoise.gate import MECHANISMS
from equipoise.inside import Private, Records
from equipoise.ledger import Entry
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.plan import Plan


class LetsIn(Protocol):
    """What lets records in once they are paid for; `bounds` are then those within which they were brought."""

    bounds: Bounds

    def __call__(self, entry: Entry) -> Private[Records]: ...


def sums_rows_as_they_are(plan: Plan) -> bool:
    """Whether all that is asked are sums over rows that are clipped and nothing else, and n is public."""
    bounds = plan.facts.bounds
    as_they_are = all(each is None for each in (bounds.columns, bounds.encoding, bounds.lift, bounds.view))
    return MECHANISMS[plan.mechanism].by_sums and as_they_are and plan.facts.adjacency is Adjacency.REPLACE_ONE


class Source(ABC):
    """Abstract.  A table that is not in our memory: on a disk, on many machines, or in the caller's array.  Its size is
    public before it is read.

    An estimator takes it for X; the labels are in it.
    """

    shape: tuple[int, int]
    where: str
    """In words, for a refusal."""
    walked: bool = False
    """Whether its records can be had one after the other, in an order that is drawn; sums over them always can."""

    @property
    def cap(self) -> int | None:
        """The most rows of one person, where it knows whose rows are whose."""
        return None

    @abstractmethod
    def entrance(self, bounds: Bounds) -> LetsIn:
        """What lets its records in."""

    def held(self, plan: Plan) -> Any:
        """Itself, or a table in memory where the plan needs one and it can be had; before the debit."""
        return self

    def check(self, plan: Plan) -> None:
        """All that can be asked of it are sums over its records, or a walk over them; before the debit."""
        facts = plan.facts
        if facts.bounds.lift is not None or facts.partners is not None:
            made = "lifts rows" if facts.partners is None else "compares records"
            raise MechanismRefused(f"X: this estimator {made}, which needs them in memory, not {self.where}")
        asking = MECHANISMS[plan.mechanism]
        if not (asking.by_sums or (asking.by_walk and self.walked)):
            raise MechanismRefused(
                f"mechanism={shown(plan.mechanism)}: needs the records in memory, not {self.where}, use another"
                " mechanism"
            )
