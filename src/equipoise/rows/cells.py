"""One cell or label as Python's own text or number; nobody else's code is asked what it is."""

from __future__ import annotations

import numpy as np


def plain_label(label: object) -> str | int | float | None:
    """Python's own text or number; None for anything else, whose comparisons are somebody else's code."""
    if isinstance(label, str):
        return str.__str__(label)
    if isinstance(label, np.generic):
        label = label.item()
    return label if type(label) in (bool, int, float) else None  # type: ignore[return-value]


def number_of(label: object) -> float:
    """NaN for what is no number; a whole number beyond doubles is infinite."""
    plain = plain_label(label)
    if plain is None or isinstance(plain, str):
        return float("nan")
    try:
        return float(plain)
    except OverflowError:
        return float("inf") if plain > 0 else float("-inf")
