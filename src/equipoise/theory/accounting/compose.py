"""What several releases cost together: the smallest of every bound we can prove.

Each bound treats an (ε, δ) mechanism as one that leaks everything with probability δ and is ε-DP otherwise.
All allow a release to depend on earlier ones.  Equal releases are counted, not listed, so the time taken depends on
how many *different* ones there are.  Proofs: docs/proofs/accounting.md.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from equipoise._checks import fraction, not_negative
from equipoise.theory.accounting.bounded_range import delta_bounded_range
from equipoise.theory.accounting.convert import (
    ORDERS_LESS_ONE,
    delta_gaussian,
    delta_moments,
    renyi_curve,
    with_leak,
)
from equipoise.theory.accounting.parts import Measures, Parts, exact_sum, merge, sum_or_inf
from equipoise.theory.accounting.profile import LossLaw, loss_law
from equipoise.theory.accounting.search import least_within
from equipoise.theory.events import (
    ApproximateRelease,
    Event,
    GaussianRelease,
    PureRelease,
    leaves,
)
from equipoise.theory.extremes import LARGEST_EPSILON
from equipoise.theory.guarantees import BoundedRange, Concentrated, Gaussian, Measure, Pure
from equipoise.theory.rounding import ONE_STEP, up

Curve = Callable[[float], float]
Events = Iterable[Event] | Mapping[Event, int]
"""Events one by one, or each with the number of times it happened."""


@dataclass(frozen=True, slots=True)
class Spent:
    """(ε, δ) of everything released so far; `delta_numeric` is what computer arithmetic adds to δ."""

    epsilon: float
    delta: float
    delta_numeric: float


def total_delta(measures: Measures, epsilon: float) -> float:
    """The smallest δ we can prove for all `measures` together at `epsilon`."""
    epsilon = not_negative(epsilon=epsilon)
    return _curve(merge(measures))(epsilon)


def total_epsilon(measures: Measures, delta: float) -> float:
    """The smallest ε we can prove for all `measures` together at `delta`; inf when no ε will do."""
    delta, parts = fraction(delta=delta), merge(measures)
    if _hopeless(parts, delta):
        return math.inf
    if delta == parts.leak:
        return parts.pure
    curve = _curve(parts)
    if curve(0.0) <= delta:
        return 0.0
    ceiling = math.inf if parts.smooth else parts.pure
    return min(ceiling, least_within(curve, delta))


def total_within(measures: Measures, epsilon: float, delta: float) -> bool:
    """True if we can prove that all `measures` together are (ε, δ)-DP; quicker than finding the smallest ε."""
    epsilon, delta, parts = not_negative(epsilon=epsilon), fraction(delta=delta), merge(measures)
    if _hopeless(parts, delta):
        return False
    if epsilon >= parts.pure and not parts.smooth:
        return True
    return delta > parts.leak and _curve(parts)(epsilon) <= delta


def total_spent(events: Events, delta: float) -> Spent:
    """What `events` cost together at `delta`, with the part that is due to computer arithmetic kept apart."""
    happened = simple(events)
    epsilon = total_epsilon(costs_of(happened), delta) + epsilon_numeric(happened)
    return Spent(epsilon, float(delta), delta_numeric(happened, epsilon, delta))


def simple(events: Events) -> Counter[Event]:
    """How often each simple event happened, composed ones taken apart."""
    counted: Counter[Event] = Counter()
    for event, count in events.items() if isinstance(events, Mapping) else Counter(events).items():
        for leaf in leaves(event):
            counted[leaf] += count
    return counted


def costs_of(events: Mapping[Event, int]) -> Counter[Measure]:
    """The measures that `events` cost, each with the number of times it is due."""
    due: Counter[Measure] = Counter()
    for event, count in events.items():
        for measure, times in event.costs:
            due[measure] += times * count
    return due


def epsilon_numeric(happened: Mapping[Event, int]) -> float:
    """What the grid's law adds to ε, over all simple events."""
    return sum_or_inf(e.epsilon_numeric * count for e, count in happened.items() if isinstance(e, GaussianRelease))


