"""A template knows names and types; every blank in it is asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.schema.files import parse, written
from equipoise.schema.plain import from_plain
from equipoise.schema.rules import unfilled

TYPES = {"age": "number", "sex": "text", "smoker": "boolean", "seen": "date", "on": "unknown", "ill": "text"}


def test_a_template_says_why_it_leaves_blanks_and_each_of_them_is_asked_for(tmp_path: Path) -> None:
    text, path = eq.Schema.template(TYPES, target="ill", person="on"), tmp_path / "schema.yaml"
    assert "some person's age" in text
    answers = {
        "bounds: [fill in low, fill in high]": "bounds: [0, 110]",
        "classes: [fill in]": "classes: [no, yes]",
        "values: [fill in]": "values: [f, m]",
        "bounds: [fill in first day, fill in last day]": "bounds: [2000-01-01, 2030-01-01]",
        "rows_per_person: fill in": "rows_per_person: 2",
    }
    assert all(blank in text for blank in answers)
    while answers:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(eq.EquipoiseError, match=r"public knowledge|say|state"):
            eq.Schema.load(path)
        text = text.replace(*answers.popitem())
    path.write_text(text, encoding="utf-8")
    assert eq.Schema.load(path).features == ("age", "sex", "smoker", "seen")


def test_a_column_without_a_type_is_left_to_a_person(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(eq.Schema.template({"a": "unknown"}), encoding="utf-8")
    with pytest.raises(eq.BoundsRequired, match="column 'a': kind: say which"):
        eq.Schema.load(tmp_path / "s.yaml")


@pytest.mark.parametrize("name", ["on", "no: 1", "a'b", '"', "#x", "ä ö", "1", "null", "- a", "a" * 200])
def test_any_name_is_written_so_that_it_is_read_back(name: str, tmp_path: Path) -> None:
    text = re.sub(r"fill in low, fill in high", "0, 1", eq.Schema.template({"y": "number", name: "number"}, target="y"))
    (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
    assert eq.Schema.load(tmp_path / "s.yaml").features == (name,)


ODD = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40),
    st.text(st.sampled_from("\u2028\u2029\x85\x7f\t\n\ufeff\ufffe 'a\"\\:#-?[{,&*!|>%@`😀"), min_size=1, max_size=12),
    st.integers(90, 2000).map("ab ".__mul__),
    st.integers(90, 2000).map("ä".__mul__),
)


@given(
    st.lists(ODD.filter(lambda name: name.strip() != "" and not unfilled(name)), min_size=3, max_size=5, unique=True)
)
@example(["x" * 1020, "x" * 1030, "a b " * 40])
@example(["y", "age\u2028x", "b\x85c"])
def test_whatever_columns_are_called_a_template_and_a_schema_are_read_back(names: list[str]) -> None:
    target, person, *features = names
    blank = eq.Schema.template(dict.fromkeys(names, "number"), target=target, person=person)
    text = blank.replace("fill in low, fill in high", "0, 1").replace("rows_per_person: fill in", "rows_per_person: 2")
    schema = from_plain(parse(text.encode()))
    assert (schema.features, schema.needed) == (tuple(features), (*features, target, person))
    assert from_plain(parse(written(schema.to_dict()).encode())) == schema


def test_a_target_that_is_not_there_is_named() -> None:
    with pytest.raises(eq.InvalidInput, match="target='x': the table has no such column"):
        eq.Schema.template(TYPES, target="x")
    with pytest.raises(eq.InvalidInput, match="must be one of number"):
        eq.Schema.template({"a": "int64"})


def test_a_column_without_a_name_is_left_out_of_a_template() -> None:
    """As pandas writes the number of a row."""
    text = eq.Schema.template({"": "unknown", "y": "number", "x": "number"}, target="y")
    schema = from_plain(parse(text.replace("fill in low, fill in high", "0, 1").encode()))
    assert schema.features == ("x",)
