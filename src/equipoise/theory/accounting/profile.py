"""The exact privacy curve of many pure mechanisms and one Gaussian shift.

Every ε-DP mechanism is a processing of randomised response, whose privacy loss is ±ε.  The losses of independent
responses add, so their joint law is a convolution of two-point laws; a Gaussian shift then enters in closed form.
Only positive numbers are added and multiplied, hence small δ keep their relative accuracy (an FFT would lose
them below 1e-15).  Proofs: docs/proofs/accounting.md.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from equipoise.theory.accounting.convert import TINY, Array, gaussian_curve
from equipoise.theory.accounting.parts import exact_sum
from equipoise.theory.extremes import LARGEST_EPSILON
from equipoise.theory.rounding import LONG_SUM, ONE_STEP, up

Integers = npt.NDArray[np.int64]

_TAIL = math.exp(-100)  # probability that may be cut off, each time, and is then counted as leaked
_CELLS = 2**15  # grid cells across the reach of the loss
_MOST = 10_000_000  # equal responses; beyond, even the atoms within the tails are too many
_WORK = 500_000_000  # multiplications allowed: well under a second
_BITS = (12, 10, 8, 6)  # of ε that are kept, rounded up, where there are too many different ones
_FINEST = 1e-290


@dataclass(frozen=True, slots=True)
class LossLaw:
    """Privacy losses with their probabilities; `leak` is the probability of an unbounded loss."""

    losses: Array
    masses: Array
    leak: float
    slack: float  # by how much rounding may have moved a loss
    coarse: bool = False  # whether ε were rounded up first

    def delta(self, epsilon: float, shift: float = 0.0) -> float:
        """δ at ε when a Gaussian shift is composed with it, rounded up."""
        excess = (epsilon - self.slack * (1 + epsilon)) - self.losses
        curve = gaussian_curve(excess, shift) if shift > 0 else -np.expm1(np.minimum(excess, 0.0))
        total = self.leak + up(float(np.sum(self.masses * curve)), LONG_SUM)
        return min(1.0, max(total, TINY if shift > 0 else 0.0))


@dataclass(frozen=True, slots=True)
class _Cells:
    """Masses on a grid; the first cell stands at `lowest` steps."""

    lowest: int
    masses: Array
    leak: float


def loss_law(responses: Mapping[float, int]) -> LossLaw | None:
    """The loss of `count` responses at each ε > 0, at least one ε; None if it would take too long, or nowhere.

    Where there are too many different ε, those that agree in their first bits count as the largest with these bits.
    """
    if max(responses.values()) > _MOST or exact_sum(responses) > LARGEST_EPSILON:
        return None
    if _work(responses) <= _WORK:
        return _law(responses)
    for bits in _BITS:
        fewer = _rounded_up(responses, bits)
        if _work(fewer) <= _WORK:
            within = max(fewer.values()) <= _MOST and exact_sum(fewer) <= LARGEST_EPSILON
            law = _law(fewer) if within else None
            return None if law is None else replace(law, coarse=True)
    return None


def _rounded_up(responses: Mapping[float, int], bits: int) -> Counter[float]:
    """To so many bits: a response at a larger ε is one of which that at a smaller is a processing.  Fewer bits round
    no ε to less, so that a release more never makes the answer smaller."""
    fewer: Counter[float] = Counter()
    for epsilon, count in responses.items():
        mantissa, exponent = math.frexp(epsilon)
        shorter = math.ldexp(math.ceil(math.ldexp(mantissa, bits)), exponent - bits)
        fewer[max(epsilon, shorter)] += count  # the smallest doubles have fewer bits, and would be rounded down
    return fewer


def _law(responses: Mapping[float, int]) -> LossLaw | None:
    """Of responses that do not take too long."""
    if len(responses) == 1:
        ((epsilon, count),) = responses.items()
        losses, masses, leak = _same(epsilon, count)
        return LossLaw(losses, masses, leak, _slack(losses, 1))
    cell = 2 * _reach(responses) / _CELLS
    if cell < _FINEST:  # losses that no grid of doubles can tell apart
        return None
    step = 2.0 ** math.ceil(math.log2(cell))
    if step > 1:
        return None
    cells = _Cells(0, np.ones(1), 0.0)
    for epsilon, count in sorted(responses.items()):
        cells = _add(cells, _on_grid(epsilon, count, step))
    losses = (cells.lowest + np.arange(len(cells.masses), dtype=np.float64)) * step
    return LossLaw(losses, cells.masses, cells.leak, _slack(losses, len(responses)))


def _slack(losses: Array, terms: int) -> float:
    return ONE_STEP * (10 + terms) * (1 + float(np.max(np.abs(losses))))


def _reach(responses: Mapping[float, int]) -> float:
    """The loss stays within this of zero, but for a tail of Hoeffding's inequality."""
    total = math.fsum(e * m for e, m in responses.items())
    mean = math.fsum(e * m * math.tanh(e / 2) for e, m in responses.items())
    return min(total, mean + 15 * math.sqrt(math.fsum(e * e * m for e, m in responses.items())))


