"""Choices made from public facts alone."""

from __future__ import annotations

import math

from equipoise._checks import positive, whole
from equipoise.theory.losses import Squared


def data_independent(n: int, d: int, epsilon: float, R: float = 1.0) -> float:
    """The ridge that minimises a bound on the risk of ε-private least squares: λ = (2ρ/R)·√(d/(nε)).

    For rows and labels of at most 1 and coefficients within R, the loss has slope ρ = 2(R + 1), the minimiser
    moves by at most 2ρ/(λn), and spherical noise for it has mean length 2ρd/(λnε).  Noise then costs at most
    ρ times that, the ridge at most λR²/2, and λ balances the two.  Wu et al. (2015) print √(d/(nε)).
    """
    whole(n=n)
    whole(d=d)
    slope = Squared().facts(positive(R=R)).slope
    return 2 * slope / R * math.sqrt(d / (n * positive(epsilon=epsilon)))
