"""Noisy gradient descent on all rows: clipped gradients, Gaussian noise, Gaussian composition (Bassily et al. 2014).

A replaced row moves the sum of clipped gradients by at most 2C; T steps with noise 2C√T/μ are μ-GDP together.

The data-free rule walks as far as the noise allows: after a way of length η·T the noise has norm η·T·2C√d/(n·μ) in the
weights, which is to be 1 in regression and 4 in classification (of the columns at most 128 count).  Steps are at most
2/L, L the largest bend that rows of norm one allow.  Gradients are not clipped below what they can be.  The oracle
tries other ways, clips, and steps of up to 12/L.
"""

from __future__ import annotations

import numpy as np

from benchmarks.utility.contenders.contract import (
    APPROXIMATE,
    FEW_EPSILONS,
    ORACLE,
    RULE,
    Answers,
    Contender,
    Task,
)
from benchmarks.utility.contenders.glm import ROW, gaussian_mu, rows, steepest
from benchmarks.utility.problem import Array, lengths

STEPS = 100


def by_rule(task: Task, _: None) -> Answers:
    """The rule, which does not look."""
    return descend(task, (1.0 if task.problem.task == "regression" else 4.0, 1.0, 2.0))


def descend(task: Task, setting: tuple[float, float, float]) -> Answers:
    """`setting`: the noise's norm at the end, the clip in largest possible gradients, the largest step in 1/L."""
    final, narrow, bold = setting
    found, n = rows(task), len(task.split.y)
    clip = narrow * steepest(task) * ROW
    mu = gaussian_mu(task.epsilon, task.delta)
    noise = 2 * clip * np.sqrt(STEPS) / mu
    way = final * n * mu / (2 * clip * np.sqrt(usual_columns(found.shape)))
    step = min(way / STEPS, bold / curvature(task))
    draw, norms = task.generator, lengths(found.X)
    weights = np.zeros(found.shape)
    for _ in range(STEPS):
        gradient = clipped_sum(found.X, found.slopes(weights), norms, clip)
        weights = weights - step / n * (gradient + noise * draw.standard_normal(weights.shape))
    return found.answers(weights)


def clipped_sum(X: Array, slopes: Array, norms: Array, clip: float) -> Array:
    """Each row's gradient is its slopes times the row: its norm is the product of theirs."""
    sizes = np.linalg.norm(slopes, axis=1) * norms
    return np.asarray(X.T @ (slopes * np.minimum(1, clip / np.maximum(sizes, 1e-300))[:, None]))


def curvature(task: Task) -> float:
    """Largest bend of the mean loss: 1/4, 1/2 or 1 times the squared length of a row."""
    return {"binary": 0.25, "multiclass": 0.5, "regression": 1.0}[task.problem.task] * ROW**2


def usual_columns(shape: tuple[int, int]) -> float:
    """Directions that matter, counted at most 128 for each column of scores."""
    return float(min(shape[0], 128) * shape[1])


FINAL = (1 / 4, 1.0, 4.0, 16.0)
CONTENDERS = (
    Contender("noisy gd rule", RULE, by_rule, APPROXIMATE),
    Contender(
        "noisy gd oracle",
        ORACLE,
        descend,
        APPROXIMATE,
        settings=tuple((final, narrow, 12.0) for final in FINAL for narrow in (1.0, 0.25)),
        most_seeds=5,
        epsilons=FEW_EPSILONS,
    ),
)
