"""Arguments that nobody meant, of everything that spends nothing: taken, or told in one line of ours."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.estimators.test_odd_parameters import ODD
from tests.lists.subjects import CLASSES, CLASSIFIER, SCHEMA, TABLE, X

import equipoise as eq
from equipoise import answering, schema
from equipoise.errors import EquipoiseError
from equipoise.theory.events import PureRelease

DENSITY = eq.HistogramDensity(1.0, bounds=(0, 1), bins=4, random_state=0).fit(X[:, 0])
PREDICTOR = answering.StablePredictor(0.1, ledger=eq.Ledger(1.0), random_state=0).fit(X, CLASSES)
DEAR = answering.StablePredictor(1e308, ledger=eq.Ledger(1.0), random_state=0).fit(X, CLASSES)
LEDGER = eq.Ledger(1.0)

COLUMNS: dict[Any, dict[str, Any]] = {
    schema.Number: {"bounds": (0, 1)},
    schema.Category: {"values": ("a", "b")},
    schema.Ordinal: {"values": ("a", "b")},
    schema.Boolean: {},
    schema.Date: {"bounds": ("2020-01-01", "2021-01-01")},
    schema.Text: {},
    schema.Ignored: {},
    schema.Person: {"column": "who", "rows_per_person": 2},
    schema.Classes: {"column": "t", "classes": (0, 1)},
    schema.Range: {"column": "t", "bounds": (0, 1)},
    eq.Schema: {"columns": dict(SCHEMA.columns)},
    eq.Encoder: {"schema": SCHEMA},
    eq.Ledger: {},
    eq.Budget: {"epsilon": 1.0},
}

CALLS: dict[str, Callable[[Any], object]] = {
    "level of intervals": lambda odd: CLASSIFIER.confidence_intervals(odd),
    "how many answers": lambda odd: PREDICTOR.cost_of(odd),
    "how many dear answers": lambda odd: DEAR.cost_of(odd),
    "answers compared": lambda odd: PREDICTOR.compare_with_release(odd),
    "a budget compared": lambda odd: PREDICTOR.compare_with_release(5, budget=odd),
    "scored points": lambda odd: DENSITY.score_samples(odd),
    "how many points": lambda odd: DENSITY.sample(odd) if not isinstance(odd, np.uint8) else None,
    "a file of a model": lambda odd: eq.load(odd),
    "a file of a density": lambda odd: eq.HistogramDensity.load(odd),
    "a file of a schema": lambda odd: eq.Schema.load(odd),
    "a schema": lambda odd: eq.fit(TABLE, odd, 1.0, ledger=LEDGER),
    "a path of an account": lambda odd: eq.SQLLedger(odd, 1.0),
    "an event": lambda odd: LEDGER.reserve(odd),
    "a label": lambda odd: LEDGER.reserve(PureRelease(10.0), odd),
    "neighbours": lambda odd: LEDGER.reserve(PureRelease(10.0), "", odd),
    "neighbours that fit": lambda odd: LEDGER.fits(PureRelease(10.0), odd),
    "the pair of a schema": lambda odd: eq.Encoder(SCHEMA, interactions=[("a", odd)]).fit(),
    "a schema's version": lambda odd: eq.Schema.from_dict({"equipoise-schema": odd, "columns": {}}),
}

LIMITS = ["epsilon", "delta", "name", "adjacency", "unit", "prices"]


def told_well(call: Callable[[Any], object], value: Any) -> None:
    told = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(value)
        except EquipoiseError as problem:
            told = str(problem)
    assert "\n" not in told
    assert "0.8765432" not in told
    assert len(told) < 1000


@pytest.mark.parametrize("kind", COLUMNS, ids=lambda each: each.__name__)
def test_an_odd_part_of_a_schema_or_an_account_is_told_in_one_line_or_taken(kind: Any) -> None:
    def made(name: str, value: Any) -> None:
        found = kind(**COLUMNS[kind] | {name: value})
        if kind is eq.Encoder:
            found.fit()

    for name in inspect.signature(kind).parameters:
        for value in ODD:
            told_well(lambda odd, name=name: made(name, odd), value)  # type: ignore[misc]


@pytest.mark.parametrize("call", CALLS)
def test_an_odd_argument_is_told_in_one_line_or_taken(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for value in ODD:
        told_well(CALLS[call], value)
    assert not LEDGER.entries(), "nothing of it was paid for"


@pytest.mark.parametrize("path", [b"x", True, 1, "", "\0", None, X], ids=lambda each: type(each).__name__)
def test_what_names_no_file_is_refused_by_whoever_writes_one(path: Any) -> None:
    for released in (CLASSIFIER, DENSITY, SCHEMA):
        with pytest.raises(eq.InvalidInput, match="path: must be the name of a file"):
            released.save(path)


@pytest.mark.parametrize("name", LIMITS)
def test_an_odd_term_of_a_stored_account_is_refused_or_kept(name: str, tmp_path: Path) -> None:
    for place, value in enumerate(ODD):
        told_well(lambda odd, place=place: eq.SQLLedger(tmp_path / f"{place}.db", **{"epsilon": 1.0, name: odd}), value)  # type: ignore[misc]


@pytest.mark.parametrize("name", ["adjacency", "unit", "prices"])
@pytest.mark.parametrize("value", ["", 0, False, [], ()], ids=repr)
def test_terms_that_are_empty_are_refused_and_not_taken_for_the_usual(name: str, value: Any, tmp_path: Path) -> None:
    for make in (lambda **terms: eq.SQLLedger(tmp_path / "new.db", 1.0, **terms), eq.Ledger):
        with pytest.raises(eq.InvalidInput, match=f"{name}="):
            make(**{name: value})
    assert not list(tmp_path.iterdir())


def test_only_the_infinite_float_asks_for_an_account_without_limit(tmp_path: Path) -> None:
    from decimal import Decimal

    with pytest.raises(eq.InvalidInput, match="epsilon="):
        eq.SQLLedger(tmp_path / "a.db", Decimal("Infinity"))  # type: ignore[arg-type]
    for infinite in (math.inf, np.float64(math.inf)):
        assert eq.SQLLedger(tmp_path / f"{type(infinite).__name__}.db", infinite).limit is None


def test_a_stored_account_in_memory_is_refused_with_a_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for place in (":memory:", Path(":memory:")):
        with pytest.raises(eq.InvalidInput, match=r"use Ledger\(\) or give a file"):
            eq.SQLLedger(place, 1.0)
    assert not list(tmp_path.iterdir())
