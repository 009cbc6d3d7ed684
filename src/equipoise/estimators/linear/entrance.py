"""What lets records in, once they are paid for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.estimators._inputs import source_rows, training_rows
from equipoise.estimators.cluster.collections import ByType, collected, is_plain, is_plain_array
from equipoise.estimators.linear.given import rows_to_use
from equipoise.estimators.linear.source import LetsIn, Source, sums_rows_as_they_are
from equipoise.gate import MECHANISMS
from equipoise.inside import Private, Records, enter
from equipoise.inside.borrowed import enter_borrowed
from equipoise.inside.records import Told, nobody
from equipoise.ledger import Entry
from equipoise.rows.tables import Ours, is_collection, own_table
from equipoise.theory.bounds import Bounds
from equipoise.theory.plan import Plan

LARGE = 2**22
"""Numbers in an array that is rather not copied: 32 megabytes."""


@dataclass(slots=True, repr=False)
class Entrance:
    """Records at the door, and the bounds within which they are brought when it opens, once and in place: nobody here
    holds them any longer then."""

    rows: Any
    labels: npt.NDArray[Any]
    bounds: Bounds
    told: Told = nobody

    def __call__(self, entry: Entry) -> Private[Records]:
        rows, self.rows = self.rows, None
        return enter(rows, self.labels, self.bounds, ours=True, told=self.told)


@dataclass(frozen=True, eq=False, repr=False)
class Array(Source):
    """A large array of the caller's: copying it whole would take as long as a few passes, and as much memory."""

    rows: npt.NDArray[np.floating]
    labels: npt.NDArray[Any]
    told: Told
    where = "in the caller's array"
    walked = True

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        return int(self.rows.shape[0]), int(self.rows.shape[1])

    def entrance(self, bounds: Bounds) -> LetsIn:
        return ArrayEntrance(self, bounds)

    def held(self, plan: Plan) -> Any:
        """Where it lies, for walks and for sums over rows as they are; else a copy, made before anything is spent."""
        if MECHANISMS[plan.mechanism].by_walk or sums_rows_as_they_are(plan):
            return self
        return own_table(self.rows, None, singles=True)


@dataclass(slots=True, repr=False)
class ArrayEntrance:
    """Such an array at the door."""

    array: Array | None
    bounds: Bounds

    def __call__(self, entry: Entry) -> Private[Records]:
        array, self.array = self.array, None  # whose labels are held encoded from now on
        assert array is not None
        return enter_borrowed(array.rows, array.labels, self.bounds, array.told)


def _may_borrow(estimator: Any, X: Any) -> bool:
    """A plain, large array of floats, of whose rows nothing is asked but sums, or a walk over them."""
    return bool(is_plain(X) and X.flags.c_contiguous and X.size >= LARGE and estimator._searchable)


def _may_lend(estimator: Any, X: Any, shape: tuple[int, int]) -> bool:
    """The same of an array on many machines, by what it says of itself: how a part lies is its worker's business."""
    return bool(is_plain_array(X) and shape[0] * shape[1] >= LARGE and estimator._searchable)


def rows_and_labels(estimator: Any, X: Any, y: Any, groups: Any, fewest: int) -> tuple[Any, npt.NDArray[Any]]:
    """In memory and ours, of each person as many as count; or a source, which holds its labels itself."""
    if isinstance(X, Source):
        if groups is not None or estimator.rows_per_person != X.cap:
            rows_to_use(groups, estimator.rows_per_person, X.shape[0])  # refuses: nobody said whose rows are whose
        return source_rows(estimator, X, fewest), np.empty(0)
    if is_collection(X):
        parts, labels = collected(estimator, X, y, groups, fewest)
        return (replace(parts, lender=ByType(lent=True)) if _may_lend(estimator, X, parts.shape) else parts), labels
    numbers, labels = estimator._in_numbers(X), estimator._own_labels(y)
    if groups is None and estimator.rows_per_person is None and _may_borrow(estimator, numbers):
        rows, labels = training_rows(estimator, Ours(numbers), labels, fewest, None)
        return Array(rows, labels, estimator._told), labels
    rows, labels = training_rows(estimator, numbers, labels, fewest, None)
    estimator._refuse_filling(rows)
    people = rows_to_use(groups, estimator.rows_per_person, rows.shape[0])
    return (rows, labels) if people is None else (rows[people.rows], labels[people.rows])
