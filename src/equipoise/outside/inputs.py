"""Rows to predict for, as float64: dense, CSR, pandas or polars in; a message never quotes a value."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equipoise.errors import InvalidInput

Rows = Any
"""A NumPy array, a sparse matrix, a data frame or nested lists: whatever NumPy can read as a table of numbers."""

Table = Any
"""A float64 NumPy array or CSR array: `@` and `shape` are all that is asked of it."""


def column_names(X: Rows) -> tuple[str, ...] | None:
    """The names of a data frame's columns; None for a plain array, or when a column is not named by a string."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return None
    names = tuple(columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def same_columns(X: Rows, fitted: tuple[str, ...] | None) -> None:
    """Names, where both sides have them, must be equal and in the same order.  Column names are public."""
    names = column_names(X)
    if names is None or fitted is None or names == fitted:
        return
    odd = sorted(set(names) ^ set(fitted))
    hint = f"these differ: {', '.join(odd[:5])}{' …' if len(odd) > 5 else ''}" if odd else "their order changed"
    raise InvalidInput(f"X: The feature names should match those that were passed during fit; {hint}")


def numeric_rows(X: Rows, features: int, estimator: str, *, gaps: bool = False) -> Table:
    """X as float64 with the right number of columns and only finite values, or with `gaps` any number or none."""
    table = _as_csr(X) if sparse.issparse(X) else _as_dense(X)
    if table.ndim != 2:
        raise InvalidInput(f"X of {table.ndim} dimensions: Expected 2D array, reshape your data to (rows, columns)")
    if table.shape[1] != features:
        raise InvalidInput(
            f"X has {table.shape[1]} features, but {estimator} is expecting {features} features as input"
        )
    if not gaps and not np.isfinite(table.data if isinstance(table, sparse.csr_array) else table).all():
        raise InvalidInput("X: contains NaN or infinity, fill or drop missing values first")
    return table


def _as_csr(X: Rows) -> Table:
    if X.dtype.kind == "c":
        raise InvalidInput("X: Complex data not supported, give real numbers")
    return sparse.csr_array(X, dtype=np.float64)


def _as_dense(X: Rows) -> npt.NDArray[np.float64]:
    try:
        raw = np.asarray(X)
        if raw.dtype.kind in "OUS" and _has_text(raw):
            raise InvalidInput("X: contains text, encode it as numbers first")
        if raw.dtype.kind == "c":
            raise InvalidInput("X: Complex data not supported, give real numbers")
        return np.asarray(raw, dtype=np.float64)
    except InvalidInput:
        raise
    except (TypeError, ValueError, OverflowError):  # NumPy's own message would quote the value
        raise InvalidInput("X: must be a table of numbers") from None


def _has_text(raw: npt.NDArray[Any]) -> bool:
    return raw.dtype.kind != "O" or any(isinstance(value, str | bytes) for value in raw.flat)
