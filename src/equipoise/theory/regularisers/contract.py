"""What a penalty is: a convex function of the coefficients alone, with the facts that theorems ask for.

Nobody outside this folder asks what kind it is.  Sensitivities divide by `strong_convexity`, solvers use `value` and
`gradient`, a plan prints `constants`, and a planner tries other strengths by `of_strength`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]


class Penalty(Protocol):
    """Frozen, and either abstract here or final there.  Fixed before looking: it depends on no record."""

    @property
    def strong_convexity(self) -> float:
        """In the L2 norm; what a minimiser's sensitivity is divided by."""
        ...

    @property
    def centre(self) -> tuple[float, ...] | None:
        """Where it is least: a published model, or None for zero."""
        ...

    @property
    def centre_norm(self) -> float:
        """The L2 norm of the centre, rounded up."""
        ...

    def value(self, w: Vector) -> float: ...

    def gradient(self, w: Vector) -> Vector: ...

    @property
    def bend(self) -> float:
        """The most by which its curvature exceeds the strong convexity anywhere; 0 for a plain ridge."""
        ...

    def bent(self, w: Vector) -> Vector:
        """The diagonal of its Hessian at w, less the strong convexity; there is nothing off the diagonal."""
        ...

    def steepness(self, norm: float, size: int) -> float:
        """A bound on its gradient's length at every w of so many numbers within this norm."""
        ...

    def constants(self) -> Mapping[str, float]:
        """Its own numbers by the names that a guarantee and its card use."""
        ...

    def of_strength(self, strong_convexity: float) -> Self:
        """The same penalty, as much stronger or weaker as this needs."""
        ...
