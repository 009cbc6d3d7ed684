"""DP-SGD (Abadi et al. 2016): Poisson batches, clipped gradients, Gaussian noise, numerical composition.

Honest for a replaced row: a step releases N(0, σ²) or, with probability q, N(±C, σ²), the sign telling the two tables
apart; that pair dominates (the clipped gradients of the two records are at most opposite).  Its privacy-loss
distribution is composed by dp_accounting.

The rule is what tutorials do: batches of about 256 rows (at least 1% of them), 20 passes, clip 1, step 1/2.
The oracle tries other batches, steps and clips.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from dp_accounting.pld import privacy_loss_distribution
from scipy import special

from benchmarks.utility.contenders.contract import (
    APPROXIMATE,
    FEW_EPSILONS,
    ORACLE,
    PEER,
    Answers,
    Contender,
    Task,
)
from benchmarks.utility.contenders.glm import rows
from benchmarks.utility.contenders.noisy_gradient import clipped_sum
from benchmarks.utility.problem import lengths

PASSES = 20
CELLS = 4001
"""Of the grid on which a step's two laws are compared, eleven standard deviations beyond either mean."""


def descend(task: Task, setting: tuple[float, float, float]) -> Answers:
    """`setting`: share of the rows in a batch (0: about 256 rows), step, clip."""
    share, step, clip = setting
    found, n = rows(task), len(task.split.y)
    rate = share or rounded(min(max(256 / n, 0.01), 0.5))
    steps = max(1, round(PASSES / rate))
    noise = clip * noise_multiplier(rate, steps, task.epsilon, task.delta)
    draw, norms = task.generator, lengths(found.X)
    weights = np.zeros(found.shape)
    for _ in range(steps):
        batch = np.flatnonzero(draw.random(n) < rate)
        gradient = clipped_sum(found.X[batch], found.slopes(weights, batch), norms[batch], clip)
        weights = weights - step / (rate * n) * (gradient + noise * draw.standard_normal(weights.shape))
    return found.answers(weights)


def rounded(rate: float) -> float:
    """To a few values, so that accounting is done once."""
    return float(2.0 ** np.ceil(np.log2(rate)))


@lru_cache(maxsize=256)
def noise_multiplier(rate: float, steps: int, epsilon: float, delta: float) -> float:
    """The least noise, in clips, for which all steps together stay within (ε, δ); to 1%."""
    low, high = 0.2, 2000.0
    while high / low > 1.01:
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if spent(rate, steps, middle, epsilon) <= delta else (middle, high)
    return high


def spent(rate: float, steps: int, noise: float, epsilon: float) -> float:
    """δ at ε of all steps."""
    edges = np.linspace(-1 - 11 * noise, 1 + 11 * noise, CELLS)
    still = np.diff(special.ndtr(edges / noise))
    left, right = ((1 - rate) * still + rate * np.diff(special.ndtr((edges - mean) / noise)) for mean in (-1.0, 1.0))
    kept = (left > 0) & (right > 0)
    laws = [dict(enumerate(np.log(law[kept] / law[kept].sum()).tolist())) for law in (left, right)]
    interval = min(1e-3, 0.02 * epsilon / np.sqrt(steps))
    loss = privacy_loss_distribution.from_two_probability_mass_functions(
        *laws, value_discretization_interval=max(interval, 2e-5), pessimistic_estimate=True
    )
    return float(loss.self_compose(steps).get_delta_for_epsilon(epsilon))


STEPS = (0.1, 1.0, 8.0)
CONTENDERS = (
    Contender("dp-sgd", PEER, descend, APPROXIMATE, settings=((0.0, 0.5, 1.0),), most_seeds=10),
    Contender(
        "dp-sgd oracle",
        ORACLE,
        descend,
        APPROXIMATE,
        settings=tuple((0.25, step, clip) for step in STEPS for clip in (1.0, 0.25)),
        most_seeds=3,
        epsilons=FEW_EPSILONS,
    ),
)
