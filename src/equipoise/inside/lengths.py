"""How long rows are, without the constant column, and the same rows with another one (docs/proofs/usual_length.md)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.inside.design.constant import WithConstant
from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.records import Records
from equipoise.theory.usual_length import stretches


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NoLongerThan:
    """How many rows are no longer than each of these lengths, in ascending order, and how many there are at all; rows
    of zeros are not among them, since they say nothing of a length, but counted last with the others."""

    lengths: Array

    def __call__(self, part: Records) -> Array:
        design = part.design
        found = (design.inner if isinstance(design, WithConstant) else design).row_norms()
        there = np.sort(found[found > 0])
        below = np.searchsorted(there, self.lengths, side="right")
        return np.append(below, [len(there), len(found)]).astype(np.float64)


def length_counts(inner: Records, lengths: Array) -> Array:
    """`NoLongerThan` of stretches of the rows, or of all.  Within their bound they are no longer than the last."""
    of = NoLongerThan(lengths[:-1])
    return np.asarray(np.sum([part.summed(of) for part in inner.stretched(stretches(inner.design.rows))], axis=0))


def length_scores_of(counted: Array, beyond: float) -> Array:
    """For each length how many ranks it lies off one that this part of the rows is longer than.  Where most rows are
    zero, the others are too few to tell."""
    counts, rows = counted[:-1], counted[-1]
    here = counts - (1 - beyond) * counts[-1]
    before = np.append(-(1 - beyond) * counts[-1], here[:-1])
    scores = np.asarray(-np.maximum(0.0, np.maximum(before, -here)))
    scores[:-1] = np.minimum(scores[:-1], counts[-1] - rows / 2)
    return scores


def ending_with(records: Private[Records], constant: float) -> Private[Records]:
    """The same rows, which end with this constant instead of the one they had."""
    return records.map(lambda inner: inner.ending_with(constant))
