"""What one record counts in a sum: the shorter its row, the more, until it pulls as hard as a row of the norm may.

Noise is made for the longest row.  A shorter one pulls less and is hidden as well, so a weight of B over its length is
free: what one record can do stays what it was (docs/proofs/noisy_gradients.md, section 4, and of minimisers
docs/proofs/objective_perturbation.md, section 8).  Scores are those of the row as it is, so a model that is right for
every row is the best one with any weights.  Plans do not count on it: half of a hundred tables have rows of nearly one
length.

Where the norm is a usual length that was released first (theory/usual_length.py), some rows are longer.  They count
less, so that none pulls harder than a row of the norm, nor bends more (docs/proofs/usual_length.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.theory.bounds import clip_margin
from equipoise.theory.losses import Loss

Array = npt.NDArray[np.float64]

LARGEST_WEIGHT = 2.25
"""A row of zeros has none of its own; beside the usual constant column, half a row norm, no row needs as much."""

REACHES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Of scores, at which that is looked at."""


@dataclass(frozen=True, slots=True)
class Evening:
    """By what rows count: the norm B of a row that counts once, and the most that a shorter one does."""

    norm: float
    heaviest: float = LARGEST_WEIGHT


def weights(lengths: Array, by: Evening, columns: int) -> Array:
    """Of records whose rows, of so many columns, measure so much: B over that, less what measuring can err; of a row
    that is longer the square of it, so that neither count times length passes B nor count times its square B²."""
    with np.errstate(all="ignore"):
        part = by.norm * (1 - clip_margin(columns)) / lengths
        return np.minimum(by.heaviest, np.where(part < 1, part * part, part))


def heaviest(evened: bool) -> float:
    """The most that a record counts."""
    return LARGEST_WEIGHT if evened else 1.0


def is_free(loss: Loss) -> bool:
    """Whether gradients of rows as they are can differ by twice the largest anyway, so that evening costs no noise."""
    return all(2 * facts.slope <= facts.diameter for facts in map(loss.facts, REACHES))
