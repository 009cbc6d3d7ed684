"""OpenDP's samplers as the source of noise, for those who trust them more than ours.  Slower; needs the extra."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.gate.noise.bits import SecureBits, Words

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class OpenDPBits:
    """Secure words for what OpenDP has no sampler for, and OpenDP's discrete Laplace and Gaussian."""

    @property
    def seeded(self) -> bool:
        return False

    def words(self, count: int) -> Words:
        return SecureBits().words(count)

    def spawn(self) -> OpenDPBits:
        return self

    def laplace(self, scale: int, size: int) -> Integers:
        dp = _prelude()
        domain = dp.vector_domain(dp.atom_domain(T="i64"), size=size)
        return _drawn(dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=float(scale)), size)

    def gaussian(self, sigma: float, size: int) -> Integers:
        dp = _prelude()
        domain = dp.vector_domain(dp.atom_domain(T="i64"), size=size)
        return _drawn(dp.m.make_gaussian(domain, dp.l2_distance(T="i64"), scale=sigma), size)


def _prelude() -> Any:
    try:
        import opendp.prelude as dp
    except ImportError:
        raise InvalidInput('noise="opendp": the package is missing, pip install "equipoise[opendp]"') from None
    dp.enable_features("contrib")
    return dp


def _drawn(measurement: Any, size: int) -> Integers:
    """Noise added to zeros is noise."""
    return np.asarray(measurement([0] * size), dtype=np.int64)
