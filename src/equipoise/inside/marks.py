"""Marks by which rows are known again, where they are lost and made anew: nobody has a use in forging one.

Rows join words, one for each column of some rows, in turn.  A step takes half of a word times an odd number, adds the
other half and exchanges the two: whatever the word was, another number leaves another word, and what differs spreads
over all bits in two steps.  So one number that is another always changes a word; and numbers that change together, by
their sign say, do not cancel as they would in a sum.  A CRC of the words is the mark: it misses one accident in four
billion (docs/proofs/entrance.md).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.inside import compiled

Words = npt.NDArray[np.uint64]

SOME = 2**11
"""Words that are joined in turn, about: they stay at hand, and numpy has as many to do at once."""

LONG = 64
"""Of numbers that are no rows, so many make one."""

SEED, ODD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0x9E3779B1)
"""Any number whose bits are mixed, and any odd one of 32 bits; passes.c has the second as well."""

HALF, LOW = np.uint64(32), np.uint64(2**32 - 1)


def words_for(columns: int) -> Words:
    """For rows of so many numbers, before any has joined."""
    return np.full(max(1, SOME // columns) * columns, SEED)


def join(rows: npt.NDArray[np.float64], words: Words) -> None:
    """Rows of our own, in one piece, join."""
    if compiled.PASSES is not None:
        compiled.PASSES.lengths(rows, None, words)
        return
    flat = rows.reshape(-1).view(np.uint64)
    for start in range(0, flat.size, words.size):
        new = flat[start : start + words.size]
        old = words[: new.size]
        np.bitwise_xor(old, new, out=old)
        mixed = (old & LOW) * ODD + (old >> HALF << HALF)
        np.bitwise_or(mixed << HALF, mixed >> HALF, out=old)


def mark_of_words(words: Words) -> int:
    """Of all rows that have joined."""
    return zlib.crc32(words.data)


def mark_of_marks(marks: Iterable[int]) -> int:
    """One for several, in their order."""
    return zlib.crc32(np.array(list(marks), dtype=np.int64).data)


def mark_of_arrays(arrays: Iterable[npt.NDArray[Any]]) -> int:
    """Of whole arrays of our own, whatever numbers they hold, and of their sizes."""
    return mark_of_marks(one for held in arrays for one in (held.nbytes, _mark_of_bytes(held)))


def _mark_of_bytes(held: npt.NDArray[Any]) -> int:
    flat = np.ascontiguousarray(held).reshape(-1).view(np.uint8)
    whole = flat.size // (8 * LONG) * 8 * LONG
    words = words_for(LONG)
    if whole:
        some = flat[:whole]
        aligned = some if some.ctypes.data % 8 == 0 else some.copy()
        join(aligned.view(np.float64).reshape(-1, LONG), words)
    return zlib.crc32(flat[whole:].data, mark_of_words(words))
