"""Data frames whose columns hold words, as tables of numbers: each listed word by its code.

The fit and every prediction read a frame by this function, so a cell means the same in both.  In a list a word counts
as missing, like all that is no number: where words are listed, lists are refused by their type, whatever they hold.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from scipy.sparse import issparse

from equipoise.errors import InvalidInput
from equipoise.rows.column_cells import cells_in
from equipoise.rows.lists import is_list
from equipoise.theory.additive import Categories, Column
from equipoise.theory.additive.columns import Value

SPARSE = "X: an additive model needs every cell, give a dense table instead of a sparse one"


def refuse_words(X: Any, listed: Iterable[Value], parameter: str) -> None:
    """By the container's type: every word of a list would count as missing, and nobody would be told."""
    if is_list(X) and any(isinstance(value, str) for value in listed):
        raise InvalidInput(
            f"{parameter}: words are read from data frames, not from lists, give one or number the {parameter}"
        )


def with_codes(X: Any, columns: tuple[Column, ...], parameter: str = "categories") -> Any:
    """The frame with its columns of categories in numbers; whatever is no data frame stays as it is."""
    if issparse(X):
        raise InvalidInput(SPARSE)
    refuse_words(X, (value for each in columns if isinstance(each, Categories) for value in each.values), parameter)
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(X, pandas.DataFrame) and X.shape[1] == len(columns):
        found = X.copy(deep=False)
        for place, column in enumerate(columns):
            if isinstance(column, Categories):
                found.isetitem(place, column.code(cells_in(X.iloc[:, place])))
        return found
    if polars is not None and isinstance(X, polars.DataFrame) and X.width == len(columns):
        listed = []
        for held, column in zip(X.get_columns(), columns, strict=True):
            if isinstance(column, Categories):
                listed.append(polars.Series(held.name, column.code(cells_in(held))))
        return X.with_columns(listed)
    return X
