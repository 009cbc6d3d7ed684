"""One compiled pass, asked for: what is to be summed over the rows of a design."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.inside import compiled
from equipoise.inside.compiled.slopes import Law, Several
from equipoise.rows.clip import HUGE, lines
from equipoise.theory.bounds import clip_margin

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sweep:
    """Σ weight·slope(score, label)·x over the rows x: their scores at w, what `law` makes of them, what each counts."""

    w: Array
    """Flat; of several scores a row for each, one after the other."""
    law: Law | Several
    labels: Array
    weights: Array | None = None
    constant: float = 0.0
    """Of one more column, which comes last in w and in the sum; 0 where there is none."""

    @property
    def several(self) -> bool:
        """Whether rows have a law of several scores, be it one of two classes: dense rows alone are swept by those."""
        return isinstance(self.law, Several)

    @property
    def outputs(self) -> int:
        """How many scores a row has."""
        return self.law.classes - 1 if isinstance(self.law, Several) else 1

    @property
    def columns(self) -> int:
        """Of the rows themselves."""
        return len(self.w) // self.outputs - (self.constant != 0)

    def of(self, rows: slice) -> tuple[Array, Array | None]:
        """Labels and weights of these."""
        return self.labels[rows], None if self.weights is None else self.weights[rows]

    def found(self, sums: Array) -> Array:
        """What is asked for of what a pass has written: a sum for each column, and one for the constant."""
        return sums if self.constant else sums.reshape(self.outputs, -1)[:, :-1].reshape(-1)


def serves(matrix: npt.NDArray[Any]) -> bool:
    """Whether passes read it where it lies: doubles or singles as this machine has them, each row in one piece."""
    plain = matrix.dtype in (np.float64, np.float32) and matrix.dtype.isnative and matrix.flags.aligned
    return plain and matrix.ndim == 2 and matrix.strides[1] == matrix.itemsize and matrix.strides[0] >= 0


def over_dense(matrix: npt.NDArray[np.floating], sweep: Sweep, rows: slice, height: int) -> Array:
    """Over these rows, in groups of so many."""
    labels, weights = sweep.of(rows)
    sums = _room(sweep)
    _by_rows(sweep)(
        matrix[rows], sweep.w, labels, weights, sweep.law, sweep.constant, height, sums, None, False, 0.0, 0.0, 0.0
    )
    return sweep.found(sums)


def _room(sweep: Sweep) -> Array:
    """For a sum over each column, and one more, of every score."""
    return np.empty(sweep.outputs * (sweep.columns + 1))


def _by_rows(sweep: Sweep) -> Callable[..., int]:
    """The pass over dense rows, of one score or several."""
    found: Callable[..., int] = _passes().several if sweep.several else _passes().dense
    return found


class Outcome(Enum):
    """Of a pass over rows in somebody else's array, where it is no sum."""

    OTHERS = 1
    """A row does not measure what it did."""
    ODD = 2
    """A row is met that no factor serves."""


def over_lent(
    matrix: npt.NDArray[np.floating],
    row_norm: float,
    squares: Array,
    first: bool,
    sweep: Sweep,
    height: int,
    words: npt.NDArray[np.uint64] | None = None,
) -> Array | Outcome:
    """Over rows of somebody else's, each as long as its bound allows.  `squares` are those of their lengths: as they
    were met, or to be written where they are met now, for the first time.  The rows that were measured join `words`
    (inside/marks.py)."""
    stays, lands = lines(row_norm, row_norm, clip_margin(matrix.shape[1]))
    sums = _room(sweep)
    found = _by_rows(sweep)(
        *(matrix, sweep.w, sweep.labels, sweep.weights, sweep.law, sweep.constant, height, sums),
        *(squares, first, stays, lands, HUGE, words),
    )
    return sweep.found(sums) if not found else Outcome(found)


def _passes() -> ModuleType:
    assert compiled.PASSES is not None
    return compiled.PASSES


def over_sparse(matrix: Any, sweep: Sweep, rows: slice, height: int) -> Array:
    """The same of compressed rows."""
    sums = np.empty(sweep.columns + 1)
    labels, weights = sweep.of(rows)
    pointers = matrix.indptr[rows.start : rows.stop + 1]
    _passes().compressed(
        pointers, matrix.indices, matrix.data, sweep.w, labels, weights, sweep.law, sweep.constant, height, sums
    )
    return sweep.found(sums)


def over_couples(
    places: npt.NDArray[np.uint16], parts: Array, sweep: Sweep, rows: slice, height: int, part: int
) -> Array:
    """The same of rows that weigh on a few slots and on the one after each; in parts of so many, each added whole."""
    sums = np.empty(sweep.columns + 1)
    labels, weights = sweep.of(rows)
    held = places[rows].reshape(-1), parts[rows].reshape(-1), places.shape[1]
    _passes().coupled(*held, sweep.w, labels, weights, sweep.law, sweep.constant, height, part, sums)
    return sweep.found(sums)


def lengths(matrix: npt.NDArray[np.floating], words: npt.NDArray[np.uint64] | None = None) -> Array:
    """The square of each row's length, to the last digit as `over_lent` measures it; the rows join `words`."""
    squares = np.empty(len(matrix))
    _passes().lengths(matrix, squares, words)
    return squares
