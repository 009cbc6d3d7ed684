"""What a lift is: a public map of one row to a vector whose norm is known beforehand.

A linear model of lifted rows is a linear model: every mechanism serves it (docs/proofs/lifted_rows.md).
"""

from __future__ import annotations

from typing import Any, Protocol


class Lift(Protocol):
    """Frozen and hashable: a part of the public facts."""

    @property
    def width(self) -> int:
        """Columns of a row before it is lifted."""
        ...

    @property
    def features(self) -> int:
        """Numbers of a row afterwards."""
        ...

    @property
    def norm(self) -> float:
        """Bounds the L2 norm of every lifted row, as stored."""
        ...

    @property
    def constant(self) -> bool:
        """Whether an intercept is among the lifted numbers."""
        ...

    def readable(self, X: Any) -> Any:
        """The caller's table, where words in it are given numbers."""
        ...

    def rows(self, X: Any) -> Any:
        """Each row by itself, whatever its cells hold: within its bounds first, then lifted."""
        ...
