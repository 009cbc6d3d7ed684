"""One training, many canaries: a lower bound on ε from how many were recognised (Steinke, Nasr, Jagielski 2023).

Each of m canaries is put in or left out by its own fair coin; one model is trained; the attacker says of r of them
whether they were in, and is right v times.  If the training is (ε, δ)-private, v or more right guesses have
probability at most f(v) + 2mδ·max over i of (f(v − i) − f(v))/i, with f the upper tail of Binomial(r, e^ε/(1 + e^ε)).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from equipoise._checks import fraction, not_negative, shown, whole
from equipoise._docs import documented
from equipoise.audit.bounds.intervals import share_of
from equipoise.audit.witness import Raised, bare, watching, witnessed
from equipoise.errors import InvalidInput
from equipoise.gate.order import random_order
from equipoise.gate.source import noise_source
from equipoise.theory.accounting.search import greatest

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[Any]
Table = tuple[npt.ArrayLike, npt.ArrayLike]
Train = Callable[[Rows, Rows], Any]
Score = Callable[[Any, Rows, Rows], npt.ArrayLike]

SHARES = (0.05, 0.25, 1.0)
"""Of the canaries guessed when nothing is said: few and sure, some, all.  The risk is split between them."""


@documented(record=True)
@dataclass(frozen=True, slots=True)
class OneRun:
    """The training is not (ε, δ)-private for any ε below `epsilon`, except with probability 1 − confidence."""

    epsilon: float
    delta: float
    confidence: float
    correct: int
    guesses: int
    canaries: int
    raised: str = ""
    """The exception in which the training ended; the guesses were coins then."""

    def __str__(self) -> str:
        told = (
            f"epsilon >= {self.epsilon:.4g} at delta={self.delta:g}, confidence {self.confidence:g}: "
            f"{self.correct} of {self.guesses} guesses right, {self.canaries} canaries, one training"
        )
        return f"{told}, which raised {self.raised}: see lower_bound" if self.raised else told


@documented(returns="float: The p-value, at most.")
def one_run_p_value(correct: int, guesses: int, canaries: int, epsilon: float, delta: float) -> float:
    """The chance of at least `correct` right guesses, at most, if the training is (ε, δ)-private."""
    _counts(correct, guesses, canaries)
    chance = 1 / (1 + math.exp(-min(700.0, not_negative(epsilon=epsilon))))
    tail = float(binom.sf(correct - 1, guesses, chance))
    if fraction(delta=delta) == 0 or correct == 0:
        return min(1.0, tail)
    below = np.cumsum(binom.pmf(np.arange(correct - 1, -1, -1), guesses, chance))
    return min(1.0, tail + 2 * canaries * delta * float(np.max(below / np.arange(1, correct + 1))))


@documented(returns="OneRun: What was proved.")
def one_run(correct: int, guesses: int, canaries: int, *, delta: float, confidence: float = 0.95) -> OneRun:
    """The largest ε that so many right guesses refute.  `guesses` must have been fixed before seeing who was in."""
    risk = 1 - share_of(confidence=confidence)

    # All the tests reject for a large number of right guesses, so trying many ε costs no risk.
    def refuted(epsilon: float) -> bool:
        return one_run_p_value(correct, guesses, canaries, epsilon, delta) <= risk

    return OneRun(greatest(refuted) if refuted(0.0) else 0.0, delta, confidence, correct, guesses, canaries)


def _counts(correct: int, guesses: int, canaries: int) -> None:
    whole(guesses=guesses)
    if not isinstance(correct, int | np.integer) or not 0 <= correct <= guesses:
        raise InvalidInput(f"correct={shown(correct)}: must be a whole number from 0 to guesses={shown(guesses)}")
    if whole(canaries=canaries) < guesses:
        raise InvalidInput(f"guesses={shown(guesses)}: must be at most canaries={shown(canaries)}")


@documented(record=True)
@dataclass(frozen=True, slots=True)
class Planted:
    """A training table with about half of the canaries in it, and which ones."""

    X: Rows
    y: Rows
    inserted: Flags


@documented(returns="Planted: The table, and which canaries are in it.")
def insert_canaries(
    data: Table, canaries: Table, *, fillers: Table | None = None, random_state: int | None = None
) -> Planted:
    """Flip a fair coin for each canary; the table's rows come first, then the canaries that were lucky.

    `fillers` has a row for each canary that goes in when the canary does not: then the number of rows stays the same
    and the claim audited is the replace-one one.  Without it the claim audited is add-remove.
    """
    (X, y), (rows, labels) = _table(data, "data"), _table(canaries, "canaries")
    words = noise_source("equipoise", random_state).words(len(rows))
    inserted: Flags = (words >> np.uint64(63)).astype(bool)
    if fillers is None:
        return Planted(_stacked(X, rows[inserted]), np.concatenate([y, labels[inserted]]), inserted)
    other, names = _table(fillers, "fillers")
    if len(other) != len(rows):
        raise InvalidInput(f"fillers: has {len(other)} rows, must have one for each of {len(rows)} canaries")
    mixed = np.where(inserted[:, None], rows, other)
    return Planted(_stacked(X, mixed), np.concatenate([y, np.where(inserted, labels, names)]), inserted)


def count_right(scores: npt.ArrayLike, inserted: Flags, guesses: int) -> int:
    """Guess `in` for the highest half of `guesses` scores and `out` for the lowest; how many are right."""
    order = np.argsort(np.asarray(scores, dtype=np.float64), kind="stable")
    high = guesses - guesses // 2
    return int(np.sum(inserted[order[len(order) - high :]]) + np.sum(~inserted[order[: guesses // 2]]))


@documented(returns="OneRun: What was proved.")
def one_run_audit(
    train: Train,
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    canaries: Table,
    score: Score,
    delta: float,
    guesses: int | Sequence[int] | None = None,
    fillers: Table | None = None,
    confidence: float = 0.95,
    random_state: int | None = None,
) -> OneRun:
    """Plant canaries, call `train(X, y)` once, and bound ε from what `score(model, rows, labels)` tells of them.

    Higher scores should mean "was in".  The score may use everything the release shows, and nothing else.  Several
    numbers of `guesses` share the risk; the best counts.  A training that raises has shown that and nothing to score:
    the guesses are coins then, and `raised` says so; whether raising tells tables apart, `lower_bound` can say.
    """
    planted = insert_canaries((X, y), canaries, fillers=fillers, random_state=random_state)
    rows, labels = _table(canaries, "canaries")
    sizes = _sizes(guesses, len(rows))
    shared = 1 - (1 - share_of(confidence=confidence)) / len(sizes)
    with watching():
        model = witnessed(lambda: train(planted.X, planted.y))
    raised = model.exception if isinstance(model, Raised) else ""
    scores = np.zeros(len(rows)) if raised else np.asarray(score(bare(model), rows, labels), dtype=np.float64)
    if scores.shape != (len(rows),) or np.isnan(scores).any():
        raise InvalidInput(f"score: gave shape {scores.shape}, must give one number for each of {len(rows)} canaries")
    # Ties are broken at random: the order in which the canaries were given must not matter.
    shuffle = random_order(len(rows), noise_source("equipoise", None if random_state is None else random_state + 1))
    scores, inserted = scores[shuffle], planted.inserted[shuffle]
    found = [
        one_run(count_right(scores, inserted, size), size, len(rows), delta=delta, confidence=shared) for size in sizes
    ]
    best = max(found, key=lambda run: run.epsilon)
    return OneRun(best.epsilon, delta, confidence, best.correct, best.guesses, best.canaries, raised)


def _sizes(guesses: int | Sequence[int] | None, canaries: int) -> tuple[int, ...]:
    if guesses is None:
        return tuple(sorted({max(1, int(share * canaries)) for share in SHARES}))
    sizes = (guesses,) if isinstance(guesses, int) else tuple(guesses)
    if not sizes or any(whole(guesses=size) > canaries for size in sizes):
        raise InvalidInput(f"guesses={shown(guesses)}: must be numbers from 1 to the {canaries} canaries")
    return sizes


def _table(table: Table, name: str) -> tuple[Rows, Rows]:
    rows, labels = np.asarray(table[0]), np.asarray(table[1])
    if rows.ndim != 2 or labels.shape != (len(rows),) or len(rows) == 0:
        raise InvalidInput(f"{name}: must be a table of rows and one label for each, at least one row")
    return rows, labels


def _stacked(X: Rows, more: Rows) -> Rows:
    if X.shape[1] != more.shape[1]:
        raise InvalidInput(f"canaries: have {more.shape[1]} columns, must have {X.shape[1]} as X does")
    return np.concatenate([X, more])
