"""What a histogram density is given: bounds, bins, candidates and rows, checked without looking at a value."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import issparse

from equipoise._checks import whole
from equipoise.errors import BoundsRequired, InvalidInput
from equipoise.estimators._inputs import private_rows
from equipoise.inside.design.contract import Array
from equipoise.inside.strangers import unseen
from equipoise.rows.lists import column_of, is_list
from equipoise.rows.tables import own_labels
from equipoise.theory.tables.density import MOST_CANDIDATES, MOST_DIMENSIONS, Box, Shape


def box_from(bounds: Any) -> Box:
    """(low, high), or one pair for each column."""
    if bounds is None:
        raise BoundsRequired("bounds: give the range (low, high) of the values, or one pair for each column")
    try:
        pairs = [tuple(bounds)] if np.ndim(bounds) == 1 else [tuple(pair) for pair in bounds]
        low, high = zip(*((low, high) for low, high in pairs), strict=True)
    except (TypeError, ValueError):
        raise InvalidInput("bounds: must be a (low, high) pair, or one pair for each column") from None
    return Box(tuple(_plain(low)), tuple(_plain(high)))


def _plain(numbers: Iterable[Any]) -> list[Any]:
    """NumPy's scalars as Python's, so that messages read well."""
    return [each.item() if isinstance(each, np.generic) else each for each in numbers]


def shape_from(bins: Any, dimensions: int) -> Shape:
    """Cells along each column, from one number for all or one for each."""
    if isinstance(bins, list | tuple) or (isinstance(bins, np.ndarray) and bins.ndim > 0):
        if len(bins) != dimensions:
            raise InvalidInput(f"bins: give one number, or one for each of the {dimensions} columns")
        return tuple(whole(bins=each) for each in _plain(bins))
    return (whole(bins=bins),) * dimensions


def sides_from(candidates: Any) -> tuple[int, ...]:
    """Different numbers of bins a side."""
    flat = isinstance(candidates, np.ndarray) and candidates.ndim == 0
    if isinstance(candidates, str) or flat or not isinstance(candidates, Iterable):
        raise InvalidInput("candidates: must be a list of numbers of bins")
    sides = tuple(dict.fromkeys(_side(each) for each in _plain(candidates)))
    if not 1 <= len(sides) <= MOST_CANDIDATES:
        raise InvalidInput(f"candidates: give 1 to {MOST_CANDIDATES} numbers of bins")
    return sides


def _side(bins: object) -> int:
    """One of a list, which is not quoted: what was handed over for it may be a table's column."""
    if isinstance(bins, bool) or not isinstance(bins, Integral) or bins < 1:
        raise InvalidInput("candidates: must be a list of whole numbers >= 1")
    return whole(candidates=bins)


def nested(shapes: tuple[Shape, ...]) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """The finest grid alone, and all of them: each must be the finest with cells merged."""
    finest = max(shapes)
    if any(fine % coarse for shape in shapes for fine, coarse in zip(finest, shape, strict=True)):
        raise InvalidInput('candidates: for bins="coarsen" each must divide the largest')
    return (finest,), shapes


def density_rows(estimator: Any, X: Any, dimensions: int, fewest: int) -> Array:
    """X as a table of our own, refused by dtype and shape alone; a flat list is one column.  Gaps stay gaps."""
    if issparse(X):
        raise InvalidInput("X: must be dense, use X.toarray()")
    rows: Array = private_rows(estimator, _as_column(X, dimensions), np.nan, fewest=fewest)
    if rows.shape[1] != dimensions:
        raise InvalidInput(
            f"X: has {rows.shape[1]} columns but bounds has {dimensions} pairs, give one for each of at most"
            f" {MOST_DIMENSIONS} columns"
        )
    return rows


def _as_column(x: Any, dimensions: int) -> Any:
    """Numbers as a table of one column; what is a table already, as it is."""
    if is_list(x) and dimensions == 1:
        with unseen():
            return column_of(x)
    if len(getattr(x, "shape", (0, 0))) != 1:
        return x
    return (x if isinstance(x, np.ma.MaskedArray) else own_labels(x)).reshape(-1, 1)
