"""A usual length: one that nearly all rows stay below, released first where bounds may be far too wide.

Noise is made for the longest row there may be.  Bounds must not be taken from the table, so that they are mostly
generous, and rows five times shorter than their bound need five times the ε.  To find out how long rows are costs next
to nothing where n·ε is a few hundred or more.  Proof: docs/proofs/usual_length.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise.theory.guarantees import Budget
from equipoise.theory.rounding import down

LENGTHS = tuple(2.0 ** (-step / 2) for step in range(14, -1, -1))
"""Of the row norm, among which it is chosen; in ascending order, the last is the row norm itself."""

MOVED = 1.0
"""How far one replaced record moves the score of a length: its terms lie in an interval of length one."""

ENOUGH, PART = 75.0, 0.015
"""Records times the ε of the choice: so much, or this part of records times ε, whichever is more, and no more than
tells so few rows beyond as are wanted at least."""

SETTLED = 20_000.0
"""Records times ε at which that part is twice as large: noise matters little there, and long rows are to be few."""

LARGEST_PART = 0.06
"""Of ε, for the choice; where more would be needed, rows are taken as long as their bound."""

CLEAR = 15.0
"""Rows beyond the usual length times the ε of the choice: half of it is the logarithm of the odds against a length that
no row reaches."""

MOST_BEYOND, LEAST_BEYOND = 0.2, 0.01
"""The part of the rows that may be longer."""

MOST_MEASURED = 2**17
"""Rows that are measured; of more, some in a regular pattern, so that it costs no pass over a large table."""

LARGEST_EPSILON = 64.0
"""Beyond it noise is nothing."""


@dataclass(frozen=True, slots=True)
class UsualLength:
    """The choice of a usual length, settled before a record is seen."""

    epsilon: float
    beyond: float
    """The part of the rows that may be longer, about."""
    main: Budget
    """What is left for everything else."""

    def constants(self, longer: float) -> dict[str, float]:
        """For the guarantee, at a length so many times below the bound."""
        return {
            "privacy of the usual length": self.epsilon,
            "rows beyond the usual length": self.beyond,
            "row bound over the usual length": longer,
        }


def step_between(n: int) -> int:
    """Of so many rows, every so-many-th is measured."""
    return -(-n // MOST_MEASURED)


def offer(n: int, budget: Budget) -> UsualLength | None:
    """Where it costs little, by public facts."""
    rows, whole = -(-n // step_between(n)), budget.epsilon
    if whole > LARGEST_EPSILON or rows * whole < ENOUGH / LARGEST_PART:
        return None
    wanted = max(ENOUGH / rows, PART * whole * (1 + rows * whole / SETTLED))
    own = min(wanted, LARGEST_PART * whole, CLEAR / LEAST_BEYOND / rows)
    beyond = min(MOST_BEYOND, max(LEAST_BEYOND, CLEAR / (rows * own)))
    left = down(whole - own)
    return UsualLength(own, beyond, Budget(left, budget.delta)) if 0 < left < math.inf else None
