"""Runs of somebody else's estimator: each alone with fresh generators, none of them seen, failures included.

A run that fails counts as one with the worst score and no model, so that whether it failed is part of what the stated
guarantee covers.  Before anything is spent, made-up rows show whether runs are independent.  docs/proofs/selection.md,
section 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.estimators import _strangers
from equipoise.estimators.search.candidates import Settings
from equipoise.gate import Bits
from equipoise.gate.order import random_order
from equipoise.gate.source import seeds_for_strangers
from equipoise.inside.strangers import Failed, Reach, alone, apart, renew, same_alone, with_key
from equipoise.theory.accounting.repeats import repeats_to_refuse

Array = npt.NDArray[np.float64]

MADE_UP_ROWS = 12
MOST_CANDIDATES = 8
"""That are tried on made-up rows."""

FITTING = 0
"""The key under which a run's seed is used when its model is fitted."""


@dataclass(frozen=True, slots=True)
class Run:
    """Which candidate, its model if it could be fitted, and the run's seed."""

    place: int
    model: Any
    seed: int


@dataclass(frozen=True, slots=True)
class Runs:
    """A stranger, its candidates, and the rows to fit on."""

    estimator: Any
    settings: list[Settings]
    rows: Any
    labels: npt.NDArray[Any]

    def one(self, bits: Bits) -> Run:
        """A candidate at random, fitted with a secret seed."""
        place = int(random_order(len(self.settings), bits)[0])
        (seed,) = seeds_for_strangers(1, bits)
        return Run(place, fitted(self.estimator, self.settings[place], self.rows, self.labels, seed), seed)


def fitted(estimator: Any, settings: Settings, rows: Any, labels: npt.NDArray[Any], seed: int) -> Any:
    """A copy with these settings, fitted alone to copies of the rows; or FAILED."""
    with apart():
        copy = alone(lambda: _strangers.copy_with(estimator, settings), seed, estimator, key=FITTING)
        if isinstance(copy, Failed):
            return copy
        done = alone(lambda: copy.fit(rows.copy(), labels.copy()), seed, copy, key=FITTING)
        return done if isinstance(done, Failed) else copy


def let_go(model: Any, estimator: Any, bits: Bits) -> Any:
    """The model as it may leave: generators that it holds are in new states, from which no draw of its run follows.

    Those that the caller's estimator, its class or a module holds too were put back after the run.
    """
    (seed,) = seeds_for_strangers(1, bits)

    def renewed() -> None:
        callers = {id(holder) for holder in Reach().of(estimator, type(model))}
        for place, holder in enumerate(Reach(own=True).of(model)):
            if id(holder) not in callers:
                renew(holder, with_key(seed, place))

    alone(renewed, seed)
    return model


def rehearse(estimator: Any, settings: Sequence[Settings], columns: int, labels: Any, stated: Any) -> str:
    """Refuse a stranger whose runs repeat each other, or that answers rows otherwise beside others than alone.

    Returns what it failed with, if it could not be tried: made-up rows need not suit it.
    """
    tables = [_made_up(columns, first, labels) for first in (0, 1)]
    repeats = repeats_to_refuse(stated)
    for each in settings[:MOST_CANDIDATES]:
        model = fitted(estimator, each, *tables[0], 0)
        if isinstance(model, Failed):
            return _failure(estimator, each, *tables[0])
        _refuse_mingling(estimator, model, tables[0][0])
        if repeats is not None and _repeats(estimator, each, tables, repeats):
            raise InvalidInput(
                f"estimator of type {type(estimator).__name__}: fits of made-up rows came out the same time after time,"
                " so every run would repeat its noise: give it no seed and let it draw from a generator or the system"
            )
    return ""


def _refuse_mingling(estimator: Any, model: Any, X: Array) -> None:
    if not same_alone(lambda part: model.predict(part), X, 0, model):
        raise InvalidInput(
            f"estimator of type {type(estimator).__name__}: predicts a made-up row otherwise alone than beside others,"
            " so that one record could move many scores: it must predict rows one at a time"
        )


def _repeats(estimator: Any, settings: Settings, tables: list[Any], repeats: int) -> bool:
    """Whether fits of two neighbours differ from each other but never from time to time."""

    def outcome(side: int, seed: int) -> Any:
        X, y = tables[side]
        return _outcome(fitted(estimator, settings, X, y, seed), tables[0][0])

    with apart():
        first = outcome(0, 0), outcome(1, 0)
        if first[0] == first[1] or None in first:
            return False
        return all((outcome(0, seed), outcome(1, seed)) == first for seed in range(1, repeats + 1))


def _outcome(model: Any, X: Array) -> tuple[bytes, ...] | None:
    """Predictions and fitted arrays, to be compared; None where there are none."""
    if isinstance(model, Failed):
        return None

    def shown() -> tuple[bytes, ...]:
        held = vars(model) if _has_attributes(model) else {}
        arrays = [held[name] for name in sorted(held) if isinstance(held[name], np.ndarray | int)]
        return tuple(str(np.asarray(each).tolist()).encode() for each in (model.predict(X.copy()), *arrays))

    said = alone(shown, 0, model)
    return None if isinstance(said, Failed) else said


def _made_up(columns: int, first: int, labels: Any) -> tuple[Array, npt.NDArray[Any]]:
    """Twelve rows in the unit cube; the first one's values and label differ between two neighbours."""
    X = np.modf(np.arange(1.0, MADE_UP_ROWS * columns + 1).reshape(-1, columns) * 0.6180339887498949)[0]
    X[0] = 0.05 + 0.9 * first
    codes = np.arange(MADE_UP_ROWS) % 2
    codes[0] = first
    kind = np.asarray(labels).dtype
    return X, codes.astype(kind) if kind.kind in "biuf" else np.array(["a", "b"])[codes].astype(kind)


def _failure(estimator: Any, settings: Settings, X: Array, y: npt.NDArray[Any]) -> str:
    """The kind of error, which made-up rows may name."""
    kinds: list[str] = []

    def tried() -> None:
        try:
            _strangers.copy_with(estimator, settings).fit(X.copy(), y.copy())
        except BaseException as error:
            kinds.append(type(error).__name__)
            raise

    alone(tried, 0, estimator)
    return kinds[0] if kinds else "nothing, when tried again"


def _has_attributes(model: Any) -> bool:
    return isinstance(getattr(model, "__dict__", None), dict)
