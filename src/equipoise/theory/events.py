"""What happened, as frozen data: one class per mechanism.

A treaty: an event never changes its meaning, events are only added, and an unknown one is refused.  An event
says nothing about the data; its `cost` is what an accountant composes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from equipoise._checks import fraction, not_negative, positive, whole
from equipoise.errors import InvalidInput
from equipoise.theory.guarantees import Approximate, Gaussian, Measure, Pure


@dataclass(frozen=True, slots=True)
class PureRelease:
    """Noise whose density ratio is bounded: Laplace, spherical, pure objective perturbation."""

    epsilon: float
    delta_numeric: float = 0.0

    def __post_init__(self) -> None:
        positive(epsilon=self.epsilon)
        fraction(delta_numeric=self.delta_numeric)

    @property
    def cost(self) -> Measure:
        return Pure(self.epsilon)


@dataclass(frozen=True, slots=True)
class GaussianRelease:
    """Gaussian noise of `1/mu` sensitivities, added `steps` times, each step free to depend on the last."""

    mu: float
    steps: int = 1
    delta_numeric: float = 0.0
    epsilon_numeric: float = 0.0
    """What the grid's law adds to ε over all steps, to be added to any ε derived from μ."""

    def __post_init__(self) -> None:
        positive(mu=self.mu)
        whole(steps=self.steps)
        fraction(delta_numeric=self.delta_numeric)
        not_negative(epsilon_numeric=self.epsilon_numeric)

    @property
    def cost(self) -> Measure:
        """√steps·μ, rounded up: Gaussian privacy composes exactly."""
        return Gaussian(self.mu * self.steps**0.5 * (1 + 1e-15))


@dataclass(frozen=True, slots=True)
class ApproximateRelease:
    """A mechanism known only by its (ε, δ): Gaussian objective perturbation."""

    epsilon: float
    delta: float
    delta_numeric: float = 0.0

    def __post_init__(self) -> None:
        not_negative(epsilon=self.epsilon)
        fraction(delta=self.delta)
        fraction(delta_numeric=self.delta_numeric)

    @property
    def cost(self) -> Measure:
        return Approximate(self.epsilon, self.delta)


Event = PureRelease | GaussianRelease | ApproximateRelease

_KINDS: dict[str, type[PureRelease] | type[GaussianRelease] | type[ApproximateRelease]] = {
    "pure": PureRelease,
    "gaussian": GaussianRelease,
    "approximate": ApproximateRelease,
}


def to_dict(event: Event) -> dict[str, Any]:
    """Plain data for a ledger or a file."""
    for kind, cls in _KINDS.items():
        if type(event) is cls:
            return {"kind": kind, **asdict(event)}
    raise InvalidInput(f"event of type {type(event).__name__}: not known to this version")


def from_dict(data: dict[str, Any]) -> Event:
    """The event written by `to_dict`; an unknown kind or field is refused, never guessed."""
    fields = dict(data)
    kind = fields.pop("kind", None)
    if kind not in _KINDS:
        raise InvalidInput("event kind not known to this version: update equipoise to read it")
    try:
        return _KINDS[kind](**fields)
    except TypeError:
        raise InvalidInput("event fields not known to this version: update equipoise to read it") from None
