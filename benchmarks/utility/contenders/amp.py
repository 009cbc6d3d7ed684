"""Approximate minima perturbation (Iyengar et al. 2019), with the settings of their tuning-free variant.

ε₂ = ε/100 and δ₂ = δ/100 go to the output, ε₃ by their formula; several classes one against the rest.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from benchmarks.utility.contenders.contract import APPROXIMATE, PEER, Answers, Contender, Task, classification
from benchmarks.utility.contenders.glm import ROW, rows
from benchmarks.utility.contenders.objective import minimise

BEND = ROW**2 / 4


def fit(task: Task, _: None) -> Answers:
    """Everything in sum form: their mean loss times n."""
    found, n = rows(task), len(task.split.y)
    epsilon, delta = task.epsilon / found.outputs, task.delta / found.outputs
    first, last = 0.99 * epsilon, 0.01 * epsilon
    part = max(min(0.8867 + 0.01866 / epsilon**0.3729, 0.99), 1 - 1 / epsilon + 0.001)
    ridge = 2 * BEND / (first - part * first)
    tilt = 2 * ROW * (1 + np.sqrt(2 * np.log(1 / (0.99 * delta)))) / (part * first)
    output = (1 / n) / ridge * (1 + np.sqrt(2 * np.log(1 / (0.01 * delta)))) / last
    draw, columns = task.generator, found.shape[0]
    fits = [
        minimise(found, place, ridge, tilt * draw.standard_normal(columns)) + output * draw.standard_normal(columns)
        for place in range(found.outputs)
    ]
    if found.outputs == 1:
        return found.answers(fits[0][:, None])
    chances = special.expit(found.X_test @ np.column_stack(fits))
    return Answers(chances / chances.sum(axis=1, keepdims=True))


CONTENDERS = (Contender("AMP", PEER, fit, APPROXIMATE, classification),)
