"""What is counted before a fit: where labels lie and how long rows are, in one pass where a pass is dear."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.lengths import NoLongerThan, length_counts, length_scores_of
from equipoise.inside.parted import Parted
from equipoise.inside.private import Private
from equipoise.inside.records import Records
from equipoise.inside.usual_labels import Counted, label_counts, label_scores_of
from equipoise.theory.bounds import Bounds
from equipoise.theory.usual_labels import UsualLabels


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Both:
    """The two counts of a part, one after the other."""

    labels: Counted
    lengths: NoLongerThan

    def __call__(self, part: Records) -> Array:
        return np.concatenate([self.labels(part), self.lengths(part)])


def label_scores(records: Private[Records], bounds: Bounds, choice: UsualLabels) -> Private[Array]:
    """For each range how many ranks it lies off the narrowest that all labels but a part are in; 0 or less."""
    return records.map(lambda inner: label_scores_of(label_counts(inner, bounds), choice))


def length_scores(records: Private[Records], lengths: Array, beyond: float) -> Private[Array]:
    """For each length how many ranks it lies off one that this part of the rows is longer than; 0 or less.  Rows within
    their bound are no longer than the last."""
    return records.map(lambda inner: length_scores_of(length_counts(inner, lengths), beyond))


def both_scores(
    records: Private[Records], bounds: Bounds, choice: UsualLabels, lengths: Array, beyond: float
) -> tuple[Private[Array], Private[Array]]:
    """The two of them: records in parts are gone over once."""

    def counted(inner: Records) -> tuple[Array, Array]:
        if not isinstance(inner, Parted):
            return label_counts(inner, bounds), length_counts(inner, lengths)
        of_labels, of_lengths = Counted.within(bounds), NoLongerThan(lengths[:-1])
        whole = inner.summed(Both(of_labels, of_lengths))
        return whole[: -len(lengths) - 1], whole[-len(lengths) - 1 :]

    counts = records.map(counted)
    return (
        counts.map(lambda both: label_scores_of(both[0], choice)),
        counts.map(lambda both: length_scores_of(both[1], beyond)),
    )
