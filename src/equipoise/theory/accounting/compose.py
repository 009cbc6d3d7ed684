"""What several releases cost together: the smallest of every bound we can prove.

Each bound treats an (ε, δ) mechanism as one that leaks everything with probability δ and is ε-DP otherwise.
All allow a release to depend on earlier ones.  Proofs: docs/proofs/accounting.md.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise._checks import fraction, not_negative
from equipoise.theory.accounting.convert import (
    ORDERS_LESS_ONE,
    delta_gaussian,
    delta_moments,
    renyi_curve,
    unknown,
    with_leak,
)
from equipoise.theory.accounting.profile import loss_law
from equipoise.theory.accounting.search import least
from equipoise.theory.events import Event, GaussianRelease
from equipoise.theory.guarantees import Approximate, Concentrated, Gaussian, Measure, Pure, Renyi

Curve = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Spent:
    """(ε, δ) of everything released so far; `delta_numeric` is what computer arithmetic adds to δ."""

    epsilon: float
    delta: float
    delta_numeric: float


@dataclass(frozen=True, slots=True)
class _Parts:
    """The measures sorted by kind and merged within each kind, so that their order cannot matter."""

    leak: float
    responses: Counter[float]
    pure: float
    mu: float
    rho: float
    renyi: tuple[Renyi, ...]

    @property
    def smooth(self) -> bool:
        """True if anything but pure and approximate mechanisms is there."""
        return self.mu > 0 or self.rho > 0 or bool(self.renyi)


def total_delta(measures: Sequence[Measure], epsilon: float) -> float:
    """The smallest δ we can prove for all `measures` together at `epsilon`."""
    epsilon = not_negative(epsilon=epsilon)
    return _curve(_sorted(measures))(epsilon)


def total_epsilon(measures: Sequence[Measure], delta: float) -> float:
    """The smallest ε we can prove for all `measures` together at `delta`; inf when no ε will do."""
    delta, parts = fraction(delta=delta), _sorted(measures)
    if delta < parts.leak or (parts.smooth and delta <= parts.leak):
        return math.inf
    if delta == parts.leak:
        return parts.pure
    curve = _curve(parts)
    if curve(0.0) <= delta:
        return 0.0
    ceiling = math.inf if parts.smooth else parts.pure
    return min(ceiling, least(lambda epsilon: curve(epsilon) <= delta))


def total_spent(events: Iterable[Event], delta: float) -> Spent:
    """What `events` cost together at `delta`, with the part that is due to computer arithmetic kept apart."""
    happened = list(events)
    epsilon = total_epsilon([event.cost for event in happened], delta)
    epsilon += math.fsum(event.epsilon_numeric for event in happened if isinstance(event, GaussianRelease))
    return Spent(epsilon, float(delta), _numeric(happened, epsilon))


def _numeric(events: Sequence[Event], epsilon: float) -> float:
    """An (ε, δ) event's numeric part is one more leak.  A Gaussian's is a distance between laws, which the
    joint ε weighs anew: at most (1 + e^ε)/2 times what was declared."""
    shifted = math.fsum(event.delta_numeric for event in events if isinstance(event, GaussianRelease))
    leaked = math.fsum(event.delta_numeric for event in events if not isinstance(event, GaussianRelease))
    if shifted == 0:
        return min(1.0, leaked)
    return min(1.0, leaked + shifted * (1 + math.exp(min(epsilon, 700.0))) / 2)


def _sorted(measures: Sequence[Measure]) -> _Parts:
    responses: Counter[float] = Counter()
    deltas: list[float] = []
    mus: list[float] = []
    rhos: list[float] = []
    renyi: list[Renyi] = []
    for measure in measures:
        match measure:
            case Pure(epsilon):
                responses[epsilon] += 1
            case Approximate(epsilon, delta):
                responses[epsilon] += 1
                deltas.append(delta)
            case Gaussian(mu):
                mus.append(mu)
            case Concentrated(rho):
                rhos.append(rho)
            case Renyi(_, divergences):
                if 0.0 not in divergences:  # no divergence at one order: nothing is released
                    renyi.append(measure)
            case _:
                raise unknown(measure)
    del responses[0.0]
    # Rounded to nearest, not up: ten releases at 0.1 must fit a budget of 1.
    pure = math.fsum(responses.elements())
    return _Parts(_leak(deltas), responses, pure, _hypotenuse(mus), _sum_up(rhos), tuple(renyi))


def _leak(deltas: Sequence[float]) -> float:
    """1 − Π(1 − δ), at most Σδ."""
    product = -math.expm1(math.fsum(math.log1p(-delta) for delta in deltas))
    return min(math.fsum(deltas), product * (1 + 1e-15))


def _hypotenuse(mus: Sequence[float]) -> float:
    return math.hypot(*mus) * (1 + 1e-15 * (len(mus) > 1))


def _sum_up(values: Sequence[float]) -> float:
    return math.fsum(values) * (1 + 1e-15 * (len(values) > 1))


def _curve(parts: _Parts) -> Curve:
    """ε → δ, the smallest of the bounds that apply."""
    bounds = [_basic(parts)]
    if parts.responses:
        bounds.append(_profile(parts) or _moments(parts, with_pure=True))
    return lambda epsilon: with_leak(parts.leak, min(bound(epsilon) for bound in bounds))


def _basic(parts: _Parts) -> Curve:
    """Pure ε add up; what remains of ε is for the rest."""
    rest = _rest(parts)
    return lambda epsilon: rest(epsilon - parts.pure) if epsilon >= parts.pure else 1.0


def _rest(parts: _Parts) -> Curve:
    """All but the pure part: exact if it is Gaussian, by moments otherwise."""
    if not parts.smooth:
        return lambda epsilon: 0.0
    if parts.rho == 0 and not parts.renyi:
        return lambda epsilon: delta_gaussian(epsilon, parts.mu)
    return _moments(parts, with_pure=False)


def _moments(parts: _Parts, *, with_pure: bool) -> Curve:
    """Rényi divergences add up at every order."""
    steps = ORDERS_LESS_ONE
    if parts.renyi:
        steps = np.array(sorted({order - 1 for known in parts.renyi for order in known.orders}))
    total = renyi_curve(Gaussian(parts.mu), steps) + renyi_curve(Concentrated(parts.rho), steps)
    for known in parts.renyi:
        total = total + renyi_curve(known, steps)
    for epsilon, count in sorted(parts.responses.items()) if with_pure else ():
        total = total + count * renyi_curve(Pure(epsilon), steps)
    total = total * (1 + 1e-15 * (2 + len(parts.renyi) + len(parts.responses)))
    return lambda epsilon: delta_moments(steps, total, epsilon)


def _profile(parts: _Parts) -> Curve | None:
    """The exact curve of pure and Gaussian parts."""
    if parts.rho > 0 or parts.renyi:
        return None
    law = loss_law(parts.responses)
    return None if law is None else lambda epsilon: law.delta(epsilon, parts.mu)
