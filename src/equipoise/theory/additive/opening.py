"""Bends open as far as what was released stands out of its noise.

Everything here is arithmetic on released numbers and public ones, so it costs nothing (docs/proofs/additive.md,
section 4).  A walk keeps two points: where its noisy gradients alone would have led, and that point with every group of
bends drawn towards nothing by what its noise is expected to be long.  Gradients are asked for at the second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.theory.bounds import Bounds
from equipoise.theory.pushes import echoes

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Opening:
    """Which numbers of a walk are shut together at first, and how the noise of its steps adds up."""

    groups: tuple[npt.NDArray[np.intp], ...]
    momentum: float
    step_size: float

    @classmethod
    def of(cls, bounds: Bounds, outputs: int, features: int, momentum: float, step_size: float) -> Opening:
        """For rows of these bounds; several outputs of a column open together."""
        shut = () if bounds.encoding is None else bounds.encoding.shut
        starts = features * np.arange(outputs)[:, None]
        groups = tuple((starts + np.arange(group.start, group.stop)).ravel() for group in shut)
        return cls(groups, momentum, step_size)

    def opened(self, walked: Vector, sizes: Vector) -> Vector:
        """The point to be at, after steps whose noise had these standard deviations."""
        if not self.groups:
            return walked
        noise = self.step_size * float(np.linalg.norm(sizes * echoes(self.momentum, len(sizes))))
        point = walked.copy()
        for group in self.groups:
            point[group] *= part_open(float(np.linalg.norm(walked[group])), noise * math.sqrt(len(group)))
        return point


def part_open(length: float, noise: float) -> float:
    """Of a group of this length whose noise alone is expected to have that one: nothing until it is longer."""
    return max(0.0, 1.0 - noise / length) if length > 0 else 0.0
