"""Dividing by one Hessian of the data plus any ridge: what problems that are solved together share.

For few coefficients the eigenvectors, which serve every ridge.  For more a Cholesky factor for each ridge, in single
precision: a direction need not be exact, what it leaves is corrected by the gradients of the next pass.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from equipoise.inside.design.contract import Array

EIGEN_LARGEST = 600
"""Most coefficients for which the eigenvectors are cheap beside the passes."""

MOST_TRIES = 20
"""Of a factor with more and more ridge; numbers beyond the range of singles have none."""


class Inverse(Protocol):
    """(curvature + ridge)⁻¹ times a vector, about."""

    def divide(self, ridge: float, vector: Array) -> Array: ...


def inverse_of(curvature: Array) -> Inverse:
    """Of the data's part of a Hessian: symmetric, no eigenvalue below zero but for rounding."""
    return Eigenvectors(curvature) if len(curvature) <= EIGEN_LARGEST else Factors(curvature)


class Eigenvectors:
    """One decomposition for all ridges."""

    def __init__(self, curvature: Array) -> None:
        values, self._vectors = np.linalg.eigh(curvature)
        self._values = np.maximum(values, 0.0)

    def divide(self, ridge: float, vector: Array) -> Array:
        return np.asarray(self._vectors @ ((vector @ self._vectors) / (self._values + ridge)))


class Factors:
    """One factor for each ridge, made when it is first asked for."""

    def __init__(self, curvature: Array) -> None:
        self._curvature = curvature.astype(np.float32, order="F")  # as the factor wants it
        self._factors: dict[float, Any] = {}

    def divide(self, ridge: float, vector: Array) -> Array:
        size = float(np.max(np.abs(vector), initial=0.0))
        if not 0 < size < np.inf:
            return vector
        if ridge not in self._factors:
            self._factors[ridge] = self._factored(ridge)
        unit = (vector / size).astype(np.float32)
        return np.asarray(cho_solve(self._factors[ridge], unit, check_finite=False), dtype=np.float64) * size

    def _factored(self, ridge: float) -> Any:
        """With a little more than the ridge where rounding would break the factor otherwise."""
        diagonal = np.diag_indices(len(self._curvature))
        more = 0.0
        for _ in range(MOST_TRIES):
            matrix = self._curvature.copy(order="F")
            matrix[diagonal] += np.float32(ridge + more)
            try:
                return cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
            except np.linalg.LinAlgError:
                more = max(10 * more, 1e-6 * float(np.trace(self._curvature)))
        raise np.linalg.LinAlgError("no factor in singles")
