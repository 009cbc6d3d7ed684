"""What a classifier forecasts for private rows: each row by itself, and whatever goes wrong is a missing value.

A model of this library is asked for all rows at once, on a table that it cannot fail at.  A stranger is asked one row
at a time: nobody knows what it does with a batch, and an error about one row must neither be seen nor change what is
said of another.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from types import CellType, FunctionType, MethodType
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from equipoise.errors import InvalidInput
from equipoise.estimators.answer.protocol import PrivatePredictor
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.search.base import Search
from equipoise.inside.design.contract import Array
from equipoise.inside.strangers import Failed, alone, apart
from equipoise.outside import LinearModel
from equipoise.outside.inputs import same_columns
from equipoise.rows.tables import own_table
from equipoise.theory.losses.links import OF_TWO

MOST_OBJECTS = 100_000
"""Looked through in search of a predictor."""

SEED = 0
"""Of a stranger's generators, the same for every row: a forecast is a function of its row."""


def private_forecasts(model: Any, X: Any, rows: int) -> Callable[[], Array]:
    """Settles by types what can be refused; the function it returns looks at the rows and never fails."""
    released = _released(model)
    if released is not None:
        if released.link not in OF_TWO:
            raise InvalidInput(f"model: {released.estimator} has no probabilities, give a classifier that has")
        same_columns(X, released.feature_names)
        table = own_table(X, np.nan)
        return lambda: released.predict_proba(table)[:, 1]
    part = _row_of(X)
    if not _is_frame(X):
        _rehearse(model, model.n_features_in_)
    return lambda: _one_by_one(model, part, rows)


def refuse_answering(model: Any) -> None:
    """A predictor, or whatever holds one, would make questions of the rows: its ledger would tell of them."""
    if _holds(model, PrivatePredictor):
        raise InvalidInput(
            f"model of type {type(model).__name__}: answers questions and pays for each, give a released classifier"
        )


def _released(model: Any) -> LinearModel | None:
    """The released model in one of ours; None for a stranger."""
    if isinstance(model, Search):
        model = model.best_estimator_
    if isinstance(model, PrivateLinear):
        model = model.model_
    return model if isinstance(model, LinearModel) else None


def _is_frame(X: Any) -> bool:
    return getattr(X, "columns", None) is not None


def _row_of(X: Any) -> Callable[[int], Any]:
    """One row of the caller's container, as the stranger knows it."""
    if issparse(X):
        table = own_table(X)
        return lambda row: csr_array(table[[row]])
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return lambda row: X.iloc[row : row + 1]
    return lambda row: X[row : row + 1]


def _rehearse(model: Any, columns: int) -> None:
    """A model that forecasts nothing at all is refused before the debit: made-up rows say nothing of the records."""
    if np.isnan(_one_by_one(model, lambda _: np.zeros((1, columns)), 1)[0]):
        raise InvalidInput(
            f"model of type {type(model).__name__}: predict_proba gives no two chances for a row of zeros"
        )


def _one_by_one(model: Any, part: Callable[[int], Any], rows: int) -> Array:
    with apart():
        return np.array([_chance(model, part, row) for row in range(rows)])


def _chance(model: Any, part: Callable[[int], Any], row: int) -> float:
    """Of the second class; NaN where there is none.  What the stranger draws or keeps says nothing of other rows."""
    said = alone(lambda: np.array(model.predict_proba(part(row)), dtype=np.float64), SEED, model)
    return float("nan") if isinstance(said, Failed) or said.shape != (1, 2) else float(said[0, 1])


def _holds(model: Any, kind: type) -> bool:
    """Whether one is among what the object is made of, by type alone."""
    waiting, seen = [model], set[int]()
    while waiting and len(seen) < MOST_OBJECTS:
        each = waiting.pop()
        if isinstance(each, kind):
            return True
        if id(each) in seen or isinstance(each, str | bytes | int | float | type | None):
            continue
        seen.add(id(each))
        waiting.extend(_parts(each))
    return False


def _parts(each: Any) -> Iterable[Any]:
    if isinstance(each, dict):
        return [*each.values()]
    if isinstance(each, list | tuple | set | frozenset):
        return [*each]
    if isinstance(each, np.ndarray):
        return each.ravel().tolist() if each.dtype == object else []
    if isinstance(each, functools.partial):
        return [each.func, *each.args, *each.keywords.values()]
    if isinstance(each, MethodType):
        return [each.__self__]
    if isinstance(each, FunctionType):
        return [*(each.__closure__ or ()), *(each.__defaults__ or ())]
    if isinstance(each, CellType):
        try:
            return [each.cell_contents]
        except ValueError:  # empty
            return []
    return [*getattr(each, "__dict__", {}).values()]
