"""Bounds that hold on average alone.  They say how well a model generalises, and nothing that noise may rest on.

An average over tables, over positions or over the algorithm's own coins can be small while one pair of neighbours is
far apart with a probability that privacy counts in full.  `StabilityBound.weights_l2` refuses every one of these.
"""

from __future__ import annotations

from equipoise._checks import one_of, positive, whole
from equipoise.theory.stability.bound import Kind, StabilityBound, granted
from equipoise.theory.stability.gradient_steps import SMOOTH, sgd_step_size

WORDS = ("average-case: not a ground for noise",)


def on_average(value: float, kind: str, because: str) -> StabilityBound:
    """A bound from the literature that holds in expectation, kept with its reason: hypothesis stability, on-average
    and leave-one-out stability, bounds that depend on the data."""
    averages = (Kind.WEIGHTS_ON_AVERAGE, Kind.LOSS_ON_AVERAGE)
    return StabilityBound(positive(value=value), Kind(one_of(averages, kind=kind)), WORDS, because)


def sgd_with_replacement(lipschitz: float, step_size: float, smoothness: float, steps: int, n: int) -> StabilityBound:
    """T steps at records drawn with replacement: 2ρηT/n in expectation over the draws; one record may be drawn T times.

    Hardt, Recht, Singer 2016, Theorem 3.8, for the coefficients.
    """
    once = sgd_step_size(lipschitz, step_size, smoothness).value
    value = once * whole(steps=steps) / whole(n=n)
    return granted(value, Kind.WEIGHTS_ON_AVERAGE, (SMOOTH, *WORDS), "expected number of draws of one record: T/n")


def sgd_random_position(lipschitz: float, step_size: float, smoothness: float) -> StabilityBound:
    """The average of one pass, over the place of the replaced record: ρη, half of what the first place can do."""
    value = sgd_step_size(lipschitz, step_size, smoothness).value / 2
    return granted(value, Kind.WEIGHTS_ON_AVERAGE, (SMOOTH, *WORDS), "a record moves the iterates after it")
