"""Dask arrays and data frames, given to an estimator's `fit`: parts of a table that is never in one place.

What is public about a table in memory is public here (types, names, the number of rows under replace-one), and is
compared, part by part, before the debit where Dask does not know it.
docs/proofs/entrance.md has the argument.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from equipoise.errors import InvalidInput
from equipoise.estimators._inputs import source_rows, training_rows
from equipoise.estimators.cluster.engine import crew_of
from equipoise.estimators.cluster.parts import IDS, Parts
from equipoise.estimators.linear.given import cap_for
from equipoise.inside.cluster import Crew, Reader, Seen
from equipoise.inside.cluster.crew import Pieces
from equipoise.rows.codes import with_codes
from equipoise.rows.lists import NOT_FLAT, NOT_TWO
from equipoise.rows.owned import NUMBERS
from equipoise.rows.persons import flat_ids
from equipoise.rows.tables import is_collection, own_labels, own_table
from equipoise.theory.bounds import Bounds

Columns = tuple[tuple[str, str], ...]

UNKNOWN_ROWS = -1
UNEVEN: Columns = (("", "uneven"),)
UNEVEN_IDS: Columns = (("", "uneven ids"),)
LABELS = "y: must be a Dask array or series in the same parts as X, such as a column of the same data frame"
COLUMNS = "data: a part of it has other columns or types than the table says, state types when reading"
UNEQUAL = "y: X and y have inconsistent numbers of samples, give one label per row"
LENGTHS = "y: X and y have inconsistent numbers of samples, give one label per row in every part"
GROUPS = "groups: must be a Dask array or series in the same parts as X, such as a column of the same data frame"
NOT_DASK = {"X": "X: must be a Dask array or data frame", "y": LABELS, "groups": GROUPS}


@dataclass(frozen=True, slots=True)
class ByType:
    """Reads a part as a table in memory is read: cell by cell, by the types of its columns.  It is sent to workers."""

    lent: bool = False
    """Whether a plain array of floats is used where it lies."""

    def seen(self, X: Any, y: Any, *groups: Any) -> Seen:
        rows, kinds = _described(X)
        labels, kind = _described(y)
        if labels != rows:
            return Seen(rows, UNEVEN)
        if any(_described(each)[0] != rows for each in groups):
            return Seen(rows, UNEVEN_IDS)
        return Seen(rows, (*kinds, *kind))

    def __call__(self, bounds: Bounds, X: Any, y: Any) -> tuple[Any, npt.NDArray[Any]]:
        if self.lent and is_plain(X):
            return np.require(X, requirements=["C", "A"]), _alike(y, own_labels(y))
        coded = X if bounds.encoding is None else with_codes(X, bounds.encoding.basis.columns)
        return own_table(coded, None, singles=True), _alike(y, own_labels(y))


def is_plain(X: Any) -> bool:
    """Rows of floats as this machine has them, in nobody's own kind of array."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float64, np.float32)


def is_plain_array(X: Any) -> bool:
    """Whether a collection says of all its parts that they are."""
    return _is_array(X) and X.ndim == 2 and is_plain(_empty(X, "X", 2))


def _described(piece: Any) -> tuple[int, tuple[tuple[str, str], ...]]:
    """Rows, and each column with its kind: numbers, or something else.  Nothing finer, for a gap among whole numbers
    makes pandas call them floats, and that would be a record's doing."""
    if getattr(piece, "columns", None) is not None:
        dtypes = zip(piece.columns, piece.dtypes, strict=True)
        return len(piece), tuple((str(name), _kind(dtype)) for name, dtype in dtypes)
    shape = tuple(piece.shape)
    return int(shape[0]), ((f"{shape[1:]}", _kind(piece.dtype)),)


