"""A check speaks of names and types; counts of cells are asked for by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import equipoise as eq
from equipoise.schema.check import NOT_PRIVATE

SCHEMA = eq.Schema.from_dict(
    {
        "target": {"column": "ill", "classes": ["no", "yes"]},
        "columns": {
            "age": {"kind": "number", "bounds": [0, 100]},
            "sex": {"kind": "category", "values": ["f", "m"]},
            "grade": {"kind": "ordinal", "values": [1, 2, 3]},
            "smoker": {"kind": "boolean"},
            "seen": {"kind": "date", "bounds": ["2010-01-01", "2020-12-31"]},
        },
    }
)
GOOD = {"age": ["31"], "sex": ["f"], "grade": ["2"], "smoker": ["yes"], "seen": ["2015-01-01"], "ill": ["no"]}
BAD = {
    "age": ["31", "x-7731", "", "140"],
    "sex": ["f", "Q7731", "?", "m"],
    "grade": ["9", "1.0", "2", ""],
    "smoker": ["maybe", "no", "1", "T"],
    "seen": ["2015-01-01", "1931-01-01", "7731", ""],
    "ill": ["no", "yes", "perhaps", ""],
}


def csv(path: Path, table: dict[str, Any]) -> Path:
    pd.DataFrame(table).to_csv(path, index=False)
    return path


def test_neighbouring_files_get_the_same_answer(tmp_path: Path) -> None:
    for left, right in ((GOOD, {name: ["anything"] for name in GOOD}), (GOOD, BAD)):
        found = [SCHEMA.check(csv(tmp_path / "a.csv", table)) for table in (left, right)]
        assert str(found[0]) == str(found[1]) == "names and types agree"
        assert found[0].ok
        assert found[0].private


def test_names_that_lack_or_are_left_over_are_told(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", {**GOOD, "extra": [1]} | {"age": [1]})
    pd.read_csv(path).drop(columns=["sex"]).to_csv(path, index=False)
    told = SCHEMA.check(path)
    assert not told.ok
    assert "column 'sex': is in the schema but not in the table" in str(told)
    assert "column 'extra': is not in the schema, it is ignored" in str(told)


def test_a_type_that_cannot_be_read_is_told_from_the_type() -> None:
    frame = pd.DataFrame({**GOOD, "seen": [7.0], "grade": [True]})
    told = SCHEMA.check(frame)
    assert not told.ok
    assert "column 'seen': is a date in the schema but number in the table" in str(told)
    assert "column 'grade': is a ordinal in the schema but boolean" in str(told)


def test_counts_are_asked_for_by_name_and_quote_no_cell(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", BAD)
    path.write_text(path.read_text(encoding="utf-8") + "1,2\n", encoding="utf-8")
    told = SCHEMA.check(path, values=NOT_PRIVATE)
    text = str(told)
    assert not told.private
    assert text.startswith("NOT PRIVATE")
    assert "7731" not in text
    for line in (
        "column '(all)': 1 lines have another number of cells than the header",
        "column 'age': 2 cells are missing or cannot be read",
        "column 'age': 1 cells are outside the bounds and clipped",
        "column 'sex': 2 cells are not listed",
        "column 'sex': 1 cells are missing",
        "column 'grade': 1 cells are not listed",
        "column 'smoker': 2 cells are missing or no word",
        "column 'seen': 1 cells are outside the bounds",
        "column 'ill': 3 cells are none of the classes",
    ):
        assert line in text
    with pytest.raises(eq.InvalidInput, match="not private"):
        SCHEMA.check(path, values="yes")
