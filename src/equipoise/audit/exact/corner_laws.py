"""The exact laws of what is drawn over the simplex, written down again by the auditor: weights, counts, decisions.

Nothing of the solver or the gate is used: the minimiser is found by Newton's method in the logarithms of the weights.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt

from equipoise._checks import positive, whole
from equipoise.errors import InvalidInput
from equipoise.theory.losses import Loss

Array = npt.NDArray[np.float64]

MOST_OUTCOMES = 200_000
STEPS = 500
CLOSE = 1e-13


def corner_weights(
    scores: npt.ArrayLike, labels: npt.ArrayLike, loss: Loss, alpha: float, times: npt.ArrayLike | None = None
) -> Array:
    """The weights that minimise mean loss + α·Σθ log θ; `scores` has one column for each corner, labels are coded.

    `times` says how often each row is there, once unless given.  Damped Newton steps on the condition
    α·log θ + gradient = constant, in the logarithms.
    """
    z, y, alpha = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64), positive(alpha=alpha)
    parts = np.ones(len(z)) if times is None else np.asarray(times, dtype=np.float64)
    parts = parts / parts.sum()
    logs = np.zeros(z.shape[1])
    for _ in range(STEPS):
        theta = _normal(logs)
        margins = z @ theta
        gap = alpha * logs + z.T @ (parts * loss.slope(margins, y))
        gap -= gap.mean()
        bend = z.T @ ((parts * loss.curvature(margins, y))[:, None] * z)
        jacobian = alpha * np.eye(len(theta)) + bend @ (np.diag(theta) - np.outer(theta, theta))
        move = np.linalg.solve(jacobian, -gap)
        move -= move.mean()
        logs = logs + move * min(1.0, 2.0 / max(np.abs(move).max(), 1e-300))
        if np.abs(move).max() < CLOSE * (1 + np.abs(logs).max()):
            return _normal(logs)
    raise InvalidInput("scores: the auditor's own solver did not settle, take a smaller problem")


def mixed_with_uniform(weights: Array, part: float) -> Array:
    """As every law that is drawn from."""
    return (1 - part) * weights + part / len(weights)


def counts_law(weights: npt.ArrayLike, draws: int) -> Array:
    """The law of how often each corner is drawn, one probability for each possible tuple of counts."""
    chances = np.asarray(weights, dtype=np.float64)
    corners, draws = len(chances), whole(draws=draws)
    if math.comb(draws + corners - 1, corners - 1) > MOST_OUTCOMES:
        raise InvalidInput("draws: too many outcomes to enumerate, take fewer draws or corners")
    logs = np.log(chances)
    law = []
    for bars in itertools.combinations(range(draws + corners - 1), corners - 1):
        ends = np.array([-1, *bars, draws + corners - 1])
        counts = np.diff(ends) - 1
        ways = math.lgamma(draws + 1) - sum(math.lgamma(count + 1) for count in counts.tolist())
        law.append(math.exp(ways + float(counts @ logs)))
    return np.array(law) / math.fsum(law)


def decisions_law(costs: npt.ArrayLike, smoothing: float, mixed: float = 0.0) -> Array:
    """The law of all decisions of a horizon: expert i in round t with probability ∝ exp(−its cost so far/λ)."""
    table = np.asarray(costs, dtype=np.float64)
    rounds, experts = table.shape
    if experts**rounds > MOST_OUTCOMES:
        raise InvalidInput("costs: too many sequences of decisions to enumerate, take fewer rounds or experts")
    before = np.vstack([np.zeros(experts), np.cumsum(table, axis=0)[:-1]])
    law = np.ones(1)
    for total in before:
        law = np.outer(law, mixed_with_uniform(_normal(-total / positive(smoothing=smoothing)), mixed)).ravel()
    return law


def _normal(logs: Array) -> Array:
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / math.fsum(weights.tolist()))