def _alike(given: Any, labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers of a frame as doubles in every part, as they are in one with a gap: beyond 2⁵³ they are others."""
    return labels.astype(np.float64) if hasattr(given, "iloc") and labels.dtype.kind in "iu" else labels


def _kind(dtype: Any) -> str:
    held = getattr(dtype, "categories", None)
    return "number" if (dtype if held is None else held.dtype).kind in NUMBERS else "other"


@dataclass(frozen=True, slots=True)
class IdsIn:
    """The ids of a part as they are compared in memory.  It is sent to workers."""

    rounded: bool
    """Whether numbers are read as doubles: a gap among whole ones makes doubles of all in its part, and people whose
    ids are beyond 2⁵³ would be others there.  From which of its parts a frame has its type is chance."""

    def __call__(self, groups: Any) -> Any:
        return np.asarray(groups, dtype=np.float64) if self.rounded else groups


def collected(estimator: Any, X: Any, y: Any, groups: Any, fewest: int) -> tuple[Parts, npt.NDArray[Any]]:
    """A Dask table and its labels as a source: checked as one in memory is, on a table without rows of its types."""
    cap = cap_for(groups, estimator.rows_per_person)
    parts, labels = described(estimator, X, y, groups, fewest)
    parts = source_rows(estimator, parts, fewest)
    return (parts if cap is None else parts.of_persons(*ids_of(X, groups), cap, secret=fewest == 0)), labels


def described(
    estimator: Any, X: Any, y: Any, groups: Any, fewest: int, columns_of: Any = None
) -> tuple[Parts, npt.NDArray[Any]]:
    """The table without its persons, and no labels, of their type.  `columns_of` learns the names of the columns."""
    empty_X, empty_y = _empty(X, "X", 2), _empty(y, "y", 1)
    if isinstance(getattr(estimator, "classes", None), str):
        raise InvalidInput("classes: list them, for nobody looks through labels on many machines beforehand")
    labels = estimator._own_labels(empty_y)
    learner = estimator if columns_of is None else columns_of
    rows, labels = training_rows(learner, estimator._in_numbers(empty_X), labels, 0, None)
    estimator._refuse_filling(rows)
    crew, reader, tasks = crew_of(), ByType(), _tasks(X, y, LABELS, UNEQUAL)
    ids = () if groups is None else _id_tasks(X, groups)
    sizes = _known_rows(X, y, UNEQUAL)
    said = reader.seen(empty_X, empty_y).columns
    if sizes is None:
        shown = [(*task, *each) for task, each in zip(tasks, ids or [()] * len(tasks), strict=True)]
        expected = looked_at(crew, reader, shown, said, secret=fewest == 0)
    else:
        expected = [Seen(size, said) for size in sizes]
    return Parts(crew, reader, tasks, expected, int(rows.shape[1]), estimator._told), labels


def ids_of(X: Any, groups: Any) -> tuple[IdsIn, list[Pieces]]:
    """How ids are read, and the tasks that make them."""
    tasks = _id_tasks(X, groups)
    numbers = isinstance(groups.dtype, np.dtype) and groups.dtype.kind in "iuf"
    sure = _is_array(groups) and not any(math.isnan(size) for size in groups.chunks[0])  # an array of no frame
    return IdsIn(numbers and not sure), tasks


def _id_tasks(X: Any, groups: Any) -> list[Pieces]:
    """What makes the ids of each part."""
    flat_ids(_empty(groups, "groups", 1), 0)  # which is refused by its type
    return [(ids,) for _, ids in _tasks(X, groups, GROUPS, IDS)]


def looked_at(crew: Crew, reader: Reader, tasks: Sequence[Pieces], said: Columns, *, secret: bool) -> list[Seen]:
    """Every part as it is, refused where it is not what the table says; without numbers of rows where those are
    `secret`."""
    found = crew.look(reader, tasks)
    if any(one.columns == UNEVEN for one in found):
        raise InvalidInput(LENGTHS)
    if any(one.columns == UNEVEN_IDS for one in found):
        raise InvalidInput(IDS)
    if any(one.columns != said for one in found):
        raise InvalidInput(COLUMNS)
    return [replace(one, rows=UNKNOWN_ROWS) for one in found] if secret else found


def _empty(collection: Any, name: str, dimensions: int) -> Any:
    """No rows, of the same types."""
    if not is_collection(collection) or not hasattr(collection, "_meta") or not hasattr(collection, "to_delayed"):
        raise InvalidInput(NOT_DASK[name])
    if collection.ndim != dimensions:
        raise InvalidInput(GROUPS if name == "groups" else NOT_TWO if dimensions == 2 else NOT_FLAT)
    if not _is_array(collection):
        return collection._meta
    shape = (0, *collection.shape[1:])
    if any(math.isnan(size) for size in shape):
        raise InvalidInput("X: the number of its columns is unknown, call X.compute_chunk_sizes() first")
    dtype = np.dtype(collection.dtype)
    return csr_array(shape, dtype=dtype) if issparse(collection._meta) else np.empty(shape, dtype=dtype)


def _is_array(collection: Any) -> bool:
    return hasattr(collection, "chunks")


def _known_rows(X: Any, y: Any, otherwise: str) -> list[int] | None:
    """Of each part, where Dask knows them."""
    if not (_is_array(X) and _is_array(y)) or any(math.isnan(size) for size in (*X.chunks[0], *y.chunks[0])):
        return None
    if X.shape[0] != y.shape[0]:
        raise InvalidInput(otherwise)
    return [int(size) for size in X.chunks[0]]


def _tasks(X: Any, y: Any, elsewhere: str, uneven: str) -> list[Pieces]:
    """What makes each part, in the table's order; rows and labels that are cut alike."""
    if _is_array(X) and len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    if _known_rows(X, y, uneven) is not None and X.chunks[0] != y.chunks[0]:
        y = y.rechunk((X.chunks[0],))
    rows, labels = (list(np.ravel(each.to_delayed())) for each in (X, y))
    divided = [getattr(each, "divisions", (None,)) for each in (X, y)]
    known = all(None not in each for each in divided)
    if len(rows) != len(labels) or not rows or (known and divided[0] != divided[1]):
        raise InvalidInput(elsewhere)
    return list(zip(rows, labels, strict=True))
