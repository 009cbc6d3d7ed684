"""Data frames whose columns hold words, as tables of numbers: each listed word by its code.

The fit and every prediction read a frame by this function, so a cell means the same in both.
"""

from __future__ import annotations

import sys
from typing import Any

from scipy.sparse import issparse

from equipoise.errors import InvalidInput
from equipoise.theory.additive import Categories, Column

SPARSE = "X: an additive model needs every cell, give a dense table instead of a sparse one"


def with_codes(X: Any, columns: tuple[Column, ...]) -> Any:
    """The frame with its columns of categories in numbers; whatever is no data frame stays as it is."""
    if issparse(X):
        raise InvalidInput(SPARSE)
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(X, pandas.DataFrame) and X.shape[1] == len(columns):
        found = X.copy(deep=False)
        for place, column in enumerate(columns):
            if isinstance(column, Categories):
                found.isetitem(place, column.code(X.iloc[:, place].tolist()))
        return found
    if polars is not None and isinstance(X, polars.DataFrame) and X.width == len(columns):
        listed = []
        for held, column in zip(X.get_columns(), columns, strict=True):
            if isinstance(column, Categories):
                listed.append(polars.Series(held.name, column.code(held.to_list())))
        return X.with_columns(listed)
    return X
