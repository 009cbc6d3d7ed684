"""AdaSSP (Wang 2018): noisy moments with a ridge that adapts to the least eigenvalue; the constants of the paper.

The oracle tries parts and multiples of the paper's ridge.
"""

from __future__ import annotations

import numpy as np

from benchmarks.utility.contenders.contract import (
    APPROXIMATE,
    FEW_EPSILONS,
    ORACLE,
    PEER,
    Answers,
    Contender,
    Task,
    regression,
)
from benchmarks.utility.contenders.glm import ROW, rows
from benchmarks.utility.problem import Problem

CONFIDENCE = 0.05


def fit(task: Task, factor: float) -> Answers:
    """Three releases at a third of the budget each; labels within ±1."""
    found, draw = rows(task), task.generator
    columns, share = found.shape[0], task.epsilon / 3
    scale, square = np.log(6 / task.delta), ROW**2
    noise = np.sqrt(scale) / share
    moments = np.asarray(found.X.T @ found.X)
    least = np.linalg.eigvalsh(moments)[0]
    least = max(0.0, least + noise * square * draw.standard_normal() - square * scale / share)
    spread = np.sqrt(columns * scale * np.log(2 * columns**2 / CONFIDENCE)) / share
    ridge = factor * max(0.0, square * spread - least)
    symmetric = np.triu(draw.standard_normal((columns, columns)))
    moments = moments + noise * square * (symmetric + np.triu(symmetric, 1).T)
    products = found.X.T @ found.targets + noise * ROW * draw.standard_normal((columns, 1))
    return found.answers(np.linalg.solve(moments + ridge * np.eye(columns), products))


def small(problem: Problem) -> bool:
    """Numbers to predict from few enough columns for a matrix of moments."""
    return regression(problem) and problem.d <= 2000


CONTENDERS = (
    Contender("AdaSSP", PEER, fit, APPROXIMATE, small, settings=(1.0,)),
    Contender(
        "AdaSSP oracle",
        ORACLE,
        fit,
        APPROXIMATE,
        small,
        settings=(1 / 16, 1 / 4, 1.0, 4.0, 16.0),
        most_seeds=5,
        epsilons=FEW_EPSILONS,
    ),
)
