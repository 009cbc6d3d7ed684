"""Gradient steps with momentum on all records, for quadratic losses alone: docs/proofs/momentum.md."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from equipoise._checks import fraction, positive, shown, whole
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.rounding import WELL_CLEAR, up

Array = npt.NDArray[np.float64]

MOST_STEPS = 1000
"""Bounds are found in time that grows with the square of the number of steps."""

FINENESS = 16
"""Chebyshev points for each step: the maxima of polynomials are then found to one per cent."""


def _count(steps: object) -> int:
    if whole(steps=steps) > MOST_STEPS:
        raise InvalidInput(f"steps={steps}: must be at most {MOST_STEPS}")
    return whole(steps=steps)


@dataclass(frozen=True, slots=True)
class HeavyBall:
    """Steps on all records, each going on with a part `momentum` of the step before it; None: a step of 1/β.

    For `LinearRegression(mechanism=...)`: it is bounded for the squared loss alone.
    """

    steps: int = 50
    momentum: float = 0.5
    step_size: float | None = None

    def __post_init__(self) -> None:
        _count(self.steps)
        fraction(momentum=self.momentum)
        if self.step_size is not None:
            positive(step_size=self.step_size)

    def settled(self, ridge: float, smoothness: float) -> Swing:
        """A step that is too long is refused with its limit."""
        most = 2 * (1 + self.momentum) / (smoothness + ridge)
        length = _length(self.step_size, most, smoothness, "2(1 + momentum) over smoothness plus ridge")
        return Swing(self.steps, length, self.momentum, ridge, smoothness)


@dataclass(frozen=True, slots=True)
class Nesterov:
    """Steps on all records from points ahead, momentum t/(t + 3); None: a step of 1/β.

    For `LinearRegression(mechanism=...)`: it is bounded for the squared loss alone.
    """

    steps: int = 20
    step_size: float | None = None

    def __post_init__(self) -> None:
        _count(self.steps)
        if self.step_size is not None:
            positive(step_size=self.step_size)

    def settled(self, ridge: float, smoothness: float) -> Swing:
        """A step that is too long is refused with its limit."""
        length = _length(self.step_size, 1 / smoothness, smoothness, "one over the smoothness")
        return Swing(self.steps, length, None, ridge, smoothness)


def _length(given: float | None, most: float, smoothness: float, rule: str) -> float:
    if given is not None and given > most:
        raise MechanismRefused(f"step_size={shown(given)}: must be at most {most:.6g}, {rule}")
    return 1 / smoothness if given is None else given


def momentum_of_constants(known: Mapping[str, float]) -> HeavyBall | Nesterov:
    """As a guarantee keeps it."""
    steps, length = round(known["steps"]), known["step size"]
    return HeavyBall(steps, known["momentum"], length) if "momentum" in known else Nesterov(steps, length)


@dataclass(frozen=True, slots=True)
class Swing:
    """Steps with momentum, settled; `momentum` None means Nesterov's."""

    steps: int
    step: float
    momentum: float | None
    ridge: float
    smoothness: float

    @property
    def ahead(self) -> bool:
        """Whether gradients are taken at the point that momentum leads to."""
        return self.momentum is None

    def kept(self, step: int) -> float:
        """The part of the last step that is gone again, in step 0, 1, …"""
        return step / (step + 3) if self.momentum is None else self.momentum

    def constants(self) -> dict[str, float]:
        """By the names that a guarantee and its card use."""
        named = {"steps": float(self.steps), "step size": self.step}
        return named if self.momentum is None else named | {"momentum": self.momentum}


@dataclass(frozen=True, slots=True)
class Responses:
    """`impulses`: what is left at the end of a unit put in at each step.  `strays`: how far from the start each
    gradient is taken, and last the end, for residuals of one at the start and losses of curvature c."""

    impulses: tuple[float, ...]
    strays: tuple[float, ...]


@lru_cache(maxsize=64)
def responses(swing: Swing, curvature: float) -> Responses:
    """The largest over every Hessian between ridge and smoothness, and so over every table."""
    spectrum = _chebyshev(swing.ridge, swing.smoothness, FINENESS * swing.steps)
    return Responses(_impulses(swing, spectrum), _strays(swing, spectrum, curvature))


def _chebyshev(low: float, high: float, count: int) -> Array:
    places = np.cos((2 * np.arange(1, count + 1) - 1) * np.pi / (2 * count))
    return np.asarray((low + high) / 2 + (high - low) / 2 * places)


def _largest(values: Array, degree: int) -> float:
    """Of a polynomial of this degree on the whole interval, from its values at the Chebyshev points."""
    return up(float(np.max(np.abs(values))) / math.cos(math.pi * degree / (2 * values.size)), WELL_CLEAR)


def _impulses(swing: Swing, spectrum: Array) -> tuple[float, ...]:
    """Backwards from the end: a point counts through the next one, and through the one after that."""
    bend = swing.step * spectrum
    after, next_one = np.zeros_like(spectrum), np.ones_like(spectrum)
    found = [_largest(next_one, swing.steps)]
    for step in range(swing.steps - 1, 0, -1):
        now, then = swing.kept(step), swing.kept(step + 1)
        if swing.ahead:
            here = (1 - bend) * ((1 + now) * next_one - then * after)
        else:
            here = (1 + now - bend) * next_one - then * after
        after, next_one = next_one, here
        found.append(_largest(here, swing.steps))
    return tuple(reversed(found))


def _strays(swing: Swing, spectrum: Array, curvature: float) -> tuple[float, ...]:
    """The steps on single numbers with gradient λx − 1, in units of the step; on the axis of λ the records pull with at
    most √(c(λ − α))."""
    pull, bend = np.sqrt(curvature * (spectrum - swing.ridge)), swing.step * spectrum
    before, now, found = np.zeros_like(spectrum), np.zeros_like(spectrum), []
    for step in range(swing.steps):
        ahead = now + swing.kept(step) * (now - before)
        point = ahead if swing.ahead else now
        found.append(point)
        before, now = now, ahead - (bend * point - 1)
    degree = 2 * swing.steps + 1  # of its square, which is a polynomial
    return tuple(swing.step * _largest(pull * point, degree) for point in (*found, now))
