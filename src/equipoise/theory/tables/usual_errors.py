"""A usual size of errors: nearly all of a model's are no larger, chosen first where bounds may be far too wide.

The noise of an evaluation is made for errors as large as the target's bounds are apart.  A model that is any good errs
by a small part of that.  Proof: docs/proofs/evaluation.md, usual errors.
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.theory.rounding import down
from equipoise.theory.usual_length import LARGEST_EPSILON

LEVELS = 21
"""Sizes are the distance of the bounds, times 2^(−j)."""

WIDER = 1
"""So many levels above the size that is chosen errors are clipped: twice as wide, so that few are."""

CLEAR = 22.0
"""Errors beyond times the ε of the choice: half of it is the logarithm of the odds against a size that is too large or
too small by all of them."""

PART, LARGEST_PART = 0.05, 0.2
"""Of ε, for the choice: that much where it is enough, and at most."""

COUNTED = 0.05
"""Of ε, for how many errors are clipped."""

MOST_BEYOND, LEAST_BEYOND = 0.1, 0.01
"""The part of the errors that may be larger than the size."""

MOST_COUNTED = 2**28
"""Rows: of so many, scores are rounded by less than half a step of their grid."""


@dataclass(frozen=True, slots=True)
class UsualErrors:
    """The choice of a usual size of errors, settled before a record is seen."""

    epsilon: float
    beyond: float
    """The part of the errors that may be larger, about."""

    def constants(self) -> dict[str, float]:
        """For the guarantee."""
        return {"privacy of the usual errors": self.epsilon, "errors beyond the usual ones": self.beyond}


def offer(records: int, epsilon: float, together: int) -> UsualErrors | None:
    """Where it costs little, by public facts."""
    needed = CLEAR * together / records
    if records > MOST_COUNTED or epsilon > LARGEST_EPSILON or needed > MOST_BEYOND * LARGEST_PART * epsilon:
        return None
    own = min(max(needed / MOST_BEYOND, PART * epsilon), LARGEST_PART * epsilon, needed / LEAST_BEYOND)
    beyond = min(MOST_BEYOND, max(LEAST_BEYOND, needed / own))
    return UsualErrors(down(own), beyond)


def square_of(level: int) -> float:
    """Of a size, where the bounds are one apart: a power of four, by which doubles are multiplied without rounding."""
    return 4.0**-level


def clipped_at(chosen: int) -> int:
    """The level of the size at which errors are clipped."""
    return max(0, chosen - WIDER)
