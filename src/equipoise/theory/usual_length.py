"""A usual length: one that nearly all rows stay below, released first where bounds may be far too wide.

Noise is made for the longest row there may be.  Bounds must not be taken from the table, so that they are mostly
generous, and rows five times shorter than their bound need five times the ε.  To find out how long rows are costs next
to nothing where n·ε is a few hundred or more.  Proof: docs/proofs/usual_length.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from equipoise.theory.guarantees import Budget

LENGTHS = tuple(2.0 ** (-step / 2) for step in range(14, -1, -1))
"""Of the row norm, among which it is chosen; in ascending order, the last is the row norm itself."""

MOVED = 1.0
"""How far one replaced record moves the score of a length: its terms lie in an interval of length one."""

ENOUGH, PART = 75.0, 0.015
"""Records times the ε of the choice: so much, or this part of records times ε, whichever is more, and no more than
tells so few rows beyond as are wanted at least."""

SETTLED = 7_000.0
"""Records times ε at which that part is twice as large: noise matters little there, and long rows are to be few."""

LARGEST_PART = 0.06
"""Of ε, for the choice; where more would be needed, rows are taken as long as their bound."""

CLEAR = 15.0
"""Rows beyond the usual length times the ε of the choice: half of it is the logarithm of the odds against a length that
no row reaches."""

MOST_BEYOND, LEAST_BEYOND = 0.2, 0.01
"""The part of the rows that may be longer."""

MOST_MEASURED, TOGETHER = 2**17, 2**10
"""Rows that are measured; of more, stretches of so many from all over the table, so that it costs no pass over it."""

RISK = 2.0
"""Rows beyond the usual length are unknown, up to the bound: where a part q of them were so long, they would be this
many times all others' squares.  No length below that is offered."""

WORTH = 0.03
"""Of what there is to learn: a length is offered where rows that are no longer would lose so much to noise."""

MOST_CLASSES = 10_000
"""The slope of a softmax grows no faster than its scores up to here, and a little further."""

LARGEST_EPSILON = 64.0
"""Beyond it noise is nothing."""


@dataclass(frozen=True, slots=True)
class UsualLength:
    """The choice of a usual length, settled before a record is seen."""

    epsilon: float
    beyond: float
    """The part of the rows that may be longer, about."""
    main: Budget | None = None
    """What the fit is planned with."""
    least: float = 0.0
    """No length below it is offered."""
    most: float = 0.0
    """Nor one above it, but the bound itself."""

    @property
    def lengths(self) -> tuple[float, ...]:
        """Those that are offered."""
        return (*(length for length in LENGTHS[:-1] if self.least <= length <= self.most), 1.0)

    def constants(self, longer: float) -> dict[str, float]:
        """For the guarantee, at a length so many times below the bound."""
        return {
            "privacy of the usual length": self.epsilon,
            "rows beyond the usual length": self.beyond,
            "row bound over the usual length": longer,
        }


def worth(length: UsualLength, left: float) -> UsualLength | None:
    """The same, of lengths for which noise would matter: a fit leaves that part open where rows fill their bound, and
    the more the shorter they are.  None where there is no such length."""
    found = replace(length, most=math.sqrt(left / WORTH))
    return found if len(found.lengths) > 1 else None


def stretches(n: int) -> tuple[tuple[int, int], ...]:
    """From which row to which is measured, of so many."""
    if n <= MOST_MEASURED:
        return ((0, n),)
    count = MOST_MEASURED // TOGETHER
    return tuple((start, start + TOGETHER) for start in ((n - TOGETHER) * k // (count - 1) for k in range(count)))


def offer(n: int, budget: Budget) -> UsualLength | None:
    """Where it costs little, by public facts."""
    rows, whole = min(n, MOST_MEASURED), budget.epsilon
    if whole > LARGEST_EPSILON or rows * whole < ENOUGH / LARGEST_PART:
        return None
    wanted = max(ENOUGH / rows, PART * whole * (1 + rows * whole / SETTLED))
    own = min(wanted, LARGEST_PART * whole, CLEAR / LEAST_BEYOND / rows)
    beyond = min(MOST_BEYOND, max(LEAST_BEYOND, CLEAR / (rows * own)))
    return UsualLength(own, beyond, least=math.sqrt(beyond / RISK))
