"""Which labels there are, declared and never silently found, and labels of our own, judged by their dtype alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from equipoise._checks import number, shown
from equipoise.errors import BoundsRequired, InvalidInput
from equipoise.inside.design.contract import Array
from equipoise.inside.labels import class_places
from equipoise.outside.model import label_array, plain_labels
from equipoise.rows.cells import number_of
from equipoise.rows.frames import of_numbers
from equipoise.rows.lists import NOT_FLAT, is_list, only_words
from equipoise.rows.owned import NUMBERS, check_dtype
from equipoise.rows.tables import own_labels
from equipoise.theory.bounds import Bounds

Labels = npt.NDArray[Any]

USUAL = (0, 1)
"""What `classes=None` means.  Like everything that is no class, −1 then counts as the first of them."""

UNLISTED = "classes: labels other than 0/1 or -1/1 must be listed in classes="


def flat(y: Any, estimator: str, *, exact: bool = False) -> Labels:
    """One label per row, of whatever kind, copied; `exact` as in `own_labels`."""
    if y is None:
        raise InvalidInput(f"y: {estimator} requires y to be passed, but the target y is None")
    labels = own_labels(y, exact=exact)
    if labels.dtype.kind == "c":
        raise InvalidInput("y: Complex data not supported, give one label per row")
    try:
        found: Labels = column_or_1d(labels, warn=True)
    except (TypeError, ValueError):
        pass
    else:
        return found
    raise InvalidInput(NOT_FLAT)


def own_numbers(y: Any, estimator: str) -> Array:
    """For regression: doubles, NaN where a label is missing.  Words and objects are refused by dtype."""
    labels = flat(y, estimator)
    if not is_list(y) or only_words(labels.tolist()):
        check_dtype(np.dtype(str) if is_list(y) else labels.dtype, "y")
    with np.errstate(all="ignore"):  # a long double may not fit: infinity
        if labels.dtype.kind in NUMBERS:
            return labels.astype(np.float64)
    return np.array([number_of(label) for label in labels.tolist()], dtype=np.float64)


def label_range(bounds: Any) -> tuple[float, float]:
    """The caller's (low, high), which nobody can assume: labels beyond them are clipped."""
    if bounds is None:
        raise BoundsRequired("label_bounds: nobody stated the range of the labels, give a public (low, high)")
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise InvalidInput(f"label_bounds={shown(bounds)}: must be a pair (low, high)") from None
    return number(label_bounds=low), number(label_bounds=high)


def clipped_labels(bounds: Bounds) -> str:
    """What became of labels that were not where they were said, or usually are, to be."""
    low, high = label_range(bounds.label_range)
    told = f"labels outside {low:g} to {high:g} were clipped to that range, missing ones are its middle"
    if bounds.usual_labels is None:
        return told
    low, high = bounds.usual_labels
    return f"{told}; then all were clipped to {low:.12g} to {high:.12g}, where they usually lie"


def own_classes(y: Any, classes: object, estimator: str) -> Labels:
    """For classification: labels whose dtype can hold one of the classes."""
    labels = flat(y, estimator, exact=True)
    # By type: numbers beyond doubles may be objects, which is their values' doing.
    dtype = np.dtype(np.float64) if of_numbers(y) else labels.dtype
    if classes is None:
        _check_usual(labels, dtype, typed=not is_list(y))
    elif not isinstance(classes, str) and not is_list(y):
        _check_kind(dtype, listed(classes))
    return labels


def settled(labels: Labels, classes: tuple[Any, ...]) -> Labels:
    """Each label as the class that it counts as."""
    with np.errstate(all="ignore"):
        return np.take(label_array(classes), class_places(labels, classes))


def _check_usual(labels: Labels, dtype: np.dtype[Any], *, typed: bool) -> None:
    """By the dtype; a list has none, and is one of words if that is all it holds."""
    if dtype.kind in NUMBERS:
        return
    if typed or only_words(labels.tolist()):
        raise BoundsRequired(UNLISTED)


def _check_kind(dtype: np.dtype[Any], classes: tuple[Any, ...]) -> None:
    if dtype.kind == "O":
        return
    kinds = (str,) if dtype.kind in "UT" else (bool, int, float) if dtype.kind in NUMBERS else ()
    if not any(isinstance(name, kinds) for name in classes):
        raise InvalidInput("classes: the dtype of y holds none of classes=, numbers are no words: correct one of them")


def declared(classes: object, y: Labels) -> tuple[Any, ...]:
    """The classes the caller stands for; 0/1, or False/True by dtype, where nothing was said.  A list has no dtype."""
    if classes is None:
        return (False, True) if y.dtype == bool else USUAL
    if isinstance(classes, str):
        return _observed(classes, y)
    return listed(classes)


def listed(classes: object) -> tuple[Any, ...]:
    """The caller's list, in the caller's order; a set has none, and would give another one in every process."""
    if isinstance(classes, set | frozenset):
        raise InvalidInput("classes: a set has no order, and classes_ has one: give a list")
    try:
        labels = tuple(np.asarray(classes).tolist()) if isinstance(classes, np.ndarray) else tuple(classes)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidInput(f"classes={shown(classes)}: must be a list of labels") from None
    labels = plain_labels(labels) or ()
    if len(labels) < 2 or len(set(labels)) < len(labels):
        raise InvalidInput("classes: list at least two different labels")
    return labels


def _observed(word: str, y: Labels) -> tuple[Any, ...]:
    """The caller's word that the label set is public: then it may be read off."""
    if word != "observed":
        raise InvalidInput(f'classes={shown(word)}: must be a list of labels, None or "observed"')
    labels = _distinct(y)
    if labels is None:
        raise InvalidInput('classes="observed": Unknown label type (continuous, missing or mixed), list the classes')
    if len(labels) < 2:
        raise InvalidInput('classes="observed": y has one class only, list the classes instead')
    return plain_labels(labels) or ()


def _distinct(y: Labels) -> tuple[Any, ...] | None:
    """None when they cannot be told apart.  The original message might quote one."""
    try:
        with np.errstate(invalid="ignore"):  # infinity
            check_classification_targets(y)
        return tuple(np.unique(y).tolist())
    except (TypeError, ValueError):
        return None
