"""Rows to predict for: dense, sparse, or a data frame, taken as a fit takes them; a message never quotes a value."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from equipoise.errors import InvalidInput
from equipoise.rows import RowBounds
from equipoise.rows.column_cells import loaded
from equipoise.rows.tables import own_table, refuse_lazy

Rows = Any
"""A NumPy array, a sparse matrix, a data frame or nested lists: whatever NumPy can read as a table of numbers."""

Table = Any
"""A float64 NumPy array or CSR array: `@` and `shape` are all that is asked of it."""


def column_names(X: Rows) -> tuple[str, ...] | None:
    """The names of a data frame's columns; None for a plain array, or when a column is not named by a string."""
    refuse_lazy(X, "X")
    arrow = loaded()[2]
    of_arrow = arrow is not None and isinstance(X, arrow.Table | arrow.RecordBatch)
    columns = X.column_names if of_arrow else getattr(X, "columns", None)  # theirs are the cells
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


def numeric_rows(X: Rows, features: int, estimator: str, bounds: RowBounds | None, *, gaps: bool = False) -> Table:
    """X as float64 with the right number of columns, read and brought within the bounds as in a fit.

    Without bounds rows stay as they are, and must be finite unless there may be `gaps`.
    """
    table = own_table(X, np.nan if bounds is None else None)  # bounds settle what is missing
    if table.shape[1] != features:
        raise InvalidInput(
            f"X has {table.shape[1]} features, but {estimator} is expecting {features} features as input"
        )
    if bounds is not None:
        return bounds.brought_within(table, ours=True)
    if not gaps and not isinstance(table, csr_array) and np.isnan(table).any():
        raise InvalidInput("X: contains NaN, and this model's file does not say what a missing value counts as")
    return table
