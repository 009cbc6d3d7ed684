"""Random Fourier features: cosines and sines of a row, whose products are a kernel on average.

Frequencies are expanded from a public seed, never from records.  Every lifted row has norm one, less a hair, whatever
they are (docs/proofs/lifted_rows.md, section 2).
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtri

from equipoise._checks import moderate, one_of, whole
from equipoise.errors import InvalidInput
from equipoise.rows.owned import Array
from equipoise.rows.within import RowBounds
from equipoise.theory.bounds import clip_margin

RBF, LAPLACE = "rbf", "laplace"
KERNELS = (RBF, LAPLACE)

SEED_BYTES = 16
MOST_FREQUENCIES = 2**15
BLOCK_ENTRIES = 2**20
"""Phases computed at once: eight megabytes."""


@dataclass(frozen=True, slots=True)
class Fourier:
    """`kernel` of `bandwidth`, in units of the longest row, by this many frequencies."""

    bounds: RowBounds
    width: int
    kernel: str
    bandwidth: float
    frequencies: int
    seed: int = 0

    def __post_init__(self) -> None:
        one_of(KERNELS, kernel=self.kernel)
        moderate(bandwidth=self.bandwidth)
        if whole(frequencies=self.frequencies) > MOST_FREQUENCIES:
            raise InvalidInput(f"frequencies={self.frequencies}: must be at most {MOST_FREQUENCIES}")
        self.bounds.check_width(whole(columns=self.width))
        if not 0 <= self.seed < 2 ** (8 * SEED_BYTES):
            raise InvalidInput(f"seed: must be a whole number of at most {8 * SEED_BYTES} bits")

    @property
    def features(self) -> int:
        return 2 * self.frequencies

    @property
    def norm(self) -> float:
        return 1.0

    @property
    def constant(self) -> bool:
        return False

    @property
    def share(self) -> float:
        """What cosines and sines are multiplied by: rows stay short enough never to be clipped."""
        return (1 - 4 * clip_margin(self.features)) / math.sqrt(self.frequencies)

    def readable(self, X: Any) -> Any:
        """Numbers as they are."""
        return X

    def rows(self, X: Any) -> Array:
        """(rows, features): cosines, then sines."""
        table: Any = self.bounds.in_units_of_the_fit(X)
        matrix: Any = csr_array(table)
        waves = drawn(self.kernel, self.bandwidth * self.bounds.row_norm, self.width, self.frequencies, self.seed)
        result = np.empty((matrix.shape[0], self.features))
        height = max(1, BLOCK_ENTRIES // self.frequencies)
        for first in range(0, matrix.shape[0], height):
            part = slice(first, first + height)
            phases = matrix[part] @ waves  # compressed rows are multiplied one by one
            result[part, : self.frequencies] = np.cos(phases)
            result[part, self.frequencies :] = np.sin(phases)
        result *= self.share
        return result


@lru_cache(maxsize=4)
def drawn(kernel: str, scale: float, width: int, count: int, seed: int) -> Array:
    """(width, count): the frequencies of this seed, the same on every machine up to the last place."""
    stream = hashlib.shake_256(seed.to_bytes(SEED_BYTES, "little")).digest(8 * width * count)
    words = np.frombuffer(stream, dtype="<u8") >> np.uint64(11)
    uniform = (words.astype(np.float64) + 0.5) * 2.0**-53
    waves = ndtri(uniform) if kernel == RBF else np.tan(np.pi * (uniform - 0.5))
    found = np.asarray(waves.reshape(width, count) / scale)
    found.flags.writeable = False
    return found
