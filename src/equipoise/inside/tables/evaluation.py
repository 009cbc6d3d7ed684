"""Predictions of a released model beside the labels of records: one number in [0, 1] for each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array
from equipoise.inside.labels import class_places, numbers_within
from equipoise.inside.private import Private
from equipoise.theory.tables.usual_errors import LEVELS, UsualErrors, square_of


def right_or_wrong(said: npt.NDArray[Any], labels: npt.NDArray[Any], classes: tuple[Any, ...]) -> Private[Array]:
    """1 where the class that was predicted is the label; a label that is no class counts as the first."""
    return Private(rights(said, labels, classes))


def rights(said: npt.NDArray[Any], labels: npt.NDArray[Any], classes: tuple[Any, ...]) -> Array:
    """The same for whoever has the rows."""
    right = class_places(said, classes) == class_places(labels, classes)
    return np.asarray(right, dtype=np.float64)


def squared_shares(said: Array, labels: npt.NDArray[Any], low: float, high: float) -> Private[Array]:
    """((p − y)/(high − low))², both within the bounds; a missing label is their middle."""
    return Private(shares(said, labels, low, high))


def shares(said: Array, labels: npt.NDArray[Any], low: float, high: float) -> Array:
    """The same for whoever has the rows."""
    missed = numbers_within(said, low, high) - numbers_within(labels, low, high)
    return np.asarray(np.clip((missed / (high - low)) ** 2, 0.0, 1.0))


def summed(terms: Private[Array]) -> Private[Array]:
    """Rounded once."""
    return terms.map(lambda each: np.array([math.fsum(each.tolist())]))


def error_scores(squares: Private[Array], choice: UsualErrors) -> Private[Array]:
    """For each size how many ranks it lies off the smallest that all errors but a part are no larger than."""
    return squares.map(lambda each: scores_of(each, choice))


def scores_of(squares: Array, choice: UsualErrors) -> Array:
    """The same for whoever has the rows."""
    beyond = np.array([np.count_nonzero(squares > square_of(level)) for level in range(LEVELS)], dtype=np.float64)
    room = choice.beyond * len(squares) - beyond
    smaller = np.append(room[1:], -np.inf)  # the next size would do as well by so many
    return np.asarray(-np.maximum(0.0, np.maximum(-room, smaller)))


def within_usual(squares: Private[Array], level: int) -> Private[Array]:
    """In units of the square of this size; what is beyond counts as one."""
    return squares.map(lambda each: np.minimum(each / square_of(level), 1.0))


def counted_beyond(squares: Private[Array], level: int) -> Private[Array]:
    """How many errors are larger than this size."""
    return squares.map(lambda each: np.array([float(np.count_nonzero(each > square_of(level)))]))
