"""How far released numbers may be from what they estimate: standard errors and intervals, free of privacy cost.

The noise's law and scale are public, so stating them again tells nothing new.  Proofs: docs/proofs/uncertainty.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import erfc, gammainccinv, gammaincinv, ndtri

from equipoise._checks import not_negative, number, one_of, shown
from equipoise.errors import InvalidInput
from equipoise.theory.noise import Law

Array = npt.NDArray[np.float64]

MINIMISER = "the non-private minimiser"
POPULATION = "the population coefficients"
NOISELESS = "the same fit without noise"
"""Of a walk or a tilted problem; then variances are upper bounds."""
FROM_THE_MIDDLE = "the same steps from the same middle, without noise"
"""Of a walk over rows that are seen from a released middle: the noise in that is not among the errors."""
COVERS = (MINIMISER, POPULATION, NOISELESS, FROM_THE_MIDDLE)

NODES = 1000
"""Of the quadrature; a quarter of them gives the same digits."""


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """The error of `estimate`, in the caller's units: a row per output, its coefficients and then its intercept.

    `estimate` is what the gate released, before it was brought back into a ball or shrunk.  `covariance` is square,
    or flat: then it holds the variances alone.
    """

    estimate: Array
    covariance: Array
    law: Law
    covers: str
    """What the estimate is compared with.  Around the minimiser, or the same fit without noise, there is privacy noise
    alone, no sampling error."""
    slack: float = 0.0
    """Standard errors that certified solving and rounding may add on top."""

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law):
            raise InvalidInput(f"law={shown(self.law)}: must be a Law, such as Law.GAUSSIAN")
        one_of(COVERS, covers=self.covers)
        not_negative(slack=self.slack)
        object.__setattr__(self, "estimate", _frozen(self.estimate, "estimate"))
        object.__setattr__(self, "covariance", _frozen(self.covariance, "covariance"))
        if self.estimate.ndim != 2:
            raise InvalidInput("estimate: needs a row of coefficients and intercept for each output")
        if self.covariance.shape not in ((self.estimate.size,), (self.estimate.size,) * 2):
            raise InvalidInput("covariance: needs a row and a column, or a variance, for each number of the estimate")
        if (self.variances < 0).any():
            raise InvalidInput("covariance: variances must be >= 0")
        if not np.array_equal(self.covariance, self.covariance.T):
            raise InvalidInput("covariance: must be symmetric")

    @property
    def variances(self) -> Array:
        return self.covariance if self.covariance.ndim == 1 else np.diagonal(self.covariance)

    @property
    def standard_errors(self) -> Array:
        """Shaped as `estimate`; zero for an intercept that was not fitted."""
        return np.sqrt(self.variances).reshape(self.estimate.shape)

    @property
    def noisy(self) -> int:
        """How many numbers carry noise: the dimension of a spherical law."""
        return int(np.count_nonzero(self.variances))

    def reach(self, level: float) -> Array:
        """Half the width of each interval that holds what it estimates with probability `level`."""
        return self.standard_errors * (quantile(self.law, self.noisy, level) + self.slack)


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Each number's own interval at `level`, shaped as `coef_` and `intercept_`; not a joint statement."""

    level: float
    covers: str
    coef_low: Array
    coef_high: Array
    intercept_low: Array | float
    intercept_high: Array | float


def quantile(law: Law, dim: int, level: float) -> float:
    """How many standard deviations either side hold `level` of one coordinate of the law."""
    if not 0 < number(level=level) < 1 or 1 - level == 1:  # of the smallest, doubles cannot tell what they leave out
        raise InvalidInput(f"level={shown(level)}: must be between 0 and 1, such as 0.95")
    if law is Law.GAUSSIAN or dim == 0:
        return -float(ndtri((1 - level) / 2))
    if law is Law.LAPLACE or dim == 1:
        return -math.log1p(-level) / math.sqrt(2)
    return _spherical_quantile(dim, float(level)) / math.sqrt(dim + 1)


@lru_cache(maxsize=64)
def _spherical_quantile(dim: int, level: float) -> float:
    """In units of the scale s.  The norm has a Gamma(dim) law and is never below a coordinate: that is the bracket."""
    farthest = 2 * float(gammainccinv(dim, 1 - level))
    return float(brentq(lambda x: spherical_tail(dim, x) - (1 - level), 0.0, farthest, xtol=1e-12, rtol=1e-12))


def spherical_tail(dim: int, x: float) -> float:
    """P(|coordinate| > x·s) for the law ∝ exp(−‖k‖/s): a normal of variance 2s²·Gamma((dim+1)/2), averaged."""
    logs, weights = _gamma_nodes((dim + 1) / 2)
    return float(weights @ erfc(x / 2 * np.exp(-logs / 2)))


def _gamma_nodes(shape: float) -> tuple[Array, Array]:
    """Trapezoids for means over log Gamma(shape): its density is analytic and dies off fast, so few are needed."""
    logs = np.linspace(math.log(gammaincinv(shape, 1e-20)), math.log(gammainccinv(shape, 1e-40)), NODES)
    heights = shape * logs - np.exp(logs)
    weights = np.exp(heights - heights.max())
    return logs, weights / weights.sum()


def _frozen(value: Array, name: str) -> Array:
    array = np.array(value, dtype=np.float64)
    if not np.isfinite(array).all():
        raise InvalidInput(f"{name}: must be finite")
    array.flags.writeable = False
    return array
