"""The encoder in scikit-learn's hands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import equipoise as eq
from equipoise.schema import Category, Classes, Number

SCHEMA = eq.Schema({"age": Number((0, 100)), "sex": Category(("f", "m"))}, Classes("ill", ("no", "yes")))


def clinic(rows: int = 400) -> pd.DataFrame:
    age = np.linspace(0, 100, rows)
    sex = np.where(np.arange(rows) % 2 == 0, "f", "m")
    return pd.DataFrame({"age": age, "sex": sex, "ill": np.where(age > 50, "yes", "no")})


def test_it_learns_nothing_and_says_so() -> None:
    encoder, table = eq.Encoder(SCHEMA), clinic()
    assert encoder.data_free
    assert vars(encoder.fit(table)) == vars(eq.Encoder(SCHEMA))
    np.testing.assert_array_equal(encoder.transform(table[:3]), encoder.fit(table[200:]).transform(table)[:3])


def test_it_stands_in_a_pipeline_before_a_private_estimator() -> None:
    table = clinic()
    model = make_pipeline(eq.Encoder(SCHEMA), eq.LogisticRegression(20.0, classes=["no", "yes"]))
    model = clone(model).fit(table, table["ill"])
    assert model.score(table, table["ill"]) > 0.9
    assert model[:-1].get_feature_names_out().tolist() == ["age", "sex=f", "sex=m", "sex=other"]
    wide = make_pipeline(eq.Encoder(SCHEMA, sparse=True), eq.LogisticRegression(20.0, classes=["no", "yes"]))
    assert wide.fit(table, table["ill"]).score(table, table["ill"]) > 0.9


def test_every_container_gives_the_same_rows(tmp_path: Path) -> None:
    table, encoder = clinic(), eq.Encoder(SCHEMA)
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet")
    wanted = encoder.transform(table)
    for other in (tmp_path / "t.csv", str(tmp_path / "t.parquet"), pl.from_pandas(table), dict(table)):
        np.testing.assert_allclose(encoder.transform(other), wanted)


def test_names_and_types_are_refused_before_a_cell_is_read() -> None:
    with pytest.raises(eq.InvalidInput, match="column 'sex': is in the schema but not in the table"):
        eq.Encoder(SCHEMA).transform(clinic()[["age"]])
    with pytest.raises(eq.InvalidInput, match="column 'age': is a number in the schema but date"):
        eq.Encoder(SCHEMA).transform(clinic().assign(age=pd.Timestamp("2020-01-01")))
    for wrong in ({"schema": "s.yaml"}, {"schema": SCHEMA, "norm": 0}, {"schema": SCHEMA, "sparse": "yes"}):
        with pytest.raises(eq.InvalidInput):
            eq.Encoder(**wrong).fit()
