"""Quantiles chosen from a public grid: what one record can move, and how far off the rank may be.

Proofs: docs/proofs/private_bounds.md.
"""

from __future__ import annotations

import math

from equipoise._checks import positive, whole
from equipoise.theory.accounting.groups import row_budget
from equipoise.theory.guarantees import Budget

RANK_MOVED = 1.0
"""How far one replaced record moves the score of a cell: terms lie in an interval of length 1."""

MOST_RECORDS = 2**30
"""Scores are exact enough for the choice up to this many."""


def share_of_each(epsilon: float, choices: int) -> float:
    """The ε of one of so many choices; their sum is at most ε, exactly."""
    return row_budget(Budget(positive(epsilon=epsilon)), whole(choices=choices)).epsilon


def rank_error(epsilon: float, cells: int, chance: float) -> float:
    """How many ranks the quantile may lie outside the chosen cell, but for this chance."""
    return 2 * RANK_MOVED / positive(epsilon=epsilon) * math.log(whole(cells=cells) / positive(chance=chance))
