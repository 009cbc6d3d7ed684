"""Secure integer noise: exact samplers and the grid they live on.  Scales are in grid steps."""

from equipoise.gate.noise.bernoulli import bernoulli_exp
from equipoise.gate.noise.bits import Bits, RandomState, SecureBits, SeededBits, bits_from
from equipoise.gate.noise.gaussian import discrete_gaussian
from equipoise.gate.noise.grid import Grid
from equipoise.gate.noise.laplace import discrete_laplace
from equipoise.gate.noise.opendp_source import OpenDPBits
from equipoise.gate.noise.spherical import spherical_lattice

__all__ = [
    "Bits",
    "Grid",
    "OpenDPBits",
    "RandomState",
    "SecureBits",
    "SeededBits",
    "bernoulli_exp",
    "bits_from",
    "discrete_gaussian",
    "discrete_laplace",
    "spherical_lattice",
]
