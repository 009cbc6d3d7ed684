"""No cell is asked what it is through its own code: wherever it stands, an odd one is like any other that is no cell.

What comes of a fit is compared as a caller sees it: the model, what was spent, or the one line of a refusal.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier
from tests.lists.odd_cells import HOLDING, UNREADABLE

import equipoise as eq
from equipoise.answering import StablePredictor, VotingPredictor
from equipoise.inside.cluster import turns
from equipoise.rows.persons import people_in
from equipoise.schema import Schema
from equipoise.tuning import DataSplitSearch

ROWS, PLACE = 24, 5
COLUMNS: dict[str, Any] = {
    "number": {"kind": "number", "bounds": [0, 1]},
    "word": {"kind": "category", "values": ["a", "b"]},
    "step": {"kind": "ordinal", "values": ["a", "b"]},
    "truth": {"kind": "boolean"},
    "day": {"kind": "date", "bounds": ["2000-01-01", "2030-01-01"]},
    "text": {"kind": "text", "buckets": 8},
}
WORDS, NUMBERS = {"column": "y", "classes": ["a", "b"]}, {"column": "y", "bounds": [0, 1]}


def column(odd: Any, *usual: Any) -> list[Any]:
    return [odd if place == PLACE else usual[place % len(usual)] for place in range(ROWS)]


def objects(cells: list[Any]) -> Any:
    return np.fromiter(cells, dtype=object, count=len(cells))


def row_with(odd: Any) -> list[list[Any]]:
    return [[cell, 0.25] for cell in column(odd, 0.0, 0.5, 1.0)]


def frame(odd: Any, kind: str) -> Any:
    usual = {"number": (0.0, 0.5), "truth": (True, False), "day": ("2001-01-01", "2010-01-01")}.get(kind, ("a", "b"))
    return pd.DataFrame({kind: untouched(column(odd, *usual)), "y": ["a", "b"] * (ROWS // 2)})


def untouched(cells: list[Any]) -> Any:
    """A column of pandas', which asks the cells of a list itself."""
    return pd.Series(objects(cells), dtype=object, copy=False)


def schema(*columns: str, target: dict[str, Any] = WORDS, **more: Any) -> Schema:
    return Schema.from_dict(
        {"equipoise-schema": 1, "target": target, "columns": {each: COLUMNS[each] for each in columns}, **more}
    )


HALVES = [[place % 2 / 2] for place in range(ROWS)]
TABLE = pd.DataFrame({"number": [place % 3 / 2 for place in range(ROWS)]})
TARGETS: dict[str, Callable[[list[Any]], Any]] = {
    "a list": list,
    "an array": objects,
    "pandas": untouched,
    "polars": lambda cells: pl.Series(cells, dtype=pl.Object),
}
USUAL: dict[str, Any] = {"random_state": 0}


def groups_of(odd: Any) -> list[Any]:
    return column(odd, 1, 2, 3, 4, "five")


def labels_in(held: Callable[[list[Any]], Any], kind: Any, classes: tuple[Any, Any], odd: Any, book: Any) -> Any:
    stated = None if classes == (0, 1) else classes
    return kind(1.0, classes=stated, ledger=book, **USUAL).fit(HALVES, held(column(odd, *classes)))


def by_a_schema(kind: str, odd: Any, book: Any) -> Any:
    return eq.fit(frame(odd, kind), schema(kind), 1.0, ledger=book, estimator=eq.LogisticRegression(**USUAL))


