"""What one record counts in a sum: the shorter its row, the more, until it pulls as hard as the longest may.

Noise is made for the longest row.  A shorter one pulls less and is hidden as well, so a weight of B over its length is
free: what one record can do stays what it was (docs/proofs/noisy_gradients.md, section 4, and of minimisers
docs/proofs/objective_perturbation.md, section 8).  Scores are those of the row as it is, so a model that is right for
every row is the best one with any weights.  Plans do not count on it: half of a hundred tables have rows of nearly one
length.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.theory.bounds import clip_margin
from equipoise.theory.losses import Loss

Array = npt.NDArray[np.float64]

LARGEST_WEIGHT = 2.25
"""A row of zeros has none of its own; beside the usual constant column, half a row norm, no row needs as much."""

REACHES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Of scores, at which that is looked at."""


def weights(lengths: Array, norm: float, columns: int) -> Array:
    """Of records whose rows, of so many columns, measure so much: B over that, less what measuring can err."""
    with np.errstate(all="ignore"):
        return np.minimum(LARGEST_WEIGHT, norm * (1 - clip_margin(columns)) / lengths)


def heaviest(evened: bool) -> float:
    """The most that a record counts."""
    return LARGEST_WEIGHT if evened else 1.0


def is_free(loss: Loss) -> bool:
    """Whether gradients of rows as they are can differ by twice the largest anyway, so that evening costs no noise."""
    return all(2 * facts.slope <= facts.diameter for facts in map(loss.facts, REACHES))
