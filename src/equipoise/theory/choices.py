"""Choices made from public facts alone, and how far one record moves the scores by which others are made."""

from __future__ import annotations

import math

from equipoise._checks import positive, whole
from equipoise.theory.losses import Squared

UP = 1 + 1e-14
"""Sensitivities are rounded towards privacy."""


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


def largest_squared_loss(coef_norm: float, row_norm: float, label_bound: float = 1.0) -> float:
    """(RB + Y)²: what the squared loss of a record can be while coefficients stay within R."""
    return (positive(coef_norm=coef_norm) * row_norm + label_bound) ** 2 * UP


def of_mean_loss(cap: float, rows: int) -> float:
    """How far one replaced record moves a mean of losses within [0, cap]."""
    return cap / whole(rows=rows) * UP
