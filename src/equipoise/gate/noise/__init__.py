"""Secure integer noise: exact samplers, the grid they live on, and what arithmetic costs.  Scales are in grid steps."""

from equipoise.gate.noise.bernoulli import bernoulli_exp
from equipoise.gate.noise.bits import Bits, RandomState, SecureBits, SeededBits, bits_from
from equipoise.gate.noise.gaussian import discrete_gaussian
from equipoise.gate.noise.grid import Grid
from equipoise.gate.noise.laplace import discrete_laplace
from equipoise.gate.noise.numeric import Slack, delta_numeric, gaussian_slack, spherical_slack
from equipoise.gate.noise.opendp_source import OpenDPBits
from equipoise.gate.noise.spherical import spherical_lattice

__all__ = [
    "Bits",
    "Grid",
    "OpenDPBits",
    "RandomState",
    "SecureBits",
    "SeededBits",
    "Slack",
    "bernoulli_exp",
    "bits_from",
    "delta_numeric",
    "discrete_gaussian",
    "discrete_laplace",
    "gaussian_slack",
    "spherical_lattice",
    "spherical_slack",
]
