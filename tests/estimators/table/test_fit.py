"""From a CSV file to a released model and back from one file, without a cell being an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import equipoise as eq
from equipoise.schema import Boolean, Category, Classes, Column, Number, Person, Range

COLUMNS: dict[str, Column] = {
    "age": Number((0, 100), unit="years"),
    "sex": Category(("f", "m"), source="the form"),
    "smoker": Boolean(),
}
SCHEMA = eq.Schema(COLUMNS, Classes("ill", ("no", "yes")), about="a clinic")
DOSES = eq.Schema(COLUMNS, Range("dose", (0, 100), "mg"))


def clinic(rows: int = 3000, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age, sex = rng.uniform(0, 100, rows), rng.choice(["f", "m"], rows)
    score = age / 10 - 5 + (sex == "m")
    ill = np.where(rng.uniform(size=rows) < 1 / (1 + np.exp(-score)), "yes", "no")
    dose = np.clip(20 + 0.5 * age + 10 * (sex == "m") + rng.normal(0, 3, rows), 0, 100)
    return pd.DataFrame({"age": age, "sex": sex, "smoker": rng.choice([True, False], rows), "ill": ill, "dose": dose})


def test_a_csv_becomes_a_model_that_reads_csv(tmp_path: Path) -> None:
    path = tmp_path / "clinic.csv"
    clinic().to_csv(path, index=False)
    SCHEMA.save(tmp_path / "schema.yaml")
    model = eq.fit(path, tmp_path / "schema.yaml", epsilon=5.0)
    assert np.mean(model.predict(path) == clinic()["ill"]) > 0.8
    assert model.predict_proba(path).shape == (3000, 2)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.guarantee_.epsilon == 5.0
    assert not model.guarantee_.seeded


def test_a_model_is_one_file_with_its_schema(tmp_path: Path) -> None:
    table = clinic()
    model = eq.fit(table, SCHEMA, 5.0, interactions=[("age", "sex")])
    model.save(tmp_path / "model.json")
    again = eq.load(tmp_path / "model.json")
    assert isinstance(again, eq.TableModel)
    assert again.schema == SCHEMA
    np.testing.assert_array_equal(again.model.coef, model.model.coef)
    assert again.model.feature_names == model.encoding.names
    for other in (pl.from_pandas(table), dict(table), table.drop(columns=["ill"])):
        np.testing.assert_array_equal(again.predict(other), model.predict(table))
    assert "a clinic" in str(again.card())
    assert "sex: the form" in str(again.card())


def test_a_number_is_learnt_in_its_own_units() -> None:
    model = eq.fit(clinic(), DOSES, 20.0, estimator=eq.LinearRegression(mechanism="sufficient-statistics"))
    found = model.coefficients()
    for name, truth in (("age", 0.5),):
        one = found[name]
        assert one.low is not None
        assert one.high is not None
        assert one.unit == "years"
        assert one.low < truth < one.high
        assert one.value == pytest.approx(truth, abs=0.1)
    table = clinic(50, seed=1)
    by_hand = found["intercept"].value + found["age"].value * table["age"] + found["smoker"].value * table["smoker"]
    by_hand = by_hand + table["sex"].map({"f": found["sex=f"].value, "m": found["sex=m"].value})
    np.testing.assert_allclose(by_hand, model.predict(table), rtol=1e-9)
    assert "per years" in str(found)
    with pytest.raises(KeyError):
        found["nobody"]


def test_a_mechanism_without_errors_gives_coefficients_without_intervals() -> None:
    found = eq.fit(clinic(), SCHEMA, 5.0, 1e-6, estimator=eq.LogisticRegression(mechanism="constant"))
    assert found.coefficients().level is None
    assert all(one.low is None for one in found.coefficients())
    assert len(found.coefficients()) == len(found.encoding.names) + 1


@pytest.mark.parametrize("mechanism", ["noisy-gradient", "objective", "output", "sgd"])
def test_the_usual_mechanisms_give_coefficients_in_own_units_with_intervals(mechanism: str, tmp_path: Path) -> None:
    model = eq.fit(clinic(), SCHEMA, 5.0, 1e-6, estimator=eq.LogisticRegression(mechanism=mechanism))
    model.save(tmp_path / "model.json")
    found = eq.load(tmp_path / "model.json").coefficients()
    assert found == model.coefficients()
    assert found.covers in str(found)
    for one in found:
        assert one.low is not None
        assert one.high is not None
        assert one.low < one.value < one.high
    known: Any = model.model.uncertainty
    slope = found["age"].value / model.model.coef[0, 0]
    age: Any = found["age"]
    assert (age.high - age.low) / 2 == pytest.approx(slope * known.reach(0.95)[0, 0], rel=1e-9)


def test_every_class_has_coefficients_in_own_units_with_intervals() -> None:
    table = clinic()
    table["ill"] = np.digitize(table["age"] / 10 - 5, [-1, 1])
    schema = eq.Schema(COLUMNS, Classes("ill", (0, 1, 2)))
    model = eq.fit(table, schema, 5.0, 1e-6, estimator=eq.LogisticRegression(mechanism="noisy-gradient"))
    found = model.coefficients()
    assert len(found) == 3 * (len(model.encoding.names) + 1)
    assert found["0: age"].value < found["2: age"].value
    one: Any = found["2: age"]
    assert one.low < one.value < one.high
    scores = model.model.decision_function(model.rows(table))
    by_hand = found["2: intercept"].value + found["2: age"].value * table["age"]
    by_hand += found["2: smoker"].value * table["smoker"]
    by_hand += table["sex"].map({each: found[f"2: sex={each}"].value for each in "fm"})
    np.testing.assert_allclose(by_hand, scores[:, 2], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("data", "schema", "more", "said"),
    [
        (clinic(20)[["age", "sex", "smoker"]], SCHEMA, {}, "column 'ill': is in the schema but not in the table"),
        (clinic(20)[["age", "ill", "smoker"]], SCHEMA, {}, "column 'sex': is in the schema but not"),
        (clinic(20).assign(age=pd.Timestamp("2020-01-01")), SCHEMA, {}, "is a number in the schema but date"),
        (clinic(20), eq.Schema(COLUMNS), {}, "target: the schema names none"),
        (clinic(20), {"columns": {}}, {}, "schema: must be an equipoise.Schema"),
        (clinic(20), "none.yaml", {}, "no such file"),
        ("none.csv", SCHEMA, {}, "no such file"),
        (clinic(20), SCHEMA, {"estimator": eq.LinearRegression()}, "asks for a classifier"),
        (clinic(20), DOSES, {"estimator": eq.LogisticRegression()}, "asks for a regressor"),
        (clinic(20), SCHEMA, {"estimator": eq.LogisticRegression(column_bounds=[(0, 1)])}, "the schema's business"),
        (clinic(20), DOSES, {"estimator": eq.MultiTaskRegressor(tasks=[0, 1])}, "give it arrays"),
        (clinic(20), DOSES, {"estimator": eq.PairwiseRanker()}, "give it arrays"),
        (clinic(20), SCHEMA, {"estimator": eq.LogisticRegression(middle="mean")}, "middle='mean'"),
        (clinic(20), SCHEMA, {"estimator": eq.LogisticRegression(middle="auto")}, 'middle="auto" is for arrays'),
        (clinic(20), SCHEMA, {"interactions": [("age", "x")]}, "interactions"),
        (clinic(20), SCHEMA, {"epsilon": -1}, "epsilon"),
        (clinic(0), SCHEMA, {}, "a minimum of"),
    ],
)
def test_what_is_wrong_by_name_or_type_is_told_and_nothing_is_spent(
    data: Any, schema: Any, more: Any, said: str
) -> None:
    ledger = eq.Ledger(epsilon=10.0)
    with pytest.raises(eq.EquipoiseError, match=said) as told:
        eq.fit(data, schema, **({"epsilon": 1.0, "ledger": ledger} | more))
    assert "\n" not in str(told.value)
    assert ledger.spent().epsilon == 0


def refused(data: Any, schema: eq.Schema) -> bool:
    try:
        eq.fit(data, schema, 1.0)
    except Exception:  # noqa: BLE001 - any error would tell
        return True
    return False


def test_no_cell_is_an_error_and_none_is_quoted(tmp_path: Path) -> None:
    table = clinic(40).astype(object)
    table.iloc[3] = ["Xyzzy", None, "perhaps", "Xyzzy", "Xyzzy"]
    table.iloc[4] = [float("inf"), "?", 7, None, None]
    assert not refused(table, SCHEMA)
    for schema in (SCHEMA, DOSES):
        ledger = eq.Ledger(epsilon=10.0)
        model = eq.fit(table, schema, 1.0, ledger=ledger)
        assert ledger.spent().epsilon == pytest.approx(1.0)
        assert "Xyzzy" not in str(model.card())
        assert len(model.predict(table)) == 40
    path = tmp_path / "t.csv"
    table.to_csv(path, index=False)
    path.write_text(path.read_text(encoding="utf-8") + 'ragged\n"open,quote\n,,,,,,,,\n', encoding="utf-8")
    assert len(eq.fit(path, SCHEMA, 1.0).predict(path)) == 43


def test_the_same_rows_give_the_same_model_from_any_container(tmp_path: Path) -> None:
    table = clinic(200)
    table.to_csv(tmp_path / "t.csv", index=False)
    wanted = eq.fit(table, SCHEMA, 1.0, random_state=0).model.coef
    for other in (tmp_path / "t.csv", pl.from_pandas(table)):
        np.testing.assert_allclose(eq.fit(other, SCHEMA, 1.0, random_state=0).model.coef, wanted, rtol=1e-9)


def test_a_damaged_model_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    eq.fit(clinic(60), SCHEMA, 1.0).save(path)
    whole = json.loads(path.read_text(encoding="utf-8"))
    for change, said in (
        ({"version": 2}, "newer version"),
        ({"extra": 1}, "not known"),
        ({"norm": -1}, "norm"),
        ({"table": {}}, "columns"),
        ({"interactions": [["age", "sex"]]}, "not fitted on what this schema encodes"),
        ({"model": 3}, "must be an object"),
        ({"model": {**whole["model"], "schema": 99}}, "update equipoise"),
    ):
        path.write_text(json.dumps(whole | change), encoding="utf-8")
        with pytest.raises(eq.UnreadableFile, match=said) as told:
            eq.load(path)
        assert "\n" not in str(told.value)


def test_a_schema_with_a_person_protects_persons() -> None:
    schema = eq.Schema(COLUMNS, Classes("ill", ("no", "yes")), Person("patient", 2))
    ledger = eq.Ledger(epsilon=10.0, unit="person")
    model = eq.fit(clinic(20).assign(patient=np.arange(20) // 4), schema, 1.0, ledger=ledger)
    assert model.guarantee_.unit == "one person with at most 2 rows"
    assert [record.neighbours.unit for record in ledger.entries()] == ["person"]


@pytest.mark.parametrize("word", ["", "?", " NA ", None])
def test_a_missing_word_is_nobodys_id_and_does_not_change_the_number_of_rows(word: str | None) -> None:
    schema = eq.Schema(COLUMNS, Classes("ill", ("no", "yes")), Person("patient", 2))
    records = []
    for missing in (0, 1, 6):
        ids = [word if place < missing else f"p{place}" for place in range(20)]
        model = eq.fit(clinic(20).assign(patient=ids), schema, 1.0, ledger=eq.Ledger(epsilon=10.0, unit="person"))
        records.append(model.guarantee_.constants["records"])
    assert records == [20.0] * 3
