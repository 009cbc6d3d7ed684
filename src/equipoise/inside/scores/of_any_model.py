"""How well any model does on private records, asked through its `predict` alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.inside.private import Private

Array = npt.NDArray[np.float64]
RecordScore = Callable[[npt.NDArray[Any], npt.NDArray[Any]], Any]
"""From labels and predictions to one number per record, 1 for the best."""


def mean_score(
    predict: Callable[[Any], Any], rows: Any, labels: npt.NDArray[Any], score: RecordScore
) -> Private[Array]:
    """The mean score of private records.

    Replacing one record moves it by at most 1/n plus rounding of 2⁻⁵¹, if `predict` takes rows one at a time.
    """
    return Private(np.array([clipped_mean(score, labels, predict(rows))]))


def clipped_mean(score: RecordScore, labels: npt.NDArray[Any], predicted: Any) -> float:
    """The mean of scores, each clipped to [0, 1]; what is not a number counts as 0.  The sum is rounded once."""
    with np.errstate(all="ignore"):
        each = np.asarray(score(labels, np.asarray(predicted)), dtype=np.float64)
    if each.shape != (len(labels),):
        raise InvalidInput("score: must give one number for each row")
    clipped = np.clip(np.nan_to_num(each, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)
    return math.fsum(clipped.tolist()) / len(clipped)
