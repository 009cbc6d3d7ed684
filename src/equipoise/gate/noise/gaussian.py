"""The discrete Gaussian law on the integers, P(k) ∝ exp(-k² / (2σ²)), drawn exactly.

Method: Canonne, Kamath, Steinke 2020, "The Discrete Gaussian for Differential Privacy", Algorithm 3, in blocks.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from equipoise._checks import positive, shown
from equipoise.errors import InvalidInput
from equipoise.gate.noise.batches import Integers, collect
from equipoise.gate.noise.bernoulli import MARGIN, bernoulli_exp
from equipoise.gate.noise.bits import Bits
from equipoise.gate.noise.laplace import discrete_laplace
from equipoise.gate.noise.opendp_source import OpenDPBits

LARGEST_SIGMA = 2.0**45

_ACCEPTANCE = 0.76  # sqrt(π/2) · exp(-1/2), the limit for large σ


def discrete_gaussian(sigma: float, size: int, bits: Bits, margin: float = MARGIN) -> Integers:
    """`size` independent integers k with P(k) ∝ exp(-k² / (2σ²)); the double σ is taken as an exact fraction."""
    sigma = positive(sigma=sigma)
    if sigma > LARGEST_SIGMA:
        raise InvalidInput(f"sigma={shown(sigma)}: must be at most 2**45, use a coarser grid")
    if isinstance(bits, OpenDPBits):
        return bits.gaussian(sigma, size)
    proposal_scale = math.floor(sigma) + 1

    def propose(count: int) -> Integers:
        proposed = discrete_laplace(proposal_scale, count, bits, margin)
        distance = np.abs(proposed) / sigma - sigma / proposal_scale

        def exact(index: int) -> Fraction:
            return _exponent(int(proposed[index]), Fraction(sigma), proposal_scale)

        return proposed[bernoulli_exp(distance * distance / 2, exact, bits, margin)]

    return collect(size, _ACCEPTANCE, propose)


def _exponent(value: int, sigma: Fraction, scale: int) -> Fraction:
    """Accepting `value` with probability exp(-this) turns the Laplace law of that scale into the Gaussian."""
    return (abs(value) * scale - sigma**2) ** 2 / (2 * sigma**2 * scale**2)
