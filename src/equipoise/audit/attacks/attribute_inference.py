"""Attribute inference without any model: guess an attribute from the other columns, learnt on public people.

This is the baseline for `model_inversion` and `value_inversion`: what anybody could guess who never saw the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from equipoise._docs import documented
from equipoise.audit.attacks.model_inversion import names_of, report, truth_of
from equipoise.audit.attacks.posterior import numbers
from equipoise.audit.attacks.value_inversion import gain_interval
from equipoise.audit.bounds.intervals import Interval, share_of
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]


class Learner(Protocol):
    """Anything with scikit-learn's `fit` and `predict`."""

    def fit(self, X: Array, y: npt.NDArray[Any]) -> object: ...

    def predict(self, X: Array) -> npt.NDArray[Any]: ...


@documented(record=True)
@dataclass(frozen=True, slots=True)
class AttributeInference:
    """How often the attribute is guessed from the other columns, and by the commonest value."""

    accuracy: float
    accuracy_interval: Interval
    best_guess: float
    best_guess_interval: Interval
    advantage: float
    advantage_interval: Interval
    class_names: tuple[str, ...]
    class_accuracy: tuple[float, ...]
    class_targets: tuple[int, ...]
    targets: int
    confidence: float


@documented(record=True)
@dataclass(frozen=True, slots=True)
class ValueInference:
    """Mean absolute error of a number guessed from the other columns, and by the public median."""

    error: float
    best_guess_error: float
    gain: float
    gain_interval: Interval
    targets: int
    confidence: float


@documented(returns="AttributeInference: How often the guess is right.")
def attribute_inference(
    public: npt.ArrayLike,
    targets: npt.ArrayLike,
    *,
    columns: Sequence[int],
    values: npt.ArrayLike,
    learner: Learner | None = None,
    names: Sequence[str] | None = None,
    confidence: float = 0.95,
) -> AttributeInference:
    """Guess which of `values` the `columns` of each target hold, from its other columns.

    `public` is a table of people the attacker knows in full, laid out like `targets`; append the outcome to both as a
    column if the attacker knows it.  `learner` is any scikit-learn classifier, a random forest unless given.
    """
    known, rows, codes = numbers(public=public), numbers(targets=targets), numbers(values=values)
    _check(known, rows, columns)
    share_of(confidence=confidence)
    if codes.ndim != 2 or codes.shape[1] != len(columns):
        raise InvalidInput("values: must have a row for each value, with one number for each of `columns`")
    seen, truth = truth_of(known[:, list(columns)], codes), truth_of(rows[:, list(columns)], codes)
    if len(np.unique(seen)) < 2:
        raise InvalidInput("public: holds one value of the attribute only, there is nothing to learn")
    fitted = clone(_forest(RandomForestClassifier) if learner is None else learner)
    fitted.fit(np.delete(known, list(columns), axis=1), seen)
    guess = np.full(len(rows), np.argmax(np.bincount(seen, minlength=len(codes))))
    found = np.asarray(fitted.predict(np.delete(rows, list(columns), axis=1)), dtype=np.intp)
    made = report(found, guess, truth, names_of(names, codes), float("nan"), confidence)
    return AttributeInference(
        accuracy=made.accuracy,
        accuracy_interval=made.accuracy_interval,
        best_guess=made.best_guess,
        best_guess_interval=made.best_guess_interval,
        advantage=made.advantage,
        advantage_interval=made.advantage_interval,
        class_names=made.class_names,
        class_accuracy=made.class_accuracy,
        class_targets=made.class_targets,
        targets=made.targets,
        confidence=confidence,
    )


@documented(returns="ValueInference: How far off it is.")
def value_inference(
    public: npt.ArrayLike,
    targets: npt.ArrayLike,
    *,
    column: int,
    bounds: tuple[float, float],
    learner: Learner | None = None,
    confidence: float = 0.95,
) -> ValueInference:
    """Guess the number in `column` of each target from its other columns; guesses are clipped to the public bounds."""
    known, rows = numbers(public=public), numbers(targets=targets)
    _check(known, rows, [column])
    share_of(confidence=confidence)
    truth = rows[:, column]
    if bounds[0] >= bounds[1] or truth.min() < bounds[0] or truth.max() > bounds[1]:
        raise InvalidInput("bounds: must be (low, high) and span the values in `column`, widen them")
    fitted = clone(_forest(RandomForestRegressor) if learner is None else learner)
    fitted.fit(np.delete(known, column, axis=1), known[:, column])
    found = np.clip(np.asarray(fitted.predict(np.delete(rows, column, axis=1)), dtype=np.float64), *bounds)
    guess = float(np.clip(np.median(known[:, column]), *bounds))
    errors, idle = np.abs(found - truth), np.abs(guess - truth)
    return ValueInference(
        error=float(np.mean(errors)),
        best_guess_error=float(np.mean(idle)),
        gain=float(np.mean(idle - errors)),
        gain_interval=gain_interval(idle - errors, bounds[1] - bounds[0], confidence),
        targets=len(rows),
        confidence=confidence,
    )


def _forest(kind: type[Learner]) -> Learner:
    """Leaves of several people, so that the guess is about people like the target."""
    made: Learner = clone(kind()).set_params(n_estimators=100, min_samples_leaf=5, random_state=0)
    return made


def _check(known: Array, rows: Array, columns: Sequence[int]) -> None:
    if known.ndim != 2 or rows.ndim != 2 or known.shape[1] != rows.shape[1] or min(len(known), len(rows)) < 2:
        raise InvalidInput("public, targets: must be tables with the same columns and at least two rows each")
    width = rows.shape[1]
    if len(columns) == 0 or len(set(columns)) < len(columns) or not set(columns) <= set(range(width)):
        raise InvalidInput(f"columns: must be different column numbers, 0 to {width - 1}")
    if len(columns) == width:
        raise InvalidInput("columns: leave at least one other column to guess from")
