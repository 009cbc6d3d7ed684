"""The discrete Laplace law on the integers, P(k) ∝ exp(-|k| / scale), drawn exactly.

Method: Canonne, Kamath, Steinke 2020, "The Discrete Gaussian for Differential Privacy", Algorithm 2, in blocks.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from equipoise._checks import shown, whole
from equipoise.errors import InvalidInput
from equipoise.gate.noise.batches import Integers, collect
from equipoise.gate.noise.bernoulli import MARGIN, bernoulli_exp
from equipoise.gate.noise.bits import Bits
from equipoise.gate.noise.opendp_source import OpenDPBits

LARGEST_SCALE = 2**46
MOST_LEVELS = 2**16
"""With the largest scale, results stay below 2^63.  Reaching this level has probability exp(-65536)."""

_ACCEPTANCE = 0.632  # 1 - 1/e, met from above: exp(-u) averaged over [0, 1)


def discrete_laplace(scale: int, size: int, bits: Bits, margin: float = MARGIN) -> Integers:
    """`size` independent integers k with P(k) ∝ exp(-|k| / scale)."""
    if whole(scale=scale) > LARGEST_SCALE:
        raise InvalidInput(f"scale={shown(scale)}: must be at most 2**46, use a coarser grid")
    scale = int(scale)
    if isinstance(bits, OpenDPBits):
        return bits.laplace(scale, size)

    def propose(count: int) -> Integers:
        return _signed(_one_sided(scale, count, bits, margin), bits)

    return collect(size, _ACCEPTANCE, propose)


def _one_sided(scale: int, count: int, bits: Bits, margin: float) -> Integers:
    """From `count` proposals, accepted integers k >= 0 with P(k) ∝ exp(-k / scale)."""
    below = _uniform_below(scale, count, bits)
    kept = below[bernoulli_exp(below / scale, lambda i: Fraction(int(below[i]), scale), bits, margin)]
    return kept + scale * _levels(kept.size, bits, margin)


def _levels(count: int, bits: Bits, margin: float) -> Integers:
    """How many flips with probability 1/e succeed before the first that fails."""
    levels = np.zeros(count, dtype=np.int64)
    climbing = np.arange(count)
    for _ in range(MOST_LEVELS):
        if climbing.size == 0:
            break
        climbing = climbing[bernoulli_exp(np.ones(climbing.size), lambda _: Fraction(1), bits, margin)]
        levels[climbing] += 1
    return levels


def _signed(magnitudes: Integers, bits: Bits) -> Integers:
    """Give each a random sign and drop the negative zeros, so that zero is not counted twice."""
    negative = _coins(magnitudes.size, bits)
    kept: npt.NDArray[np.bool_] = ~negative | (magnitudes != 0)
    return np.where(negative, -magnitudes, magnitudes)[kept]


def _uniform_below(limit: int, count: int, bits: Bits) -> Integers:
    """Uniform on 0 … limit - 1, from `count` words less the few beyond the last whole multiple of `limit`."""
    words = bits.words(count)
    excess = 2**64 % limit
    if excess:
        words = words[words < np.uint64(2**64 - excess)]
    return (words % np.uint64(limit)).astype(np.int64)


def _coins(count: int, bits: Bits) -> npt.NDArray[np.bool_]:
    words = bits.words(-(-count // 64))
    return np.unpackbits(words.view(np.uint8), count=count).astype(np.bool_)
