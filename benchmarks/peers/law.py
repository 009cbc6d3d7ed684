"""The exact output law of logistic objective perturbation, by change of variables, for anybody's constants.

The released w minimises Σ log(1 + exp(−sᵢ⟨xᵢ, w⟩)) + ½Σⱼ ridgeⱼwⱼ² + ⟨b, w⟩ with b of density ∝ exp(−‖b‖/scale).  Each
w belongs to one b, so its density is that of b times the determinant of the Hessian at w.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.special import expit

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TiltedLaw:
    """Rows (with the intercept's column, if any), labels as ±1, the ridge of each coordinate in the sum, the noise."""

    rows: Array
    signs: Array
    ridge: Array
    scale: float

    def tilt(self, points: Array) -> Array:
        """The noise b that leads to each point."""
        pull = expit(-points @ (self.signs[:, None] * self.rows).T)
        tilt: Array = pull @ (self.signs[:, None] * self.rows) - self.ridge * points
        return tilt

    def log_density(self, points: Array) -> Array:
        """Up to a constant that depends on the noise alone, which neighbours share; −inf where no b leads."""
        margins = points @ (self.signs[:, None] * self.rows).T
        bend = expit(margins) * expit(-margins)
        hessian = np.diag(self.ridge) + np.einsum("pi,ij,ik->pjk", bend, self.rows, self.rows)
        logs: Array = np.linalg.slogdet(hessian)[1] - np.linalg.norm(self.tilt(points), axis=1) / self.scale
        return logs

    def fits(self, points: Array) -> float:
        """P-value of Kolmogorov and Smirnov's test that the tilts behind these outputs have the length they should."""
        lengths = np.linalg.norm(self.tilt(points), axis=1)
        return float(stats.kstest(lengths, stats.gamma(len(self.ridge), scale=self.scale).cdf).pvalue)


def log_ratio(left: TiltedLaw, right: TiltedLaw, points: Array) -> Array:
    """Log of the left density over the right one; 0 where neither has any, as after a solve that ran away."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio: Array = left.log_density(points) - right.log_density(points)
    return np.nan_to_num(ratio, nan=0.0, posinf=0.0, neginf=0.0)


def spread(reach: float, count: int = 400) -> Array:
    """Points on both sides of zero, dense near it."""
    half = np.geomspace(reach * 1e-8, reach, count)
    return np.concatenate([-half[::-1], [0.0], half])
