"""Records whose parts are kept by workers, clipped and encoded there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from equipoise.inside.cluster.crew import Crew, Held, Pieces
from equipoise.inside.cluster.parts import Reader, Seen
from equipoise.inside.design.contract import Array
from equipoise.inside.parted import Extent, Parted, extent_of_parts
from equipoise.inside.private import Private
from equipoise.inside.records import Records
from equipoise.theory.bounds import Bounds


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Spread(Parted):
    """One round trip for each sum.  The parts are let go with the last of these that knows them."""

    crew: Crew
    parts: tuple[Held, ...]
    norm: float
    """No row is longer."""

    def summed(self, of: Callable[[Records], Array]) -> Array:
        """Over the rows that count; a part without rows gives the sum over none."""
        return self.crew.total(of, self.parts)

    def first(self, most: int) -> Self:
        left, kept = min(most, self.design.rows), list[Held]()
        for part in self.parts:
            used = min(left, part.used)
            left -= used
            kept = [*kept, replace(part, used=used)]
        return self._with(kept)

    def every(self, step: int) -> Self:
        return self._with(self.crew.thin(self.parts, step))

    def _with(self, parts: Sequence[Held]) -> Self:
        return replace(self, parts=tuple(parts), design=_extent(parts, self.design.columns, self.norm))


def enter_spread(
    crew: Crew,
    reader: Reader,
    parts: Sequence[Pieces],
    expected: Sequence[Seen],
    features: int,
    bounds: Bounds,
) -> Private[Records]:
    """`parts` are tasks in an order that is the table's; `features` columns once they are encoded."""
    held = crew.bring_in(reader, parts, expected, bounds)
    design = _extent(held, features, bounds.norm)
    return Private(Spread(design=design, labels=np.empty(0), crew=crew, parts=held, norm=bounds.norm))


def _extent(parts: Sequence[Held], features: int, norm: float) -> Extent:
    return extent_of_parts([part.used for part in parts], features, norm)
