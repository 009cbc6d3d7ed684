"""Shard models tried out on made-up rows, before a record is seen: can they be used, and does each stand alone?

Every verdict follows from the estimator, the shape of a shard and the number of classes, so it may be told in clear.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from equipoise.errors import InvalidInput
from equipoise.inside.answers.shards import ASKING, Says, asker, fitted_alone, seeded
from equipoise.inside.design.contract import Array
from equipoise.inside.strangers import Failed, alone, apart, same, same_alone


def rehearse(estimator: Any, rows: int, columns: int, says: Says, classes: int, *, held_out: bool = False) -> float:
    """Refuse an estimator that fails on made-up rows, or that is not a function of its rows and its seed; and, if it
    will be asked about `held_out` records, one that answers a row otherwise beside others than alone.

    Returns the seconds that one fit took, which say something about the estimator and nothing about the records.
    """
    X, y = made_up(rows, columns, says, classes)
    if says is not Says.NUMBER and len(np.unique(y)) < 2:
        return 0.0  # such small shards vote for their one label, nothing is fitted
    started = time.perf_counter()
    _refuse_useless(estimator, X, y, says)
    seconds = time.perf_counter() - started
    _refuse_sharing(estimator, X, y, says)
    if held_out:
        _refuse_mingling(estimator, X, y, says)
    return seconds


def made_up(rows: int, columns: int, says: Says, classes: int) -> tuple[Array, Array]:
    """Rows spread over the unit cube, and labels that suit the task."""
    grid = np.arange(rows * columns, dtype=np.float64).reshape(rows, columns)
    X = np.modf(grid * 0.6180339887498949)[0]
    return X, X.mean(axis=1) if says is Says.NUMBER else np.arange(rows, dtype=np.float64) % classes


def _refuse_useless(estimator: Any, X: Array, y: Array, says: Says) -> None:
    """The kind of error may be named: the rows are made up."""
    kinds: list[str] = []

    def tried() -> Array:
        try:
            return np.asarray(asker(says)(seeded(estimator, 0).fit(X.copy(), y.copy()), X.copy()), dtype=np.float64)
        except BaseException as error:
            kinds.append(type(error).__name__)
            raise

    said = alone(tried, 0, estimator)
    if not isinstance(said, Failed) and said.shape == y.shape:
        return
    failure = kinds[0] if kinds else "more than one answer per row"
    way = "take one with predict_proba" if says is Says.PROBABILITY else "fix its parameters"
    raise InvalidInput(f"estimator: fails on {len(X)} made-up rows ({failure}), {way} or take fewer shards")


def _refuse_sharing(estimator: Any, X: Array, y: Array, says: Says) -> None:
    """Fit a shard, then another with other rows and another seed, then the first again: nobody may notice the other."""

    def asked(model: Any, seed: int) -> Any:
        return alone(lambda: np.array(asker(says)(model, X.copy()), dtype=np.float64), seed, model, key=ASKING)

    with apart():
        first = fitted_alone(estimator, X.copy(), y.copy(), 0)
        said = asked(first, 0)
        other = y.copy()
        other[0] = y[-1]
        asked(fitted_alone(estimator, X[::-1] / 2, other, 1), 1)
        again = asked(fitted_alone(estimator, X.copy(), y.copy(), 0), 0)
        later = asked(first, 0)
    if not (same(said, again) and same(said, later)):
        raise InvalidInput(
            "estimator: answers otherwise once another shard was fitted, though its rows and seeds are the same: its "
            "models share a memory or draw from a source that cannot be set, give it a random_state"
        )


def _refuse_mingling(estimator: Any, X: Array, y: Array, says: Says) -> None:
    model = fitted_alone(estimator, X.copy(), y.copy(), 0)
    if not same_alone(lambda part: asker(says)(model, part), X, 0, model):
        raise InvalidInput(
            "estimator: answers a made-up row otherwise alone than beside others, so that one held-out record could "
            "move many answers: take one that predicts row by row"
        )
