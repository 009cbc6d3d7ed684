"""What noisy gradients do, settled before a record is seen: their steps, and what may come before and after them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise.theory.losses import Loss

COLUMNS_IN_A_PASS = 28
"""The second moments of so many columns take as long as a gradient does."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Noisy gradients: how many steps, how long, with how much momentum, within which ball, and how private each one
    is (GDP)."""

    steps: int
    step_size: float
    momentum: float
    ball: float
    mu: float
    memory: float = 0.5
    """The part of the points, the last ones, whose average is released."""

    @property
    def first(self) -> int:
        """The step from which on points are in the average."""
        return int(self.steps * (1 - self.memory))


@dataclass(frozen=True, slots=True)
class Metric:
    """The first of noisy gradients: second moments of rows, in which steps are measured then
    (docs/proofs/noisy_gradients.md)."""

    steps: int
    """What it costs: as much as so many steps, a square number."""
    floor: float
    """What is added to the moments of every direction, over B²: no step is longer than one over that."""
    moved: float = math.inf
    """How far one row can move them (L2)."""
    scale: float = math.inf
    """Of the noise that is added to them."""
    instead: float = 0.0
    """The figure of the long walk that is spared, where other mechanisms are to be compared with that."""

    @staticmethod
    def passes(columns: int) -> int:
        """How long they take, in passes over the records."""
        return math.ceil(columns / COLUMNS_IN_A_PASS)


@dataclass(frozen=True, slots=True)
class Anchor:
    """The last of noisy gradients of numbers: the mean residual sets the intercept (docs/proofs/noisy_gradients.md)."""

    loss: Loss
    """Whose slope is the residual, clipped."""
    steps: int
    """What it costs: as much as so many steps, a square number."""


@dataclass(frozen=True, slots=True)
class Middle:
    """The first of noisy gradients: the mean row, from which rows are seen then (docs/proofs/noisy_gradients.md)."""

    steps: int
    """What it costs: as much as so many steps, a square number."""
    moved: float = math.inf
    """How far one row can move it (L2)."""
    scale: float = math.inf
    """Of the noise that is added to it."""
