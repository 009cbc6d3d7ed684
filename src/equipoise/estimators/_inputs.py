"""Shapes and types of X and y, checked without looking at a single value.

What is wrong with a type, a dtype or a shape is refused here, before the debit and for free; no value is an error
(docs/reference/refusals.md).  scikit-learn's own messages may show rows and run over several lines, so every one is
told again in our words, outside its handler: nothing of the original stays attached.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from equipoise._asking import is_a
from equipoise.errors import InvalidInput
from equipoise.inside.design.contract import Array
from equipoise.outside.inputs import column_names, same_columns
from equipoise.rows.owned import NUMBERS
from equipoise.rows.tables import Ours, own_table

NAN = "X: contains NaN: state what a missing value counts as by a public rule, never by one learnt from the rows"
INFINITE = "X: contains infinity (inf) or a value too large, clip it by a public bound"
TWICE = "X: two columns have one name, rename one of them"
UNNAMED = "X: column names must all be strings, rename the others"

DATA_FREE = "X has "
"""How a message of scikit-learn's starts that speaks of shapes alone; all others are about names."""


def training_rows(
    estimator: Any, X: Any, labels: npt.NDArray[Any], fewest: int, middles: Array | float | None = 0.0
) -> tuple[Any, npt.NDArray[Any]]:
    """X as a table of our own, dense or CSR, beside labels that are ours already (`_labels`)."""
    rows = private_rows(estimator, X, middles, fewest=min(1, fewest), singles=middles is None)
    if rows.shape[0] != labels.shape[0]:
        raise InvalidInput("y: X and y have inconsistent numbers of samples, give one label per row")
    _check_enough(rows.shape[0], fewest)
    return rows, labels


def source_rows(estimator: Any, source: Any, fewest: int) -> Any:
    """A table that is not in memory, of a shape that is known; the estimator learns its columns."""
    _check_enough(source.shape[0], fewest)
    estimator.n_features_in_ = source.shape[1]
    return source


def _check_enough(rows: int, fewest: int) -> None:
    if rows < fewest:
        raise InvalidInput(f"X: holds {rows} sample(s) (n_samples={rows}), at least {fewest} are needed")


def private_rows(
    estimator: Any,
    X: Any,
    middles: Array | float | None = 0.0,
    *,
    fewest: int,
    reset: bool = True,
    singles: bool = False,
) -> Any:
    """X as a table of our own; the estimator learns, or with `reset=False` checks, its columns.

    `middles` is what a missing cell counts as, one number for each column or one for all; None leaves cells as they
    are, for an entrance that settles them, and `singles` leaves numbers of single precision in it.
    """
    rows = own_table(X, middles, singles=singles)
    if rows.shape[0] < fewest:
        raise InvalidInput(f"X: Found array with 0 sample(s) while a minimum of {fewest} is required, give rows")
    if rows.shape[1] < 1:  # the number of rows is public where one is needed at least
        shape = f"shape=({rows.shape[0] if fewest else ''}, 0)"
        raise InvalidInput(f"X: Found array with 0 feature(s) ({shape}) while a minimum of 1 is required.")
    _check_columns(estimator, X, rows, reset)
    return rows


def _check_columns(estimator: Any, X: Any, rows: Any, reset: bool) -> None:
    """Names and number of columns, which are public, by scikit-learn's rules."""
    names = column_names(X)
    if names is not None and len(set(names)) < len(names):
        raise InvalidInput(TWICE)
    if not reset and _names_compared(estimator, X):
        _check_count(estimator, rows)
        return
    named = rows if getattr(X, "columns", None) is None else X
    try:
        validate_data(estimator, named, skip_check_array=True, reset=reset)
    except (TypeError, ValueError) as error:
        problem = _retold(error)
    else:
        if reset:
            _keep_names(estimator, named)
        return
    raise problem


def _names_compared(estimator: Any, X: Any) -> bool:
    """Whether both sides have names: then `same_columns`, which knows every kind of frame, has compared them."""
    return hasattr(estimator, "feature_names_in_") and column_names(X) is not None


def _check_count(estimator: Any, rows: Any) -> None:
    wanted, given = estimator.n_features_in_, rows.shape[1]
    if given != wanted:
        raise InvalidInput(
            f"X has {given} features, but {type(estimator).__name__} is expecting {wanted} features as input."
        )


def _keep_names(estimator: Any, named: Any) -> None:
    """Of frames that scikit-learn below 1.9 does not know, as it does not know newer polars."""
    names = column_names(named)
    if names is not None and not hasattr(estimator, "feature_names_in_"):
        estimator.feature_names_in_ = np.array(names, dtype=object)


def rows_as_fitted(estimator: Any, X: Any, names: tuple[str, ...] | None) -> Ours:
    """X to predict for, read once and as a fit reads it: the model settles missing cells by its own bounds."""
    same_columns(X, names)
    return Ours(private_rows(estimator, X, None, fewest=1, reset=False))


def query_rows(estimator: Any, X: Any, names: tuple[str, ...] | None, *, finite: bool = True) -> Any:
    """X to predict for, read as a fit reads it; not private, so its values may be checked.  `finite=False` leaves that
    to `check_finite`."""
    same_columns(X, names)
    if type(X) is np.ndarray and X.ndim == 2 and X.size and X.dtype.kind in NUMBERS:
        return _plain(estimator, X, finite)
    rows = private_rows(estimator, X, None, fewest=1, reset=False)
    if finite and not issparse(rows):
        check_finite(rows)
    return rows


def is_one_row(X: Any) -> bool:
    """A flat array, or a list of cells; rows of different lengths are rows."""
    if isinstance(X, np.ndarray):
        return X.ndim == 1
    return isinstance(X, list | tuple) and not any(is_a(cell, list, tuple, np.ndarray) for cell in X)


def check_finite(rows: npt.NDArray[np.float64]) -> None:
    """Public rows hold numbers only."""
    if np.isnan(rows).any():
        raise InvalidInput(NAN)
    if not np.isfinite(rows).all():
        raise InvalidInput(INFINITE)


def _plain(estimator: Any, X: npt.NDArray[Any], finite: bool) -> Array:
    """Without scikit-learn's look at values, which exchanges the process's warning filters: threads may ask at once."""
    _check_columns(estimator, X, X, reset=False)
    with np.errstate(over="ignore"):
        rows = np.asarray(X, dtype=np.float64)
    if finite:
        check_finite(rows)
    return rows


def _retold(error: Exception) -> InvalidInput:
    """The same complaint on one line, without a value."""
    message = str(error)
    if message.startswith(DATA_FREE):
        return InvalidInput(message)
    return InvalidInput(UNNAMED)
