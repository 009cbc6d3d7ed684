"""Tables over the simplex at which the theorem's constants are nearly attained."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.audit.exact.corner_laws import corner_weights
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic, Loss
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import Entropy

Array = npt.NDArray[np.float64]

REACH = 0.05
"""Small scores, at which slope and curvature of a loss are both near their bounds."""

PUSHING = 0.03
"""The share of rows that keep the weights of the corners under attack small."""


def facts_for(loss: Loss, kappa: float, n: int, corners: int, rows: int = 1) -> Facts:
    alpha = loss.facts(REACH).curvature * REACH * REACH / kappa
    bounds, together = Bounds(1.0, coef_norm=REACH), None if rows == 1 else rows
    return Facts(loss, Entropy(alpha), bounds, n, corners, person_rows=together)


def moved(facts: Facts, common: list[float], record: list[float], score: float) -> tuple[Array, Array]:
    """The weights before and after `record`, all of one person's rows, turns round.

    Most rows are `common`, with labels whose slopes cancel at `score`; a few push the last corners' weights down.
    """
    loss, few, rows = facts.loss, PUSHING * facts.n, facts.together
    up = 1 / (1 + np.exp(-score)) if isinstance(loss, Logistic) else (1 + score) / 2
    pushing = [-REACH, -REACH, *([REACH] * (len(common) - 2))]
    scores = np.array([common, common, pushing, record])
    labels = np.array([1.0, -1.0, -1.0, -1.0])
    most = facts.n - few
    times = [most * up, most * (1 - up), few - rows, rows]
    before = corner_weights(scores, labels, loss, facts.penalty.strong_convexity, times)
    scores[3] *= -1
    return before, corner_weights(scores, labels, loss, facts.penalty.strong_convexity, times)


def widest(facts: Facts, kappa: float) -> tuple[Array, Array]:
    """Common rows whose spread over the two large weights is R/√κ turn the record's pull on them into one on others."""
    part = REACH / np.sqrt(kappa * (1 - PUSHING))
    return moved(facts, [part, -part, REACH, -REACH], [REACH, -REACH, -REACH, REACH], 0.0)


def farthest(facts: Facts, kappa: float) -> tuple[Array, Array]:
    """The same with the large weights at one end, so that the pull on the third is twice as long."""
    part = REACH / np.sqrt(kappa * (1 - PUSHING))
    return moved(facts, [-REACH, -REACH + 2 * part, REACH], [-REACH, REACH, -REACH], -REACH + part)


def evenly(facts: Facts) -> tuple[Array, Array]:
    """Two corners of equal weight and slopes that hardly bend."""
    table, times = REACH * np.array([[1.0, -1.0]] * 3), [facts.n / 2, facts.n / 2 - 1, 1]
    ends = []
    for turned in (1.0, -1.0):
        table[2] = turned * REACH * np.array([1.0, -1.0])
        labels = np.array([1.0, -1.0, 1.0])
        ends.append(corner_weights(table, labels, facts.loss, facts.penalty.strong_convexity, times))
    return ends[0], ends[1]
