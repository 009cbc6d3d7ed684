"""How well any model does on private records, asked through its `predict` alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.inside.private import Private
from equipoise.inside.strangers import FAILED, Failed, alone, apart, in_parts

Array = npt.NDArray[np.float64]
RecordScore = Callable[[npt.NDArray[Any], npt.NDArray[Any]], Any]
"""From labels and predictions to one number per record, 1 for the best."""

SCORING = 2
"""The key under which a run's seed is used when its model is scored."""


def mean_score(
    predict: Callable[[Any], Any], rows: Any, labels: npt.NDArray[Any], score: RecordScore
) -> Private[Array]:
    """The mean score of private records.

    Replacing one record moves it by at most 1/n plus rounding of 2⁻⁵¹, if `predict` takes rows one at a time.
    """
    return Private(np.array([clipped_mean(score, labels, predict(rows))]))


def strangers_mean_score(
    model: Any, rows: Any, labels: npt.NDArray[Any], score: RecordScore, seed: int
) -> Private[Array]:
    """The same where the model or the score is a stranger's: a record at which either fails scores 0."""
    return Private(np.array([strangers_mean(model, rows, labels, score, seed)]))


def strangers_mean(model: Any, rows: Any, labels: npt.NDArray[Any], score: RecordScore, seed: int) -> float:
    """The mean score of a model that is asked alone; of rows that may be public.  0 for one that was never fitted."""
    if isinstance(model, Failed):
        return 0.0
    each = np.zeros(len(labels))

    def asked(start: int, stop: int) -> Array | Failed:
        part = slice(start, stop)
        found = alone(
            lambda: _scores(score, labels[part].copy(), model.predict(rows[part].copy())),
            seed,
            model,
            score,
            key=SCORING,
        )
        return found if isinstance(found, Failed) or found.shape == (stop - start,) else FAILED

    with apart():
        for start, stop, found in in_parts(asked, len(labels)):
            if not isinstance(found, Failed):
                each[start:stop] = found
    return _mean(each)


def clipped_mean(score: RecordScore, labels: npt.NDArray[Any], predicted: Any) -> float:
    """The mean of scores, each clipped to [0, 1]; what is not a number counts as 0.  The sum is rounded once."""
    with np.errstate(all="ignore"):
        each = _scores(score, labels, predicted)
    if each.shape != (len(labels),):
        raise InvalidInput("score: must give one number for each row")
    return _mean(each)


def _scores(score: RecordScore, labels: npt.NDArray[Any], predicted: Any) -> Array:
    return np.array(score(labels, np.asarray(predicted)), dtype=np.float64)


def _mean(each: Array) -> float:
    clipped = np.clip(np.nan_to_num(each, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)
    return math.fsum(clipped.tolist()) / len(clipped)
