"""Projected gradient steps over records in an order that no record decides, each once a pass.

A step of a convex β-smooth loss with η ≤ 2/β brings no two points further apart, and the step that meets the replaced
record adds at most ηD/b.  D is how far one record's gradient can change: `diameter`, or 2ρ where nobody knows better.
Every batch is divided by the public b, a short last one included, or it is left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from equipoise._checks import number, positive, shown, whole
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.rounding import FORMULA, up
from equipoise.theory.stability.bound import Kind, StabilityBound, granted

SMOOTH = "convex losses, β-smooth; steps of at most 2/β; projections to a fixed convex set are free"
ORDER = "the order is fixed without looking, each record is used once a pass, batches are divided by the same b"
STRONG = "losses with their penalty μ-strongly convex and β-smooth"


def _diameter(lipschitz: float, diameter: float | None) -> float:
    widest = 2 * positive(lipschitz=lipschitz)
    if diameter is None:
        return widest
    if positive(diameter=diameter) > up(widest, FORMULA):
        raise InvalidInput(f"diameter={shown(diameter)}: cannot be above twice lipschitz={shown(lipschitz)}")
    return diameter


def _check_step(step: float, most: float, rule: str) -> None:
    if positive(step_size=step) > most:
        raise MechanismRefused(f"step_size={shown(step)}: must be at most {most:.6g}, {rule}")


def _check_smooth_step(step: float, smoothness: float) -> None:
    _check_step(step, 2 / positive(smoothness=smoothness), "two over the smoothness: longer steps drive points apart")


def sgd_step_size(
    lipschitz: float, step_size: float, smoothness: float, *, diameter: float | None = None
) -> StabilityBound:
    """One pass, one record a step, constant steps: D·η, attained."""
    return sgd_minibatch(lipschitz, step_size, smoothness, 1, 1, diameter=diameter)


def sgd_passes(
    lipschitz: float, step_size: float, smoothness: float, passes: int, *, diameter: float | None = None
) -> StabilityBound:
    """Constant steps, k passes: k·D·η, attained."""
    return sgd_minibatch(lipschitz, step_size, smoothness, passes, 1, diameter=diameter)


def sgd_minibatch(
    lipschitz: float,
    step_size: float,
    smoothness: float,
    passes: int,
    batch: int,
    *,
    diameter: float | None = None,
) -> StabilityBound:
    """Constant steps, batches of b, k passes: k·D·η/b, attained."""
    _check_smooth_step(step_size, smoothness)
    value = whole(passes=passes) * _diameter(lipschitz, diameter) * step_size / whole(batch=batch)
    return granted(value, Kind.WEIGHTS_L2, (SMOOTH, ORDER), "non-expansive steps: kDη/b")


def sgd_averaging(
    lipschitz: float,
    step_size: float,
    smoothness: float,
    passes: int,
    batch: int,
    *,
    diameter: float | None = None,
) -> StabilityBound:
    """The mean of the points after each of those steps: (k + 1)·D·η/(2b), attained."""
    last = sgd_minibatch(lipschitz, step_size, smoothness, passes, batch, diameter=diameter).value
    value = last * (passes + 1) / (2 * passes)
    return granted(value, Kind.WEIGHTS_L2, (SMOOTH, ORDER), "non-expansive steps, averaged: (k + 1)Dη/(2b)")


def _by_pass(steps: Sequence[float], passes: int) -> np.ndarray:
    sizes = np.array([positive(step_size=number(step_size=step)) for step in steps])
    if sizes.size == 0 or sizes.size % whole(passes=passes):
        raise InvalidInput(f"steps: {sizes.size} of them, must be as many in each of the {passes} passes")
    return sizes.reshape(passes, -1)


def sgd_decreasing_steps(
    lipschitz: float,
    steps: Sequence[float],
    smoothness: float,
    passes: int,
    batch: int,
    *,
    diameter: float | None = None,
) -> StabilityBound:
    """Any public steps, all passes' one after the other: (D/b)·Σ over passes of the longest step, attained."""
    sizes = _by_pass(steps, passes)
    _check_smooth_step(float(sizes.max()), smoothness)
    value = _diameter(lipschitz, diameter) * math.fsum(sizes.max(axis=1)) / whole(batch=batch)
    return granted(value, Kind.WEIGHTS_L2, (SMOOTH, ORDER), "non-expansive steps, met at the longest step of each pass")


def sgd_strongly_convex(
    lipschitz: float, strong_convexity: float, used: int, *, diameter: float | None = None
) -> StabilityBound:
    """Steps min(1/β, 1/(μt)), any number of passes, any batch: D/(μn), attained; n is the records used in a pass."""
    mu = positive(strong_convexity=strong_convexity)
    value = _diameter(lipschitz, diameter) / (mu * whole(used=used))
    counted = "`used` counts batch × steps in a pass: records of a short batch that is left out do not count"
    return granted(value, Kind.WEIGHTS_L2, (STRONG, ORDER, counted), "contracting steps, Π(1 − 1/s) telescopes: D/(μn)")


def sgd_strongly_convex_constant(
    lipschitz: float,
    step_size: float,
    strong_convexity: float,
    smoothness: float,
    passes: int,
    batch: int,
    steps_per_pass: int,
    *,
    diameter: float | None = None,
) -> StabilityBound:
    """Constant steps η ≤ 2/(β + μ): (Dη/b)(1 − q^k)/(1 − q), q = (1 − ημ)^(steps in a pass), attained."""
    mu, beta = positive(strong_convexity=strong_convexity), positive(smoothness=smoothness)
    if mu > beta:
        raise InvalidInput(f"strong_convexity={shown(mu)}: cannot be above smoothness={shown(beta)}")
    _check_step(step_size, 2 / (beta + mu), "two over smoothness plus strong convexity")
    left = max(0.0, 1 - step_size * mu) ** whole(steps_per_pass=steps_per_pass)
    visits = math.fsum(left**earlier for earlier in range(min(whole(passes=passes), 10_000)))
    visits += max(0, passes - 10_000) * left**10_000
    value = _diameter(lipschitz, diameter) * step_size / whole(batch=batch) * visits
    return granted(value, Kind.WEIGHTS_L2, (STRONG, ORDER), "contracting steps: (Dη/b)(1 − q^k)/(1 − q)")


def sgd_with_kink(lipschitz: float, steps: Sequence[float], passes: int, batch: int) -> StabilityBound:
    """A loss that is not smooth, such as the hinge: 2ρ(√(Σ η²) + Σ over passes of the longest step/b)."""
    sizes = _by_pass(steps, passes)
    visits = math.fsum(sizes.max(axis=1)) / whole(batch=batch)
    value = 2 * positive(lipschitz=lipschitz) * (math.sqrt(math.fsum((sizes * sizes).ravel())) + visits)
    return granted(value, Kind.WEIGHTS_L2, ("convex ρ-Lipschitz losses", ORDER), "monotone subgradients")


def sgd_steps(*_: object, **__: object) -> StabilityBound:
    """Refused: more steps do not make gradient descent steadier."""
    raise MechanismRefused(
        "sgd_steps: no bound falls with the number of steps, constant steps move further with every pass: use"
        " sgd_passes, or sgd_strongly_convex for one that passes do not raise"
    )
