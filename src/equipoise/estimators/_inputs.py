"""Shapes and types of X and y, checked without looking at a single value.

Values (NaN, labels outside the classes) are checked by `inside`, after the debit: an error about them says
something about the records.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import validate_data

from equipoise.errors import InvalidInput

FLOATS = [np.float64, np.float32]


def training_rows(estimator: Any, X: Any, y: Any) -> tuple[Any, npt.NDArray[Any]]:
    """X as a float array or CSR matrix, y as a flat array, of one length and at least two records."""
    if y is None:
        raise InvalidInput(f"y: {type(estimator).__name__} requires y to be passed, but the target y is None")
    rows = _numeric(estimator, X, reset=True)
    labels = column_or_1d(y, warn=True)
    if np.iscomplexobj(labels):
        raise InvalidInput("y: Complex data not supported")
    check_consistent_length(rows, labels)
    if rows.shape[0] < 2:
        raise InvalidInput("X: holds 1 sample (n_samples=1), at least 2 are needed")
    return rows, labels


def query_rows(estimator: Any, X: Any) -> Any:
    """X to predict for: not private, so its values may be checked."""
    return _numeric(estimator, X, reset=False, ensure_all_finite=True)


def _numeric(estimator: Any, X: Any, *, reset: bool, ensure_all_finite: bool = False) -> Any:
    try:
        return validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=FLOATS,
            ensure_all_finite=ensure_all_finite,
        )
    except ValueError as error:
        if "could not convert" in str(error):  # that message quotes the value
            raise InvalidInput("X: holds values that are not numbers, encode them first") from None
        raise
