"""Labels as a model keeps them: plain values that its file can hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput

Label = str | int | bool | float

MOST_BITS = 1024
"""Of a whole number that names a class."""


def plain_labels(classes: tuple[Any, ...] | None) -> tuple[Label, ...] | None:
    """Python's own str, int, bool or float for each label, NumPy scalars unwrapped: what JSON can keep."""
    if classes is None:
        return None
    plain = tuple(label.item() if isinstance(label, np.generic) else label for label in classes)
    if not all(isinstance(label, str | int | float) for label in plain):
        raise InvalidInput("classes: labels must be strings, whole numbers, booleans or numbers")
    if not all(isinstance(label, str) or _is_kept(label) for label in plain):
        raise InvalidInput(
            f"classes: a number must be finite, a whole one of at most {MOST_BITS} bits; use words for others"
        )
    return plain


def _is_kept(label: float) -> bool:
    """Whether a file can hold it: JSON has no infinity, and Python neither writes nor reads very long numbers."""
    return label.bit_length() <= MOST_BITS if isinstance(label, int) else math.isfinite(label)


def label_array(classes: tuple[Label, ...]) -> npt.NDArray[Any]:
    """An array that keeps each label's type: NumPy alone would turn (1, "a") into strings."""
    same_type = len({type(label) for label in classes}) == 1
    return np.array(classes) if same_type else np.array(classes, dtype=object)
