"""Model inversion: guess one attribute of a person from the others, the outcome and the model (Fredrikson et al. 2014).

For each candidate value the attacker asks the model for a prediction and keeps the value that makes
prior(value) × likelihood(outcome given prediction) largest.  Success above the best guess without the model is not
by itself a breach of privacy: a model that predicts well tells as much about people who never gave their data.
Compare the advantage over the training records with the advantage over others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise._docs import documented
from equipoise.audit.attacks.posterior import Predict, belief, numbers
from equipoise.audit.bounds.intervals import Interval, share_between, share_of
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]


@documented(record=True)
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


@documented(returns="Inversion: How often the attacker is right, with and without the model.")
def model_inversion(
    predict: Predict,
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
    absolute instead of squared errors; `errors="class"` is for a `predict` that gives a row of class probabilities, and
    outcomes that are class numbers.  The true values in `X` are used only to count the hits.
    """
    rows, outcomes, codes = _targets(X, outcome, columns, values)
    share_of(confidence=confidence)
    truth = truth_of(rows[:, list(columns)], codes)
    found = belief(
        predict, rows, outcomes, columns, codes, prior=prior, residual_sd=residual_sd, errors=errors
    )  # fmt: skip
    best, guess = np.argmax(found.after, axis=1), np.argmax(found.before, axis=1)
    return report(best, guess, truth, names_of(names, codes), found.residual_sd, confidence)


def _targets(
    X: npt.ArrayLike, outcome: npt.ArrayLike, columns: Sequence[int], values: npt.ArrayLike
) -> tuple[Array, Array, Array]:
    rows, outcomes, codes = numbers(X=X), numbers(outcome=outcome), numbers(values=values)
    if rows.ndim != 2 or len(rows) == 0:
        raise InvalidInput(f"X: has shape {rows.shape}, must be a table with at least one row")
    if outcomes.shape != (len(rows),):
        raise InvalidInput(f"outcome: has shape {outcomes.shape}, must have one number for each row of X")
    if len(columns) == 0 or len(set(columns)) < len(columns) or not set(columns) <= set(range(rows.shape[1])):
        raise InvalidInput(f"columns: must be different column numbers of X, 0 to {rows.shape[1] - 1}")
    if codes.ndim != 2 or codes.shape[1] != len(columns) or len(np.unique(codes, axis=0)) < max(2, len(codes)):
        raise InvalidInput("values: must be two or more different rows, each with one number for each of `columns`")
    return rows, outcomes, codes


def names_of(names: Sequence[str] | None, codes: Array) -> tuple[str, ...]:
    """One name for each value guessed: the given ones, or `value 0`, `value 1` and so on; another number is refused."""
    if names is None:
        return tuple(f"value {index}" for index in range(len(codes)))
    if len(names) != len(codes):
        raise InvalidInput(f"names: has {len(names)} entries, must have one for each of `values`")
    return tuple(str(name) for name in names)


def truth_of(held: Array, codes: Array) -> npt.NDArray[np.intp]:
    """Which candidate each target holds."""
    same: npt.NDArray[np.bool_] = np.all(np.isclose(held[:, None, :], codes[None, :, :]), axis=2)
    if not same.any(axis=1).all():
        raise InvalidInput("X: some rows hold none of `values` in `columns`, leave them out or add their value")
    return np.asarray(np.argmax(same, axis=1), dtype=np.intp)


def report(
    found: npt.NDArray[np.intp],
    guess: npt.NDArray[np.intp],
    truth: npt.NDArray[np.intp],
    names: tuple[str, ...],
    residual_sd: float,
    confidence: float,
) -> Inversion:
    """How often the attack is right beside the best guess without a model, overall and by value, with intervals."""
    count, risk = len(truth), 1 - confidence
    right, lucky = found == truth, guess == truth
    members = [right[truth == index] for index in range(len(names))]
    won, lost = (share_between(int(np.sum(part)), count, risk / 2) for part in (right & ~lucky, lucky & ~right))
    return Inversion(
        accuracy=float(np.mean(right)),
        accuracy_interval=share_between(int(right.sum()), count, risk),
        best_guess=float(np.mean(lucky)),
        best_guess_interval=share_between(int(lucky.sum()), count, risk),
        advantage=(int(right.sum()) - int(lucky.sum())) / count,
        advantage_interval=(won[0] - lost[1], won[1] - lost[0]),  # the shares won and lost by the model, each at half
        class_names=names,
        class_accuracy=tuple(float(np.mean(part)) if len(part) else math.nan for part in members),
        class_intervals=tuple(share_between(int(part.sum()), len(part), risk) for part in members),
        class_targets=tuple(len(part) for part in members),
        targets=count,
        residual_sd=residual_sd,
        confidence=confidence,
    )


def _shown(share: float, interval: Interval) -> str:
    return f"{share:.1%} ({interval[0]:.1%} to {interval[1]:.1%})"
