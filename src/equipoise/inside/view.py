"""Records as they are seen from a released middle (docs/proofs/noisy_gradients.md, section 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from equipoise.inside.design import rows_of, with_constant
from equipoise.inside.design.contract import Array
from equipoise.inside.design.dense import DenseDesign
from equipoise.inside.parted import Parted
from equipoise.inside.private import Private
from equipoise.inside.records import Records
from equipoise.rows.view import offsets
from equipoise.theory.bounds import Bounds, View


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RowSum:
    """Σ x, the constant column's included."""

    def __call__(self, part: Records) -> Array:
        return part.design.rmatvec(np.ones(part.design.rows))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AsSeen:
    """What a sum says of the records of a part, as they are seen from the middle."""

    of: Callable[[Records], Array]
    view: View
    constant: float

    def __call__(self, part: Records) -> Array:
        return self.of(in_view(part, self.view, self.constant))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InView(Parted):
    """Records in parts: where they lie, each part is seen anew for every sum."""

    inner: Parted
    view: View
    constant: float

    def summed(self, of: Callable[[Records], Array]) -> Array:
        return self.inner.summed(AsSeen(of, self.view, self.constant))

    def ending_with(self, constant: float) -> Self:
        return replace(self, constant=constant)

    def labelled(self, before: Bounds, after: Bounds) -> Self:
        return replace(self, inner=self.inner.labelled(before, after))

    def first(self, most: int) -> Self:
        raise TypeError("of records that are seen from a middle all are used")


def mean_row(records: Private[Records], divisor: float) -> Private[Array]:
    """Σ x over the divisor, without the constant column."""
    return records.map(lambda inner: inner.summed(RowSum())[:-1] / divisor)


def seen_from(records: Private[Records], view: View, constant: float) -> Private[Records]:
    """The same records, each as what lies between the middle and its row, with this constant as the last column."""

    def see(inner: Records) -> Records:
        if not isinstance(inner, Parted):
            return in_view(inner, view, constant)
        return InView(
            design=inner.design,
            labels=inner.labels,
            weight=inner.weight,
            told=inner.told,
            inner=inner,
            view=view,
            constant=constant,
        )

    return records.map(see)


def in_view(part: Records, view: View, constant: float) -> Records:
    """Of records at hand, a design of its own."""
    found, longest = offsets(rows_of(part.design), view)
    return replace(part, design=with_constant(DenseDesign(found, longest), constant))