def _work(responses: Mapping[float, int]) -> float:
    return _CELLS * math.fsum(min(2 * m + 2, 30 * math.sqrt(m)) for m in responses.values())


def _same(epsilon: float, count: int) -> tuple[Array, Array, float]:
    """Losses and masses of `count` equal responses: binomial.  Atoms beyond Hoeffding's tail are leaked."""
    centre, radius = count / (1 + math.exp(-epsilon)), math.sqrt(50 * count)
    first, last = max(0, math.floor(centre - radius)), min(count, math.ceil(centre + radius))
    hits = np.arange(first, last + 1, dtype=float)
    log_hit = -math.log1p(math.exp(-epsilon))
    parts = (gammaln(hits + 1), gammaln(count - hits + 1), -hits * log_hit, (hits - count) * (log_hit - epsilon))
    whole = float(gammaln(count + 1))
    slack = ONE_STEP * (2 + whole + np.sum(parts, axis=0))
    masses = np.exp(np.minimum(whole - np.sum(parts, axis=0) + slack, 0.0))
    leak = 0.0 if (first, last) == (0, count) else 2 * _TAIL
    return (2 * hits - count) * epsilon, masses, leak


def _on_grid(epsilon: float, count: int, step: float) -> _Cells:
    """Each atom split between the two grid points around it, so that its mass keeps its size and its likelihood
    ratio its mean: a spread of the ratio, which can only raise δ."""
    losses, masses, leak = _same(epsilon, count)
    below = np.floor(losses / step).astype(np.int64)
    share = np.clip(np.expm1((below + 1) * step - losses) / math.expm1(step), 0.0, 1.0)
    cells = np.zeros(int(below[-1] - below[0]) + 2)
    np.add.at(cells, below - below[0], masses * share)
    np.add.at(cells, below - below[0] + 1, masses * (1 - share))
    return _Cells(int(below[0]), cells, leak)


def _add(left: _Cells, right: _Cells) -> _Cells:
    """The law of the sum of two independent losses."""
    if np.count_nonzero(left.masses) < np.count_nonzero(right.masses):
        left, right = right, left  # fewer turns of the loop below
    total = np.zeros(len(left.masses) + len(right.masses) - 1)
    for place in np.flatnonzero(right.masses):
        total[place : place + len(left.masses)] += right.masses[place] * left.masses
    first = int(np.searchsorted(np.cumsum(total), _TAIL))
    last = len(total) - int(np.searchsorted(np.cumsum(total[::-1]), _TAIL))
    cut = float(total[:first].sum() + total[last:].sum())
    return _Cells(left.lowest + right.lowest + first, total[first:last], left.leak + right.leak + cut)
