"""Additive models by a schema: one call, shapes in own units, one file, the same rules for every cell."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import equipoise as eq
from equipoise.schema import Boolean, Category, Classes, Column, Date, Ignored, Number, Ordinal, Person, Range, Text
from equipoise.schema.encoding import AdditiveEncoding
from equipoise.schema.tables import read_table

COLUMNS: dict[str, Column] = {
    "age": Number((0, 100), unit="years", missing="indicator"),
    "pay": Number((0, 1e6), scale="log1p"),
    "sex": Category(("f", "m"), missing="indicator"),
    "stage": Ordinal((1, 2, 3)),
    "smoker": Boolean(),
    "seen": Date(("2020-01-01", "2024-12-31"), parts=("time", "month", "day")),
}
SCHEMA = eq.Schema(COLUMNS, Classes("ill", ("no", "yes")))


def clinic(rows: int = 6000) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age, stage = rng.uniform(0, 100, rows), rng.integers(1, 4, rows)
    risk = 3 * np.cos(age / 100 * 2 * math.pi) + (stage - 2)
    return pd.DataFrame(
        {
            "age": age,
            "pay": rng.lognormal(8, 1, rows),
            "sex": rng.choice(["f", "m"], rows),
            "stage": stage,
            "smoker": rng.choice(["yes", "no"], rows),
            "seen": "2022-05-17",
            "ill": np.where(risk + rng.normal(0, 1, rows) > 0, "yes", "no"),
            "dose": np.clip(25 + 8 * risk, 0, 50),
            "who": np.arange(rows) // 2,
        }
    )


def test_a_curve_is_learnt_where_a_line_sees_nothing_and_stands_in_own_units() -> None:
    train, test = clinic(), clinic(4000).sample(frac=1, random_state=1)
    curved = eq.fit(train, SCHEMA, 4.0, 1e-6, model="additive")
    straight = eq.fit(train, SCHEMA, 4.0, 1e-6)
    right = [eq.evaluate(each, test, public=True).value for each in (curved, straight)]
    assert right[0] > right[1] + 0.1
    age, pay, sex, stage, smoker, time, month, _ = curved.shapes()
    assert (age.name, age.grid[0][0], age.grid[0][-1]) == ("age", 0.0, 100.0)
    assert age.values[0] > age.values[8] < age.values[-1]
    assert pay.grid[0][-1] == pytest.approx(1e6)
    assert pay.grid[0][1] == pytest.approx(math.expm1(math.log1p(1e6) / 15))
    assert sex.grid[0] == ("f", "m")
    assert stage.grid[0] == ("1", "2", "3")
    assert smoker.grid[0] == ("false", "true")
    assert time.grid[0][0] == pytest.approx(2020.0, abs=0.01)
    assert month.grid[0][4] == "May"
    assert curved.additive
    assert not straight.additive
    with pytest.raises(eq.InvalidInput, match="has shapes instead"):
        curved.coefficients()
    with pytest.raises(eq.InvalidInput, match="has coefficients instead"):
        straight.shapes()
    assert "AdditiveClassifier" in str(curved.card())


def test_one_file_keeps_an_additive_model_with_its_schema(tmp_path: Path) -> None:
    model = eq.fit(clinic(500), SCHEMA, 2.0, 1e-3, model="additive", interactions=[("age", "stage")])
    model.save(tmp_path / "model.json")
    again = eq.load(tmp_path / "model.json")
    assert again.predict_proba(clinic(50)).tolist() == model.predict_proba(clinic(50)).tolist()
    assert [shape.name for shape in again.shapes()] == [shape.name for shape in model.shapes()]
    assert again.shapes()[-1].name == "age and stage"
    assert again.shapes()[-1].grid[1] == ("1", "2", "3")


def test_regression_persons_and_settings_of_the_estimator() -> None:
    schema = eq.Schema(COLUMNS, Range("dose", (0, 50), "mg"), Person("who", 2))
    ledger = eq.Ledger(9.0, 1e-3, unit="person")
    usual = eq.AdditiveRegressor(knots=6, monotone={"stage": 1})
    model = eq.fit(clinic(), schema, 5.0, 1e-6, estimator=usual, ledger=ledger)
    stage = next(shape for shape in model.shapes() if shape.name == "stage")
    assert (np.diff(stage.values) >= -1e-9).all()
    assert len(model.shapes()[0].grid[0]) == 6
    assert model.guarantee_.unit == "one person with at most 2 rows"
    assert usual.column_bounds is None
    assert eq.evaluate(model, clinic(), public=True).value < 8.0


def test_every_cell_follows_the_rule_of_its_column() -> None:
    how = AdditiveEncoding(SCHEMA)
    odd: list[Any] = [None, "x", math.inf]
    table: dict[str, Any] = {
        "age": [None, 25, 999],
        "pay": odd,
        "sex": ["m", "x", None],
        "stage": [3, None, 9],
        "smoker": ["yes", None, "x"],
        "seen": ["2024-12-31", None, "1999-01-01"],
    }
    rows = how.rows(read_table(table, SCHEMA.features))
    assert how.names == ("age", "pay", "sex", "stage", "smoker", "seen: time", "seen: month", "seen: day")
    expected = [
        [math.nan, 0.0, 1.0, 1.0, 1.0, 1.0, 11.0, 1.0],
        [-0.5, 0.0, math.inf, 0.0, 0.0, 0.0, math.inf, 0.0],
        [1.0, 1.0, math.nan, 0.0, 0.0, -1.0, 0.0, -1.0],
    ]
    np.testing.assert_allclose(rows, expected)
    alone = how.rows(read_table({name: held[:1] for name, held in table.items()}, SCHEMA.features))
    np.testing.assert_array_equal(alone[0], rows[0])
    model = eq.fit({**table, "ill": ["yes", "no", 7]}, SCHEMA, 1.0, model="additive")
    assert len(model.predict(table)) == 3


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"model": "cubic"}, "model='cubic'"),
        ({"model": "additive", "estimator": eq.LogisticRegression()}, "does not go with LogisticRegression"),
        ({"estimator": eq.AdditiveClassifier(column_bounds=(0, 1))}, "column_bounds are the schema's"),
        ({"estimator": eq.AdditiveClassifier(categories={"sex": ["f"]})}, "categories are the schema's"),
        ({"estimator": eq.AdditiveClassifier(knots={"age": 4})}, "give one number"),
        ({"estimator": eq.AdditiveClassifier(monotone={"nobody": 1})}, "monotone: must map"),
        ({"estimator": eq.AdditiveRegressor()}, "asks for a classifier"),
        ({"model": "additive", "interactions": [("age", "seen")]}, "no shape of its own"),
        ({"model": "additive", "schema": eq.Schema({**COLUMNS, "note": Text()}, SCHEMA.target)}, "text has no shape"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_spent(more: dict[str, Any], said: str) -> None:
    ledger = eq.Ledger(9.0)
    given: dict[str, Any] = {"schema": SCHEMA, "epsilon": 1.0, "ledger": ledger} | more
    with pytest.raises(eq.EquipoiseError, match=said):
        eq.fit(clinic(20).assign(note="x"), **given)
    assert ledger.entries() == ()


def test_ignored_columns_have_no_shape_and_three_classes_have_one_each() -> None:
    schema = eq.Schema({**COLUMNS, "pay": Ignored()}, Classes("stage2", ("a", "b", "c")))
    schema = eq.Schema({name: column for name, column in schema.columns.items() if name != "stage"}, schema.target)
    table = clinic(600).assign(stage2=np.array(["a", "b", "c"])[np.arange(600) % 3])
    model = eq.fit(table, schema, 1.0, 1e-3, model="additive")
    assert "pay" not in [shape.name for shape in model.shapes()]
    assert model.shapes()[0].values.shape == (3, 16)
    assert model.predict_proba(table).shape == (600, 3)
