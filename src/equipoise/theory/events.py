"""What happened, as frozen data: one class per mechanism.

A treaty: an event never changes its meaning, events are only added, and an unknown one is refused.  An event
says nothing about the data; its `costs` are what an accountant composes: measures, and how many times each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from equipoise._checks import fraction, not_negative, positive, whole
from equipoise.errors import InvalidInput
from equipoise.theory.guarantees import Approximate, BoundedRange, Concentrated, Gaussian, Measure, Pure, Renyi
from equipoise.theory.rounding import ONE_STEP, up

Costs = tuple[tuple[Measure, int], ...]


@dataclass(frozen=True, slots=True)
class PureRelease:
    """Noise whose density ratio is bounded: Laplace, spherical, pure objective perturbation.

    The same price `steps` times, each step free to depend on the last; `delta_numeric` is for all steps together.
    """

    epsilon: float
    delta_numeric: float = 0.0
    steps: int = 1

    def __post_init__(self) -> None:
        _set(self, epsilon=positive(epsilon=self.epsilon), steps=whole(steps=self.steps))
        _set(self, delta_numeric=fraction(delta_numeric=self.delta_numeric))

    @property
    def costs(self) -> Costs:
        return ((Pure(self.epsilon), self.steps),)


@dataclass(frozen=True, slots=True)
class GaussianRelease:
    """Gaussian noise of `1/mu` sensitivities, added `steps` times, each step free to depend on the last."""

    mu: float
    steps: int = 1
    delta_numeric: float = 0.0
    epsilon_numeric: float = 0.0
    """What the grid's law adds to ε over all steps, to be added to any ε derived from μ."""

    def __post_init__(self) -> None:
        _set(self, mu=positive(mu=self.mu), steps=whole(steps=self.steps))
        _set(self, delta_numeric=fraction(delta_numeric=self.delta_numeric))
        _set(self, epsilon_numeric=not_negative(epsilon_numeric=self.epsilon_numeric))

    @property
    def costs(self) -> Costs:
        """√steps·μ, rounded up: Gaussian privacy composes exactly."""
        return ((Gaussian(up(self.mu * self.steps**0.5, ONE_STEP)), 1),)


@dataclass(frozen=True, slots=True)
class ApproximateRelease:
    """A mechanism known only by its (ε, δ): Gaussian objective perturbation."""

    epsilon: float
    delta: float
    delta_numeric: float = 0.0

    def __post_init__(self) -> None:
        _set(self, epsilon=not_negative(epsilon=self.epsilon), delta=fraction(delta=self.delta))
        _set(self, delta_numeric=fraction(delta_numeric=self.delta_numeric))

    @property
    def costs(self) -> Costs:
        return ((Approximate(self.epsilon, self.delta), 1),)


@dataclass(frozen=True, slots=True)
class BoundedRangeRelease:
    """Exponential mechanism, soft vote, exponential walk: the log-ratio of any two outputs varies within an
    interval of length `eta`.  `steps` uses, each free to depend on the last.

    `delta_numeric`, here and below, is at least twice the distance (in total variation, over all steps) between
    the law that is sampled and the ideal one.
    """

    eta: float
    steps: int = 1
    delta_numeric: float = 0.0

    def __post_init__(self) -> None:
        _set(self, eta=positive(eta=self.eta), steps=whole(steps=self.steps))
        _set(self, delta_numeric=fraction(delta_numeric=self.delta_numeric))

    @property
    def costs(self) -> Costs:
        return ((BoundedRange(self.eta), self.steps),)


@dataclass(frozen=True, slots=True)
class ConcentratedRelease:
    """A mechanism known by its ρ of zero-concentrated privacy."""

    rho: float
    delta_numeric: float = 0.0

    def __post_init__(self) -> None:
        _set(self, rho=positive(rho=self.rho), delta_numeric=fraction(delta_numeric=self.delta_numeric))

    @property
    def costs(self) -> Costs:
        return ((Concentrated(self.rho), 1),)


@dataclass(frozen=True, slots=True)
class RenyiRelease:
    """A mechanism known by its Rényi divergences: the best of a random number of runs."""

    orders: tuple[float, ...]
    epsilons: tuple[float, ...]
    delta_numeric: float = 0.0

    def __post_init__(self) -> None:
        known = Renyi(_floats(self.orders), _floats(self.epsilons))
        _set(self, orders=known.orders, epsilons=known.epsilons)
        _set(self, delta_numeric=fraction(delta_numeric=self.delta_numeric))

    @property
    def costs(self) -> Costs:
        return ((Renyi(self.orders, self.epsilons), 1),)


@dataclass(frozen=True, slots=True)
class Composed:
    """Several events under one reservation, each free to depend on those before it."""

    parts: tuple[Event, ...]

    def __post_init__(self) -> None:
        _set(self, parts=tuple(self.parts))
        if not self.parts or any(type(part) not in _KINDS.values() for part in self.parts):
            raise InvalidInput("composed: give at least one part, each of them an event")

    @property
    def costs(self) -> Costs:
        return tuple(cost for part in self.parts for cost in part.costs)

    @property
    def delta_numeric(self) -> float:
        """What the parts declare, added up; `total_spent` weighs each part by its own rule."""
        return min(math.nextafter(1.0, 0.0), math.fsum(part.delta_numeric for part in self.parts))


Event = (
    PureRelease
    | GaussianRelease
    | ApproximateRelease
    | BoundedRangeRelease
    | ConcentratedRelease
    | RenyiRelease
    | Composed
)

_KINDS: dict[str, type[Event]] = {
    "pure": PureRelease,
    "gaussian": GaussianRelease,
    "approximate": ApproximateRelease,
    "bounded-range": BoundedRangeRelease,
    "concentrated": ConcentratedRelease,
    "renyi": RenyiRelease,
    "composed": Composed,
}


def leaves(event: Event) -> Iterator[Event]:
    """The events that `event` is composed of; itself if it is simple."""
    if not isinstance(event, Composed):
        yield event
        return
    for part in event.parts:
        yield from leaves(part)


def to_dict(event: Event) -> dict[str, Any]:
    """Plain data for a ledger or a file, equal to what JSON makes of it."""
    if isinstance(event, Composed):
        return {"kind": "composed", "parts": [to_dict(part) for part in event.parts]}
    for kind, cls in _KINDS.items():
        if type(event) is cls:
            fields = asdict(event)
            return {"kind": kind, **{name: _plain(value) for name, value in fields.items()}}
    raise InvalidInput(f"event of type {type(event).__name__}: not known to this version")


def from_dict(data: dict[str, Any]) -> Event:
    """The event written by `to_dict`; an unknown kind or field is refused, never guessed."""
    if not isinstance(data, dict):
        raise InvalidInput("event: must be a mapping as `to_dict` writes it")
    fields = dict(data)
    kind = fields.pop("kind", None)
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InvalidInput("event kind not known to this version: update equipoise to read it")
    try:
        if kind == "composed":
            fields["parts"] = tuple(from_dict(part) for part in fields["parts"])
        return _KINDS[kind](**fields)
    except (TypeError, KeyError):
        raise InvalidInput("event fields not known to this version: update equipoise to read it") from None


def _set(event: object, **fields: object) -> None:
    """Keep the checked values, plain numbers that JSON can write, in a frozen event under construction."""
    for name, value in fields.items():
        object.__setattr__(event, name, value)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _floats(values: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(not_negative(renyi=value) for value in values)
