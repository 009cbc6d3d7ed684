"""How privacy is measured, and what a release promises.  Frozen values; the measures are never mixed silently."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from equipoise._checks import fraction, not_negative, positive, shown
from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.extremes import SMALLEST_EPSILON
from equipoise.theory.noise import Law


@documented()
@dataclass(frozen=True, slots=True, order=True)
class Pure:
    """ε-differential privacy: no event's odds change by more than e^ε."""

    epsilon: float

    def __post_init__(self) -> None:
        not_negative(epsilon=self.epsilon)


@dataclass(frozen=True, slots=True, order=True)
class Approximate:
    """(ε, δ)-differential privacy."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        not_negative(epsilon=self.epsilon)
        fraction(delta=self.delta)


@documented()
@dataclass(frozen=True, slots=True, order=True)
class Concentrated:
    """ρ-zCDP: Rényi divergence of order a at most ρ·a, for every a > 1."""

    rho: float

    def __post_init__(self) -> None:
        not_negative(rho=self.rho)


@documented()
@dataclass(frozen=True, slots=True, order=True)
class Gaussian:
    """μ-GDP: no easier to tell apart than N(0, 1) and N(μ, 1)."""

    mu: float

    def __post_init__(self) -> None:
        not_negative(mu=self.mu)


@dataclass(frozen=True, slots=True, order=True)
class BoundedRange:
    """η-bounded range: over all outputs the log-ratio of the two laws varies by at most η.

    Every exponential mechanism has it.  It implies η-differential privacy and is stronger.
    """

    eta: float

    def __post_init__(self) -> None:
        not_negative(eta=self.eta)


@documented()
@dataclass(frozen=True, slots=True)
class Renyi:
    """Rényi divergence at most `epsilons[i]` at order `orders[i]`."""

    orders: tuple[float, ...]
    epsilons: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.orders) != len(self.epsilons) or not self.orders:
            raise InvalidInput("renyi: give one epsilon for each order, at least one")
        for order, epsilon in zip(self.orders, self.epsilons, strict=True):
            if not order > 1:
                raise InvalidInput(f"renyi order={shown(order)}: must be > 1")
            if not 0 <= epsilon < math.inf:  # there are hundreds, and few are wrong
                not_negative(epsilon=epsilon)


Measure = Pure | Approximate | Concentrated | Gaussian | BoundedRange | Renyi


@documented()
@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent: ε > 0 and δ in [0, 1)."""

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(epsilon=self.epsilon))
        object.__setattr__(self, "delta", fraction(delta=self.delta))
        if self.epsilon < SMALLEST_EPSILON:
            raise InvalidInput(f"epsilon={shown(self.epsilon)}: too small for doubles, raise epsilon")


ONE_ROW = "one row"
"""The usual unit of a guarantee."""


@documented(record=True)
@dataclass(frozen=True, slots=True)
class Guarantee:
    """What one release promises, with every constant the promise rests on.

    `delta_numeric` bounds what computer arithmetic adds to `delta`.  `seeded=True` means the noise can be
    computed again by anyone who knows the seed: the release is then **not private** and for tests only.
    """

    epsilon: float
    delta: float
    delta_numeric: float
    adjacency: Adjacency
    mechanism: str
    theorem: str
    sensitivity: float
    noise_scale: float
    seeded: bool
    unit: str = ONE_ROW
    constants: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def private(self) -> bool:
        """False when the noise came from a seed, or when nothing is promised."""
        return not self.seeded and math.isfinite(self.epsilon)

    @property
    def laws(self) -> frozenset[Law]:
        """The laws of the noise that the promise rests on; none where it rests on choices and coins alone."""
        return Law.named_in(self.theorem)
