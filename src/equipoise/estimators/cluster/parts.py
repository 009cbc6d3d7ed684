"""A table in parts that workers read, as an estimator takes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from equipoise.errors import InvalidInput
from equipoise.estimators.linear.source import LetsIn, Source, sums_rows_as_they_are
from equipoise.inside import Private, Records
from equipoise.inside.cluster import Crew, Persons, Reader, Seen, enter_spread
from equipoise.inside.cluster.crew import Pieces
from equipoise.inside.cluster.turns import Who
from equipoise.inside.records import Told, nobody
from equipoise.ledger import Entry
from equipoise.theory.bounds import Bounds
from equipoise.theory.plan import Plan

IDS = "groups: must have one id for each row of X, in every part"


@dataclass(frozen=True, eq=False, repr=False)
class Parts(Source):
    """Tasks that make the parts, what each is said to be, and who runs them."""

    crew: Crew
    reader: Reader
    tasks: Sequence[Pieces]
    expected: Sequence[Seen]
    width: int
    told: Told = nobody
    persons: Persons | None = None
    lender: Reader | None = None
    """Reads parts where they lie, where sums over rows as they are is all that is asked."""
    where = "on many machines"
    walked = True

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """Where the number of rows is secret, without it.  Of persons' rows, those that are used."""
        if self.persons is not None and self.persons.picks is not None:
            return sum(one.used for one in self.persons.picks), self.width
        return sum(max(0, one.rows) for one in self.expected), self.width

    @property
    def cap(self) -> int | None:
        return None if self.persons is None else self.persons.cap

    def of_persons(self, who: Who, parts: Sequence[Pieces], cap: int, *, secret: bool) -> Parts:
        """The same with a cap on the rows of one person: applied now, or once it is paid for where the number of rows
        is `secret`."""
        if secret:
            return replace(self, persons=Persons(who, parts, cap))
        picks = self.crew.look_at_persons(who, parts, cap)
        if any(one.rows != seen.rows for one, seen in zip(picks, self.expected, strict=True)):
            raise InvalidInput(IDS)
        return replace(self, persons=Persons(who, parts, cap, picks))

    def held(self, plan: Plan) -> Parts:
        """Where it lies, as an array in memory is (`linear/entrance.py`); a walk asks for other rows in every round."""
        if self.lender is None or self.persons is not None or not sums_rows_as_they_are(plan):
            return self
        return replace(self, reader=self.lender)

    def entrance(self, bounds: Bounds) -> LetsIn:
        return PartsEntrance(self, bounds)

    def let_in(self, bounds: Bounds) -> Private[Records]:
        """For whoever has paid."""
        told, persons = self.told, self.persons
        return enter_spread(self.crew, self.reader, self.tasks, self.expected, self.width, bounds, told, persons)


@dataclass(slots=True, repr=False)
class PartsEntrance:
    """Parts at the door."""

    parts: Parts
    bounds: Bounds

    def __call__(self, entry: Entry) -> Private[Records]:
        return self.parts.let_in(self.bounds)
