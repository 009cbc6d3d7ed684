"""A template knows names and types; every blank in it is asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import equipoise as eq

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


def test_a_target_that_is_not_there_is_named() -> None:
    with pytest.raises(eq.InvalidInput, match="target='x': the table has no such column"):
        eq.Schema.template(TYPES, target="x")
    with pytest.raises(eq.InvalidInput, match="must be one of number"):
        eq.Schema.template({"a": "int64"})