DOORS: dict[str, Callable[[Any, Any], Any]] = {
    "a cell of a list": lambda odd, book: eq.LogisticRegression(1.0, ledger=book, **USUAL).fit(
        row_with(odd), [0, 1] * (ROWS // 2)
    ),
    "a row": lambda odd, book: eq.LogisticRegression(1.0, ledger=book, **USUAL).fit(
        column(odd, [0.0], [0.5]), [0, 1] * (ROWS // 2)
    ),
    "a row of a tuple": lambda odd, book: eq.SimplexClassifier(1.0, ledger=book, **USUAL).fit(
        tuple(map(tuple, row_with(odd))), tuple([0, 1] * (ROWS // 2))
    ),
    "a cell of a density": lambda odd, book: eq.HistogramDensity(
        1.0, bounds=[(0, 1)], bins=2, ledger=book, **USUAL
    ).fit(column(odd, 0.0, 0.5)),
    "a query's label": lambda odd, book: StablePredictor(1.0, ledger=book, **USUAL).fit(HALVES, column(odd, 0, 1)),
    "a vote's label": lambda odd, book: VotingPredictor(
        DecisionTreeClassifier(max_depth=1), 1.0, shards=3, n_jobs=1, ledger=book, **USUAL
    ).fit(HALVES, column(odd, 0, 1)),
    "a search's label": lambda odd, book: DataSplitSearch(
        eq.LogisticRegression(1.0), {"alpha": [0.1, 1.0]}, ledger=book, **USUAL
    ).fit(HALVES, column(odd, 0, 1)),
    "a category of a frame": lambda odd, book: eq.AdditiveClassifier(
        1.0, categories={"word": ["a", "b"]}, ledger=book, **USUAL
    ).fit(frame(odd, "word")[["word"]], [0, 1] * (ROWS // 2)),
    **{
        f"labels in {name}": partial(labels_in, held, eq.LogisticRegression, (0, 1))
        for name, held in TARGETS.items()
    },
    **{
        f"words in {name}": partial(labels_in, held, eq.LinearSVC, ("a", "b"))
        for name, held in TARGETS.items()
    },
    "a number to learn": lambda odd, book: eq.LinearRegression(
        1.0, label_bounds=(0, 1), ledger=book, **USUAL
    ).fit(HALVES, column(odd, 0.0, 0.5)),
    **{
        f"a {kind} of a schema": partial(by_a_schema, kind)
        for kind in COLUMNS
    },
    "a dictionary's cell": lambda odd, book: eq.fit(
        {"number": column(odd, 0.0, 0.5), "y": column(odd, "a", "b")}, schema("number"), 1.0, ledger=book,
        estimator=eq.LogisticRegression(**USUAL),
    ),
    "an additive cell": lambda odd, book: eq.fit(
        frame(odd, "number"), schema("number"), 1.0, ledger=book, model="additive",
        estimator=eq.AdditiveClassifier(**USUAL),
    ),
    "a class of a schema": lambda odd, book: eq.fit(
        TABLE.assign(y=untouched(column(odd, "a", "b"))), schema("number"), 1.0, ledger=book,
        estimator=eq.LogisticRegression(**USUAL),
    ),
    "a target of a schema": lambda odd, book: eq.fit(
        TABLE.assign(y=untouched(column(odd, 0.0, 1.0))), schema("number", target=NUMBERS), 1.0, ledger=book,
        estimator=eq.LinearRegression(**USUAL),
    ),
    "a column to bound": lambda odd, book: eq.PrivateBounds(schema("number"), 1.0, ledger=book, **USUAL).fit(
        frame(odd, "number")
    ),
    "a column to list": lambda odd, book: eq.PrivateCategories(
        schema("word"), 1.0, 1e-6, ledger=book, **USUAL
    ).fit(frame(odd, "word")),
    "a column to scale": lambda odd, book: eq.PrivateScaler(schema("number"), 1.0, ledger=book, **USUAL).fit(
        frame(odd, "number")
    ),
    "a task of a frame": lambda odd, book: eq.MultiTaskRegressor(
        1.0, 1e-6, tasks=["a", "b"], label_bounds=(0, 1), ledger=book, **USUAL
    ).fit(pd.DataFrame({"task": untouched(column(odd, "a", "b")), "x": [0.5] * ROWS}), [0.0, 1.0] * (ROWS // 2)),
    "a row to rank": lambda odd, book: eq.PairwiseRanker(1.0, 1e-6, ledger=book, **USUAL).fit(
        HALVES, column(odd, 0.0, 1.0)
    ),
    "a cell and a label of curves": lambda odd, book: eq.KernelClassifier(1.0, 1e-6, ledger=book, **USUAL).fit(
        row_with(odd), column(odd, 0, 1)
    ),
    "a cell of polars' objects": lambda odd, book: eq.fit(
        pl.DataFrame({"number": pl.Series(column(odd, 0.0, 1.0), dtype=pl.Object), "y": ["a", "b"] * (ROWS // 2)}),
        schema("number"), 1.0, ledger=book, estimator=eq.LogisticRegression(**USUAL),
    ),
}  # fmt: skip
"""Every place that a cell can stand in."""

PERSONS: dict[str, Callable[[Any, Any], Any]] = {
    "whose row it is": lambda odd, book: eq.LogisticRegression(
        1.0, rows_per_person=2, ledger=book, **USUAL
    ).fit(HALVES, [0, 1] * (ROWS // 2), groups=groups_of(odd)),
    "whose row it is, in an array": lambda odd, book: eq.LogisticRegression(
        1.0, rows_per_person=2, ledger=book, **USUAL
    ).fit(HALVES, [0, 1] * (ROWS // 2), groups=objects(groups_of(odd))),
    "whose row it is, in a frame": lambda odd, book: eq.fit(
        TABLE.assign(who=untouched(groups_of(odd)), y=["a", "b"] * (ROWS // 2)),
        schema("number", person={"column": "who", "rows_per_person": 2}), 1.0, ledger=book,
        estimator=eq.LogisticRegression(**USUAL),
    ),
}  # fmt: skip


def seen(fit: Callable[[Any, Any], Any], make: Callable[[], Any], unit: str = "row") -> Any:
    """What a caller sees: a refusal's kind and line, or the model and what it says of itself.  The object is made in
    here: pytest would ask it for its words."""
    book = eq.Ledger(unit=unit)
    try:
        made = fit(make(), book)
    except eq.EquipoiseError as refusal:
        return type(refusal).__name__, str(refusal), len(book.entries())
    numbers = [getattr(made, name).tolist() for name in ("coef_", "classes_", "densities_") if hasattr(made, name)]
    told = made.guarantee_.to_dict() if hasattr(made.guarantee_, "to_dict") else str(made.guarantee_)
    return json.dumps([numbers, told], default=str), [str(entry.event) for entry in book.entries()]


@pytest.mark.parametrize("door", DOORS)
def test_an_odd_cell_is_like_any_other_that_is_none(door: str) -> None:
    usual = seen(DOORS[door], object)
    for name, make in UNREADABLE.items():
        assert seen(DOORS[door], make) == usual, name


@pytest.mark.parametrize("door", PERSONS)
def test_an_odd_id_is_a_person_of_its_own(door: str) -> None:
    usual = seen(PERSONS[door], object, "person")
    assert len(usual[1]) == 1, "an id ends no fit"
    for name, make in UNREADABLE.items():
        assert seen(PERSONS[door], make, "person") == usual, name


@pytest.mark.parametrize("name", HOLDING)
def test_what_an_odd_number_or_word_holds_is_read_without_its_help(name: str) -> None:
    make, plain = HOLDING[name]
    for door, fit in DOORS.items():
        if door != "a category of a frame" or name == "a word":  # there only Python's own are compared
            assert seen(fit, make) == seen(fit, lambda: plain), door


def test_odd_ids_on_many_machines_are_persons_of_their_own() -> None:
    for name, make in UNREADABLE.items():
        ids = objects([make(), 1, make(), 1])
        parts: Any = [turns.named(lambda held: held, 1, ids[:2]), turns.named(lambda held: held, 1, ids[2:])]
        shares: Any = [turns.share(part, 0, 1) for part in parts]
        answers: Any = turns.counted(1, *shares)
        found: Any = [turns.picked(part, 1, answer) for part, answer in zip(parts, answers, strict=True)]
        assert [one.rows.tolist() for one in found] == [[True, True], [True, False]], name
        assert people_in(ids, 4, 1).rows.tolist() == [0, 1, 2], name


def test_the_doors_are_real_ones() -> None:
    """Most let an odd cell in, and none of them is refused for a slip in this file."""
    found = {name: seen(fit, lambda: math.nan) for name, fit in DOORS.items()}
    refused = {name: told for name, told in found.items() if told[-1] == 0}
    assert set(refused) <= {"a row", "labels in pandas", "labels in polars", "labels in an array"}, refused
