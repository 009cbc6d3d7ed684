"""Shapes and types of X and y, checked without looking at a single value.

Values (NaN, labels outside the classes) are checked by `inside`, after the debit: an error about them says
something about the records.  scikit-learn's own messages may show rows and run over several lines, so every one
is told again in our words, outside its handler: nothing of the original stays attached.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import column_or_1d
from sklearn.utils.validation import validate_data

from equipoise.errors import InvalidInput
from equipoise.outside.inputs import same_columns

FLOATS = [np.float64, np.float32]

NOT_NUMBERS = "X: holds values that are not numbers, an argument must be no string or object: encode it as a number"

RETOLD = {
    "could not convert": "X: holds text that is not a number, encode it as numbers first",
    "Reshape your data": "X: Expected 2D array. Reshape your data: one row per record, one column per feature",
    "Found array with dim": "X: Expected 2D array, this one has more dimensions: one row per record",
    "Complex data": "X: Complex data not supported, give real numbers",
    "NaN": "X: contains NaN, fill or drop missing values first",
    "infinity": "X: contains infinity (inf) or a value too large, clean it first",
    "string names": "X: column names must all be strings, rename the others",
}
"""What scikit-learn's message holds, and what ours says instead."""

DATA_FREE = ("X has ", "Found array with 0 ")
"""Messages of scikit-learn's that speak of shapes alone start like this."""


class NotNumbers(InvalidInput, TypeError):
    """scikit-learn's users expect a TypeError here."""


def training_rows(estimator: Any, X: Any, y: Any, fewest: int) -> tuple[Any, npt.NDArray[Any]]:
    """X as a float array or CSR matrix, y as a flat array, of one length."""
    if y is None:
        raise InvalidInput(f"y: {type(estimator).__name__} requires y to be passed, but the target y is None")
    rows, labels = _numeric(estimator, X, reset=True, ensure_min_samples=min(1, fewest)), _flat(y)
    if rows.shape[0] != labels.shape[0]:
        raise InvalidInput("y: X and y have inconsistent numbers of samples, give one label per row")
    if rows.shape[0] < fewest:
        raise InvalidInput(f"X: holds 1 sample (n_samples=1), at least {fewest} are needed")
    return rows, labels


def query_rows(estimator: Any, X: Any, names: tuple[str, ...] | None, *, finite: bool = True) -> Any:
    """X to predict for: not private, so its values may be checked.  `finite=False` leaves that to `check_finite`."""
    same_columns(X, names)
    return _numeric(estimator, X, reset=False, ensure_all_finite=finite, ensure_min_samples=1)


def check_finite(rows: npt.NDArray[np.float64]) -> None:
    """Public rows hold numbers only."""
    if np.isnan(rows).any():
        raise InvalidInput(RETOLD["NaN"])
    if not np.isfinite(rows).all():
        raise InvalidInput(RETOLD["infinity"])


def _flat(y: Any) -> npt.NDArray[Any]:
    try:
        labels: npt.NDArray[Any] = column_or_1d(y, warn=True)
    except (TypeError, ValueError) as error:
        told = "Complex data not supported" if "Complex data" in str(error) else "must be one flat list of labels"
    else:
        return labels
    raise InvalidInput(f"y: {told}, give one label per row")


def _numeric(estimator: Any, X: Any, *, reset: bool, ensure_min_samples: int, ensure_all_finite: bool = False) -> Any:
    try:
        return validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=FLOATS,
            ensure_all_finite=ensure_all_finite,
            ensure_min_samples=ensure_min_samples,
        )
    except (TypeError, ValueError, OverflowError) as error:
        problem = _retold(error)
    raise problem


def _retold(error: Exception) -> InvalidInput:
    """The same complaint on one line, without a value."""
    message = str(error)
    if message.startswith(DATA_FREE):
        return InvalidInput(message if message.startswith("X") else f"X: {message}")
    told = next((ours for theirs, ours in RETOLD.items() if theirs in message), None)
    return NotNumbers(NOT_NUMBERS) if told is None else InvalidInput(told)
