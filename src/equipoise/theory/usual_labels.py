"""A usual range of labels: one that nearly all of them lie in, released first where their bounds may be far too wide.

Noise is made for labels as far apart as their bounds.  Bounds must not be taken from the table, so that they are mostly
generous, and labels that fill a fifth of them need five times the ε.  Proof: docs/proofs/usual_labels.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from equipoise.theory.guarantees import Budget
from equipoise.theory.usual_length import LARGEST_EPSILON, WORTH

WIDEST, NARROWEST = 3, 9
"""Ranges are the bounds, or 2^(−j) of them: j from one to the other, made four times as wide afterwards."""

CELLS = 2 ** (NARROWEST + 1)
"""Of equal width, from bound to bound: ranges begin and end with them."""


@lru_cache
def ranges(widest: int) -> tuple[tuple[int, int, int], ...]:
    """First cell, the one after the last, and j: the bounds, then ranges of each width, each half over the next."""
    found = [(0, CELLS, 0)]
    for level in range(widest, NARROWEST + 1):
        width = CELLS >> level
        found += [(start, start + width, level) for start in range(0, CELLS - width + 1, width // 2)]
    return tuple(found)


MOVED = 1.0
"""How far one replaced record moves the score of a range: its terms lie in an interval of length one."""

CLEAR = 22.0
"""Labels outside times the ε of the choice: half of it is the logarithm of the odds against a range that is too wide or
too narrow by all of them."""

DOUBT = 14.0
"""The same, that speaks for the bounds: where few labels say anything, nothing is narrowed."""

PART, LARGEST_PART = 0.015, 0.06
"""Of ε, for the choice: that much where it is enough, and at most."""

MOST_BEYOND, LEAST_BEYOND = 0.05, 0.01
"""The part of the labels that may lie outside."""

MOST_COUNTED = 2**28
"""Records: of so many, scores are rounded by less than half a step of their grid."""

LOWER, UPPER = "usual label lower bound", "usual label upper bound"

WIDENED, FURTHER = 1.5, 4.0
"""Of its width, by which a range that was chosen is longer at each end; and so much more for each part of the labels
that may lie outside beyond the usual one."""

CLOSELY, ROUGHLY = CLEAR / MOST_BEYOND / LARGEST_PART, 250.0
"""Records times ε: from the one on a range is found closely, between them roughly.  Labels that fill a hundredth of
their bounds are lost there otherwise, and what tells is that all of them lie together, so that more may lie outside."""

ROUGH_BEYOND, FAR = 0.5, 0.15
"""The part that may lie outside a range that is found roughly, at most; and from which on a range is widened so far
that one of the widest level would hardly be narrower than the bounds."""


@dataclass(frozen=True, slots=True)
class UsualLabels:
    """The choice of a usual range of labels, settled before a record is seen."""

    epsilon: float
    beyond: float
    """The part of the labels that may lie outside, about."""
    widest: int = WIDEST
    """The first of the levels that are offered beside the bounds."""

    @property
    def widened(self) -> float:
        """Of its width, what a range is given at each end."""
        return WIDENED + FURTHER * max(0.0, self.beyond - MOST_BEYOND)

    @property
    def doubt(self) -> float:
        """Ranks that every range but the bounds is set back by."""
        return DOUBT / self.epsilon

    def constants(self, ends: tuple[float, float] | None) -> dict[str, float]:
        """For the guarantee, with the range that was found; None where labels keep their bounds, or nobody looked."""
        found = {} if ends is None else {LOWER: ends[0], UPPER: ends[1]}
        return {
            "privacy of the usual labels": self.epsilon,
            "labels beyond the usual ones": self.beyond,
            **found,
        }


def offer(n: int, budget: Budget) -> UsualLabels | None:
    """Where it costs little, by public facts."""
    whole = budget.epsilon
    if n > MOST_COUNTED or whole > LARGEST_EPSILON or n * whole < ROUGHLY:
        return None
    if n * whole < CLOSELY:
        own = LARGEST_PART * math.cbrt(CLOSELY / (n * whole)) * whole
        beyond = min(ROUGH_BEYOND, CLEAR / (n * own))
        return UsualLabels(own, beyond, WIDEST + (beyond > FAR))
    wanted = max(CLEAR / MOST_BEYOND / n, PART * whole)
    own = min(wanted, LARGEST_PART * whole, CLEAR / LEAST_BEYOND / n)
    beyond = min(MOST_BEYOND, max(LEAST_BEYOND, CLEAR / (n * own)))
    return UsualLabels(own, beyond)


def worth(labels: UsualLabels, left: float) -> UsualLabels | None:
    """The same, of ranges for which noise would matter: a fit leaves that part open where labels fill their bounds, and
    the more the narrower they are.  None where there is no such range."""
    for level in range(labels.widest, NARROWEST + 1):
        if left * 4.0**level >= WORTH:
            return replace(labels, widest=level)
    return None


def ends(found: tuple[int, int, int], widened: float) -> tuple[float, float] | None:
    """Of a range, widened by so much of its width, where the bounds are −1 and 1; None for the bounds."""
    first, last, level = found
    if level == 0:
        return None
    more = widened * (last - first)
    low, high = max(0.0, first - more), min(float(CELLS), last + more)
    return 2 * low / CELLS - 1, 2 * high / CELLS - 1
