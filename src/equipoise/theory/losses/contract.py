"""What a loss is: a function of the scores and labels, with the facts that theorems and planners ask for.

A loss never sees a feature.  Its facts are per unit of row norm: `sensitivity.py` multiplies them by B and B²,
and nothing else does.  `reach` is a public bound on every |score|, that is B‖w‖ over the hypotheses in question.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from equipoise.theory.losses.traits import Task, Traits

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LossFacts:
    """Suprema over all records and all scores within reach.  docs/proofs/losses.md proves each."""

    slope: float
    """‖∂loss/∂score‖."""
    diameter: float
    """Distance between two records' gradients at the same w, rows of norm one."""
    curvature: float
    """Largest eigenvalue of the second derivative in the score; infinite when the loss has a kink."""
    trace: float
    """Its trace."""
    rank: int
    """Its rank: one for a scalar score, K − 1 for softmax."""


class Loss(Protocol):
    """Frozen, and either abstract here or final there.  Its dataclass fields are what a file keeps of it."""

    @property
    def name(self) -> str: ...

    @property
    def traits(self) -> Traits: ...

    @property
    def outputs(self) -> int:
        """Scores per row: scores have shape (n,) when this is 1, else (n, outputs)."""
        ...

    @property
    def label_bound(self) -> float:
        """The largest size of a number it takes for a label; 1 where labels are classes."""
        ...

    @property
    def smooth(self) -> bool:
        """Whether its curvature has a bound: no kink."""
        ...

    def stand_in(self) -> Loss:
        """What is minimised in its place: itself, unless it has a kink.  Slope and diameter are the same."""
        ...

    def gentler(self) -> tuple[Loss, ...]:
        """Losses with smaller slopes that lead to the same predictions; "auto" may minimise one of them instead."""
        ...

    def facts(self, reach: float) -> LossFacts: ...

    def pull(self, start: float) -> float:
        """max over records of −slope·(score − s₀), |s₀| ≤ start: what bounds how far a minimiser strays."""
        ...

    def value(self, score: Array, label: Array) -> Array: ...

    def slope(self, score: Array, label: Array) -> Array: ...

    def curvature(self, score: Array, label: Array) -> Array: ...


def is_regression(loss: Loss) -> bool:
    """Whether its labels are numbers."""
    return loss.traits.task is Task.REGRESSION


def needs_ball(loss: Loss) -> bool:
    """Whether its slope has a bound only where the scores have one."""
    return math.isinf(loss.facts(math.inf).slope)
