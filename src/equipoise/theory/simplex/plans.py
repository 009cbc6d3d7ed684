"""Plans that sample: what leaves is a corner, drawn from a law that neighbours have nearly in common."""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise.theory import sensitivity
from equipoise.theory.plan import Plan
from equipoise.theory.simplex.corners import Corners
from equipoise.theory.simplex.draws import Draws
from equipoise.theory.simplex.solving import Course


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class SamplePlan(Plan):
    """Corners drawn from the certified minimiser, and their average."""

    corners: Corners
    draws: Draws
    course: Course

    @property
    def noise_scale(self) -> float:
        """An average of m corners is this far from its mean at most, in root mean square."""
        return 1 / math.sqrt(self.draws.count)

    def _named(self) -> dict[str, float]:
        return _of_corners(self, self.corners) | {
            **self.facts.penalty.constants(),
            "draws": float(self.draws.count),
            "privacy of a draw": self.draws.ratios.each,
            "range of a draw": self.draws.ratios.spread,
            "condition": self.course.condition,
            "solver residual": self.course.residual,
        }


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class WolfePlan(Plan):
    """One corner drawn for each step of Frank and Wolfe, by the gradient where the last step led."""

    corners: Corners
    draws: Draws
    """Of one step."""
    steps: int
    rate: float
    """Weights are ∝ exp(−rate·gradient)."""

    @property
    def noise_scale(self) -> float:
        """The scale of the noise in a step's comparison of corners, over that of the gradient's change."""
        return 1 / (self.rate * self.sensitivity.l2)

    def _named(self) -> dict[str, float]:
        return _of_corners(self, self.corners) | {
            "corner steps": float(self.steps),
            "range of a draw": self.draws.ratios.spread,
            "rate of a draw": self.rate,
        }


SampledPlan = SamplePlan | WolfePlan


def _of_corners(plan: Plan, corners: Corners) -> dict[str, float]:
    facts = plan.facts
    loss = facts.loss.facts(sensitivity.corner_reach(facts))
    named = {
        "records": float(facts.n),
        "corners": float(corners.count),
        "entry bound": facts.bounds.row_norm,
        "coefficient L1 norm": facts.ball,
        "slope bound": loss.slope,
        "curvature bound": loss.curvature,
        "sensitivity": plan.sensitivity.l2,
    }
    if facts.person_rows is not None:
        named["rows per person"] = float(facts.person_rows)
    if facts.bounds.label_range is not None:
        named["label lower bound"], named["label upper bound"] = facts.bounds.label_range
    return named
