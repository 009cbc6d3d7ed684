"""Model inversion of a number, such as an age: a posterior over a grid of values, against the prior alone.

The attacker estimates the number by the median of the posterior, and states an interval that holds it with the
posterior probability `level`.  How often that interval is right tells whether the attacker's beliefs are honest; how
much narrower it is than the prior's tells how much the model gave away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise._checks import shown
from equipoise._docs import documented
from equipoise.audit.attacks.posterior import Predict, belief, numbers
from equipoise.audit.bounds.intervals import Interval, mean_slack, share_between, share_of
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]


@documented(record=True)
@dataclass(frozen=True, slots=True)
class ValueInversion:
    """Mean absolute errors with and without the model; `gain` is their difference.  Intervals hold at `confidence`."""

    error: float
    best_guess_error: float
    gain: float
    gain_interval: Interval
    level: float
    coverage: float
    coverage_interval: Interval
    width: float
    best_guess_width: float
    targets: int
    residual_sd: float
    confidence: float

    def __str__(self) -> str:
        return "\n".join(
            [
                f"Inversion of a number for {self.targets} targets, intervals at {self.confidence:.0%}",
                f"  mean error with the model {self.error:.4g}, best guess without {self.best_guess_error:.4g}",
                f"  gain {self.gain:.4g} ({self.gain_interval[0]:.4g} to {self.gain_interval[1]:.4g})",
                f"  {self.level:.0%} intervals held {self.coverage:.1%} of the true values; "
                f"mean width {self.width:.4g}, without the model {self.best_guess_width:.4g}",
            ]
        )


@documented(returns="ValueInversion: How far off the attacker is, with and without the model.")
def value_inversion(
    predict: Predict,
    X: npt.ArrayLike,
    outcome: npt.ArrayLike,
    *,
    column: int,
    grid: npt.ArrayLike,
    prior: npt.ArrayLike,
    residual_sd: float | None = None,
    errors: str = "gaussian",
    level: float = 0.9,
    confidence: float = 0.95,
) -> ValueInversion:
    """Infer the number in `column` of each row of `X` from the rest of the row and its outcome.

    `grid` has the candidate values in rising order and must span the true ones; `prior` a probability for each of them,
    or a row of probabilities for each target.  The other parameters are those of `model_inversion`.
    """
    rows, outcomes, values = numbers(X=X), numbers(outcome=outcome), numbers(grid=grid)
    share_of(level=level)
    share_of(confidence=confidence)
    _check(rows, outcomes, values, column)
    found = belief(
        predict, rows, outcomes, [column], values[:, None], prior=prior, residual_sd=residual_sd, errors=errors
    )
    truth, before, after = rows[:, column], _cumulated(found.before), _cumulated(found.after)
    low, high = _at(values, after, (1 - level) / 2), _at(values, after, (1 + level) / 2)
    held = (low <= truth) & (truth <= high)
    apart = _at(values, before, (1 + level) / 2) - _at(values, before, (1 - level) / 2)
    errors_of = [np.abs(_at(values, mass, 0.5) - truth) for mass in (before, after)]
    return ValueInversion(
        error=float(np.mean(errors_of[1])),
        best_guess_error=float(np.mean(errors_of[0])),
        gain=float(np.mean(errors_of[0] - errors_of[1])),
        gain_interval=gain_interval(errors_of[0] - errors_of[1], float(np.ptp(values)), confidence),
        level=level,
        coverage=float(np.mean(held)),
        coverage_interval=share_between(int(held.sum()), len(held), 1 - confidence),
        width=float(np.mean(high - low)),
        best_guess_width=float(np.mean(apart)),
        targets=len(rows),
        residual_sd=found.residual_sd,
        confidence=confidence,
    )


def gain_interval(gains: Array, span: float, confidence: float) -> Interval:
    """Holds the mean gain; each gain is a difference of two errors between 0 and `span`."""
    slack = mean_slack(gains, 2 * span, (1 - confidence) / 2)
    return float(np.mean(gains)) - slack, float(np.mean(gains)) + slack


def _check(rows: Array, outcomes: Array, values: Array, column: int) -> None:
    if rows.ndim != 2 or len(rows) < 2:
        raise InvalidInput(f"X: has shape {rows.shape}, must be a table with at least two rows")
    if outcomes.shape != (len(rows),):
        raise InvalidInput(f"outcome: has shape {outcomes.shape}, must have one number for each row of X")
    if not 0 <= column < rows.shape[1]:
        raise InvalidInput(f"column={shown(column)}: must be a column number of X, 0 to {rows.shape[1] - 1}")
    if values.ndim != 1 or len(values) < 2 or (np.diff(values) <= 0).any():
        raise InvalidInput("grid: must be two or more numbers in rising order")
    if (rows[:, column] < values[0]).any() or (rows[:, column] > values[-1]).any():
        raise InvalidInput("grid: does not span the values in `column`, widen it")


def _cumulated(logs: Array) -> Array:
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    mass: Array = np.cumsum(weights, axis=1)
    return mass / mass[:, -1:]


def _at(values: Array, mass: Array, share: float) -> Array:
    """The first value with at least this share of the mass up to it."""
    return np.asarray(values[np.argmax(mass >= share - 1e-12, axis=1)], dtype=np.float64)
