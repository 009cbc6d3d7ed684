"""What tests of draws share: words from a list, and the chance of what was drawn under a law."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from equipoise.gate.noise.bits import Words

EVERYTHING = 2.0
"""A margin so wide that exact arithmetic settles every draw."""

CELLS = np.abs(np.arange(-2000, 2001))


@dataclass
class Listed:
    """Words from a list, then zeros."""

    words_left: list[int]
    seeded: bool = True

    def words(self, count: int) -> Words:
        taken, self.words_left = self.words_left[:count], self.words_left[count:]
        return np.array(taken + [0] * (count - len(taken)), dtype=np.uint64)

    def spawn(self) -> Listed:
        return self


def chance_of(drawn: npt.NDArray[np.int64], weights: npt.NDArray[np.float64]) -> float:
    """p-value of whole numbers against P(k) ∝ weights[k + half]; cells that expect fewer than 100 are pooled."""
    half = len(weights) // 2
    expected = weights / weights.sum() * len(drawn)
    seen = np.bincount(np.clip(drawn, -half, half) + half, minlength=len(weights))
    often = expected >= 100
    pooled = np.append(expected[often], max(expected[~often].sum(), 1e-9))
    counts = np.append(seen[often], seen[~often].sum())
    if pooled[-1] < 100:
        pooled, counts = np.append(pooled[:-2], pooled[-2:].sum()), np.append(counts[:-2], counts[-2:].sum())
    return float(stats.chisquare(counts, pooled).pvalue)
