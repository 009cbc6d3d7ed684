"""A lower bound on ε of any randomised release, from samples: what an honest attacker can prove.

The event is chosen on one half of the samples and tested on the other, so the bound stays valid at the stated
confidence whatever the choice (Clopper, Pearson 1934; Jagielski, Ullman, Oprea 2020).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy.stats import beta

from equipoise._checks import fraction, whole

Array = npt.NDArray[np.float64]
Data = TypeVar("Data")


@dataclass(frozen=True, slots=True)
class LowerBound:
    """The release is not (ε, δ)-private for any ε below `epsilon`, except with probability 1 − confidence."""

    epsilon: float
    delta: float
    confidence: float
    samples: int


def lower_bound(
    release: Callable[[Data], npt.ArrayLike],
    left: Data,
    right: Data,
    *,
    delta: float = 0.0,
    samples: int = 2000,
    confidence: float = 0.99,
) -> LowerBound:
    """Draw `samples` releases from each of two neighbouring data sets and bound ε from below at this δ."""
    whole(samples=samples)
    fraction(delta=delta)
    a, b = (np.array([np.ravel(release(data)) for _ in range(samples)], dtype=float) for data in (left, right))
    half = samples // 2
    statistic = _direction(a[:half], b[:half])
    scores_a, scores_b = statistic(a), statistic(b)
    threshold, above, a_first = _event(scores_a[:half], scores_b[:half], delta)
    held = (scores_a[half:], scores_b[half:]) if a_first else (scores_b[half:], scores_a[half:])
    hits = [int(np.sum(part >= threshold if above else part < threshold)) for part in held]
    count, risk = samples - half, (1 - confidence) / 2
    return LowerBound(_epsilon(hits[0], hits[1], count, delta, risk), delta, confidence, samples)


def _direction(a: Array, b: Array) -> Callable[[Array], Array]:
    """Project on the difference of the means, in units of the spread."""
    spread = np.std(np.concatenate([a, b]), axis=0) + 1e-300
    towards = (a.mean(axis=0) - b.mean(axis=0)) / spread**2
    return lambda values: values @ towards


def _event(a: Array, b: Array, delta: float) -> tuple[float, bool, bool]:
    """The threshold, its side and the data set it favours, that look best on the first half."""
    best, choice = -math.inf, (0.0, True, True)
    for threshold in np.quantile(np.concatenate([a, b]), np.linspace(0.01, 0.99, 99)):
        for above in (True, False):
            rates = [np.mean(part >= threshold if above else part < threshold) for part in (a, b)]
            for a_first in (True, False):
                p, q = rates if a_first else rates[::-1]
                found = _epsilon(int(p * len(a)), int(q * len(b)), len(a), delta, 0.05)
                if found > best:
                    best, choice = found, (float(threshold), above, a_first)
    return choice


def _epsilon(hits: int, misses: int, count: int, delta: float, risk: float) -> float:
    """log((p − δ)/q) with p bounded from below and q from above, each at this risk."""
    low = float(beta.ppf(risk, hits, count - hits + 1)) if hits > 0 else 0.0
    high = float(beta.ppf(1 - risk, misses + 1, count - misses)) if misses < count else 1.0
    return max(0.0, math.log((low - delta) / high)) if low > delta else 0.0
