"""What noisy gradients do, settled before a record is seen: their steps, and what may come before and after them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

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

    def in_units(self, was: float, now: float) -> Schedule:
        """The same walk where rows that were so long are as long as this now."""
        return replace(self, step_size=self.step_size * (was / now) ** 2)

    def constants(self) -> dict[str, float]:
        """For the guarantee."""
        return {
            "steps": float(self.steps),
            "step size": self.step_size,
            "momentum": self.momentum,
            "step ball": self.ball,
            "privacy of a step (GDP)": self.mu,
        }

    @classmethod
    def of_constants(cls, known: Mapping[str, float]) -> Self:
        """As a guarantee keeps it."""
        ball, mu = known.get("step ball", math.inf), known["privacy of a step (GDP)"]
        return cls(round(known["steps"]), known["step size"], known["momentum"], ball, mu)


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

    def constants(self) -> dict[str, float]:
        """For the guarantee."""
        return {
            "steps' worth of the metric": float(self.steps),
            "metric's sensitivity": self.moved,
            "metric's noise scale": self.scale,
            "metric's floor": self.floor,
        }

    @classmethod
    def of_constants(cls, known: Mapping[str, float]) -> Self | None:
        """As a guarantee keeps it: what its promise rests on is to be reckoned again."""
        steps = known.get("steps' worth of the metric")
        return None if steps is None else cls(round(steps), known["metric's floor"])


@dataclass(frozen=True, slots=True)
class Anchor:
    """The last of noisy gradients of numbers: the mean residual sets the intercept (docs/proofs/noisy_gradients.md)."""

    loss: Loss
    """Whose slope is the residual, clipped."""
    steps: int
    """What it costs: as much as so many steps, a square number."""

    def constants(self) -> dict[str, float]:
        """For the guarantee."""
        return {"steps' worth of the anchor": float(self.steps)}


@dataclass(frozen=True, slots=True)
class Middle:
    """The first of noisy gradients: the mean row, from which rows are seen then (docs/proofs/noisy_gradients.md)."""

    steps: int
    """What it costs: as much as so many steps, a square number."""
    moved: float = math.inf
    """How far one row can move it (L2)."""
    scale: float = math.inf
    """Of the noise that is added to it."""

    def constants(self) -> dict[str, float]:
        """For the guarantee."""
        return {
            "steps' worth of the middle": float(self.steps),
            "middle's sensitivity": self.moved,
            "middle's noise scale": self.scale,
        }
