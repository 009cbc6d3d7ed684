"""What privacy says about new rows: training error bounds true error.  Public numbers in, a bound out.

A predictor whose single answers are (ε, δ)-DP cannot do much better on its own rows than on others.  Let R be its
expected loss at a new row and R̂ its mean loss over the n rows it learnt from, losses in [0, 1].  Dwork and Feldman
2018, Lemma 3.1 (groups, exact form), Lemma 6.4 (moments) and Lemma 6.5 (high probability, over whole numbers); proofs
are in docs/reference/calculators.md.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from equipoise._checks import fraction, not_negative, number, positive, shown, whole
from equipoise.errors import InvalidInput
from equipoise.theory.guarantees import Approximate
from equipoise.theory.rounding import FEW_STEPS, FORMULA, ONE_STEP, up

Array = npt.NDArray[np.float64]

MOST_MOMENTS = 10**6
"""Moments beyond this one are not tried; each of them gives a valid bound, so stopping early is safe."""

_LARGEST_EXPONENT = 700.0


def group_privacy(epsilon: float, delta: float, size: int) -> Approximate:
    """What (ε, δ) for one row is worth for `size` rows: (kε, δ·(e^{kε} − 1)/(e^ε − 1)), rounded up.

    The exact sum of which Lemma 3.1 prints the upper bound kδe^{(k−1)ε}.
    """
    epsilon, delta, size = positive(epsilon=epsilon), fraction(delta=delta), whole(size=size)
    grown = delta * _geometric(epsilon, size)
    if not grown < 1:
        raise InvalidInput(f"size={shown(size)}: nothing is promised to so many rows at once, ask for a smaller group")
    return Approximate(up(size * epsilon, ONE_STEP), grown)


def moment_bound(training_error: float, epsilon: float, moment: int = 1, delta: float = 0.0) -> float:
    """Lemma 6.4: E[R^k] ≤ (e^{kε}·a + δ_k)^k when R̂ ≤ a for every table; `training_error` is a, `moment` is k ≤ n.

    For δ = 0 that is e^{k²ε}·a^k.  At k = 1 it also holds for a the *expected* training error.
    """
    error, epsilon, delta = _error(training_error=training_error), positive(epsilon=epsilon), fraction(delta=delta)
    root = _root_of_moment(np.array([float(whole(moment=moment))]), error, epsilon, delta)[0]
    return float(min(1.0, root) ** moment)


def high_probability_bound(training_error: float, epsilon: float, failure: float, n: int, delta: float = 0.0) -> float:
    """Lemma 6.5: R is at most this, but for a share `failure` of all tables, when R̂ ≤ a for every one.

    Markov's inequality on the best moment k ≤ n: min over k of (e^{kε}·a + δ_k)·β^{−1/k}.  The paper takes
    k = √(ln(1/β)/ε), which need not be whole; see `exponent`.
    """
    error, epsilon, delta = _error(training_error=training_error), positive(epsilon=epsilon), fraction(delta=delta)
    room = -math.log(_chance(failure))
    # Past √(ln(1/β)/ε) the bound only grows, with or without δ.
    last = min(whole(n=n), MOST_MOMENTS, math.ceil(math.sqrt(room / epsilon)) + 1)
    moments = np.arange(1.0, last + 1)
    with np.errstate(over="ignore"):
        bounds = _root_of_moment(moments, error, epsilon, delta) * np.exp(np.minimum(room / moments, 700.0))
    return float(min(1.0, up(np.min(bounds), FORMULA)))


def exponent(epsilon: float, failure: float) -> float:
    """The x for which R ≤ a·e^x but for a share β of tables: 2√(ε(ln(1/β) + ε/4)), or ε + ln(1/β) where ε is larger.

    The paper's 2√(ε·ln(1/β)), with what a whole k costs.  `high_probability_bound` is never above a·e^x for large n.
    """
    epsilon, room = positive(epsilon=epsilon), -math.log(_chance(failure))
    if epsilon > room + epsilon / 4:
        return epsilon + room
    return 2 * math.sqrt(epsilon * (room + epsilon / 4))


def training_error_for(true_error: float, epsilon: float, failure: float, n: int, delta: float = 0.0) -> float:
    """The inverse of `high_probability_bound`: the largest training error that still promises `true_error`; or 0."""
    wanted = _error(true_error=true_error)
    low, high = 0.0, wanted
    if high_probability_bound(low, epsilon, failure, n, delta) > wanted:
        raise InvalidInput(f"true_error={shown(wanted)}: not promised even without training errors, lower delta")
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if high_probability_bound(middle, epsilon, failure, n, delta) <= wanted else (low, middle)
        )
    return low


def _root_of_moment(moments: Array, error: float, epsilon: float, delta: float) -> Array:
    """e^{kε}·a + δ_k for each k: the k-th root of the moment bound."""
    grown = np.exp(np.minimum(moments * epsilon, _LARGEST_EXPONENT))
    added = delta * (grown - 1) / math.expm1(min(epsilon, _LARGEST_EXPONENT))
    return np.asarray(grown * error + added, dtype=np.float64)


def _geometric(epsilon: float, size: int) -> float:
    """Σ e^{jε} for j < size, rounded up; infinite where doubles end."""
    if size * epsilon > _LARGEST_EXPONENT:
        return math.inf if size > 1 else 1.0
    if size == 1:
        return 1.0
    return up(math.expm1(size * epsilon) / math.expm1(epsilon), FEW_STEPS * (10 + size * epsilon))


def _error(**named: float) -> float:
    ((name, value),) = named.items()
    if not_negative(**named) > 1:
        raise InvalidInput(f"{name}={shown(value)}: must be in [0, 1]")
    return float(value)


def _chance(failure: float) -> float:
    if not 0 < number(failure=failure) < 1:
        raise InvalidInput(f"failure={shown(failure)}: must be above 0 and below 1")
    return float(failure)
