"""NOT PRIVATE: help for whoever may see the records anyway.  What it says must not leave with a model.

A fit settles strange values in silence, because an error would tell that they are there.  `check_values` counts them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from equipoise._docs import documented
from equipoise.estimators._columns import refuse_nameless
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.outside.inputs import column_names
from equipoise.rows.cells import plain_label
from equipoise.rows.owned import LARGEST
from equipoise.rows.tables import own_table

__all__ = ["ValueCounts", "check_values"]


@documented(record=True)
@dataclass(frozen=True, slots=True)
class ValueCounts:
    """How many values a fit would settle by rule instead of taking them as they are.  NOT PRIVATE."""

    rows: int
    missing_cells: int
    infinite_cells: int
    cells_outside_column_bounds: int
    rows_clipped: int
    labels_settled: int
    """Labels that are none of the classes, missing, or outside `label_bounds`."""

    def __str__(self) -> str:
        return (
            f"NOT PRIVATE, of {self.rows} rows: {self.missing_cells} missing cells, {self.infinite_cells} infinite,"
            f" {self.cells_outside_column_bounds} outside column_bounds; {self.rows_clipped} rows clipped to row_norm;"
            f" {self.labels_settled} labels settled by rule"
        )


@documented(returns="ValueCounts: Exact counts, not to leave with a model.")
def check_values(estimator: PrivateLinear, X: Any, y: Any) -> ValueCounts:
    """Exact counts, without noise and without a charge: for the holder of the records alone, before a fit.

    >>> import numpy as np, equipoise as eq
    >>> from equipoise.not_private import check_values
    >>> found = check_values(eq.LogisticRegression(), np.array([[0.5], [np.nan], [3.0]]), np.array([0, 1, 7]))
    >>> found.missing_cells, found.rows_clipped, found.labels_settled
    (1, 1, 1)
    """
    labels, names = estimator._own_labels(y), column_names(X)
    refuse_nameless(estimator.column_bounds, names)
    table: Any = own_table(X, np.nan)
    measured, names = estimator._measured(table, names)
    bounds = estimator._bounds_of(int(measured.shape[1]), names)
    sparse: bool = issparse(X)
    cells: Any = np.asarray(X.tocoo().data) if sparse else table
    return ValueCounts(
        rows=int(table.shape[0]),
        missing_cells=int(np.sum(np.isnan(cells))),
        infinite_cells=int(np.sum(np.abs(cells) >= LARGEST)),
        cells_outside_column_bounds=_outside(measured, bounds.columns),
        rows_clipped=0 if bounds.columns is not None else int(np.sum(_norms(measured) > bounds.row_norm)),
        labels_settled=_settled(estimator, labels),
    )


def _outside(table: Any, columns: Any) -> int:
    if columns is None:
        return 0
    low, high = np.array(columns).T
    return int(np.sum((table < low) | (table > high)))


def _norms(table: Any) -> Any:
    with np.errstate(all="ignore"):
        sparse: bool = issparse(table)
        if sparse:
            return np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
        return np.sqrt(np.nansum(table * table, axis=1))


def _settled(estimator: PrivateLinear, labels: npt.NDArray[Any]) -> int:
    """Those that count as something else than what they are."""
    pairs = zip(labels.tolist(), estimator._settled_labels(labels).tolist(), strict=True)
    return sum(plain_label(label) != counts_as for label, counts_as in pairs)
