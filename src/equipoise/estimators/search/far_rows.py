"""Rows that a search splits and fits on where workers keep them.

They are brought in once, when the search has paid, and every part of a search is a part of what was brought in:
whatever becomes of the table meanwhile, all fits of a search and its choice see the same rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.estimators._inputs import source_rows
from equipoise.estimators.cluster.collections import described
from equipoise.estimators.cluster.parts import Parts
from equipoise.estimators.linear.source import LetsIn, Source
from equipoise.estimators.search.parts import Index
from equipoise.inside import Private, Records, enter
from equipoise.inside.cluster import some_of
from equipoise.ledger import Entry
from equipoise.theory.bounds import Bounds

PERSONS = "groups: a search splits the rows of persons in memory, give X.compute(), or search over rows"


@dataclass(slots=True, repr=False)
class Kept:
    """What was brought in so far: all rows within these bounds, and the part of them that was asked for last."""

    bounds: Bounds | None = None
    whole: Private[Records] | None = None
    which: Index | None = None
    part: Private[Records] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class FarRows(Source):
    """All rows, or some in ascending order."""

    parts: Parts
    which: Index | None = None
    kept: Kept = field(default_factory=Kept)
    where = Parts.where
    walked = Parts.walked

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        rows, columns = self.parts.shape
        return rows if self.which is None else len(self.which), columns

    def __getitem__(self, which: Index) -> Self:
        return self if len(which) == self.shape[0] else replace(self, which=which)

    def entrance(self, bounds: Bounds) -> LetsIn:
        return FarRowsEntrance(self, bounds)

    def records(self, bounds: Bounds) -> Private[Records]:
        """Within these bounds.  How long coefficients may be says nothing about rows."""
        kept, about = self.kept, replace(bounds, coef_norm=math.inf)
        if kept.whole is None or kept.bounds != about:
            kept.bounds, kept.whole, kept.which = about, self.parts.let_in(about), None
        if self.which is None:
            return kept.whole
        if kept.part is None or kept.which is not self.which:
            kept.which, kept.part = self.which, some_of(kept.whole, self.which)
        return kept.part


@dataclass(slots=True, repr=False)
class FarRowsEntrance:
    """Some rows of a search at the door of one of its fits."""

    rows: FarRows
    bounds: Bounds

    def __call__(self, entry: Entry) -> Private[Records]:
        return self.rows.records(self.bounds)


@dataclass(frozen=True, slots=True)
class OnWorkersToo:
    """Labels that lie beside such rows; their type is known."""

    dtype: np.dtype[Any]

    def __getitem__(self, which: Index) -> Self:
        return self


def spread_rows(search: Any, estimator: Any, X: Any, y: Any, groups: Any) -> tuple[FarRows, npt.NDArray[Any]]:
    """A Dask table for a search, which learns its columns, and no labels, of their type."""
    if groups is not None or estimator.rows_per_person is not None:
        raise InvalidInput(PERSONS)
    parts, labels = described(estimator, X, y, None, 2, search)
    return FarRows(source_rows(search, parts, 2)), labels


def let_in(rows: Any, labels: Any, bounds: Bounds) -> Private[Records]:
    """Rows of a search, wherever they are."""
    return rows.records(bounds) if isinstance(rows, FarRows) else enter(rows, labels, bounds)
