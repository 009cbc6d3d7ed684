"""Rows of very many numbers in a model file: as lists they would take gigabytes to write and to read."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.outside.reading import Damaged, Fields, listed, read_fields, text, vector

Array = npt.NDArray[np.float64]

LONG = 2**16
"""Numbers from which on a row is packed: nobody reads so many."""

LEVEL = 1
"""Of deflating.  Noise hardly shrinks whatever the level, and repeated variances vanish at the first."""

LARGEST = 2**31
"""Numbers in a row, at most: a file may not ask for any amount of memory."""


def row_to_fields(row: Array) -> Any:
    """A list of numbers; a long one as little-endian doubles, deflated, in base 64."""
    if len(row) < LONG:
        return row.tolist()
    deflated = zlib.compress(row.astype("<f8").tobytes(), LEVEL)
    return {"count": len(row), "doubles": base64.b64encode(deflated).decode("ascii")}


def rows_to_fields(rows: Array) -> list[Any]:
    """Of a matrix."""
    return [row_to_fields(row) for row in rows]


def row(value: Any, name: str) -> Array:
    """A list of numbers, or a long one as `row_to_fields` packs it."""
    return _unpacked(value, name) if isinstance(value, dict) else vector(value, name)


def rows(value: Any, name: str) -> Array:
    """Rows of numbers, equally long."""
    found = [row(each, name) for each in listed(value, name)]
    if len({len(each) for each in found}) != 1:
        raise Damaged(f"{name}: must be a list of rows of equal length")
    return np.array(found, dtype=np.float64)


def variances_or_rows(value: Any, name: str) -> Array:
    """A covariance matrix, or the variances alone."""
    if isinstance(value, list) and any(isinstance(item, list) for item in value):
        return rows(value, name)
    return row(value, name)


def _unpacked(value: Fields, name: str) -> Array:
    """No more is inflated than was announced and one byte: a small file cannot fill the memory unannounced."""
    fields = read_fields(value, {"count": _count, "doubles": text}, f"{name}.")
    size, inflater = 8 * fields["count"], zlib.decompressobj()
    try:
        raw = inflater.decompress(base64.b64decode(fields["doubles"], validate=True), size + 1)
    except (ValueError, zlib.error):
        raise Damaged(f"{name}: the packed numbers are damaged, save the model again") from None
    if len(raw) != size or not inflater.eof or inflater.unused_data:
        raise Damaged(f"{name}: must hold as many packed numbers as it says")
    found = np.frombuffer(raw, dtype="<f8").astype(np.float64)
    if not np.isfinite(found).all():
        raise Damaged(f"{name}: must be finite")
    return found


def _count(value: Any, name: str) -> int:
    if type(value) is not int or not 1 <= value <= LARGEST:
        raise Damaged(f"{name}: must be a whole number from 1 to {LARGEST}")
    return value
