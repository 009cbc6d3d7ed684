"""What one record counts where the number of records is secret: a little less, the more there are.

A sum over m records, each of norm at most ρ, is multiplied by s(m) = max(0, 1 − m/M), M a public multiple of the
nominal size.  One record more still moves it by at most ρ, and no more than a public total of records ever counts, so
that rounding has a public bound (docs/proofs/sensitivity.md, section 7).
"""

from __future__ import annotations

MOST_ROWS = 64
"""Times the nominal size: from there on records count nothing."""

LARGEST_TOTAL = MOST_ROWS / 4
"""Times the nominal size: the most that m·s(m) can be, at m = M/2."""

KEPT_ROWS = 16
"""Times the nominal size: the rows that objective perturbation keeps, each of them whole."""


def record_weight(rows: int, nominal: int) -> float:
    """s(m), for m rows."""
    return max(0, MOST_ROWS * nominal - rows) / (MOST_ROWS * nominal)
