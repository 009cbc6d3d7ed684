"""The public bounds of a row, and the one place where a row is brought within them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from equipoise.errors import InvalidInput
from equipoise.rows.clip import clip_dense, clip_sparse
from equipoise.rows.owned import Array, blocks, own_csr, own_dense, settle
from equipoise.rows.view import pulled_in
from equipoise.theory.bounds import Bounds, View

FILLED = "column_bounds: ranges would fill a sparse X, give an array (X.toarray())"


@dataclass(frozen=True, slots=True)
class RowBounds:
    """Rows have L2 norm at most `row_norm`; or, where `columns` are given, each cell lies within its own range.  With a
    `view` they then lie within its reach of a middle that was released, in the units of the fit."""

    row_norm: float
    columns: tuple[tuple[float, float], ...] | None = None
    view: View | None = None

    def __post_init__(self) -> None:
        Bounds(self.row_norm, columns=self.columns, view=self.view)
        if self.view is not None and self.view.middle is None:
            raise InvalidInput("middle: rows cannot be brought near to one that is not known")

    def brought_within(self, X: Any, *, ours: bool = False) -> Any:
        """Rows, dense or sparse, as a fit takes them: missing cells settled, then clipped.  In their units, and a copy
        unless X is `ours`.

        With ranges a row is as long as `row_norm` at the corners at most, once it is centred and scaled by them.
        """
        table = self._in_bounds(X, ours)
        return table if self.view is None else self._in_reach(table, self.view)

    def _in_reach(self, table: Any, view: View) -> Array:
        """In full: a middle leaves no cell empty."""
        rows: Any = own_csr(table).toarray() if issparse(table) else table
        if self.columns is None:
            return pulled_in(rows, view)
        units = Bounds(self.row_norm, columns=self.columns)
        near = pulled_in(scaled(rows, units), view)
        near /= np.array(units.column_scales)
        near += np.array(units.column_centres)
        return near

    def _in_bounds(self, X: Any, ours: bool) -> Any:
        if self.columns is not None:
            return in_ranges(X, self.columns, ours=ours)
        if issparse(X):
            matrix: Any = X if ours else own_csr(X)
            clip_sparse(matrix, self.row_norm)
            return matrix
        table = X if ours else own_dense(X)
        clip_dense(table, self.row_norm)
        return table

    def check_width(self, columns: int) -> None:
        """Ranges and a middle, where there are any, are for a table of so many columns."""
        if self.view is not None and len(self.view.middle or ()) != columns:
            raise InvalidInput(f"middle: must have a number for each of the {columns} columns")
        if self.columns is not None and len(self.columns) != columns:
            raise InvalidInput(f"column_bounds: give one (low, high) pair for each of the {columns} columns")

    def in_units_of_the_fit(self, X: Any) -> Any:
        """The same; with ranges each cell centred and scaled by its own, so that no row is longer than `row_norm`."""
        table = self.brought_within(X)
        return table if self.columns is None else scaled(table, Bounds(self.row_norm, columns=self.columns))


def scaled(table: Array, bounds: Bounds) -> Array:
    """In place: columns centred and scaled by their ranges."""
    centres, scales = np.array(bounds.column_centres), np.array(bounds.column_scales)
    for block in blocks(table):
        block -= centres
        block *= scales
    return table


def in_ranges(X: Any, columns: tuple[tuple[float, float], ...], *, ours: bool = False) -> Array:
    """Every cell within its column's range, its middle where the cell is missing: a copy unless X is `ours`."""
    if issparse(X):
        raise InvalidInput(FILLED)
    if X.shape[1] != len(columns):
        raise InvalidInput("column_bounds: give one (low, high) pair for each column of X")
    table, (low, high) = X if ours else own_dense(X), np.array(columns).T
    for block in blocks(table):
        np.clip(block, low, high, out=block)
        settle(block, low / 2 + high / 2)
    return table
