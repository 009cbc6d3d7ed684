"""Asking a stranger about many rows so that one it cannot take spoils no other's answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from equipoise.inside.strangers.alone import FAILED, Failed, alone

Said = TypeVar("Said")

CLOSE = 1e-6
"""Numbers that differ by no more than this part of the largest are taken for the same: sums may be in another order."""


def in_parts(ask: Callable[[int, int], Said | Failed], rows: int) -> Iterator[tuple[int, int, Said | Failed]]:
    """`ask(start, stop)` about all rows; what fails is halved until single rows are left that fail by themselves."""
    waiting = [(0, rows)] if rows else []
    while waiting:
        start, stop = waiting.pop()
        said = ask(start, stop)
        if isinstance(said, Failed) and stop - start > 1:
            middle = (start + stop) // 2
            waiting += [(middle, stop), (start, middle)]
        else:
            yield start, stop, said


def same_alone(ask: Callable[[Any], Any], X: Any, seed: int, *roots: Any) -> bool:
    """Whether rows are answered alike in one batch and each alone, the last one first.  For made-up rows."""

    def asked(start: int, stop: int) -> Any:
        said = alone(lambda: np.array(ask(X[start:stop].copy())), seed, *roots)
        return said if isinstance(said, Failed) or said.shape == (stop - start,) else FAILED

    rows = X.shape[0]
    together = asked(0, rows)
    parts = [asked(row, row + 1) for row in reversed(range(rows))][::-1]
    if any(isinstance(part, Failed) for part in parts):
        return isinstance(together, Failed) and all(isinstance(part, Failed) for part in parts)
    return same(together, np.concatenate(parts))


def same(left: Any, right: Any) -> bool:
    """Whether two answers to the same rows are; a failure is the same as another."""
    if isinstance(left, Failed) or isinstance(right, Failed):
        return isinstance(left, Failed) and isinstance(right, Failed)
    if left.shape != right.shape:
        return False
    if not (np.issubdtype(left.dtype, np.number) and np.issubdtype(right.dtype, np.number)):
        return bool(np.array_equal(left, right))
    scale = max(1.0, float(np.max(np.abs(left), initial=0.0))) if np.all(np.isfinite(left)) else 1.0
    return bool(np.allclose(left, right, rtol=0.0, atol=CLOSE * scale, equal_nan=True))
