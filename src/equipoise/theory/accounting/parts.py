"""The measures of a composition, merged kind by kind, so that neither their order nor their number matters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from equipoise.theory.accounting.convert import unknown
from equipoise.theory.guarantees import Approximate, BoundedRange, Concentrated, Gaussian, Measure, Pure, Renyi
from equipoise.theory.rounding import ONE_STEP, up

Measures = Iterable[Measure] | Mapping[Measure, int]
"""Measures one by one, or each with the number of times it was paid."""


@dataclass(frozen=True, slots=True)
class Parts:
    """One number, or one count per distinct value, for each kind of measure."""

    leak: float
    responses: Mapping[float, int]  # ε of pure mechanisms
    ranges: Mapping[float, int]  # η of bounded-range ones
    pure: float  # Σε + Ση
    mu: float
    rho: float
    renyi: tuple[tuple[Renyi, int], ...]

    @property
    def smooth(self) -> bool:
        """True if anything is there that is private at no ε without a δ."""
        return self.mu > 0 or self.rho > 0 or bool(self.renyi)

    @property
    def all_responses(self) -> Mapping[float, int]:
        """Bounded-range mechanisms counted as the pure ones they also are."""
        return Counter(self.responses) + Counter(self.ranges)


def merge(measures: Measures) -> Parts:
    """Sort by kind and add up within each; δ, μ and ρ are rounded up."""
    kinds: dict[type, Counter[float]] = {kind: Counter() for kind in (Pure, BoundedRange, Gaussian, Concentrated)}
    deltas: Counter[float] = Counter()
    renyi: Counter[Renyi] = Counter()
    for measure, count in _counted(measures).items():
        match measure:
            case Pure(value) | BoundedRange(value) | Gaussian(value) | Concentrated(value):
                kinds[type(measure)][value] += count
            case Approximate(epsilon, delta):
                kinds[Pure][epsilon] += count
                deltas[delta] += count
            case Renyi(_, divergences):
                if 0.0 not in divergences:  # no divergence at one order: nothing is released
                    renyi[measure] += count
            case _:
                raise unknown(measure)
    for values in kinds.values():
        del values[0.0]
    return Parts(
        _leak(deltas),
        kinds[Pure],
        kinds[BoundedRange],
        exact_sum(kinds[Pure] + kinds[BoundedRange]),
        _hypotenuse(kinds[Gaussian]),
        _sum_up(kinds[Concentrated]),
        tuple(sorted(renyi.items(), key=lambda item: (item[0].orders, item[0].epsilons))),
    )


def exact_sum(values: Mapping[float, int]) -> float:
    """Σ value·count, rounded once, to nearest and not up: ten releases at 0.1 must fit a budget of 1."""
    total = sum((Fraction(value) * count for value, count in values.items()), Fraction(0))
    try:
        return float(total)
    except OverflowError:  # more than any limit
        return math.inf


def sum_or_inf(values: Iterable[float]) -> float:
    """Of numbers that are not negative; infinite where doubles overflow on the way."""
    try:
        return math.fsum(values)
    except OverflowError:
        return math.inf


def _counted(measures: Measures) -> Mapping[Measure, int]:
    try:
        return measures if isinstance(measures, Mapping) else Counter(measures)
    except TypeError:  # something that cannot even be hashed
        raise unknown(measures) from None


def _leak(deltas: Mapping[float, int]) -> float:
    """1 − Π(1 − δ), at most Σδ."""
    product = -math.expm1(math.fsum(count * math.log1p(-delta) for delta, count in deltas.items()))
    return min(exact_sum(deltas), up(product, ONE_STEP))


def _hypotenuse(mus: Counter[float]) -> float:
    return up(math.hypot(*(mu * math.sqrt(count) for mu, count in mus.items())), ONE_STEP * (mus.total() > 1))


def _sum_up(values: Counter[float]) -> float:
    return up(sum_or_inf(value * count for value, count in values.items()), ONE_STEP * (values.total() > 1))
