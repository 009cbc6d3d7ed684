"""Trying a claim of stability on made-up neighbours.  No record is near: what is found may be told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone

from equipoise.inside.design.contract import Array
from equipoise.inside.stated.coefficients import Form, attempt, coefficients, read, with_zeros
from equipoise.inside.strangers import Failed, alone, apart
from equipoise.theory.rounding import WELL_CLEAR, up

MOST_CELLS = 500_000
"""Of a made-up table: larger ones are not tried."""

FEW = 12
"""Rows on which a fit is looked at for its form."""

Table = tuple[Array, Array]


def failure(estimator: Any, form: Form, row_norm: float, ends: tuple[float, float]) -> str:
    """What keeps a fit of a few made-up rows from ending with coefficients of that form; nothing if it does."""
    X = np.modf(np.arange(1.0, FEW * form.columns + 1).reshape(FEW, -1) * 0.6180339887498949)[0]
    X *= row_norm / np.sqrt(form.columns)
    targets = np.where(np.arange(FEW) % 2, *ends)
    if not isinstance(attempt(X, targets, estimator, form, 0), Failed):
        return ""
    kinds: list[str] = []

    def again() -> None:
        try:
            read(clone(estimator).fit(*with_zeros(X, targets, form)), form)
        except BaseException as error:
            kinds.append(type(error).__name__)
            raise

    alone(again, 0, estimator)
    return kinds[0] if kinds else "nothing, when tried again"


def moved_most(estimator: Any, form: Form, rows: int, row_norm: float, ends: tuple[float, float]) -> float:
    """The furthest that made-up neighbours of so many rows move the fit, at equal random numbers."""
    most = 0.0
    with apart():
        for left, right in _neighbours(form.columns, rows, row_norm, ends):
            moved = coefficients(*left, estimator, form, 0) - coefficients(*right, estimator, form, 0)
            most = max(most, float(np.linalg.norm(moved)))
    return most


def refuted(moved: float, stated: float) -> bool:
    """Whether so far a move shows the claim to be wrong, beyond rounding."""
    return moved > up(stated, WELL_CLEAR)


def _neighbours(columns: int, rows: int, row_norm: float, ends: tuple[float, float]) -> Iterator[tuple[Table, Table]]:
    """One record turned round: beside rows all alike, beside rows with every other label, beside rows of zeros."""
    low, high = ends
    alike, zeros = np.zeros((rows, columns)), np.zeros((rows, columns))
    alike[:, 0] = zeros[0, 0] = row_norm
    same, other = np.full(rows, high), np.where(np.arange(rows) % 2, low, high)
    for X, targets in ((alike, same), (alike, other), (zeros, other)):
        turned = targets.copy()
        turned[0] = low
        yield (X, targets), (X, turned)
