"""Which labels there are: declared, or one of two public conventions, never silently found."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets

from equipoise.errors import BoundsRequired, InvalidInput
from equipoise.outside.model import plain_labels


def declared(classes: object, y: npt.NDArray[Any]) -> tuple[Any, ...] | None:
    """The classes the caller stands for; None when they follow one of the two conventions."""
    if classes is None:
        return (False, True) if y.dtype == bool else None
    if isinstance(classes, str):
        return _observed(classes, y)
    return listed(classes)


def listed(classes: object) -> tuple[Any, ...]:
    """The caller's list, in the caller's order."""
    try:
        labels = tuple(np.asarray(classes).tolist()) if isinstance(classes, np.ndarray) else tuple(classes)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidInput(f"classes={classes!r}: must be a list of labels") from None
    labels = plain_labels(labels) or ()
    if len(labels) < 2 or len(set(labels)) < len(labels):
        raise InvalidInput("classes: list at least two different labels")
    return labels


def _observed(word: str, y: npt.NDArray[Any]) -> tuple[Any, ...]:
    """The caller's word that the label set is public: then it may be read off."""
    if word != "observed":
        raise InvalidInput(f'classes={word!r}: must be a list of labels, None or "observed"')
    labels = _distinct(y)
    if labels is None:
        raise InvalidInput('classes="observed": Unknown label type (continuous, missing or mixed), list the classes')
    if len(labels) < 2:
        raise InvalidInput('classes="observed": y has one class only, list the classes instead')
    return plain_labels(labels) or ()


def _distinct(y: npt.NDArray[Any]) -> tuple[Any, ...] | None:
    """None when they cannot be told apart.  The original message might quote one."""
    try:
        with np.errstate(invalid="ignore"):  # infinity
            check_classification_targets(y)
        return tuple(np.unique(y).tolist())
    except (TypeError, ValueError):
        return None


def convention(y: npt.NDArray[Any]) -> tuple[Any, ...]:
    """(0, 1), or (−1, 1) if there is a −1 and no 0.  Called after the debit: it looks at labels."""
    numbers = set(np.unique(y).tolist()) if np.issubdtype(y.dtype, np.number) else _numbers(y)
    if numbers is None or not (numbers <= {0, 1} or numbers <= {-1, 1}):
        raise BoundsRequired("classes: labels other than 0/1 or -1/1 must be listed in classes=")
    return (-1, 1) if -1 in numbers else (0, 1)


def _numbers(y: npt.NDArray[Any]) -> set[Any] | None:
    """The different labels of an array of objects; None unless all are numbers."""
    return set(y.tolist()) if all(isinstance(label, Real) for label in y.tolist()) else None
