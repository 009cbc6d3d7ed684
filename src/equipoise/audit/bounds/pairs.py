"""Are two data sets neighbours?  Only arrays and (X, y) pairs can be compared; anything else is taken on trust."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from equipoise.errors import InvalidInput

Rows = npt.NDArray[Any]


def refuse_strangers(left: object, right: object) -> None:
    """Raise unless the data sets differ in at most one record: one replaced, or one more at the same place in order."""
    here, there = _parts(left), _parts(right)
    if not here or not there:
        return
    if len(here) != len(there):
        raise InvalidInput("left, right: have different numbers of arrays, both must be X or both (X, y)")
    sizes = len(here[0]), len(there[0])
    if abs(sizes[0] - sizes[1]) > 1:
        raise InvalidInput(f"left, right: have {sizes[0]} and {sizes[1]} records, neighbours differ by at most one")
    if any(a.shape[1:] != b.shape[1:] for a, b in zip(here, there, strict=True)):
        raise InvalidInput("left, right: have different columns, only records may differ")
    if sizes[0] == sizes[1]:
        changed = int(np.sum(_differs(here, there)))
        if changed > 1:
            raise InvalidInput(
                f"left, right: differ in {changed} records, must be one; no records at all: neighbours=False"
            )
        return
    small, large = (here, there) if sizes[0] < sizes[1] else (there, here)
    if not _one_more(small, large):
        raise InvalidInput("left, right: differ by more than the record added, keep the others in the same order")


def _parts(data: object) -> list[Rows]:
    """The arrays of a data set, all with one entry for each record; empty if it is something else."""
    if isinstance(data, tuple) and data:
        parts = [part for item in data for part in _parts(item) if not isinstance(item, tuple)]
        equal = len(parts) == len(data) and len({len(part) for part in parts}) == 1
        return parts if equal else []
    if issparse(data):
        return [data.toarray()]  # type: ignore[attr-defined]  # scipy's check does not narrow the type
    if isinstance(data, list | np.ndarray) or type(data).__module__.split(".")[0] in ("pandas", "polars"):
        try:
            array = np.asarray(data)
        except ValueError:  # rows of different lengths
            return []
        return [array] if array.ndim > 0 else []
    return []


def _differs(here: list[Rows], there: list[Rows]) -> npt.NDArray[np.bool_]:
    """Which records are not equal in every array; two missing numbers are equal."""
    changed = np.zeros(len(here[0]), dtype=bool)
    for a, b in zip(here, there, strict=True):
        unequal = (a != b) & ~((a != a) & (b != b))
        changed |= np.asarray(unequal, dtype=bool).reshape(len(a), -1).any(axis=1)
    return changed


def _one_more(small: list[Rows], large: list[Rows]) -> bool:
    """Whether `large` is `small` with one record put in somewhere."""
    count = len(small[0])
    ahead = _differs(small, [part[:count] for part in large])
    behind = _differs(small, [part[1:] for part in large])
    first = int(np.argmax(ahead)) if ahead.any() else count
    return not behind[first:].any()
