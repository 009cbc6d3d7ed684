"""Which labels there are: declared, or one of two public conventions, never silently found."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets

from equipoise.errors import BoundsRequired, InvalidInput


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
    if len(labels) < 2 or len(set(labels)) < len(labels):
        raise InvalidInput("classes: list at least two different labels")
    return labels


def _observed(word: str, y: npt.NDArray[Any]) -> tuple[Any, ...]:
    """The caller's word that the label set is public: then it may be read off."""
    if word != "observed":
        raise InvalidInput(f'classes={word!r}: must be a list of labels, None or "observed"')
    check_classification_targets(y)
    labels = tuple(np.unique(y).tolist())
    if len(labels) < 2:
        raise InvalidInput('classes="observed": y has one class only, list the classes instead')
    return labels


def convention(y: npt.NDArray[Any]) -> tuple[Any, ...]:
    """(0, 1), or (−1, 1) if there is a −1 and no 0.  Called after the debit: it looks at labels."""
    numeric = np.issubdtype(y.dtype, np.number)
    if not numeric or not np.all(np.isin(y, (-1, 0, 1))) or (np.any(y == 0) and np.any(y == -1)):
        raise BoundsRequired("classes: labels other than 0/1 or -1/1 must be listed in classes=")
    return (-1, 1) if np.any(y == -1) else (0, 1)
