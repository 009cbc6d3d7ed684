"""The nearest point of a ball."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]


def project(point: Vector, ball: float) -> Vector:
    """The nearest point of the ball around zero."""
    norm = float(np.linalg.norm(point))
    return point if norm <= ball else point * (ball / norm)
