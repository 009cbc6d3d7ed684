"""Whether somebody's object is a classifier or regressor of scikit-learn, which raises on what is no estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import is_classifier, is_regressor


def classifies(estimator: Any) -> bool:
    """A classifier; False for what is no estimator."""
    return _is_a(is_classifier, estimator)


def regresses(estimator: Any) -> bool:
    """A regressor; False for what is no estimator."""
    return _is_a(is_regressor, estimator)


def _is_a(kind: Callable[[Any], Any], estimator: Any) -> bool:
    try:
        return bool(kind(estimator))
    except (AttributeError, TypeError):
        return False
