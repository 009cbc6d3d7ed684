"""Some records of a table that is read block by block, found in one pass and held.

Which ones is told by their number alone, so that a fit of files begins where one of a table in memory does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equipoise.errors import UnreadableFile
from equipoise.inside.design import Matrix
from equipoise.inside.design.contract import Array

Found = tuple[Matrix, Array]
"""Rows before they are clipped, in an array of our own, and their labels."""

SHORTER = "data: has fewer rows than it had, keep a copy that nobody writes to; epsilon was spent, nothing was released"


def gathered(blocks: Iterable[Found], rows: int, steps: Sequence[int]) -> list[Found]:
    """Of the first `rows`, for each step every so-many-th from the first on."""
    kept: list[_Kept] = [_Kept(step, rows) for step in steps]
    seen = 0
    for X, labels in blocks:
        if seen >= rows:
            break
        for each in kept:
            each.look(X, labels, seen)
        seen += X.shape[0]
    if seen < rows:
        raise UnreadableFile(SHORTER)
    return [each.found() for each in kept]


class _Kept:
    """What was found so far: dense rows stand where they will stay, sparse ones are put together in the end."""

    def __init__(self, step: int, rows: int) -> None:
        self._step, self._rows, self._filled = step, rows, 0
        self._labels = np.empty(len(range(0, rows, step)))
        self._dense: npt.NDArray[np.float64] | None = None
        self._sparse: list[sparse.csr_array] = []

    def look(self, X: Matrix, labels: Array, before: int) -> None:
        """At a block that begins after so many rows."""
        some = slice(-before % self._step, min(X.shape[0], self._rows - before), self._step)
        ours = slice(self._filled, self._filled + len(range(*some.indices(X.shape[0]))))
        self._filled = ours.stop
        self._labels[ours] = labels[some]
        if sparse.issparse(X):
            self._sparse.append(sparse.csr_array(X[some]))
            return
        if self._dense is None:
            self._dense = np.empty((len(self._labels), X.shape[1]))
        self._dense[ours] = X[some]

    def found(self) -> Found:
        if self._dense is not None:
            return self._dense, self._labels
        return sparse.csr_array(sparse.vstack(self._sparse, format="csr")), self._labels
