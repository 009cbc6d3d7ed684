"""A schema says what is public, and says so on one line where it cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import equipoise as eq
from equipoise.schema import Boolean, Category, Classes, Date, Ignored, Number, Ordinal, Person, Range, Text

WHOLE = {
    "equipoise-schema": 1,
    "about": "a clinic, made up",
    "target": {"column": "dose", "bounds": [0, 100], "unit": "mg/week", "source": "the label"},
    "person": {"column": "patient", "rows_per_person": 3},
    "missing_words": ["", "unknown"],
    "columns": {
        "age": {"kind": "number", "bounds": [0, 110], "unit": "years", "missing": "indicator"},
        "bill": {"kind": "number", "bounds": [0, 1e6], "scale": "log1p", "missing": 0},
        "wait": {"kind": "number", "bounds": [1, 90], "scale": "knots", "knots": [1, 7, 30, 90], "shape": "spline"},
        "race": {"kind": "category", "values": ["no", "yes", "2020-01-01", "1", "null", "x: y"], "source": "the form"},
        "grade": {"kind": "ordinal", "values": [1, 2, 3]},
        "smoker": {"kind": "boolean", "yes": ["ja"], "no": ["nein"], "missing": False},
        "seen": {"kind": "date", "bounds": ["2010-01-01", "2020-12-31"], "parts": ["time", "weekday"]},
        "note": {"kind": "text", "buckets": 64},
        "row": {"kind": "ignored"},
    },
}


def with_column(**fields: Any) -> dict[str, Any]:
    return {"columns": {"age": fields}}


def test_a_schema_of_every_kind_survives_the_disk_and_plain_data(tmp_path: Path) -> None:
    schema = eq.Schema.from_dict(WHOLE)
    schema.save(tmp_path / "schema.yaml")
    assert eq.Schema.load(tmp_path / "schema.yaml") == schema
    assert eq.Schema.from_dict(schema.to_dict()) == schema
    assert list(eq.Schema.load(tmp_path / "schema.yaml").columns) == list(WHOLE["columns"])  # type: ignore[call-overload]


def test_words_that_look_like_something_else_stay_words(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(
        "columns: {answer: {kind: category, values: [no, NO, on, 1:30, 2020-01-01, 012, true]}}", encoding="utf-8"
    )
    answer = eq.Schema.load(tmp_path / "s.yaml").columns["answer"]
    assert isinstance(answer, Category)
    assert answer.values == ("no", "NO", "on", "1:30", "2020-01-01", 12, True)


def test_python_and_plain_data_make_the_same_schema() -> None:
    in_python = eq.Schema(
        {
            "age": Number((0, 110), unit="years", missing="indicator"),
            "bill": Number((0, 1e6), scale="log1p", missing=0),
            "wait": Number((1, 90), scale="knots", knots=(1, 7, 30, 90), shape="spline"),
            "race": Category(("no", "yes", "2020-01-01", "1", "null", "x: y"), source="the form"),
            "grade": Ordinal((1, 2, 3)),
            "smoker": Boolean(("ja",), ("nein",), missing=False),
            "seen": Date(("2010-01-01", "2020-12-31"), parts=("time", "weekday")),
            "note": Text(64),
            "row": Ignored(),
        },
        Range("dose", (0, 100), "mg/week", "the label"),
        Person("patient", 3),
        ("", "unknown"),
        about="a clinic, made up",
    )
    assert in_python == eq.Schema.from_dict(WHOLE)
    assert in_python.features == ("age", "bill", "wait", "race", "grade", "smoker", "seen", "note")
    assert in_python.needed == (*in_python.features, "dose", "patient")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (with_column(kind="number"), "column 'age': bounds: is missing"),
        (with_column(kind="number", bounds=[1, 1]), "the first must be below the second"),
        (with_column(kind="number", bounds=[0, float("inf")]), "must be finite"),
        (with_column(kind="number", bounds=[0, 1e40]), "must be finite"),
        (with_column(kind="number", bounds=[0, "9"]), "must be a number"),
        (with_column(kind="number", bounds=[0, 1, 2]), "must be a pair"),
        (with_column(kind="number", bounds=["fill in low", "fill in high"]), "from public knowledge"),
        (with_column(kind="number", bounds=[0, 1], scale="log"), "needs bounds above 0"),
        (with_column(kind="number", bounds=[1e16, 1e16 + 2], scale="log"), "too close to each other for scale=log,"),
        (with_column(kind="number", bounds=[1e16, 1e16 + 2], scale="log1p"), "too close to each other for scale=log1p"),
        (with_column(kind="number", bounds=[-1, 1], scale="log1p"), "needs bounds from 0 up"),
        (with_column(kind="number", bounds=[0, 1], scale="knots"), "give knots"),
        (with_column(kind="number", bounds=[0, 1], knots=[0, 2]), "must be the bounds"),
        (with_column(kind="number", bounds=[0, 2], knots=[0, 1, 1, 2]), "must rise"),
        (with_column(kind="number", bounds=[0, 1], missing=2), "within the bounds"),
        (with_column(kind="number", bounds=[0, 1], missing="mean"), "must be one of middle, indicator"),
        (with_column(kind="number", bounds=[0, 1], bound=3), "unknown field 'bound'"),
        (with_column(kind="numbr", bounds=[0, 1]), "kind='numbr': must be one of number"),
        (with_column(kind="category"), "values: is missing"),
        (with_column(kind="category", values=["fill in"]), "from public knowledge"),
        (with_column(kind="category", values="abc"), "must be a list"),
        (with_column(kind="category", values=[1, "1"]), "listed twice"),
        (with_column(kind="category", values=["a"], missing="b"), "one of the values"),
        (with_column(kind="ordinal", values=["a"]), "list 2 to"),
        (with_column(kind="boolean", yes=["ja"]), "for both, or for neither"),
        (with_column(kind="boolean", yes=["ja"], no=["ja"]), "in both lists"),
        (with_column(kind="date", bounds=["2020-02-30", "2021-01-01"]), "must be a date"),
        (with_column(kind="date", bounds=["2020-02-03", "2019-01-01"]), "must be before"),
        (with_column(kind="date", bounds=["2020-01-01", "2021-01-01"], parts=["hour"]), "must be one of time"),
        (with_column(kind="text", buckets=0), "must be a whole number"),
        (with_column(kind="ignored"), "at least one that is not ignored"),
        (WHOLE | {"target": {"column": "dose"}}, "give classes, or bounds"),
        (WHOLE | {"target": {"column": "age", "bounds": [0, 1]}}, "must not be listed under columns"),
        (WHOLE | {"target": {"column": "dose", "classes": ["a"]}}, "list 2 to"),
        (WHOLE | {"person": {"column": "dose", "rows_per_person": 1}}, "is the target's column"),
        (WHOLE | {"person": {"column": "patient", "rows_per_person": 0}}, "must be a whole number"),
        (WHOLE | {"person": {"column": "patient"}}, "rows_per_person: is missing"),
        (WHOLE | {"equipoise-schema": 2}, "update equipoise"),
        (WHOLE | {"colums": {}}, "unknown field 'colums'"),
        ({"columns": {7: {"kind": "text"}}}, "must be text"),
        ({"columns": []}, "must be a mapping"),
        ([], "must be a mapping"),
    ],
)
def test_what_is_wrong_is_told_on_one_line_with_its_place(given: Any, said: str) -> None:
    with pytest.raises(eq.EquipoiseError) as told:
        eq.Schema.from_dict(given)
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    for text, said in (("a: [", "no valid YAML on line"), ("a: 1\na: 2", "'a' is there twice"), ("", "a mapping")):
        (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
        with pytest.raises(eq.InvalidInput, match=said) as told:
            eq.Schema.load(tmp_path / "s.yaml")
        assert str(tmp_path / "s.yaml") in str(told.value)
    (tmp_path / "s.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(eq.InvalidInput, match="not UTF-8"):
        eq.Schema.load(tmp_path / "s.yaml")
    with pytest.raises(eq.UnreadableFile, match="no such file"):
        eq.Schema.load(tmp_path / "none.yaml")
    with pytest.raises(eq.UnreadableFile, match="cannot be read"):
        eq.Schema.load(tmp_path)


def test_a_yaml_file_runs_no_code(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("columns: !!python/object/apply:os.getcwd []", encoding="utf-8")
    with pytest.raises(eq.InvalidInput, match="no valid YAML"):
        eq.Schema.load(tmp_path / "s.yaml")


def test_classes_may_be_numbers_words_or_truths() -> None:
    for classes in ((0, 1), ("no", "yes"), (False, True), (1, 2, 3)):
        assert Classes("y", classes).classes == classes
