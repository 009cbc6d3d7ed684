"""Every encoded column has a name of its own, whatever the columns and their values are called."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.running import here

import equipoise as eq
from equipoise.schema import Boolean, Category, Column, Date, Number, Ordinal
from equipoise.schema.encoding import AdditiveEncoding, Encoding

VALUES = ("f", "m", "other", "missing", "not listed", "no value", "1")
NAMES = ("sex", "sex=f", "sex=other", "sex=other (2)", "sex: missing", "sex: time", "intercept", "sex × age", "age")
KINDS: tuple[Column, ...] = (
    Category(VALUES, missing="indicator"),
    Category(("f", "m")),
    Boolean(missing="indicator"),
    Ordinal(("f", "m"), missing="indicator"),
    Number((0, 1), missing="indicator"),
    Number((100_000, 100_001), shape="bins", missing="indicator"),
    Date(("2020-01-01", "2021-01-01"), ("time", "month"), missing="indicator"),
)


@given(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(KINDS), min_size=2))
def test_no_two_encoded_columns_share_a_name(columns: dict[str, Column]) -> None:
    schema = eq.Schema(columns)
    first, second, *_ = columns
    for names in (Encoding(schema, 1.0, ((first, second),)).names, AdditiveEncoding(schema).names):
        assert len({*names, "intercept"}) == len(names) + 1


def test_names_are_as_they_were_where_nothing_shares_one() -> None:
    schema = eq.Schema({"sex": Category(("f", "m"), missing="indicator"), "age": Number((0, 1), missing="indicator")})
    assert Encoding(schema).names == ("sex=f", "sex=m", "sex=other", "sex=missing", "age", "age: missing")


@pytest.mark.parametrize("command", ["linear", "additive"])
def test_the_picture_of_a_report_has_every_effect(command: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "sex,sex=f,age,y\n" + "f,3,1,a\nother,4,2,b\nmissing,5,1,a\n" * 40, encoding="utf-8"
    )
    (tmp_path / "schema.yaml").write_text(
        "target: {column: y, classes: [a, b]}\n"
        "columns:\n"
        "  sex: {kind: category, values: [f, other, missing], missing: indicator}\n"
        "  sex=f: {kind: number, bounds: [0, 10]}\n"
        "  age: {kind: number, bounds: [0, 10]}\n",
        encoding="utf-8",
    )
    ran = here("fit", "t.csv", "--epsilon", "1", "--no-ledger", "--yes", "--model", command, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    model = eq.load(tmp_path / "model" / "model.json")
    page = (tmp_path / "model" / "report.html").read_text(encoding="utf-8")
    if command == "linear":
        names = [one.name for one in model.coefficients()]
        assert len(set(names)) == len(names) == 8
        from equipoise.cli.table.written import effects_of, spans_of

        spans = spans_of(model, effects_of(model)[0])
        assert [each.name.partition(",")[0] for each in spans] == names[:-1]
        assert "sex=not listed" in page
