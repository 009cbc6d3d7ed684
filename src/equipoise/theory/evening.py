"""What one record counts in a noisy gradient: the shorter its row, the more, until it pulls as hard as the longest may.

Noise is made for the longest row.  A shorter one pulls less and is hidden as well, so a weight of B over its length is
free: what one record can do stays what it was (docs/proofs/noisy_gradients.md, section 4).  Scores are those of the row
as it is, so a model that is right for every row is the best one with any weights.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.theory.bounds import clip_margin

Array = npt.NDArray[np.float64]

LARGEST_WEIGHT = 2.25
"""A row of zeros has none of its own; beside the usual constant column, half a row norm, no row needs as much."""

USUAL_WEIGHT = 1.125
"""What a planner counts on, though nothing rests on it: rows of a hundred tables come to 1.14 on average, and half of
the tables to less than 1.03.  Plans that count on more walk too far where rows are of one length."""


def weights(lengths: Array, norm: float, columns: int) -> Array:
    """Of records whose rows, of so many columns, measure so much: B over that, less what measuring can err."""
    with np.errstate(all="ignore"):
        return np.minimum(LARGEST_WEIGHT, norm * (1 - clip_margin(columns)) / lengths)
