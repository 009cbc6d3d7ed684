"""What lets records in, once they are paid for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.estimators._inputs import source_rows, training_rows
from equipoise.estimators.cluster.collections import collected
from equipoise.estimators.linear.given import rows_to_use
from equipoise.estimators.linear.source import Source
from equipoise.inside import Private, Records, enter
from equipoise.ledger import Entry
from equipoise.rows.tables import is_collection
from equipoise.theory.bounds import Bounds


@dataclass(slots=True, repr=False)
class Entrance:
    """Records at the door, and the bounds within which they are brought when it opens, once and in place."""

    rows: Any
    labels: npt.NDArray[Any]
    bounds: Bounds

    def __call__(self, entry: Entry) -> Private[Records]:
        return enter(self.rows, self.labels, self.bounds, ours=True)


def rows_and_labels(estimator: Any, X: Any, y: Any, groups: Any, fewest: int) -> tuple[Any, npt.NDArray[Any]]:
    """In memory and ours, of each person as many as count; or a source, which holds its labels itself."""
    if isinstance(X, Source):
        rows_to_use(groups, estimator.rows_per_person, X.shape[0])  # refuses a cap: nobody said whose rows are whose
        return source_rows(estimator, X, fewest), np.empty(0)
    if is_collection(X):
        return collected(estimator, X, y, groups, fewest)
    numbers, labels = estimator._in_numbers(X), estimator._own_labels(y)
    rows, labels = training_rows(estimator, numbers, labels, fewest, None)
    estimator._refuse_filling(rows)
    people = rows_to_use(groups, estimator.rows_per_person, rows.shape[0])
    return (rows, labels) if people is None else (rows[people.rows], labels[people.rows])
