"""Bayes' rule of an attacker who can ask a model: how likely each candidate value of an attribute is for a person.

The likelihood of an outcome is a law of the model's errors (gaussian, laplace) or, for a classifier that gives
probabilities, the probability of the class that came out ("class").
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise._checks import one_of, positive
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]
Predict = Callable[[Array], npt.ArrayLike]

ERROR_LAWS = ("gaussian", "laplace", "class")
ROUNDS = 200
"""Of fitting the spread of the errors; each one raises the likelihood."""


@dataclass(frozen=True, slots=True)
class Belief:
    """Log weights of the candidates for each target, before and after asking the model; not normalised."""

    before: Array
    after: Array
    residual_sd: float


def belief(
    predict: Predict,
    rows: Array,
    outcomes: Array,
    columns: Sequence[int],
    codes: Array,
    *,
    prior: npt.ArrayLike,
    residual_sd: float | None,
    errors: str,
) -> Belief:
    """Ask the model about every target as if it held each candidate, and weigh the candidates."""
    before = _log_prior(prior, len(rows), len(codes))
    if one_of(ERROR_LAWS, errors=errors) == "class":
        if residual_sd is not None:
            raise InvalidInput('residual_sd: a class has no spread, leave it out with errors="class"')
        return Belief(before, before + _class_likelihood(predict, rows, outcomes, list(columns), codes), math.nan)
    misses = np.abs(outcomes[:, None] - _predictions(predict, rows, list(columns), codes))
    if residual_sd is None:
        residual_sd = _fitted_sd(misses, before, errors)
    return Belief(before, before + _log_likelihood(misses, positive(residual_sd=residual_sd), errors), residual_sd)


def numbers(**named: npt.ArrayLike) -> Array:
    """The one keyword's value as an array of finite numbers."""
    ((name, data),) = named.items()
    try:
        array = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name}: must be an array of numbers") from None
    if not np.isfinite(array).all():
        raise InvalidInput(f"{name}: must be finite, leave such targets out")
    return array


def _log_prior(prior: npt.ArrayLike, count: int, candidates: int) -> Array:
    weights = numbers(prior=prior)
    if weights.shape not in {(candidates,), (count, candidates)}:
        raise InvalidInput(f"prior: has shape {weights.shape}, must have a probability for each of `values`")
    if (weights < 0).any() or not np.allclose(weights.sum(axis=-1), 1, atol=1e-6):
        raise InvalidInput("prior: must be >= 0 and sum to 1, divide it by its sum")
    with np.errstate(divide="ignore"):  # a value that cannot be has weight −∞
        return np.broadcast_to(np.log(weights), (count, candidates))


def _predictions(predict: Predict, rows: Array, columns: list[int], codes: Array) -> Array:
    """One column for each candidate: what the model says of every target if it held that value."""
    supposed, answers = rows.copy(), np.empty((len(rows), len(codes)))
    for index, code in enumerate(codes):
        supposed[:, columns] = code
        answer = numbers(predict=predict(supposed.copy()))
        if answer.size != len(rows):
            raise InvalidInput(f"predict: gave shape {answer.shape}, must give one number for each row")
        answers[:, index] = answer.ravel()
    return answers


def _log_likelihood(misses: Array, sd: float, errors: str) -> Array:
    """Up to a constant that is the same for all candidates."""
    scaled = misses / sd
    return -(scaled**2) / 2 if errors == "gaussian" else -math.sqrt(2) * scaled


def _fitted_sd(misses: Array, log_prior: Array, errors: str) -> float:
    """The spread that makes the outcomes likeliest when each target's value is drawn from the prior."""
    chance = np.exp(log_prior)
    floor = 1e-12 + 1e-9 * float(misses.max())  # a perfect model would drive it to zero
    sd = max(_spread(misses, chance, errors), floor)
    for _ in range(ROUNDS):
        score = log_prior + _log_likelihood(misses, sd, errors)
        weights = np.exp(score - score.max(axis=1, keepdims=True))
        better = max(_spread(misses, weights / weights.sum(axis=1, keepdims=True), errors), floor)
        if math.isclose(better, sd, rel_tol=1e-9):
            break
        sd = better
    return sd


def _spread(misses: Array, weights: Array, errors: str) -> float:
    if errors == "gaussian":
        return math.sqrt(float(np.mean(np.sum(weights * misses**2, axis=1))))
    return math.sqrt(2) * float(np.mean(np.sum(weights * misses, axis=1)))


def _class_likelihood(predict: Predict, rows: Array, outcomes: Array, columns: list[int], codes: Array) -> Array:
    """Log probability of the class that came out, for each candidate; classes are numbered from 0."""
    supposed, logs = rows.copy(), np.empty((len(rows), len(codes)))
    for index, code in enumerate(codes):
        supposed[:, columns] = code
        answer = numbers(predict=predict(supposed.copy()))
        if answer.ndim != 2 or len(answer) != len(rows) or answer.min() < 0 or answer.max() > 1 + 1e-9:
            raise InvalidInput(f"predict: gave shape {answer.shape}, must give a row of probabilities for each row")
        if not np.isin(outcomes, np.arange(answer.shape[1])).all():
            raise InvalidInput(f"outcome: must be class numbers, 0 to {answer.shape[1] - 1}")
        chance = np.take_along_axis(answer, outcomes[:, None].astype(np.intp), axis=1)[:, 0]
        logs[:, index] = np.log(np.maximum(chance, 1e-300))  # a class ruled out must not hide the other candidates
    return logs
