"""Where labels lie between their bounds, and the same labels within a part of them (docs/proofs/usual_labels.md)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.records import Records
from equipoise.theory.bounds import Bounds
from equipoise.theory.usual_labels import CELLS, NARROWEST, UsualLabels, ranges

AT_END = 1 - 2.0**-40
"""From here on a coded label is at a bound: rounding may have left it a little inside."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Counted:
    """How many labels lie in each cell: first those that say something of a range, then those that pile up, at a bound,
    at nought, or at the middle, which missing ones count as."""

    nought: float | None

    @classmethod
    def within(cls, bounds: Bounds) -> Counted:
        return cls(_nought(bounds))

    def __call__(self, part: Records) -> Array:
        labels = part.labels
        piled = (np.abs(labels) >= AT_END) | (labels == 0.0)
        if self.nought is not None:
            piled |= labels == self.nought
        cells = np.minimum(CELLS - 1, ((labels + 1.0) * (CELLS / 2)).astype(np.intp))
        found = [np.bincount(cells[which], minlength=CELLS) for which in (~piled, piled)]
        return np.concatenate(found).astype(np.float64)


def label_counts(inner: Records, bounds: Bounds) -> Array:
    """`Counted` of all labels."""
    return inner.summed(Counted.within(bounds))


def label_scores_of(counts: Array, choice: UsualLabels) -> Array:
    """For each range how many ranks it lies off the narrowest that all labels but a part are in.  Those that pile up do
    not make a range a good one, and a range without them is a bad one."""
    first, last, levels = np.array(ranges(choice.widest)).T
    telling, piled = (np.append(0.0, np.cumsum(each)) for each in np.split(counts, 2))
    inside = telling[last] - telling[first]
    outside = telling[-1] - inside + piled[-1] - (piled[last] - piled[first])
    room = choice.beyond * inside - (1 - choice.beyond) * outside
    best = {level: float(room[levels == level].max()) for level in range(choice.widest, NARROWEST + 1)}
    narrower = np.array([best.get(max(level + 1, choice.widest), -np.inf) for level in levels.tolist()])
    return np.asarray(-np.maximum(0.0, np.maximum(-room, narrower)) - np.where(levels > 0, choice.doubt, 0.0))


def _nought(bounds: Bounds) -> float | None:
    """Where nought lies, as labels are coded; None where no label is."""
    if bounds.label_range is None or not bounds.label_range[0] <= 0 <= bounds.label_range[1]:
        return None
    return min(1.0, max(-1.0, (0.0 - bounds.label_centre) / bounds.label_scale))


def labelled(records: Private[Records], before: Bounds, after: Bounds) -> Private[Records]:
    """The same records, their labels brought within the usual range of these bounds."""
    return records.map(lambda inner: inner.labelled(before, after))
