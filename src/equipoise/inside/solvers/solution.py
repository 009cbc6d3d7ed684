"""What every solver returns, or the one way in which it fails."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.errors import NotCertified
from equipoise.inside.certificate import Certificate
from equipoise.inside.design.contract import Array


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """A point and the proof of how close it is."""

    point: Array
    certificate: Certificate


def certified(point: Array, certificate: Certificate, radius: float) -> Solution:
    """The solution, unless its certificate is too weak."""
    if not certificate.distance <= radius:
        raise not_certified()
    return Solution(point, certificate)


def not_certified() -> NotCertified:
    """The radius was smaller than this solver reaches; of those that a plan asks for, the last resort reaches all."""
    return NotCertified("the solver could not prove that it is close enough to the minimiser: raise alpha")
