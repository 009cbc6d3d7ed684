"""Changes to gradient descent that are known to help on average, and the conditions under which a bound holds."""

from __future__ import annotations

from dataclasses import replace

from equipoise._checks import fraction, number, one_of, positive, shown, whole
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.rounding import FORMULA, up
from equipoise.theory.stability.bound import Kind, StabilityBound, granted
from equipoise.theory.stability.gradient_steps import sgd_minibatch

QUADRATIC = "quadratic losses, full batches, iterates that stay where ρ holds"


def s_dropout(bound: StabilityBound, s: float, *, masks: str) -> StabilityBound:
    """`masks="features"`: rows are masked by a mask drawn without looking and clipped to s times their bound; then
    every bound on gradient steps shrinks by s.  `masks="gradients"`, as printed, is refused: such steps can expand."""
    share = number(s=s)
    if not 0 < share <= 1:
        raise InvalidInput(f"s={shown(s)}: must be above 0 and at most 1")
    if one_of(("features", "gradients"), masks=masks) == "gradients":
        raise MechanismRefused(
            "s_dropout: masked gradients can drive points apart, even for one linear loss: mask the features instead"
        )
    assumes = (*bound.assumes, "a loss of one score, rows masked without looking and then clipped to s·B")
    value = up(share * bound.weights_l2(), FORMULA)
    return replace(bound, value=value, assumes=assumes, because=f"{bound.because}; × s")


def gradient_clipping(
    slope_cap: float,
    row_norm: float,
    step_size: float,
    smoothness: float,
    passes: int,
    batch: int,
    *,
    scores: int = 1,
) -> StabilityBound:
    """A loss of one score whose slope is clipped at `slope_cap`: still convex and smooth, so 2·cap·B·kη/b, attained.

    Clipping gradients of several scores jointly, or the penalty's part with the data's, can drive points apart.
    """
    if whole(scores=scores) > 1:
        raise MechanismRefused(f"scores={scores}: clipping several scores drives points apart, clip rows")
    lipschitz = positive(slope_cap=slope_cap) * positive(row_norm=row_norm)
    bound = sgd_minibatch(lipschitz, step_size, smoothness, passes, batch)
    return replace(bound, assumes=(*bound.assumes, "a loss of one score; the penalty's part of a step is not clipped"))


def batch_normalisation(*_: object, **__: object) -> StabilityBound:
    """Refused: one record changes every row of its batch."""
    raise MechanismRefused(
        "batch_normalisation: one record moves the statistics of its batch and so every row of it, without bound:"
        " normalise by fixed public numbers"
    )


def nesterov(
    lipschitz: float, step_size: float, smoothness: float, steps: int, n: int, *, quadratic: bool
) -> StabilityBound:
    """Momentum t/(t + 3), full batches, quadratic losses and η ≤ 1/β: (2ρη/n)·T(T + 7)/8, attained at β = 0."""
    _only_quadratic("nesterov", quadratic)
    _check_length(step_size, 1 / positive(smoothness=smoothness), "one over the smoothness")
    total = whole(steps=steps) * (steps + 7) / 8
    value = 2 * positive(lipschitz=lipschitz) * step_size / whole(n=n) * total
    return granted(value, Kind.WEIGHTS_L2, (QUADRATIC,), "impulse responses of the recursion add up to T(T + 7)/8")


def heavy_ball(
    lipschitz: float, step_size: float, smoothness: float, momentum: float, steps: int, n: int, *, quadratic: bool
) -> StabilityBound:
    """Full batches, quadratic losses, ηβ ≤ 2(1 + γ): 2ρηT/(n(1 − γ)), the limit of many steps without curvature."""
    _only_quadratic("heavy_ball", quadratic)
    kept = fraction(momentum=momentum)
    _check_length(step_size, 2 * (1 + kept) / positive(smoothness=smoothness), "2(1 + momentum) over the smoothness")
    value = 2 * positive(lipschitz=lipschitz) * step_size * whole(steps=steps) / (whole(n=n) * (1 - kept))
    return granted(value, Kind.WEIGHTS_L2, (QUADRATIC,), "impulse responses are at most 1/(1 − γ)")


def _only_quadratic(name: str, quadratic: object) -> None:
    if quadratic is not True:
        raise MechanismRefused(
            f"{name}: bounded for quadratic losses alone, on others stability can get worse exponentially: use it as a"
            " solver of a strongly convex problem, with a certificate"
        )


def _check_length(step: float, most: float, rule: str) -> None:
    if positive(step_size=step) > most:
        raise MechanismRefused(f"step_size={shown(step)}: must be at most {most:.6g}, {rule}")
