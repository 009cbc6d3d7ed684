"""Coefficients in the columns' own units, with names and intervals: post-processing, free."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.outside.model import LinearModel
from equipoise.schema.encoding import Encoding

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
        head = "" if self.level is None else f"{self.level:.0%} intervals, for {self.covers}\n"
        wide = max(len(one.name) for one in self.each)
        return head + "\n".join(_line(one, wide) for one in self.each)


def in_own_units(model: LinearModel, encoding: Encoding, level: float = 0.95) -> Coefficients:
    """Of a model of one score that was fitted on what the encoding gives."""
    if len(model.coef) != 1:
        raise InvalidInput("coefficients: the classes have scores of their own, read model.coef instead")
    if model.lift is not None:
        raise InvalidInput(f"coefficients: those of {model.estimator} belong to no column, use predict")
    if model.n_features_in_ != len(encoding.names):
        raise InvalidInput("coefficients: the model was not fitted on what this schema encodes")
    turn = _turn(encoding)
    values = turn @ np.append(model.coef[0], model.intercept)
    known = model.uncertainty
    lows = highs = [None] * len(values)
    if known is not None:
        square = np.diag(known.covariance) if known.covariance.ndim == 1 else known.covariance
        turned = turn @ square @ turn.T
        own = replace(known, estimate=(turn @ known.estimate[0])[None], covariance=(turned + turned.T) / 2)
        reach = own.reach(level)[0]
        lows, highs = (own.estimate[0] - reach).tolist(), (own.estimate[0] + reach).tolist()
    names, units = [*encoding.names, "intercept"], [*_units(encoding), ""]
    rows = zip(names, units, values.tolist(), lows, highs, strict=True)
    return Coefficients(tuple(Coefficient(*row) for row in rows), *((level, known.covers) if known else (None, None)))


def _turn(encoding: Encoding) -> Array:
    """From coefficients of encoded numbers to own units; the intercept takes up where columns are 0."""
    slopes, offsets = np.ones(len(encoding.names)), np.zeros(len(encoding.names))
    place = 0
    for block in encoding.blocks:
        slopes[place], offsets[place] = block.slope, block.offset
        place += len(block.names)
    turn = np.diag(np.append(slopes * encoding.weight, 1.0))
    turn[-1, :-1] = -slopes * encoding.weight * offsets
    return turn


def _units(encoding: Encoding) -> list[str]:
    units = [unit for block in encoding.blocks for unit in (block.unit, *[""] * (len(block.names) - 1))]
    return units + [""] * (len(encoding.names) - len(units))


def _line(one: Coefficient, wide: int) -> str:
    per = f" per {one.unit}" if one.unit else ""
    span = "" if one.low is None or one.high is None else f"   ({one.low:.4g} to {one.high:.4g})"
    return f"{one.name:<{wide}}  {one.value:>10.4g}{per}{span}"
