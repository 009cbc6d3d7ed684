"""Coefficients in the columns' own units, with names and intervals: post-processing, free."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equipoise.errors import InvalidInput
from equipoise.outside.model import LinearModel
from equipoise.outside.uncertainty import FROM_THE_MIDDLE, NOISELESS, Uncertainty
from equipoise.schema.encoding import Encoding
from equipoise.schema.encoding.block import INTERCEPT

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """What one unit more of a column, or a slot of it, adds to the score."""

    name: str
    unit: str
    value: float
    low: float | None
    high: float | None
    """The interval; None where the mechanism states no error of its numbers."""


@dataclass(frozen=True, slots=True)
class Coefficients:
    """One for each encoded column, then the intercept: the score where every column is at 0 and every slot empty.

    Of several classes each has its own, named `class: column`.

    `level` and `covers` say what the intervals are about; None where there are none.
    """

    each: tuple[Coefficient, ...]
    level: float | None
    covers: str | None

    def __iter__(self) -> Iterator[Coefficient]:
        return iter(self.each)

    def __len__(self) -> int:
        return len(self.each)

    def __getitem__(self, name: str) -> Coefficient:
        found = [one for one in self.each if one.name == name]
        if not found:
            raise KeyError(name)
        return found[0]

    def __str__(self) -> str:
        most = "; upper bounds, often far too wide" if self.covers in (NOISELESS, FROM_THE_MIDDLE) else ""
        head = "" if self.level is None else f"{self.level:.0%} intervals, for {self.covers}{most}\n"
        wide = max(len(one.name) for one in self.each)
        return head + "\n".join(_line(one, wide) for one in self.each)


def in_own_units(model: LinearModel, encoding: Encoding, level: float = 0.95) -> Coefficients:
    """Of a model that was fitted on what the encoding gives; of several classes, one after the other."""
    if model.lift is not None:
        raise InvalidInput(f"coefficients: those of {model.estimator} belong to no column, use predict")
    if model.n_features_in_ != len(encoding.names):
        raise InvalidInput("coefficients: the model was not fitted on what this schema encodes")
    turn, known = _turn(encoding), model.uncertainty
    values = np.column_stack([model.coef, model.intercept]) @ turn.T
    lows: list[Any] = [None] * values.size
    highs = lows
    if known is not None:
        own = replace(known, estimate=known.estimate @ turn.T, covariance=_turned(known, turn))
        reach = own.reach(level)
        lows, highs = (own.estimate - reach).ravel().tolist(), (own.estimate + reach).ravel().tolist()
    heads = [""] if len(values) == 1 or model.classes is None else [f"{label}: " for label in model.classes]
    names = [head + name for head in heads for name in (*encoding.names, INTERCEPT)]
    units = [*_units(encoding), ""] * len(heads)
    rows = zip(names, units, values.ravel().tolist(), lows, highs, strict=True)
    return Coefficients(tuple(Coefficient(*row) for row in rows), *((level, known.covers) if known else (None, None)))


def _turned(known: Uncertainty, turn: sparse.csr_array) -> Array:
    """Covariance in own units; of several classes, or where only variances are known, the variances."""
    if known.covariance.ndim == 1 or len(known.estimate) > 1:
        return np.asarray((known.variances.reshape(known.estimate.shape) @ (turn * turn).T).ravel())
    turned = turn @ known.covariance @ turn.T
    return np.asarray((turned + turned.T) / 2)


def _turn(encoding: Encoding) -> sparse.csr_array:
    """From coefficients of encoded numbers to own units; the intercept takes up where columns are 0."""
    many = len(encoding.names)
    slopes, offsets = np.ones(many), np.zeros(many)
    place = 0
    for block in encoding.blocks:
        slopes[place], offsets[place] = block.slope, block.offset
        place += len(block.names)
    scales, last = np.append(slopes * encoding.weight, 1.0), np.full(many, many)
    entries = np.concatenate([scales, -scales[:-1] * offsets])
    places = (np.concatenate([np.arange(many + 1), last]), np.concatenate([np.arange(many + 1), np.arange(many)]))
    return sparse.csr_array((entries, places), shape=(many + 1, many + 1))


def _units(encoding: Encoding) -> list[str]:
    units = [unit for block in encoding.blocks for unit in (block.unit, *[""] * (len(block.names) - 1))]
    return units + [""] * (len(encoding.names) - len(units))


def _line(one: Coefficient, wide: int) -> str:
    per = f" per {one.unit}" if one.unit else ""
    span = "" if one.low is None or one.high is None else f"   ({one.low:.4g} to {one.high:.4g})"
    return f"{one.name:<{wide}}  {one.value:>10.4g}{per}{span}"
