"""Bends open as far as what was released stands out of its noise.

Everything here is arithmetic on released numbers and public ones, so it costs nothing (docs/proofs/additive.md,
section 4).  A walk keeps two points: where its noisy gradients alone would have led, and that point with every group of
bends drawn towards nothing by what its noise is expected to be long.  Gradients are asked for at the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equipoise.theory.bounds import Bounds
from equipoise.theory.pushes import echoes

Vector = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Opening:
    """Which numbers of a walk are shut together at first, and how the noise of its steps adds up."""

    groups: tuple[Index, ...]
    momentum: float
    step_size: float
    scales: tuple[Vector, ...] | None = None
    """Of each group, where steps are measured in a metric: what makes its noise the same in every direction."""

    @classmethod
    def of(
        cls,
        bounds: Bounds,
        outputs: int,
        features: int,
        momentum: float,
        step_size: float,
        inverse: Vector | None = None,
    ) -> Opening:
        """For rows of these bounds; several outputs of a column open together.  Where steps are gradients times the
        `inverse` of a metric, noise is longer in some directions than in others."""
        shut = () if bounds.encoding is None else bounds.encoding.shut
        starts = features * np.arange(outputs)[:, None]
        groups = tuple((starts + np.arange(group.start, group.stop)).ravel() for group in shut)
        scales = None if inverse is None else tuple(_evened(inverse[:, group]) for group in groups)
        return cls(groups, momentum, step_size, scales)

    def opened(self, walked: Vector, sizes: Vector) -> Vector:
        """The point to be at, after steps whose noise had these standard deviations."""
        if not self.groups:
            return walked
        noise = self.step_size * float(np.linalg.norm(sizes * echoes(self.momentum, len(sizes))))
        places, starts, many = self._together
        with np.errstate(all="ignore"):  # at extreme units: steps are paid for, so this may not warn
            lengths = np.sqrt(np.add.reduceat(self._scaled(walked) ** 2, starts))
        point = walked.copy()
        point[places] *= np.repeat(part_open(lengths, noise * np.sqrt(many)), many)
        return point

    def _scaled(self, walked: Vector) -> Vector:
        """Numbers of all groups, one group after the other, in units of their noise."""
        if self.scales is None:
            return walked[self._together[0]]
        each = zip(self.scales, self.groups, strict=True)
        return np.concatenate([scale @ walked[group] for scale, group in each])

    @cached_property
    def _together(self) -> tuple[Index, Index, Index]:
        """Places of all groups, one group after the other; where each begins among them, and how many it has."""
        many = np.array([len(group) for group in self.groups])
        return np.concatenate(self.groups), np.cumsum(many) - many, many


def _evened(columns: Vector) -> Vector:
    """The inverse root of a group's covariance, from its columns of the inverse metric."""
    heights, axes = np.linalg.eigh(columns.T @ columns)
    return np.asarray((axes / np.sqrt(np.maximum(heights, np.finfo(float).tiny))) @ axes.T)


def part_open(lengths: Vector, noise: Vector) -> Vector:
    """Of groups of these lengths whose noise alone is expected to have those: nothing until one is longer."""
    longer = lengths > noise
    return np.where(longer, 1.0 - np.divide(noise, lengths, out=np.zeros_like(noise), where=longer), 0.0)
