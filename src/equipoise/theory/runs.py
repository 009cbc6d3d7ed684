"""Long sums are made of runs, so that their rounding does not grow with the number of terms."""

from __future__ import annotations

LONGEST_RUN = 4096
"""Entries of a row that are added up in one go; runs are added up then."""


def runs_depth(columns: int) -> int:
    """Most additions behind a row's score."""
    return min(columns, LONGEST_RUN + columns // LONGEST_RUN + 1)
