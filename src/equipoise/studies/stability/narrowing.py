"""Thirty-two columns out of thousands: by chance, by public rows, or by the private rows themselves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats
from sklearn.decomposition import TruncatedSVD
from sklearn.model_selection import train_test_split

from equipoise.studies.stability.data import Table, unit_rows

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int_]

COLUMNS = 32
"""The paper's."""

PUBLIC_SHARE, TEST_SHARE = 0.2, 0.2

AS_IT_IS, BY_CHANCE, BY_PUBLIC, BY_PRIVATE = "as it is", "random projection", "SVD of public rows", "SVD, not private"
WIDE_WAYS = (BY_CHANCE, BY_PUBLIC, BY_PRIVATE)


def ways(table: Table) -> tuple[str, ...]:
    """How a table's columns become few."""
    return (AS_IT_IS,) if table.narrow else WIDE_WAYS


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Rows to fit on and rows to measure on, narrow and of length one."""

    train: tuple[Array, Labels]
    test: tuple[Array, Labels]


def split(y: Labels, repeat: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Rows declared public, rows to fit on, rows to measure on: the same for every way."""
    rows = np.arange(len(y))
    rest, test = train_test_split(rows, test_size=TEST_SHARE, random_state=repeat, stratify=y)
    share = PUBLIC_SHARE / (1 - TEST_SHARE)
    train, public = train_test_split(rest, test_size=share, random_state=repeat, stratify=y[rest])
    return public, train, test


@lru_cache(maxsize=4)
def narrowed(table: Table, way: str, repeat: int) -> Parts:
    """One table brought to few columns in one way."""
    public, train, test = split(table.y, repeat)
    if way == AS_IT_IS:
        parts = [np.asarray(table.X[rows]) for rows in (train, test)]
    elif way == BY_CHANCE:
        directions = stats.norm.rvs(size=(table.X.shape[1], COLUMNS), random_state=repeat)
        parts = [np.asarray(table.X[rows] @ directions) for rows in (train, test)]
    else:
        seen = public if way == BY_PUBLIC else train
        axes = TruncatedSVD(_fitting(len(seen), table.X), random_state=repeat).fit(table.X[seen])
        parts = [np.asarray(axes.transform(table.X[rows])) for rows in (train, test)]
    first, second = (unit_rows(part) for part in parts)
    return Parts((first, table.y[train]), (second, table.y[test]))


def _fitting(rows: int, X: Any) -> int:
    """Fewer than 32 where there are fewer rows or columns."""
    return min(COLUMNS, rows - 1, int(X.shape[1]))
