"""The spherical lattice law on Z^d, P(k) ∝ exp(-rate · ‖k‖₂), as a mixture of discrete Gaussians.

Draw a variance v from Gamma((d + 1)/2, rate²/2), then d independent discrete Gaussians of that variance.  How far
this is from the law above is bounded in theory/accounting/slack.py.  The variance must never leave this file.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from equipoise._checks import positive, whole
from equipoise.gate.noise.batches import Integers
from equipoise.gate.noise.bits import Bits, Words
from equipoise.gate.noise.gaussian import LARGEST_SIGMA, discrete_gaussian
from equipoise.gate.noise.laplace import discrete_laplace
from equipoise.theory.accounting.slack import check_lattice


def spherical_lattice(rate: float, dim: int, bits: Bits) -> Integers:
    """One vector k of Z^dim with P(k) ∝ exp(-rate · ‖k‖₂).

    In one dimension the law is the discrete Laplace; its scale is rounded up to a whole number, which adds noise.
    """
    rate, dim = positive(rate=rate), whole(dim=dim)
    if dim == 1:
        return discrete_laplace(math.ceil(1 / Fraction(rate)), 1, bits)
    check_lattice(rate, dim)
    return _mixture(rate, dim, bits)


def _mixture(rate: float, dim: int, bits: Bits) -> Integers:
    sigma = math.sqrt(2 * _gamma(dim + 1, bits)) / rate
    return discrete_gaussian(min(sigma, LARGEST_SIGMA), dim, bits)


def _gamma(twice_shape: int, bits: Bits) -> float:
    """Gamma(twice_shape / 2) with unit scale: exponentials, and half a squared normal if the shape has a half."""
    terms = _exponentials(twice_shape // 2 + twice_shape % 2, bits)
    if twice_shape % 2:
        terms[-1] *= math.sin(math.pi / 2 * float(_unit(bits.words(3).reshape(3, 1))[0])) ** 2
    return math.fsum(terms.tolist())


def _exponentials(count: int, bits: Bits) -> npt.NDArray[np.float64]:
    """Standard exponentials -log(U), precise relative to their own size at both ends of U's range."""
    words = bits.words(3 * count).reshape(3, count)
    above_half = words[0] >= np.uint64(2**63)
    small = _unit(np.where(above_half, ~words, words))
    return np.where(above_half, -np.log1p(-small), -np.log(small))


def _unit(words: Words) -> npt.NDArray[np.float64]:
    """(W + ½) / 2^192 for the 192-bit number W in each column; flipping its bits gives one minus this."""
    head, middle, tail = words.astype(np.float64)
    return np.asarray((head + (middle + (tail + 0.5) * 2.0**-64) * 2.0**-64) * 2.0**-64, dtype=np.float64)
