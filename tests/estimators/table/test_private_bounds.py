"""Bounds for those who cannot state them: found, charged, and used."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import equipoise as eq
from equipoise.schema import Category, Classes, Number, Person, Range

WIDE = eq.Schema(
    {
        "pay": Number((0, 1e6), scale="log1p", missing=3),
        "age": Number((-1000, 1000), source="a guess"),
        "sex": Category(("f", "m")),
    },
    Classes("ill", ("no", "yes")),
)


def clinic(rows: int = 6000) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.uniform(20, 80, rows)
    ill = np.where(age + rng.normal(0, 5, rows) > 50, "yes", "no")
    return pd.DataFrame({"pay": rng.lognormal(8, 0.5, rows), "age": age, "sex": "f", "ill": ill})


def bounds(schema: eq.Schema, name: str) -> tuple[float, float]:
    column = schema.columns[name]
    assert isinstance(column, Number)
    return column.bounds


def test_bounds_close_in_on_the_values_and_say_where_they_are_from() -> None:
    found = eq.PrivateBounds(WIDE, 2.0, random_state=0).fit(clinic())
    low, high = bounds(found.schema_, "age")
    assert 0 <= low <= 30
    assert 70 <= high <= 100
    low, high = bounds(found.schema_, "pay")
    assert 300 <= low <= 2000
    assert 5000 <= high <= 30000
    assert found.schema_.columns["age"].source == "a guess; found privately for epsilon 2"
    assert found.schema_.columns["sex"] == WIDE.columns["sex"]
    assert found.guarantee_.epsilon == 2.0
    assert "private-bounds" in str(found.card())


def test_bounds_and_model_are_charged_to_one_ledger_in_a_pipeline() -> None:
    ledger, table = eq.Ledger(epsilon=3.0), clinic()
    pipe = make_pipeline(
        eq.PrivateBounds(WIDE, 1.0, columns=["age"], ledger=ledger),
        eq.LogisticRegression(2.0, classes=["no", "yes"], ledger=ledger),
    )
    pipe.fit(table, table["ill"])
    assert ledger.spent().epsilon == pytest.approx(3.0)
    assert pipe.score(table, table["ill"]) > 0.85
    assert pipe[:-1].get_feature_names_out().tolist() == eq.Encoder(WIDE).get_feature_names_out().tolist()
    with pytest.raises(eq.BudgetExhausted):
        clone(pipe[0]).set_params(ledger=ledger).fit(table)


def test_any_cell_is_settled_and_equal_choices_are_parted() -> None:
    cells: list[Any] = [None, "x", math.inf, -math.inf, math.nan, "7", object()]
    table = {"pay": cells, "age": cells, "sex": cells}
    for seed in range(5):
        found = eq.PrivateBounds(WIDE, 1.0, lower=0.5, upper=0.500001, random_state=seed).fit(table)
        for name in ("pay", "age"):
            low, high = bounds(found.schema_, name)
            assert low < high
        assert np.isfinite(found.transform(table)).all()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"columns": ["sex"]}, "columns: must be numbers"),
        ({"columns": ["nobody"]}, "columns: must be numbers"),
        ({"lower": 0.9, "upper": 0.1}, "must rise"),
        ({"upper": 1.5}, "must rise"),
        ({"steps": 2}, "steps=2"),
        ({"epsilon": 0}, "epsilon"),
        ({"schema": 7}, "schema: must be an equipoise.Schema"),
        ({"ledger": "book.db"}, "must be a ledger"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_spent(more: dict[str, Any], said: str) -> None:
    ledger = eq.Ledger(epsilon=9.0)
    given: dict[str, Any] = {"schema": WIDE, "ledger": ledger} | more
    with pytest.raises(eq.EquipoiseError, match=said):
        eq.PrivateBounds(**given).fit(clinic(10).assign(who=1))
    assert ledger.spent().epsilon == 0


def test_nothing_of_the_table_stays_behind() -> None:
    found = eq.PrivateBounds(WIDE, 1.0).fit(clinic(50))
    assert set(vars(found)) - set(vars(eq.PrivateBounds(WIDE))) == {"schema_", "guarantee_", "_origin"}


def test_persons_are_protected_by_the_first_rows_of_each() -> None:
    schema, table = eq.Schema(WIDE.columns, person=Person("who", 2)), clinic(600).assign(who=np.arange(600) // 3)
    ledger = eq.Ledger(epsilon=9.0, unit="person")
    found = eq.PrivateBounds(schema, 1.0, columns=["age"], ledger=ledger).fit(table)
    assert found.guarantee_.unit == "one person with at most 2 rows"
    assert found.guarantee_.sensitivity == 2.0
    assert found.guarantee_.constants["records"] == 400.0
    assert ledger.spent().epsilon == pytest.approx(1.0)
    lone = eq.PrivateBounds(WIDE, 1.0, columns=["age"]).plan(400).guarantee(seeded=False)
    error = "ranks off, at most, in 19 of 20"
    assert found.guarantee_.constants[error] == pytest.approx(2 * lone.constants[error])


@pytest.mark.parametrize("steps", [8, 256, 4096])
@pytest.mark.parametrize(
    "bounds", [(1e15, 1e15 + 1), (0.0, 2e-30), (1.0, 1.0 + 2e-15), (-1e30, 1e30), (0.0, 1.0), (-1e-27, 1e-27)]
)
def test_a_grid_that_is_too_fine_is_refused_before_anything_is_spent(bounds: tuple[float, float], steps: int) -> None:
    """Which cells are found is known only after the debit, so that any two of them must do as bounds."""
    schema = eq.Schema.from_dict({"columns": {"pay": {"kind": "number", "bounds": list(bounds)}}})
    told = set()
    for seed in range(6):
        ledger = eq.Ledger()
        values = np.linspace(*bounds, 40) if seed % 2 else np.full(40, bounds[0])
        try:
            eq.PrivateBounds(schema, 0.5, steps=steps, ledger=ledger, random_state=seed).fit({"pay": values})
        except eq.InvalidInput as error:
            told.add(str(error))
            assert ledger.spent().epsilon == 0
        else:
            told.add("")
    assert len(told) == 1


@pytest.mark.parametrize("kind", [eq.PrivateBounds, eq.PrivateScaler, eq.PrivateCategories])
def test_a_file_with_another_delimiter_and_encoding_is_the_same_table(kind: Any, tmp_path: Path) -> None:
    """And without a word of them it is refused by its header, for nothing."""
    cities = {"kind": "category", "values": ["Köln", "Bonn"]}
    schema = eq.Schema.from_dict({"columns": {"age": {"kind": "number", "bounds": [0, 100]}, "city": cities}})
    rows = [f"{place % 90}{{0}}{'Köln' if place % 2 else 'Bonn'}" for place in range(400)]
    usual, other = tmp_path / "usual.csv", tmp_path / "other.csv"
    usual.write_text("\n".join(["age{0}city", *rows]).replace("{0}", ","), encoding="utf-8")
    other.write_text("\n".join(["age{0}city", *rows]).replace("{0}", ";"), encoding="latin-1")
    found = [
        kind(schema, 1.0, 1e-3, random_state=0).fit(usual).schema_,
        kind(schema, 1.0, 1e-3, random_state=0).fit(other, delimiter=";", encoding="latin-1").schema_,
    ]
    assert found[0] == found[1]
    ledger = eq.Ledger(10.0, 0.1)
    with pytest.raises(eq.InvalidInput, match="delimiter"):
        kind(schema, 1.0, 1e-3, ledger=ledger).fit(other)
    assert ledger.entries() == ()


def of_pay(columns: list[str]) -> eq.PrivateBounds:
    """Pay is to be learnt, and nobody knows its range."""
    wide = eq.Schema({"age": Number((-1000, 1000))}, Range("pay", (0, 1e6), unit="a month", source="a guess"))
    return eq.PrivateBounds(wide, 1.0, columns=columns, steps=1024, random_state=0)


def test_a_number_that_is_to_be_learnt_has_its_bounds_found_where_it_is_named() -> None:
    found = of_pay(["pay"]).fit(clinic()).schema_
    assert isinstance(found.target, Range)
    low, high = found.target.bounds
    assert low <= 2000
    assert 8000 <= high <= 60000
    assert (found.target.unit, found.target.source) == ("a month", "a guess; found privately for epsilon 1")
    assert found.columns == of_pay(["pay"]).schema.columns


def test_the_target_costs_what_a_column_costs_and_nothing_where_nobody_names_it() -> None:
    both, alone = of_pay(["age", "pay"]), of_pay(["age"])
    assert both.plan(6000).event == eq.PrivateBounds(WIDE, 1.0, columns=["age", "pay"], steps=1024).plan(6000).event
    assert alone.fit(clinic()).schema_.target == alone.schema.target
    assert isinstance(both.fit(clinic()).schema_.target, Range)
    assert both.schema_.target != both.schema.target
    assert both.schema_.columns["age"] != both.schema.columns["age"]


def test_classes_have_no_bounds_to_find() -> None:
    with pytest.raises(eq.EquipoiseError, match="columns: must be numbers of the schema"):
        eq.PrivateBounds(WIDE, 1.0, columns=["ill"]).fit(clinic())


@pytest.mark.parametrize("pay", ["dates", "truths", None])
def test_a_target_that_has_no_numbers_is_refused_by_its_type_before_the_debit(pay: str | None) -> None:
    table, ledger = clinic(), eq.Ledger()
    kinds = {"dates": pd.Timestamp("2020-01-01"), "truths": True}
    other = table.drop(columns="pay") if pay is None else table.assign(pay=kinds[pay])
    with pytest.raises(eq.InvalidInput, match="'pay'"):
        of_pay(["pay"]).set_params(ledger=ledger).fit(other)
    assert ledger.entries() == ()
    assert of_pay(["age"]).fit(other).schema_.columns["age"] != of_pay(["age"]).schema.columns["age"]


def test_a_model_of_tighter_bounds_is_a_better_one() -> None:
    """Noise is made for the whole range where n·ε is too small to find out where labels lie."""
    table = clinic().assign(pay=lambda given: 100 * given["age"])
    wide = eq.Schema({"age": Number((0, 120))}, Range("pay", (0, 1e6)))
    tight = eq.PrivateBounds(wide, 1.0, columns=["pay"], random_state=0).fit(table).schema_
    errors = []
    for schema in (tight, wide):
        models = [eq.fit(table, schema, epsilon=0.04, random_state=seed) for seed in range(5)]
        errors.append(np.mean([(np.asarray(model.predict(table)) - table["pay"]) ** 2 for model in models]))
    assert errors[0] < 0.5 * table["pay"].var() < errors[1]


@pytest.mark.parametrize(("rows", "doubted"), [(1000, True), (60_000, False)])
def test_the_card_says_whether_so_few_rows_can_tell_such_quantiles(rows: int, doubted: bool) -> None:
    notes = of_pay(["pay"]).plan(rows).guarantee(seeded=False).notes
    assert any("it may be anywhere" in note for note in notes) == doubted
