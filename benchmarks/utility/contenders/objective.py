"""Objective perturbation with tight accounting (Redberg, Koskela, Wang 2023).

Sum form: Σ loss + λ/2‖w‖² + b·w with b ~ N(0, s²).  Their bound for one row added or removed is taken with twice the
gradient, and twice the determinant's term, for a replaced row: generous, as two rows point in two directions.  Out of
the box λ starts at 2·curvature/ε and grows by 5% until the noise is at most 1.3 times that of a plain Gaussian, as in
their code.  The data-free rule takes λ = s·√min(d, 128)/10 instead; the oracle tries factors of that.
Their accounting needs a linear model in one score: several classes are fitted one against the rest, each at a share of
(ε, δ).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import optimize, special

from benchmarks.utility.contenders.contract import (
    APPROXIMATE,
    FEW_EPSILONS,
    ORACLE,
    PEER,
    RULE,
    Answers,
    Contender,
    Task,
    classification,
)
from benchmarks.utility.contenders.glm import ROW, Rows, gaussian_mu, rows
from benchmarks.utility.problem import Array

BEND = ROW**2 / 4


def out_of_the_box(task: Task, _: None) -> Answers:
    """λ by their search."""
    return one_against_rest(task, lambda epsilon, delta, columns: their_ridge(epsilon, delta))


def by_rule(task: Task, factor: float) -> Answers:
    """λ in proportion to the noise."""
    return one_against_rest(task, lambda epsilon, delta, columns: rule(epsilon, delta, columns, factor))


def one_against_rest(task: Task, ridge: object) -> Answers:
    """A fit for each class, or one for two."""
    found = rows(task)
    share = found.outputs
    columns = found.shape[0]
    strength, noise = ridge(task.epsilon / share, task.delta / share, columns)  # type: ignore[operator]
    draw = task.generator
    fits = [minimise(found, place, strength, noise * draw.standard_normal(columns)) for place in range(share)]
    if share == 1:
        return found.answers(fits[0][:, None])
    chances = special.expit(found.X_test @ np.column_stack(fits))
    return Answers(chances / chances.sum(axis=1, keepdims=True))


def minimise(found: Rows, place: int, ridge: float, tilt: Array) -> Array:
    """Σ log(1 + exp(−y·score)) + λ/2‖w‖² + b·w."""
    signs = 2 * found.targets[:, place] - 1

    def value(weights: Array) -> tuple[float, Array]:
        margins = signs * (found.X @ weights)
        slope = found.X.T @ (-signs * special.expit(-margins))
        loss = np.logaddexp(0, -margins).sum() + ridge / 2 * weights @ weights + tilt @ weights
        return float(loss), np.asarray(slope + ridge * weights + tilt)

    start = np.zeros(found.shape[0])
    best = optimize.minimize(value, start, jac=True, method="L-BFGS-B", options={"maxiter": 200, "ftol": 1e-10})
    return np.asarray(best.x)


def spent(noise: float, ridge: float, epsilon: float) -> float:
    """δ at ε: their theorem, for gradients of norm 2·ROW."""
    size, left = 2 * ROW, epsilon + 2 * np.log1p(-BEND / ridge)
    drift = size**2 / (2 * noise**2)
    if left - drift >= 0:
        return float(2 * hockey(size / noise, left))
    return float(1 - np.exp(left - drift) + 2 * np.exp(left - drift) * hockey(size / noise, drift))


def hockey(mu: float, epsilon: float) -> float:
    """δ at ε of a Gaussian at distance μ."""
    tail = np.exp(epsilon + special.log_ndtr(-mu / 2 - epsilon / mu))
    return float(special.ndtr(mu / 2 - epsilon / mu) - tail)


@lru_cache(maxsize=4096)
def least_noise(ridge: float, epsilon: float, delta: float) -> float:
    """For this λ; infinite if none is enough."""
    if ridge <= BEND or epsilon + 2 * np.log1p(-BEND / ridge) <= 0:
        return np.inf
    low, high = 1e-3, 1e9
    for _ in range(80):
        middle = np.sqrt(low * high)
        low, high = (low, middle) if spent(middle, ridge, epsilon) <= delta else (middle, high)
    return float(high)


@lru_cache(maxsize=256)
def their_ridge(epsilon: float, delta: float) -> tuple[float, float]:
    """λ and the noise."""
    plain = 2 * ROW / gaussian_mu(epsilon, delta)
    ridge = max(2 * BEND / epsilon, 1.001 * BEND)
    while least_noise(ridge, epsilon, delta) > 1.3 * plain:
        ridge *= 1.05
    return ridge, least_noise(ridge, epsilon, delta)


@lru_cache(maxsize=1024)
def rule(epsilon: float, delta: float, columns: int, factor: float) -> tuple[float, float]:
    """λ = factor·s·√min(d, 128)/10, found by going back and forth; at least what gives a finite noise."""
    least = 2.2 * BEND / -np.expm1(-epsilon / 2)
    ridge = least
    for _ in range(30):
        noise = least_noise(ridge, epsilon, delta)
        ridge = max(factor * noise * np.sqrt(min(columns, 128)) / 10, least)
    return ridge, least_noise(ridge, epsilon, delta)


CONTENDERS = (
    Contender("tight objective", PEER, out_of_the_box, APPROXIMATE, classification),
    Contender("tight objective rule", RULE, by_rule, APPROXIMATE, classification, settings=(1.0,)),
    Contender(
        "tight objective oracle",
        ORACLE,
        by_rule,
        APPROXIMATE,
        classification,
        settings=(1 / 16, 1 / 4, 1.0, 4.0, 16.0),
        most_seeds=5,
        epsilons=FEW_EPSILONS,
    ),
)
