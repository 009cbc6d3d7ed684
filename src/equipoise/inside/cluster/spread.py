"""Records whose parts are kept by workers, clipped and encoded there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from equipoise.inside.borrowed import height_at_hand
from equipoise.inside.cluster.changes import Change, Changed, Ending, Labelled
from equipoise.inside.cluster.crew import Crew, Held, Pick, Pieces
from equipoise.inside.cluster.parts import Reader, Seen
from equipoise.inside.cluster.turns import Who
from equipoise.inside.design.contract import Array
from equipoise.inside.exact_sums import exactly
from equipoise.inside.parted import Extent, Parted, extent_of_lent_parts, extent_of_parts
from equipoise.inside.private import Private
from equipoise.inside.records import Order, Records, Told, nobody
from equipoise.theory.bounds import Bounds


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Spread(Parted):
    """One round trip for each sum.  The parts are let go with the last of these that knows them."""

    crew: Crew
    parts: tuple[Held, ...]
    norm: float
    """No row is longer."""
    height: int | None = None
    """Rows of a block where parts are lent."""
    changed: tuple[Change, ...] = ()
    """How records differ from what was brought in."""

    def summed(self, of: Callable[[Records], Array]) -> Array:
        """Over the rows that count; a part without rows gives the sum over none."""
        return self.crew.total(Changed(of, self.changed) if self.changed else of, self.parts)

    def ending_with(self, constant: float) -> Self:
        return replace(self, changed=(*self.changed, Ending(constant)))

    def labelled(self, before: Bounds, after: Bounds) -> Self:
        return replace(self, changed=(*self.changed, Labelled(before, after)))

    def first(self, most: int) -> Self:
        left, kept = min(most, self.design.rows), list[Held]()
        for part in self.parts:
            used = min(left, part.used)
            left -= used
            kept = [*kept, part.cut(used)]
        return self._with(kept)

    def stretched(self, stretches: Sequence[tuple[int, int]]) -> Sequence[Records]:
        return [self] if len(stretches) == 1 else [self.take(np.concatenate([np.arange(*each) for each in stretches]))]

    def every(self, step: int) -> Self:
        """Seen where they lie, without a copy."""
        before, kept = 0, list[Held]()
        for part in self.parts:
            which = slice(-before % step, part.used, step)
            before += part.used
            kept = [*kept, replace(part, used=len(range(part.used)[which]), which=which)]
        return self._with(kept)

    def take(self, rows: Order) -> Self:
        """These rows, asked for where they lie: nothing is copied but while a sum is made."""
        starts = np.cumsum([0, *(part.used for part in self.parts)])
        owner = np.searchsorted(starts, rows, side="right") - 1
        kept = list[Held]()
        for place in np.unique(owner):
            which = rows[owner == place] - starts[place]
            kept = [*kept, replace(self.parts[place], used=len(which), which=which)]
        return self._with(kept)

    def kept(self, rows: Order) -> Self:
        """These rows, in ascending order, kept beside the others by whoever has them."""
        ends = np.searchsorted(rows, np.cumsum([part.used for part in self.parts])[:-1])
        starts = np.cumsum([0, *(part.used for part in self.parts)])
        which = [each - start for each, start in zip(np.split(rows, ends), starts, strict=False)]
        return self._with(self.crew.keep(self.parts, which))

    def _with(self, parts: Sequence[Held]) -> Self:
        return replace(self, parts=tuple(parts), design=_extent(parts, self.design.columns, self.norm, self.height))


def sum_spread(
    crew: Crew, terms: Callable[..., Array], parts: Sequence[Pieces], expected: Sequence[Seen], persons: Persons | None
) -> Private[Array]:
    """The sum of one number in [0, 1] for each row that is used, rounded once."""
    picks = None if persons is None else persons.picked_by(crew)
    return Private(np.array([float(exactly(crew.measure(terms, parts, expected, picks)))]))


def some_of(records: Private[Records], rows: Order) -> Private[Records]:
    """These rows, in ascending order, as records of their own."""
    return records.map(lambda inner: inner.kept(rows) if isinstance(inner, Spread) else inner.take(rows))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Persons:
    """Whose rows are whose: how the ids of a part are read, from what, and the most rows of one person."""

    who: Who
    parts: Sequence[Pieces]
    cap: int
    picks: Sequence[Pick] | None = None
    """Which rows are used, where that was settled before the debit."""

    def picked_by(self, crew: Crew) -> Sequence[Pick]:
        """Which rows are used; settled now where it was not before."""
        return crew.pick(self.who, self.parts, self.cap) if self.picks is None else self.picks


def enter_spread(
    crew: Crew,
    reader: Reader,
    parts: Sequence[Pieces],
    expected: Sequence[Seen],
    width: int,
    bounds: Bounds,
    told: Told = nobody,
    persons: Persons | None = None,
) -> Private[Records]:
    """`parts` are tasks in an order that is the table's, of `width` columns as they come."""
    features = bounds.features(width)
    held = crew.bring_in(reader, parts, expected, bounds, None if persons is None else persons.picked_by(crew))
    norm, height = bounds.norm, height_at_hand(width) if reader.lent else None
    design = _extent(held, features, norm, height)
    none = np.empty(0)  # labels are where rows are
    return Private(Spread(design=design, labels=none, told=told, crew=crew, parts=held, norm=norm, height=height))


def _extent(parts: Sequence[Held], features: int, norm: float, height: int | None) -> Extent:
    sizes = [part.used for part in parts]
    if height is None:
        return extent_of_parts(sizes, features, norm)
    return extent_of_lent_parts(sizes, features, height, norm)
