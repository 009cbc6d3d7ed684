"""How long rows are, without the constant column, and the same rows with another one (docs/proofs/usual_length.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equipoise.inside.design.constant import WithConstant
from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.records import Records
from equipoise.theory.usual_length import MOST_MEASURED, step_between


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NoLongerThan:
    """How many rows are no longer than each of these lengths, in ascending order, and how many there are; rows of
    zeros are not counted, since they say nothing of a length."""

    lengths: Array

    def __call__(self, part: Records) -> Array:
        design = part.design
        found = (design.inner if isinstance(design, WithConstant) else design).row_norms()
        there = np.sort(found[found > 0])
        below = np.searchsorted(there, self.lengths, side="right")
        return np.append(below, len(there)).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ending:
    """What a sum says of the records of a part, their rows ending with this constant."""

    of: Callable[[Records], Array]
    constant: float

    def __call__(self, part: Records) -> Array:
        return self.of(part.ending_with(self.constant))


def length_scores(records: Private[Records], lengths: Array, beyond: float) -> Private[Array]:
    """For each length how many ranks it lies off one that this part of the rows is longer than; 0 or less.  Rows within
    their bound are no longer than the last."""

    return records.map(lambda inner: _off(_some(inner).summed(NoLongerThan(lengths[:-1])), beyond))


def _off(counts: Array, beyond: float) -> Array:
    """By how many rows are no longer than each length."""
    here = counts - (1 - beyond) * counts[-1]
    before = np.append(-(1 - beyond) * counts[-1], here[:-1])
    return np.asarray(-np.maximum(0.0, np.maximum(before, -here)))


def _some(records: Records) -> Records:
    """All, or some in a regular pattern: of rows that are read anew for every question, the first."""
    step = step_between(records.design.rows)
    if step <= 1:
        return records
    found = records.every(step)
    return records.first(MOST_MEASURED) if found is None else found


def ending_with(records: Private[Records], constant: float) -> Private[Records]:
    """The same rows, which end with this constant instead of the one they had."""
    return records.map(lambda inner: inner.ending_with(constant))
