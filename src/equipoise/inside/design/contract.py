"""What a design is: the matrix of records as the few products that fitting needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from equipoise.inside.compiled.sweep import Sweep

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp] | slice
Turn = Callable[[Array, slice], Array]
"""From the scores of some rows, and which rows they are, to one number for each score; several threads ask at once, in
any order."""


class Design(Protocol):
    """X, of shape (rows, columns), in whatever storage.  Every product is computed in doubles.

    The two depths say through how many additions a term can pass: the certificate's rounding allowance is made
    of them (docs/proofs/certificates.md).
    """

    @property
    def rows(self) -> int: ...

    @property
    def columns(self) -> int:
        """All of them, the constant column included."""
        ...

    @property
    def row_depth(self) -> int:
        """Most additions behind one entry of X w."""
        ...

    @property
    def column_depth(self) -> int:
        """Most additions behind one entry of Xᵀr."""
        ...

    def matvec(self, w: Array) -> Array:
        """X w, for w of shape (columns,) or (columns, k)."""
        ...

    def rmatvec(self, r: Array) -> Array:
        """Xᵀr, for r of shape (rows,) or (rows, k)."""
        ...

    def pulled(self, w: Array, turn: Turn) -> Array:
        """Xᵀ turn(X w), in one pass over the rows where the storage allows; to the same depths as the two products."""
        ...

    def swept(self, sweep: Sweep) -> Array | None:
        """The same in one compiled pass, to the same depths; None where there is none for this storage."""
        ...

    @property
    def longest_row(self) -> float:
        """The largest L2 norm of a row, 0 without rows."""
        ...

    def row_norms(self) -> Array:
        """The L2 norm of each row."""
        ...

    def weighted_gram(self, c: Array) -> Array:
        """Xᵀ diag(c) X, dense."""
        ...

    def gram_of_rows(self) -> Array:
        """X Xᵀ, dense."""
        ...

    def take(self, rows: Rows) -> Design:
        """A design of these rows only; of a slice it need not be a copy."""
        ...
