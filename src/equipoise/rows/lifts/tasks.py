"""Related tasks as one linear model: each row once for all tasks, and once for its own.

With w_t = v + u_t, a ridge on v and on every u_t is a plain ridge on lifted rows of the same length
(docs/proofs/lifted_rows.md, section 3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack, issparse

from equipoise._checks import not_negative, number, shown, whole
from equipoise.errors import InvalidInput
from equipoise.rows.codes import with_codes
from equipoise.rows.owned import Array
from equipoise.rows.within import RowBounds
from equipoise.theory.additive import Categories, Numbers
from equipoise.theory.additive.columns import Value
from equipoise.theory.bounds import clip_margin
from equipoise.theory.rounding import ONE_STEP, up

MOST_FEATURES = 2**20
FEW_FEATURES = 128
"""Up to so many numbers rows are stored in full, which is faster; beyond, as compressed rows."""
ELSEWHERE = Numbers((0.0, 1.0))
"""Stands for a column that holds no words."""


@dataclass(frozen=True, slots=True)
class Tasks:
    """`column` says which of `tasks` a row belongs to; `bounds` are those of the other columns.

    `coupling` is the part of a coefficient's variance that all tasks share: 1 is one model, 0 one for each task.
    `intercept` is a constant column beside the others, in each copy; 0 for none.
    """

    bounds: RowBounds
    width: int
    column: int
    tasks: tuple[Value, ...]
    coupling: float
    intercept: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= number(coupling=self.coupling) <= 1:
            raise InvalidInput(
                f"coupling={shown(self.coupling)}: must be from 0, a model for each task, to 1, one for all"
            )
        if not 0 <= self.column < whole(columns=self.width):
            raise InvalidInput(f"task_column={self.column}: is no column, give its name or its place")
        if self.bounds.columns is not None and len(self.bounds.columns) != self.width - 1:
            raise InvalidInput("column_bounds: give one (low, high) pair for each column but the task's")
        if not_negative(intercept=self.intercept) == 0 and self.width == 1:
            raise InvalidInput("X: holds the tasks and nothing to learn from, fit an intercept at least")
        self.listed  # noqa: B018 - raises what is wrong
        if self.features > MOST_FEATURES:
            raise InvalidInput(f"tasks: {self.features} numbers to learn, at most {MOST_FEATURES}")

    @property
    def listed(self) -> Categories:
        """The tasks as values of a column."""
        try:
            return Categories(self.tasks)
        except InvalidInput:
            raise InvalidInput("tasks: list different names or numbers, at most some thousands") from None

    @property
    def numbers(self) -> int:
        """Of one copy of a row."""
        return self.width - 1 + (1 if self.intercept > 0 else 0)

    @property
    def weights(self) -> tuple[float, float]:
        """What the common copy and a task's own are multiplied by: squares sum to one, less a hair."""
        hair = 1 - 4 * clip_margin(self.features)
        return hair * math.sqrt(self.coupling), hair * math.sqrt(1 - self.coupling)

    @property
    def features(self) -> int:
        """The common copy first; a copy that weighs nothing is left out."""
        copies = (self.coupling > 0) + len(self.tasks) * (self.coupling < 1)
        return copies * self.numbers

    @property
    def norm(self) -> float:
        return up(math.hypot(self.bounds.row_norm if self.width > 1 else 0.0, self.intercept), ONE_STEP)

    @property
    def constant(self) -> bool:
        return self.intercept > 0

    def readable(self, X: Any) -> Any:
        """A frame with the tasks' names as numbers."""
        columns = tuple(self.listed if place == self.column else ELSEWHERE for place in range(self.width))
        return X if issparse(X) else with_codes(X, columns, "tasks")

    def rows(self, X: Any) -> Any:
        """In full if short, else compressed.  A row of a task that is not listed has its common copy alone."""
        cells, others = self.apart(X)
        table = csr_array(self.bounds.in_units_of_the_fit(others)) if self.width > 1 else csr_array((len(cells), 0))
        if self.constant:
            table = csr_array(hstack([table, csr_array(np.full((len(cells), 1), self.intercept))], format="csr"))
        shared, own = self.weights
        copies = [table * shared] if self.coupling > 0 else []
        if self.coupling < 1:
            copies.append(self._beside(table * own, self.places(cells)))
        lifted = csr_array(hstack(copies, format="csr"))
        return lifted.toarray() if self.features <= FEW_FEATURES else lifted

    def places(self, cells: Array) -> Any:
        """Of each row's task among those listed; as many as there are where it is none of them."""
        found = self.listed.weights(cells).places[:, 0]
        return np.minimum(found, len(self.tasks))

    def apart(self, X: Any) -> tuple[Array, Any]:
        """The tasks' codes, and the other columns."""
        rest = [place for place in range(self.width) if place != self.column]
        stored: Any = X
        if issparse(X):
            table: Any = csr_array(stored)
            return np.asarray(table[:, [self.column]].toarray()[:, 0]), csr_array(table[:, rest])
        cells = np.asarray(X)
        return np.asarray(cells[:, self.column]), cells[:, rest]

    def _beside(self, table: csr_array, places: Any) -> csr_array:
        """Each row in the columns of its task; nothing where there is none."""
        counts = np.diff(table.indptr)
        known = places < len(self.tasks)
        kept = np.repeat(known, counts)
        columns = (table.indices + np.repeat(places, counts) * self.numbers)[kept]
        pointers = np.append(0, np.cumsum(np.where(known, counts, 0)))
        shape = (table.shape[0], len(self.tasks) * self.numbers)
        return csr_array((table.data[kept], columns, pointers), shape=shape)
