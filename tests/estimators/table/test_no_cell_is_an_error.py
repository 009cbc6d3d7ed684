"""Whatever one cell of a table holds, a caller sees the same: a model or a number, no exception and no warning.

An error before the debit would be free and could be had again and again; one after it would be worth more than it cost.
"""

from __future__ import annotations

import datetime
import decimal
import enum
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import equipoise as eq

ROWS, DOORS = 40, 8
Table = dict[str, list[Any]]


class Hostile:
    """Whatever it is asked, it raises."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    def __hash__(self) -> int:
        raise RuntimeError("hashed")

    def __float__(self) -> float:
        raise RuntimeError("read")

    def __repr__(self) -> str:
        raise RuntimeError("shown")

    def __array__(self, *given: Any, **named: Any) -> Any:
        raise SystemExit


class Three(enum.IntEnum):
    THREE = 3


CELLS: list[Any] = [
    *(None, "", "\0", "x" * 200_000, "\ud800", "1_000", "1e400", "nan", "٣", b"3", np.str_("yes")),
    *(float("nan"), float("inf"), -0.0, 5e-324, 1j, True, np.bool_(True), Three.THREE, Fraction(1, 3)),
    *(10**400, 10**5000, -(10**5000), "9" * 5000, 2**70, np.float32(3), np.longdouble(3)),
    *(decimal.Decimal("sNaN"), decimal.Decimal("1e999999"), datetime.date(1, 1, 1), np.datetime64("NaT"), pd.NaT),
    *(pd.NA, [1, 2], {}, (), np.array(3), np.array([1, 2]), np.ma.masked, Hostile(), object(), type, range(3), ...),
]


def _schema(target: dict[str, Any], **more: Any) -> eq.Schema:
    columns = {
        "age": {"kind": "number", "bounds": [0, 100]},
        "pay": {"kind": "number", "bounds": [0, 1e6], "scale": "log1p"},
        "sex": {"kind": "category", "values": ["f", "m"]},
        "stage": {"kind": "category", "values": [1, 2, 3]},
        "smokes": {"kind": "boolean"},
        "seen": {"kind": "date", "bounds": ["2000-01-01", "2020-01-01"]},
    }
    return eq.Schema.from_dict({"target": {"column": "goal", **target}, "columns": columns, **more})


def _table(goals: list[Any]) -> Table:
    held: Table = {
        "age": list(range(ROWS)),
        "pay": [10.0 * place for place in range(ROWS)],
        "sex": ["f", "m"] * (ROWS // 2),
        "stage": [1, 2, 3, 2] * (ROWS // 4),
        "smokes": [True, False] * (ROWS // 2),
        "seen": ["2010-02-03"] * ROWS,
        "who": [place // 2 for place in range(ROWS)],
    }
    return {**held, "goal": goals * (ROWS // len(goals))}


CLASSES, RANGE = _schema({"classes": ["no", "yes"]}), _schema({"bounds": [0, 1]})
PEOPLE = _schema({"classes": ["no", "yes"]}, person={"column": "who", "rows_per_person": 2})


@pytest.fixture(scope="module")
def models() -> tuple[Any, Any]:
    words, numbers = _table(["no", "yes"]), _table([0.0, 0.5])
    return eq.fit(words, CLASSES, 1.0, random_state=0), eq.fit(numbers, RANGE, 1.0, random_state=0)


def _doors(words: Table, numbers: Table, models: tuple[Any, Any]) -> Iterator[Any]:
    given: dict[str, Any] = {"epsilon": 1.0, "random_state": 0}
    yield eq.fit(words, CLASSES, **given)
    yield eq.fit(words, PEOPLE, **given)
    yield eq.fit(numbers, RANGE, **given)
    yield eq.evaluate(models[0], words, **given)
    yield eq.evaluate(models[1], numbers, **given)
    yield eq.PrivateBounds(CLASSES, 1.0, random_state=0).fit(words)
    rows = [[age, pay] for age, pay in zip(numbers["age"], numbers["pay"], strict=True)]
    yield eq.count_clipped(eq.LinearRegression(label_bounds=(0, 1)), rows, numbers["goal"], **given)
    yield eq.count_clipped(eq.LogisticRegression(), rows, numbers["goal"], **given)


def _heard(words: Table, numbers: Table, models: tuple[Any, Any]) -> str:
    """What a caller would see of an error."""
    try:
        passed = len(list(_doors(words, numbers, models)))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is seen; a warning is an error here
        return f"{type(error).__name__}: {error}"
    return "" if passed == DOORS else f"{passed} doors"


@pytest.mark.parametrize("column", ["age", "pay", "sex", "stage", "smokes", "seen", "who", "goal"])
def test_no_cell_of_any_column_is_an_error(column: str, models: tuple[Any, Any]) -> None:
    """All strange cells at once, and each beside ordinary ones through the reader that every door shares."""
    words, numbers = _table(["no", "yes"]), _table([0.0, 0.5])
    places = np.random.default_rng(0).permutation(len(CELLS))
    for first in range(0, len(CELLS), ROWS):
        for held in (words, numbers):
            for place, cell in zip(range(ROWS), places[first : first + ROWS], strict=False):
                held[column][place] = CELLS[cell]
        assert _heard(words, numbers, models) == ""


@pytest.mark.parametrize("place", range(len(CELLS)))
def test_a_strange_cell_alone_is_encoded(place: int) -> None:
    for column in CLASSES.columns:
        words = _table(["no", "yes"])
        words[column][3] = CELLS[place]
        rows = eq.Encoder(CLASSES).transform(words)
        assert np.all(np.isfinite(rows))
        untouched = np.delete(np.arange(ROWS), 3)
        np.testing.assert_array_equal(rows[untouched], eq.Encoder(CLASSES).transform(_table(["no", "yes"]))[untouched])
