"""What a loss is: a function of the scores and labels, with the facts that theorems ask for.

A loss never sees a feature.  Its facts are per unit of row norm: `sensitivity.py` multiplies them by B and B²,
and nothing else does.  `reach` is a public bound on every |score|, that is B‖w‖ over the hypotheses in question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

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
    one_signed: bool
    """Whether the slope keeps its sign for a fixed record (theory: objective perturbation, fixed sign)."""


class Loss(Protocol):
    """Frozen, and either abstract here or final there."""

    @property
    def name(self) -> str: ...

    @property
    def outputs(self) -> int:
        """Scores per row: scores have shape (n,) when this is 1, else (n, outputs)."""
        ...

    @property
    def smooth(self) -> bool: ...

    def stand_in(self) -> Loss:
        """What is minimised in its place: itself, unless it has a kink.  Slope and diameter are the same."""
        ...

    def facts(self, reach: float) -> LossFacts: ...

    def pull(self, start: float) -> float:
        """max over records of −slope·(score − s₀), |s₀| ≤ start: what bounds how far a minimiser strays."""
        ...

    def value(self, score: Array, label: Array) -> Array: ...

    def slope(self, score: Array, label: Array) -> Array: ...

    def curvature(self, score: Array, label: Array) -> Array: ...
