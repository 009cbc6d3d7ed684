"""Labels as the theorems want them, each by a rule that looks at that label alone.

No label is an error: one that is none of the classes counts as the first of them, one that is no number as the middle
of its range.  An error would say, with certainty, that such a label is there (docs/proofs/entrance.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array
from equipoise.rows.cells import number_of, plain_label
from equipoise.rows.owned import NUMBERS
from equipoise.theory.bounds import Bounds

Labels = npt.NDArray[Any]
Index = npt.NDArray[np.intp]


def class_places(labels: Labels, classes: tuple[Any, ...]) -> Index:
    """For each label its place in `classes`, 0 where it is none of them."""
    plain = np.asarray(labels)
    if plain.dtype.kind in NUMBERS:
        return _compared(plain, classes, (bool, int, float))
    if plain.dtype.kind == "U":
        return _compared(plain, classes, (str,))
    known = {name: place for place, name in reversed(list(enumerate(classes)))}
    return np.array([known.get(plain_label(label), 0) for label in plain.tolist()], dtype=np.intp)


def class_codes(labels: Labels, classes: tuple[Any, ...]) -> Array:
    """−1 and 1 for two classes, the place for more."""
    codes = class_places(labels, classes).astype(np.float64)
    if len(classes) == 2:
        codes *= 2.0
        codes -= 1.0
    return codes


def numbers_within(labels: Labels, low: float, high: float) -> Array:
    """Clipped to the range; its middle where a label is no number."""
    plain = np.asarray(labels)
    numbers = np.array([number_of(label) for label in plain.tolist()]) if plain.dtype.kind not in NUMBERS else plain
    with np.errstate(all="ignore"):
        doubles = np.array(numbers, dtype=np.float64, copy=True, subok=False)
    doubles[np.isnan(doubles)] = low / 2 + high / 2
    return np.clip(doubles, low, high)


def numbers_coded(labels: Labels, bounds: Bounds) -> Array:
    """Within [−1, 1]: the ends are those of their bounds, or of the usual range, where there is one."""
    low, high = bounds.label_range or (-1.0, 1.0)
    return _in_units(numbers_within(labels, low, high), bounds)


def numbers_relabelled(codes: Array, before: Bounds, after: Bounds) -> Array:
    """Numbers within [−1, 1] that stand for others now."""
    return _in_units(codes * before.label_scale + before.label_centre, after)


def _in_units(numbers: Array, bounds: Bounds) -> Array:
    return np.clip((numbers - bounds.label_centre) / bounds.label_scale, -1.0, 1.0)


def _compared(labels: Labels, classes: tuple[Any, ...], kinds: tuple[type, ...]) -> Index:
    """All labels with one class at a time; a class of another type is equal to none of them.  Products, not a choice of
    labels: which are equal cannot be foreseen, and a processor that guesses is slow."""
    if len(classes) == 2 and isinstance(classes[1], kinds):
        return np.asarray(labels == classes[1], dtype=np.intp)
    places = np.zeros(labels.shape, dtype=np.intp)
    for place, name in enumerate(classes):
        if place and isinstance(name, kinds):
            np.maximum(places, np.multiply(labels == name, place, dtype=np.intp), out=places)
    return places
