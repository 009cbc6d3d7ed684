"""A frame is the same frame in Parquet, in a CSV file of pandas' and in one of polars'."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.estimators.table.labels import labels_of
from equipoise.schema import Boolean, Category, Classes, Column, Date, Number, Ordinal
from equipoise.schema.encoding import AdditiveEncoding, Encoding
from equipoise.schema.tables import read_table

SPELT = {
    "whole": (("0", "1", "2"), (0, 1, 2), ("0.0", "1.0", "2.0"), ("00", "01", "02"), (0, "1", "2.0")),
    "parts": (("0.5", "1", "2.25"), (0.5, 1, 2.25), ("0.50", "1.0", "2.250")),
    "truths": (("false", "true"), (False, True), ("False", "True"), ("FALSE", "true")),
}
"""How a schema may state the values of a column."""

CELLS: dict[str, list[Any]] = {"whole": [0, 1, 2, 7], "parts": [0.5, 1.0, 2.25, 9.0], "truths": [True, False]}


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[Any], tuple[Any, ...]]:
    """Cells, with gaps or without, and what a schema lists of them."""
    kind = draw(st.sampled_from(sorted(SPELT)))
    gap = draw(st.sampled_from([[], [None]]))
    return draw(st.lists(st.sampled_from(CELLS[kind] + gap), min_size=3, max_size=9)), draw(
        st.sampled_from(SPELT[kind])
    )


def schema_for(values: tuple[Any, ...]) -> eq.Schema:
    facts: dict[str, Column] = {
        "category": Category(values, missing="indicator"),
        "ordinal": Ordinal(values, missing="indicator"),
        "boolean": Boolean(values[1:], values[:1], missing="indicator"),
    }
    return eq.Schema(facts, Classes("target", values))


def forms(cells: list[Any], names: list[str], folder: Path) -> list[Path]:
    """The same cells in every column, as each library writes them."""
    frame = pd.DataFrame({name: pd.Series(cells) for name in names})
    frame.to_parquet(folder / "pandas.parquet")
    frame.to_csv(folder / "pandas.csv", index=False)
    polars = pl.DataFrame(dict.fromkeys(names, cells), strict=False)
    polars.write_parquet(folder / "polars.parquet")
    polars.write_csv(folder / "polars.csv")
    return [folder / name for name in ("pandas.parquet", "pandas.csv", "polars.parquet", "polars.csv")]


def read(path: Path, schema: eq.Schema) -> list[list[Any]]:
    table = read_table(path)
    rows = Encoding(schema).rows(table, wide=False), AdditiveEncoding(schema).rows(table)
    return [*(np.asarray(each).tolist() for each in rows), labels_of(table, schema).tolist()]


@settings(max_examples=60)
@given(columns())
def test_every_file_of_a_frame_says_the_same(drawn: tuple[list[Any], tuple[Any, ...]]) -> None:
    cells, values = drawn
    schema = schema_for(values)
    with TemporaryDirectory() as folder:
        first, *others = (
            repr(read(path, schema))
            for path in forms(cells, ["category", "ordinal", "boolean", "target"], Path(folder))
        )
    assert others == [first] * 3


@pytest.mark.parametrize("quoted", [True, False])
def test_a_fit_is_the_same_from_every_file(quoted: bool, tmp_path: Path) -> None:
    """A column of whole numbers with one gap: pandas writes 1.0."""
    rng = np.random.default_rng(0)
    smoker = rng.integers(0, 2, 400).astype(float)
    frame = pd.DataFrame({"smoker": smoker, "ward": smoker + 1, "age": rng.uniform(0, 9, 400), "ill": smoker})
    frame["day"] = pd.Timestamp("2020-01-31") + pd.to_timedelta(rng.integers(0, 99, 400), "D")
    frame.loc[5, ["smoker", "ward", "ill"]] = np.nan
    frame.to_parquet(tmp_path / "p.parquet")
    frame.to_csv(tmp_path / "pandas.csv", index=False)
    pl.from_pandas(frame).write_csv(tmp_path / "polars.csv")
    zero, one, two = ("0", "1", "2") if quoted else (0, 1, 2)
    facts: dict[str, Column] = {
        "smoker": Boolean((one,), (zero,)),
        "ward": Category((one, two)),
        "age": Number((0, 9)),
        "day": Date(("2020-01-01", "2021-01-01"), ("time", "month")),
    }
    schema = eq.Schema(facts, Classes("ill", (zero, one)))
    models = [
        eq.fit(tmp_path / name, schema, 5.0, random_state=1) for name in ("p.parquet", "pandas.csv", "polars.csv")
    ]
    for model in models[1:]:
        np.testing.assert_array_equal(model.model.coef, models[0].model.coef)
    assert eq.evaluate(models[0], tmp_path / "pandas.csv", public=True).value > 0.9
