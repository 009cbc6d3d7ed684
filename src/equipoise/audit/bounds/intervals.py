"""Confidence bounds that hold for every sample size: shares, means of bounded numbers, and two shares at once.

All of them err towards saying less: the stated risk is an upper bound on the chance of being wrong.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from equipoise._checks import number, shown
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Interval = tuple[float, float]

TILTS: Array = np.geomspace(1e-7, 40.0, 160)
"""Tried in Chernoff's bound.  Every one gives a valid bound; a finer grid would gain less than a part in a hundred."""


ASIDE = 0.1
"""The share of the risk spent on bounding the rarer side before both are compared (Berger, Boos 1994)."""


def share_of(**named: object) -> float:
    """A number strictly between 0 and 1, such as a confidence."""
    ((name, value),) = named.items()
    if not 0 < number(**named) < 1:
        raise InvalidInput(f"{name}={shown(value)}: must be in (0, 1)")
    return number(**named)


def share_above(hits: int, count: int, risk: float) -> float:
    """A number the true share is above, except with probability `risk` (Clopper, Pearson 1934)."""
    return float(shares_above(np.array([float(hits)]), count, risk)[0])


def share_below(hits: int, count: int, risk: float) -> float:
    """A number the true share is below, except with probability `risk`."""
    return float(shares_below(np.array([float(hits)]), count, risk)[0])


def shares_above(hits: Array, count: int, risk: float) -> Array:
    """`share_above` of many counts."""
    bound = np.asarray(betaincinv(np.maximum(hits, 1), count - np.maximum(hits, 1) + 1, risk), dtype=np.float64)
    return np.where(hits > 0, bound, 0.0)


def shares_below(hits: Array, count: int, risk: float) -> Array:
    """`share_below` of many counts."""
    return 1 - shares_above(count - hits, count, risk)


def share_between(hits: int, count: int, risk: float) -> Interval:
    """Both at half the risk."""
    return share_above(hits, count, risk / 2), share_below(hits, count, risk / 2)


def mean_slack(values: Array, width: float, risk: float) -> float:
    """How far the mean of independent numbers within `width` of each other may be to one side (Maurer, Pontil 2009)."""
    rarity = math.log(2 / risk)
    spread = math.sqrt(2 * float(np.var(values, ddof=1)) * rarity / len(values))
    return spread + 7 * width * rarity / (3 * (len(values) - 1))


def refutes(hits: Array, misses: Array, count: int, epsilons: Array, delta: float, risk: float) -> Flags:
    """Whether hits − e^ε·misses is too large to believe p ≤ e^ε·q + δ; wrong with probability at most `risk` each.

    Chernoff's bound for both samples at once, at the worst p and q that are left when q is first bounded at a tenth
    of the risk; docs/how-to/audit.md derives it.  One entry for each ε, with its own counts.
    """
    ceiling = shares_below(misses, count, ASIDE * risk)[:, None]
    factor = np.exp(epsilons)[:, None]
    seen = (hits / count)[:, None] - factor * (misses / count)[:, None]
    exponents = np.min(_tilted(TILTS[None, :], seen, factor, delta, ceiling), axis=1)
    believed: Flags = (seen[:, 0] <= delta) | (count * exponents > math.log((1 - ASIDE) * risk))
    return ~believed


def _tilted(tilt: Array, seen: Array, factor: Array, delta: float, ceiling: Array) -> Array:
    """log E exp(tilt·(A − e^ε·B)) − tilt·seen, at the q where it is largest: a concave function of q."""
    rise, fall = np.expm1(tilt), -np.expm1(-tilt * factor)
    base, slope = 1 + delta * rise, factor * rise
    highest = np.minimum(ceiling, (1 - delta) / factor)
    worst = np.clip((slope - fall * base) / (2 * slope * fall), 0.0, highest)
    bound: Array = np.log(base + slope * worst) + np.log1p(-worst * fall) - tilt * seen
    return bound