def delta_numeric(happened: Mapping[Event, int], epsilon: float, delta: float) -> float:
    """An (ε, δ) event's numeric part is one more leak.  That of any other is a distance between laws, which the
    joint ε weighs anew: at most (1 + e^ε)/2 times what was declared.  Where laws of a grid are a factor off, δ is as
    well: an event was declared for a δ of its own, which may be smaller than the one that is told here."""
    leaked: Counter[float] = Counter()
    shifted: Counter[float] = Counter()
    for event, count in happened.items():
        (leaked if isinstance(event, PureRelease | ApproximateRelease) else shifted)[event.delta_numeric] += count
    weight = (1 + math.exp(min(epsilon, 700.0))) / 2
    factor = math.expm1(min(epsilon_numeric(happened), 1.0) / 2)
    return min(1.0, exact_sum(leaked) + (exact_sum(shifted) * weight if any(shifted) else 0.0) + factor * delta)


def _hopeless(parts: Parts, delta: float) -> bool:
    return delta < parts.leak or (parts.smooth and delta <= parts.leak)


def _curve(parts: Parts) -> Curve:
    """ε → δ, the smallest of the bounds that apply."""
    bounds = [_basic(parts)]
    if 0 < parts.pure <= LARGEST_EPSILON:  # beyond, ε add up: δ can buy nothing there, and doubles would overflow
        law = _profile(parts)
        if law is not None:
            bounds.append(lambda epsilon: law.delta(epsilon, parts.mu))
        if law is None or law.coarse or parts.ranges:
            bounds.append(_moments(parts, with_pure=True))
    if _lone_range(parts):
        bounds.append(lambda epsilon: delta_bounded_range(parts.pure, epsilon))
    return lambda epsilon: with_leak(parts.leak, min(bound(epsilon) for bound in bounds))


def _lone_range(parts: Parts) -> bool:
    """One bounded-range release and nothing else, but for leaks."""
    return not parts.smooth and not parts.responses and sum(parts.ranges.values()) == 1


def _basic(parts: Parts) -> Curve:
    """Pure ε add up; what remains of ε is for the rest."""
    rest = _rest(parts)
    return lambda epsilon: rest(epsilon - parts.pure) if epsilon >= parts.pure else 1.0


def _rest(parts: Parts) -> Curve:
    """All but the pure part: exact if it is Gaussian, by moments otherwise."""
    if not parts.smooth:
        return lambda epsilon: 0.0
    if parts.rho == 0 and not parts.renyi:
        return lambda epsilon: delta_gaussian(epsilon, parts.mu)
    return _moments(parts, with_pure=False)


def _moments(parts: Parts, *, with_pure: bool) -> Curve:
    """Rényi divergences add up at every order."""
    steps = ORDERS_LESS_ONE
    if parts.renyi:
        steps = np.array(sorted({order - 1 for known, _ in parts.renyi for order in known.orders}))
    terms: list[tuple[Measure, int]] = [(Gaussian(parts.mu), 1), (Concentrated(parts.rho), 1), *parts.renyi]
    if with_pure:
        terms += [(Pure(epsilon), count) for epsilon, count in sorted(parts.responses.items())]
        terms += [(BoundedRange(eta), count) for eta, count in sorted(parts.ranges.items())]
    total = np.zeros_like(steps)
    for measure, count in terms:
        total = total + count * renyi_curve(measure, steps)
    total = up(total, ONE_STEP * len(terms))
    return lambda epsilon: delta_moments(steps, total, epsilon)


def _profile(parts: Parts) -> LossLaw | None:
    """The exact losses of pure and Gaussian parts; bounded-range ones count as pure."""
    return None if parts.rho > 0 or parts.renyi else loss_law(parts.all_responses)
