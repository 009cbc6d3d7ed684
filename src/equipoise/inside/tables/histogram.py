"""Counts of records in public cells, and how strongly each column goes with the label.  Whole numbers, no rounding.

A column's values go to the nearest of a few public levels, −K … K times a spacing, and labels to equal bins of
[−1, 1].  What a record does to a count or a score depends on its codes alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.records import Records

Codes = npt.NDArray[np.int64]

BLOCK = 32
"""Columns whose codes are held at once."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The public grid: levels −reach … reach times `spacing` for each of `kept` columns, and `labels` label bins."""

    kept: int
    reach: int
    spacing: float
    labels: int

    @property
    def levels(self) -> int:
        return 2 * self.reach + 1

    @property
    def count(self) -> int:
        return int(self.levels**self.kept * self.labels)

    @property
    def shape(self) -> tuple[int, ...]:
        return (*([self.levels] * self.kept), self.labels)

    def centres(self, cells: npt.NDArray[np.intp]) -> tuple[Array, Array]:
        """The kept columns' levels and the label in the middle of each of these cells."""
        *codes, label = np.unravel_index(cells, self.shape)
        levels = [(code - self.reach) * self.spacing for code in codes]
        points = np.array(levels).reshape(self.kept, len(cells)).T
        return points, (2.0 * label + 1 - self.labels) / self.labels


def cell_counts(records: Private[Records], cells: Cells, columns: Sequence[int]) -> Private[Array]:
    """How many records lie in each cell of these columns and the label."""
    return records.map(lambda inner: _counts(inner, cells, columns))


def column_scores(records: Private[Records], cells: Cells, columns: int) -> Private[Array]:
    """For each of the first `columns` columns |Σ (c − c̄)(l − l̄)|, rounded down: c its code, l the label's."""
    return records.map(lambda inner: _scores(inner, cells, columns))


def scores_at(scores: Private[Array], places: Sequence[int]) -> Private[Array]:
    """Those of some columns."""
    return scores.map(lambda every: every[list(places)])


def _counts(records: Records, cells: Cells, columns: Sequence[int]) -> Array:
    codes = [*(_codes(records, cells, columns) + cells.reach).T, _label_bins(records, cells)]
    index = np.ravel_multi_index(codes, cells.shape)
    return np.bincount(index, minlength=cells.count).astype(np.float64)


def _scores(records: Records, cells: Cells, columns: int) -> Array:
    labels = 2 * _label_bins(records, cells) - (cells.labels - 1)
    found: list[int] = []
    for start in range(0, columns, BLOCK):
        codes = _codes(records, cells, range(start, min(start + BLOCK, columns)))
        found += [_score(int(both), int(own), labels) for both, own in zip(labels @ codes, codes.sum(0), strict=True)]
    return np.array(found, dtype=np.float64)


def _score(both: int, own: int, labels: Codes) -> int:
    """⌊|n·Σcl − Σc·Σl|/n⌋ in Python's integers, which cannot overflow."""
    return abs(len(labels) * both - own * int(labels.sum())) // max(1, len(labels))


def _codes(records: Records, cells: Cells, columns: Sequence[int]) -> Codes:
    """The nearest level of each entry, one column of codes per column asked for."""
    pick = np.zeros((records.design.columns, len(columns)))
    pick[list(columns), np.arange(len(columns))] = 1.0
    steps = np.rint(records.design.matvec(pick) / cells.spacing)
    return np.clip(steps, -cells.reach, cells.reach).astype(np.int64)


def _label_bins(records: Records, cells: Cells) -> Codes:
    bins = np.floor((records.labels + 1) / 2 * cells.labels)
    return np.clip(bins, 0, cells.labels - 1).astype(np.int64)
