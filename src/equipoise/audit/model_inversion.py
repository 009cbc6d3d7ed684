"""Model inversion: guess one attribute of a person from the others, the outcome and the model (Fredrikson et al. 2014).

For each candidate value the attacker asks the model for a prediction and keeps the value that makes
prior(value) × likelihood(outcome given prediction) largest.  Success above the best guess without the model is not
by itself a breach of privacy: a model that predicts well tells as much about people who never gave their data.
Compare the advantage over the training records with the advantage over others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import beta

from equipoise._checks import one_of, positive
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]
Interval = tuple[float, float]

ERROR_LAWS = ("gaussian", "laplace")
ROUNDS = 200
"""Of fitting the spread of the errors; each one raises the likelihood."""


@dataclass(frozen=True, slots=True)
class Inversion:
    """How often the attacker is right, with and without the model.  Intervals hold at `confidence` each."""

    accuracy: float
    accuracy_interval: Interval
    best_guess: float
    best_guess_interval: Interval
    advantage: float
    advantage_interval: Interval
    class_names: tuple[str, ...]
    class_accuracy: tuple[float, ...]
    class_intervals: tuple[Interval, ...]
    class_targets: tuple[int, ...]
    targets: int
    residual_sd: float
    confidence: float

    def __str__(self) -> str:
        lines = [
            f"Model inversion of {self.targets} targets, intervals at {self.confidence:.0%}",
            f"  with the model     {_shown(self.accuracy, self.accuracy_interval)}",
            f"  best guess without {_shown(self.best_guess, self.best_guess_interval)}",
            f"  advantage          {_shown(self.advantage, self.advantage_interval)}",
        ]
        rows = zip(self.class_names, self.class_accuracy, self.class_intervals, self.class_targets, strict=True)
        lines += [f"  of {count} with {name}: {_shown(share, bounds)}" for name, share, bounds, count in rows]
        return "\n".join(lines)


def model_inversion(
    predict: Callable[[Array], npt.ArrayLike],
    X: npt.ArrayLike,
    outcome: npt.ArrayLike,
    *,
    columns: Sequence[int],
    values: npt.ArrayLike,
    prior: npt.ArrayLike,
    residual_sd: float | None = None,
    errors: str = "gaussian",
    names: Sequence[str] | None = None,
    confidence: float = 0.95,
) -> Inversion:
    """Infer which of `values` the `columns` of each row of `X` hold, from the rest of the row and its outcome.

    `values` has one row for each candidate: what `columns` hold when it is true.  `prior` has one probability for
    each candidate, or a row of them for each target.  `residual_sd` is the spread of outcomes around predictions, if
    published; without it the attacker fits it to what is seen, by maximum likelihood.  `errors="laplace"` weighs by
    absolute instead of squared errors.  The true values in `X` are used only to count the hits.
    """
    rows, outcomes, codes = _targets(X, outcome, columns, values)
    log_prior = _log_prior(prior, len(rows), len(codes))
    one_of(ERROR_LAWS, errors=errors)
    _share(confidence)
    truth = _truth(rows[:, list(columns)], codes)
    misses = np.abs(outcomes[:, None] - _predictions(predict, rows, list(columns), codes))
    if residual_sd is None:
        residual_sd = _fitted_sd(misses, log_prior, errors)
    found = np.argmax(log_prior + _log_likelihood(misses, positive(residual_sd=residual_sd), errors), axis=1)
    return _report(found, np.argmax(log_prior, axis=1), truth, _names(names, codes), residual_sd, confidence)


def _targets(
    X: npt.ArrayLike, outcome: npt.ArrayLike, columns: Sequence[int], values: npt.ArrayLike
) -> tuple[Array, Array, Array]:
    rows, outcomes, codes = _numbers(X=X), _numbers(outcome=outcome), _numbers(values=values)
    if rows.ndim != 2 or len(rows) == 0:
        raise InvalidInput(f"X: has shape {rows.shape}, must be a table with at least one row")
    if outcomes.shape != (len(rows),):
        raise InvalidInput(f"outcome: has shape {outcomes.shape}, must have one number for each row of X")
    if len(columns) == 0 or len(set(columns)) < len(columns) or not set(columns) <= set(range(rows.shape[1])):
        raise InvalidInput(f"columns: must be different column numbers of X, 0 to {rows.shape[1] - 1}")
    if codes.ndim != 2 or codes.shape[1] != len(columns) or len(np.unique(codes, axis=0)) < max(2, len(codes)):
        raise InvalidInput("values: must be two or more different rows, each with one number for each of `columns`")
    return rows, outcomes, codes


def _numbers(**named: npt.ArrayLike) -> Array:
    ((name, data),) = named.items()
    try:
        array = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name}: must be an array of numbers") from None
    if not np.isfinite(array).all():
        raise InvalidInput(f"{name}: must be finite, leave such targets out")
    return array


def _log_prior(prior: npt.ArrayLike, count: int, candidates: int) -> Array:
    weights = _numbers(prior=prior)
    if weights.shape not in {(candidates,), (count, candidates)}:
        raise InvalidInput(f"prior: has shape {weights.shape}, must have a probability for each of `values`")
    if (weights < 0).any() or not np.allclose(weights.sum(axis=-1), 1, atol=1e-6):
        raise InvalidInput("prior: must be >= 0 and sum to 1, divide it by its sum")
    with np.errstate(divide="ignore"):  # a value that cannot be has weight −∞
        return np.broadcast_to(np.log(weights), (count, candidates))


def _share(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise InvalidInput(f"confidence={confidence!r}: must be in (0, 1)")


def _names(names: Sequence[str] | None, codes: Array) -> tuple[str, ...]:
    if names is None:
        return tuple(f"value {index}" for index in range(len(codes)))
    if len(names) != len(codes):
        raise InvalidInput(f"names: has {len(names)} entries, must have one for each of `values`")
    return tuple(str(name) for name in names)


def _truth(held: Array, codes: Array) -> npt.NDArray[np.intp]:
    """Which candidate each target holds."""
    same: npt.NDArray[np.bool_] = np.all(np.isclose(held[:, None, :], codes[None, :, :]), axis=2)
    if not same.any(axis=1).all():
        raise InvalidInput("X: some rows hold none of `values` in `columns`, leave them out or add their value")
    return np.asarray(np.argmax(same, axis=1), dtype=np.intp)


def _predictions(predict: Callable[[Array], npt.ArrayLike], rows: Array, columns: list[int], codes: Array) -> Array:
    """One column for each candidate: what the model says of every target if it held that value."""
    supposed, answers = rows.copy(), np.empty((len(rows), len(codes)))
    for index, code in enumerate(codes):
        supposed[:, columns] = code
        answer = _numbers(predict=predict(supposed.copy()))
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


def _report(
    found: npt.NDArray[np.intp],
    guess: npt.NDArray[np.intp],
    truth: npt.NDArray[np.intp],
    names: tuple[str, ...],
    residual_sd: float,
    confidence: float,
) -> Inversion:
    count, risk = len(truth), 1 - confidence
    right, lucky = found == truth, guess == truth
    members = [right[truth == index] for index in range(len(names))]
    won, lost = (_interval(int(np.sum(part)), count, risk / 2) for part in (right & ~lucky, lucky & ~right))
    return Inversion(
        accuracy=float(np.mean(right)),
        accuracy_interval=_interval(int(right.sum()), count, risk),
        best_guess=float(np.mean(lucky)),
        best_guess_interval=_interval(int(lucky.sum()), count, risk),
        advantage=(int(right.sum()) - int(lucky.sum())) / count,
        advantage_interval=(won[0] - lost[1], won[1] - lost[0]),  # the shares won and lost by the model, each at half
        class_names=names,
        class_accuracy=tuple(float(np.mean(part)) if len(part) else math.nan for part in members),
        class_intervals=tuple(_interval(int(part.sum()), len(part), risk) for part in members),
        class_targets=tuple(len(part) for part in members),
        targets=count,
        residual_sd=residual_sd,
        confidence=confidence,
    )


def _interval(hits: int, count: int, risk: float) -> Interval:
    """Clopper and Pearson's: wrong with probability at most `risk`, whatever the true share."""
    low = float(beta.ppf(risk / 2, hits, count - hits + 1)) if hits > 0 else 0.0
    high = float(beta.ppf(1 - risk / 2, hits + 1, count - hits)) if hits < count else 1.0
    return low, high


def _shown(share: float, interval: Interval) -> str:
    return f"{share:.1%} ({interval[0]:.1%} to {interval[1]:.1%})"
