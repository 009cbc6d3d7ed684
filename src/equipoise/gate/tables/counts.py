"""Noisy counts: the discrete Laplace law for whole numbers, shared by the mechanisms that release histograms.

Counts lie on every grid whose step is 1 or a power of two below it, so nothing is rounded and δ_numeric is 0.  The
argument is section 1 of docs/proofs/histogram_density.md.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from equipoise.errors import MechanismRefused
from equipoise.gate.door import add_noise
from equipoise.gate.laws import drawable
from equipoise.gate.noise import Bits, Grid
from equipoise.inside import Private
from equipoise.ledger import Entry
from equipoise.theory.events import Event
from equipoise.theory.noise import Law, Noise
from equipoise.theory.rounding import ONE_STEP, up

Array = npt.NDArray[np.float64]

NOISE_BITS = 10
"""Steps to the noise scale: rounding the scale up to whole steps costs at most a thousandth."""

LARGEST_SCALE = 2.0**40

SMALLEST_SCALE = 2.0**-20
"""Counts up to 2²² pass a grid of that scale without being clamped, and noise of it moves none to another: less
cannot be seen.  Where ε asks for less this is drawn, which is more noise than needed and private all the more."""


def counts_noise(cells: int, moved: int, epsilon: float) -> Noise:
    """The law that makes counts with this L1 sensitivity ε-private."""
    scale = max(SMALLEST_SCALE, up(moved / epsilon, ONE_STEP))
    if not scale <= LARGEST_SCALE:
        raise MechanismRefused(f"epsilon: too small for counts, raise it above {moved / LARGEST_SCALE:.2g}")
    step = min(1.0, Grid.for_scale(scale, NOISE_BITS).step)
    return drawable(Noise(Law.LAPLACE, math.ceil(scale / step) * step, step, cells))


def private_histogram(counts: Private[Array], noise: Noise, event: Event, entry: Entry, bits: Bits) -> Array:
    """The counts with fresh noise, negative ones and all; what is made of them is post-processing."""
    return add_noise(counts, noise, event, entry, bits)
