"""A prediction problem: rows under one public encoding, labels, and how they are split.

Bounds of columns are public knowledge about what a column means, written by hand; nothing is read off a file.  The
same encoded rows go to every contender.  Additive models and boosted ones get the columns before they are encoded,
with the same bounds.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

Array = npt.NDArray[Any]
Task = Literal["binary", "multiclass", "regression"]
DESIGN, SEEN, FRESH = "design", "seen", "fresh"
"""Tables that the library was designed on; that were looked at since; that are looked at once, at the end."""

NOISE = 20
"""How many stored numbers one draw of noise is worth."""

MOST_ROWS = 100_000
"""Of a real table; of longer ones a fixed random part is taken."""


@dataclass(frozen=True, slots=True)
class Number:
    """A column of numbers, its public range, and where its usual values lie if they fill but a part of it."""

    name: str
    low: float
    high: float
    usual: tuple[float, float] | None = None
    weight: float = 1 / 3
    """The square to be expected of an encoded value: a third if they are spread evenly, one for a flag."""

    def encoded(self, values: Array) -> Array:
        low, high = self.usual or (self.low, self.high)
        scaled = (np.clip(values, self.low, self.high) - (low + high) / 2) / ((high - low) / 2)
        return np.array(np.nan_to_num(scaled, nan=0.0)).reshape(-1, 1)

    def coded(self, values: Array) -> Array:
        filled = np.nan_to_num(np.asarray(values, dtype=float), nan=(self.low + self.high) / 2)
        return np.asarray(np.clip(filled, self.low, self.high))


@dataclass(frozen=True, slots=True)
class Category:
    """A column of names; a value that is not listed counts as the first."""

    name: str
    levels: tuple[Any, ...]
    weight: float = 1.0

    def encoded(self, values: Array) -> Array:
        return np.asarray(np.eye(len(self.levels))[self.coded(values).astype(int)])

    def coded(self, values: Array) -> Array:
        places = {str(level): place for place, level in enumerate(self.levels)}
        return np.array([places.get(str(value), 0) for value in values], dtype=float)


Column = Number | Category


@dataclass(frozen=True, slots=True, eq=False)
class Raw:
    """Columns in their own units, categories as places in their list of levels."""

    values: Array
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Rows of norm at most one (dense or CSR); labels 0, …, K − 1, or numbers to be expected within `label_bounds`."""

    name: str
    X: Any
    y: Array
    label_bounds: tuple[float, float] | None = None
    raw: Raw | None = None
    classes: int = 2

    @property
    def task(self) -> Task:
        if self.label_bounds is not None:
            return "regression"
        return "binary" if self.classes == 2 else "multiclass"

    @property
    def n(self) -> int:
        """Rows to learn from."""
        return int(0.8 * len(self.y))

    @property
    def d(self) -> int:
        return int(self.X.shape[1])

    @property
    def numbers(self) -> int:
        """What a step costs: stored numbers of the training rows, and noise for every column, for every class."""
        rows: Any = self.X
        stored = rows.nnz if is_sparse(rows) else rows.size
        return int(0.8 * stored + NOISE * self.d) * (1 if self.task != "multiclass" else self.classes)


@dataclass(frozen=True, slots=True)
class Spec:
    """Where a problem comes from, and to which set it belongs."""

    name: str
    place: str
    source: str
    load: Callable[[], Problem]


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Four fifths to learn from, one fifth to be judged by."""

    X: Any
    y: Array
    X_test: Any
    y_test: Array
    raw: Array | None
    raw_test: Array | None


def split(problem: Problem, seed: int) -> Split:
    """The same rows for every contender, by the seed alone."""
    order = np.random.default_rng(1000 + seed).permutation(len(problem.y))
    train, test = order[: problem.n], order[problem.n :]
    raw = None if problem.raw is None else problem.raw.values
    return Split(
        problem.X[train],
        problem.y[train],
        problem.X[test],
        problem.y[test],
        None if raw is None else raw[train],
        None if raw is None else raw[test],
    )


def tabular(
    name: str,
    columns: tuple[Column, ...],
    values: dict[str, Array],
    y: Array,
    label_bounds: tuple[float, float] | None = None,
    classes: int = 2,
) -> Problem:
    """One rule for every table: numbers to [−1, 1] by their usual range, names one-hot, rows divided by the length
    to be expected of them, and cut at norm one."""
    keep = some_rows(name, len(y))
    parts = [column.encoded(np.asarray(values[column.name])[keep]) for column in columns]
    usual = np.sqrt(sum(column.weight for column in columns))
    coded = [column.coded(np.asarray(values[column.name])[keep]) for column in columns]
    raw = Raw(np.column_stack(coded), columns)
    return Problem(name, cut(np.hstack(parts) / usual), np.asarray(y)[keep], label_bounds, raw, classes)


def of_frame(
    name: str,
    found: Any,
    columns: tuple[Column, ...],
    y: Array,
    label_bounds: tuple[float, float] | None = None,
    classes: int = 2,
) -> Problem:
    """A data frame whose columns have the names stated."""
    values = {column.name: found[column.name].to_numpy() for column in columns}
    return tabular(name, columns, values, y, label_bounds, classes)


def cut(X: Any) -> Any:
    """Rows longer than one are brought to norm one."""
    factors: Any = 1 / np.maximum(lengths(X), 1.0)
    return sparse.csr_matrix(sparse.diags_array(factors) @ X) if is_sparse(X) else X * factors[:, None]


def lengths(X: Any) -> Array:
    """Of rows."""
    if is_sparse(X):
        return np.asarray(np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel()))
    return np.asarray(np.linalg.norm(X, axis=1))


def is_sparse(X: Any) -> bool:
    """Whether it is one of scipy's sparse matrices."""
    return bool(sparse.issparse(X))


def some_rows(name: str, rows: int) -> Array:
    """All rows, or a fixed random part of `MOST_ROWS`."""
    if rows <= MOST_ROWS:
        return np.arange(rows)
    return np.sort(generator(name).permutation(rows)[:MOST_ROWS])


def generator(name: str) -> np.random.Generator:
    """The same numbers for the same name, on every machine."""
    return np.random.default_rng(zlib.crc32(name.encode()))
