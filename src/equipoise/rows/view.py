"""Rows as they are seen from a middle: the one place where that is worked out, in a fit and in a prediction alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from equipoise.rows.clip import clip_dense
from equipoise.rows.owned import Array
from equipoise.theory.bounds import View


def offsets(rows: Any, view: View) -> tuple[Array, float]:
    """What lies between the middle and each row, shortened to the reach, and the longest of them: a table of our own.

    Each row by itself: cell by cell a difference, then the map of every clipped row.
    """
    found: Array = np.subtract(rows, np.array(view.middle), dtype=np.float64, order="C")
    return found, clip_dense(found, view.reach)


def pulled_in(rows: Any, view: View) -> Array:
    """The rows themselves, those too far from the middle brought to its reach."""
    found, _ = offsets(rows, view)
    found += np.array(view.middle)
    return found
