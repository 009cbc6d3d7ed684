"""What lets records in, once they are paid for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from equipoise.errors import MechanismRefused
from equipoise.estimators._inputs import source_rows, training_rows
from equipoise.estimators.linear.given import rows_to_use
from equipoise.gate import MECHANISMS
from equipoise.inside import Private, Records, enter
from equipoise.ledger import Entry
from equipoise.theory.bounds import Bounds
from equipoise.theory.plan import Plan


class LetsIn(Protocol):
    """What lets records in once they are paid for; `bounds` are then those within which they were brought."""

    bounds: Bounds

    def __call__(self, entry: Entry) -> Private[Records]: ...


@dataclass(slots=True, repr=False)
class Entrance:
    """Records at the door, and the bounds within which they are brought when it opens, once and in place: nobody here
    holds them any longer then."""

    rows: Any
    labels: npt.NDArray[Any]
    bounds: Bounds

    def __call__(self, entry: Entry) -> Private[Records]:
        rows, self.rows = self.rows, None
        return enter(rows, self.labels, self.bounds, ours=True)


class Source(ABC):
    """Abstract.  A table that is not in memory: on a disk, or on many machines.  Its size is public before it is read.

    An estimator takes it for X; the labels are in it.
    """

    shape: tuple[int, int]
    where: str
    """In words, for a refusal."""

    @abstractmethod
    def entrance(self, bounds: Bounds) -> LetsIn:
        """What lets its records in."""

    def check(self, plan: Plan) -> None:
        """All that can be asked of it are sums over its records, taken one by one; before the debit."""
        facts = plan.facts
        if facts.bounds.lift is not None or facts.partners is not None:
            made = "lifts rows" if facts.partners is None else "compares records"
            raise MechanismRefused(f"X: this estimator {made}, which needs them in memory, not {self.where}")
        if not MECHANISMS[plan.mechanism].by_sums:
            raise MechanismRefused(
                f"mechanism={plan.mechanism!r}: needs the records in memory, not {self.where}, use another mechanism"
            )


def rows_and_labels(estimator: Any, X: Any, y: Any, groups: Any, fewest: int) -> tuple[Any, npt.NDArray[Any]]:
    """In memory and ours, of each person as many as count; or a source, which holds its labels itself."""
    if isinstance(X, Source):
        rows_to_use(groups, estimator.rows_per_person, X.shape[0])  # refuses a cap: nobody said whose rows are whose
        return source_rows(estimator, X, fewest), np.empty(0)
    numbers, labels = estimator._in_numbers(X), estimator._own_labels(y)
    rows, labels = training_rows(estimator, numbers, labels, fewest, None)
    estimator._refuse_filling(rows)
    people = rows_to_use(groups, estimator.rows_per_person, rows.shape[0])
    return (rows, labels) if people is None else (rows[people.rows], labels[people.rows])
