"""The best of a random number of runs: what it costs when only that one is released.

Each run costs `base`; the number of runs is drawn without looking at the data and is not released.  The price does
not grow with the number of candidates, only (slowly) with the mean number of runs.
Papernot & Steinke 2022, theorems 2 and 6.  Proofs: docs/proofs/accounting.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaln

from equipoise._checks import fraction, number, positive, shown, whole
from equipoise._docs import documented
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.accounting.convert import ORDERS_LESS_ONE, Array, delta_of, epsilon_of, renyi_curve
from equipoise.theory.accounting.search import greatest_within
from equipoise.theory.extremes import of_use
from equipoise.theory.guarantees import Approximate, BoundedRange, Budget, Measure, Pure, Renyi
from equipoise.theory.rounding import ONE_STEP

_STEPS: Array = (1 + np.logspace(-2, 6, 241)) - 1  # α − 1 at which the result is stated; 1 + it is exact


@documented()
@dataclass(frozen=True, slots=True)
class TruncatedNegativeBinomial:
    """At least one run.  `eta` = 1 is the geometric law, 0 the logarithmic one; `gamma` near 0 means many runs.

    Smaller `eta` costs less privacy and makes the number of runs more uneven.
    """

    eta: float
    gamma: float

    def __post_init__(self) -> None:
        if number(eta=self.eta) <= -1:
            raise InvalidInput(f"eta={shown(self.eta)}: must be > -1")
        if not 0 < number(gamma=self.gamma) < 1:
            raise InvalidInput(f"gamma={shown(self.gamma)}: must be in (0, 1)")

    @property
    def mean(self) -> float:
        """Expected number of runs."""
        return math.exp(self.log_mean)

    @property
    def log_mean(self) -> float:
        """The logarithm of the expected number of runs, finite where that overflows."""
        return self._log_scale + math.log1p(-self.gamma) - (1 + self.eta) * math.log(self.gamma)

    @property
    def _log_scale(self) -> float:
        """log of η/(γ^{−η} − 1), which is 1/log(1/γ) at η = 0."""
        rate = -math.log(self.gamma)
        power = self.eta * rate
        if abs(power) > 700:  # the exponential would overflow; one of the two terms is then invisible
            return math.log(abs(self.eta)) - max(power, 0.0)
        return -math.log(rate) + (math.log(power / math.expm1(power)) if power else 0.0)

    @documented(returns="float: Its probability.")
    def pmf(self, runs: int) -> float:
        """Probability of exactly `runs` runs, at least one."""
        runs = whole(runs=runs)
        ways = float(gammaln(runs + self.eta) - gammaln(1 + self.eta) - gammaln(runs + 1))
        return math.exp(min(0.0, self._log_scale + runs * math.log1p(-self.gamma) + ways))


@documented()
@dataclass(frozen=True, slots=True)
class PoissonStop:
    """Poisson number of runs with the given mean.  With none (probability e^{−mean}) nothing must be released
    that looks at the data."""

    mean: float

    def __post_init__(self) -> None:
        positive(mean=self.mean)

    @documented(returns="float: Its probability.")
    def pmf(self, runs: int) -> float:
        """Probability of exactly `runs` runs, which may be zero."""
        runs = runs and whole(runs=runs)
        return math.exp(min(0.0, runs * math.log(self.mean) - self.mean - float(gammaln(runs + 1))))


Stop = TruncatedNegativeBinomial | PoissonStop


def stop_with_mean(eta: float, mean: float) -> TruncatedNegativeBinomial:
    """The truncated negative binomial law of shape `eta` whose mean is as close to `mean` > 1 as γ allows."""
    if not number(mean=mean) > 1:
        raise InvalidInput(f"mean={shown(mean)}: must be > 1, the law has at least one run")
    many = greatest_within(lambda rate: TruncatedNegativeBinomial(eta, _gamma(rate)).log_mean, math.log(mean), 1e-3)
    return TruncatedNegativeBinomial(eta, _gamma(many))


def _gamma(rate: float) -> float:
    """γ = e^{−rate}, kept inside (0, 1)."""
    return min(max(math.exp(-rate), 1e-300), math.nextafter(1.0, 0.0))


def random_stop(base: Measure, stop: Stop, delta: float = 0.0) -> Pure | Renyi:
    """What releasing the best of a random number of runs costs, when each run alone costs `base`.

    A pure or bounded-range base has both a pure and a Rényi answer: `delta` is the δ at which the better one is wanted.
    """
    pure = _pure_part(base)
    if fraction(delta=delta) == 0 and pure is not None:
        return Pure(_pure_total(pure, stop))
    return min(_answers(base, stop), key=lambda answer: epsilon_of(answer, delta))


def base_for(total: Budget, family: Callable[[float], Measure], stop: Stop) -> float:
    """The largest base ε with which the whole search stays within `total`; `family` maps a base ε to its measure."""

    def spent(epsilon: float) -> float:
        base = family(epsilon)
        if total.delta == 0:
            return epsilon_of(random_stop(base, stop), 0.0)
        return min(delta_of(answer, total.epsilon) for answer in _answers(base, stop))

    total = replace(total, epsilon=of_use(total.epsilon))
    hopeless = total.delta == 0 and _pure_part(family(total.epsilon)) is None
    found = 0.0 if hopeless else greatest_within(spent, total.delta or total.epsilon, start=total.epsilon)
    if not found > 0:
        raise MechanismRefused(
            f"epsilon={shown(total.epsilon)}, delta={shown(total.delta)}: no base run is cheap enough, raise them or"
            " stop earlier"
        )
    return found


@np.errstate(over="ignore", invalid="ignore")  # orders at which doubles overflow are left out
def _answers(base: Measure, stop: Stop) -> list[Pure | Renyi]:
    """Every bound we have, the pure one first."""
    if isinstance(base, Approximate):
        raise InvalidInput("base: an (epsilon, delta) guarantee is not enough here, give a pure or Renyi one")
    known = _binomial(base, stop) if isinstance(stop, TruncatedNegativeBinomial) else _poisson(base, stop)
    alone = _pure_part(base)
    if alone is None:
        return [known]
    pure = Pure(_pure_total(alone, stop))
    capped = np.minimum(known.epsilons, renyi_curve(pure, np.array(known.orders) - 1))
    return [pure, Renyi(known.orders, tuple(float(value) for value in capped))]


def _pure_part(base: Measure) -> float | None:
    """The ε of a base that is pure; bounded range η is also η-DP."""
    match base:
        case Pure(epsilon) | BoundedRange(epsilon):
            return epsilon
    return None


def _pure_total(epsilon: float, stop: Stop) -> float:
    if isinstance(stop, PoissonStop):
        return (epsilon + stop.mean * math.tanh(epsilon / 2)) * (1 + 4 * ONE_STEP)
    return (2 + stop.eta) * epsilon * (1 + 4 * ONE_STEP * (stop.eta != int(stop.eta)))


def _binomial(base: Measure, stop: TruncatedNegativeBinomial) -> Renyi:
    """e(a) + (1 + η)·min over b of ((1 − 1/b)·e(b) + ln(1/γ)/b) + ln E[K]/(a − 1)."""
    steps = _steps(base)
    others = np.unique(np.concatenate([steps, ORDERS_LESS_ONE])) if not isinstance(base, Renyi) else steps
    curve = renyi_curve(base, others)
    price = (others * curve + math.log(1 / stop.gamma)) / (1 + others)
    extra = (1 + stop.eta) * float(np.min(price))
    log_mean = stop.log_mean + 10 * ONE_STEP * (1 + (1 + abs(stop.eta)) * -math.log(stop.gamma))
    return _stated(steps, (renyi_curve(base, steps) + extra) * (1 + 10 * ONE_STEP) + log_mean / steps)


def _poisson(base: Measure, stop: PoissonStop) -> Renyi:
    """log(e^{−m} + m·e^{(a−1)(e(a) + m·δ)})/(a − 1), δ that of the base run at ε = ln(1 + 1/(a − 1)).

    The published bound leaves out e^{−m}, the chance that there is no run at all; it can be negative for m < 1.
    """
    steps = _steps(base)
    deltas = np.array([delta_of(base, math.log1p(1 / step) * (1 - 4 * ONE_STEP)) for step in steps])
    grown = (renyi_curve(base, steps) + stop.mean * deltas) * (1 + 4 * ONE_STEP)
    total = np.logaddexp(-stop.mean, math.log(stop.mean) + steps * grown)
    return _stated(steps, (total + 10 * ONE_STEP * (1 + stop.mean + abs(math.log(stop.mean)) + np.abs(total))) / steps)


def _steps(base: Measure) -> Array:
    """Orders less one: our own, or those at which the base is known."""
    return np.array(sorted(set(base.orders))) - 1 if isinstance(base, Renyi) else _STEPS


def _stated(steps: Array, curve: Array) -> Renyi:
    """A curve as a measure; orders at which nothing is known are left out, and each order helps those below it."""
    curve = np.minimum.accumulate(curve[::-1])[::-1]
    known = np.isfinite(curve)
    if not np.any(known):
        raise InvalidInput("base: too little privacy for any bound, give a smaller one")
    kept = np.maximum(curve[known], 0.0)
    return Renyi(tuple(float(step) for step in 1 + steps[known]), tuple(float(value) for value in kept))
