"""Predicted excess risk on one reference problem, from public facts only: what advice about answers compares.

Nothing here touches privacy.  A mechanism's error is worked out exactly on a *reference problem*: a quadratic loss
whose curvature falls off over the directions as real, scaled tables do (a few strong directions and a tail, here the
mean over a flat, a usual and a steep one) and whose best scores have the size usual for the loss.  Each loss
states both (`Usual` in theory/losses/traits.py); any public choice is private.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.theory.plan import Facts

Array = npt.NDArray[np.float64]

DECAYS = (1.5, 2.5, 3.5)
"""Curvature of direction j, of d, is proportional to j to minus one of these; each counts a third."""

BINS = 32


@dataclass(frozen=True, slots=True)
class Reference:
    """Directions in bins: how many, their curvature, and the squared best coefficient in each."""

    count: Array
    curvature: Array
    signal: float

    def excess(self, kept_away: Array, variance: Array) -> float:
        """½Σ h·(bias² + variance); `kept_away` is the share of the best coefficient that is missed."""
        return float(0.5 * np.sum(self.count * self.curvature * (kept_away**2 * self.signal + variance)))


def usual_bend(facts: Facts) -> float:
    """The sum of the reference problem's curvatures for one score."""
    return facts.loss.traits.usual.curvature * facts.bounds.norm**2


def reference(facts: Facts) -> Reference:
    """The reference problem for these facts; the scores of a softmax are as many copies of one."""
    edges = np.unique(np.geomspace(1, facts.features + 1, BINS + 1).astype(np.int64))
    count = np.diff(edges).astype(np.float64)
    middle = np.sqrt(edges[:-1] * (edges[1:] - 1.0))
    shares = [middle**-decay / np.sum(count * middle**-decay) for decay in DECAYS]
    size = facts.loss.traits.usual.score / facts.bounds.norm
    weight = facts.loss.outputs / len(DECAYS)
    return Reference(np.tile(count, len(DECAYS)) * weight, usual_bend(facts) * np.concatenate(shares), size**2)


def of_output(problem: Reference, alpha: float, noise: float) -> float:
    """Output perturbation with ridge α and noise of this size in every coordinate."""
    away = alpha / (problem.curvature + alpha)
    return problem.excess(away, np.full_like(away, noise**2))


def of_objective(problem: Reference, alpha: float, tilt: float) -> float:
    """Objective perturbation with ridge α, the mean objective tilted by noise of this size per coordinate."""
    away = alpha / (problem.curvature + alpha)
    return problem.excess(away, (tilt / (problem.curvature + alpha)) ** 2)
