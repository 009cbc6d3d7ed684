"""A grid of evenly spaced values: private numbers are rounded to it before integer noise is added."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise._checks import positive, shown, whole
from equipoise.errors import InvalidInput

LARGEST_INPUT = 2**52
LARGEST_OUTPUT = 2**53 - 1
_EXPONENTS = range(-900, 901)


@dataclass(frozen=True, slots=True)
class Grid:
    """The multiples of `step`, a power of two, so that going to grid units and back is exact."""

    step: float

    def __post_init__(self) -> None:
        mantissa, exponent = math.frexp(positive(step=self.step))
        if mantissa != 0.5 or exponent not in _EXPONENTS:
            raise InvalidInput(f"step={shown(self.step)}: must be a power of two between 2**-901 and 2**899")

    @classmethod
    def for_scale(cls, scale: float, resolution_bits: int = 30) -> Grid:
        """The coarsest grid with at least 2^resolution_bits steps to the `scale` of the noise."""
        _, exponent = math.frexp(positive(scale=scale))
        bits = whole(resolution_bits=resolution_bits)
        if exponent - bits not in _EXPONENTS:
            raise InvalidInput(f"scale={shown(scale)}: too large or too small for a grid, rescale the data")
        return cls(math.ldexp(0.5, exponent - bits))

    def quantise(self, values: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The nearest grid point, in steps, clamped to ±2^52.

        Moves each coordinate by at most half a step inside the clamp; the clamp itself never moves two points apart.
        """
        array = np.asarray(values, dtype=np.float64)
        if not np.isfinite(array).all():
            raise InvalidInput("values: must be finite, scale the problem down")
        with np.errstate(over="ignore", under="ignore"):  # beyond the clamp, or far below half a step
            steps = array / self.step
        np.rint(steps, out=steps)
        np.clip(steps, -LARGEST_INPUT, LARGEST_INPUT, out=steps)
        return steps.astype(np.int64)

    def restore(self, steps: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The values of grid points, exactly; counts beyond what a double can hold are clamped."""
        values = np.clip(steps, -LARGEST_OUTPUT, LARGEST_OUTPUT).astype(np.float64)
        values *= self.step
        return values
