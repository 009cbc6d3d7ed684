"""Tables as other countries write them: decimal commas and days first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import here

import equipoise as eq
from equipoise.cli.exit_codes import Code
from equipoise.errors import InvalidInput
from equipoise.ledger import SQLLedger
from equipoise.schema.tables import read_table

SCHEMA = """\
target: {column: dosis, bounds: [0, 10]}
columns:
  gewicht: {kind: number, bounds: [30, 200]}
  tag: {kind: date, bounds: [2020-01-01, 2021-01-01], format: "%d.%m.%Y"}
  code: {kind: category, values: ["1,5", "2.5"]}
"""
THERE = ("--delimiter", ";", "--decimal", ",")
NOTE = "equipoise: note: semicolons part the cells"


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """The same rows as one country writes them, and as another does."""
    rng = np.random.default_rng(0)
    here_lines, there_lines = ["gewicht,tag,code,dosis"], ["gewicht;tag;code;dosis"]
    for _ in range(200):
        weight, month, dose = rng.uniform(40, 120), rng.integers(1, 13), rng.uniform(0, 10)
        here_lines.append(f'{weight:.2f},2020-{month:02d}-05,"1,5",{dose:.1f}')
        big, small = f"{weight:.2f}".replace(".", ","), f"{dose:.1f}".replace(".", ",")
        there_lines.append(f"{big};5.{month}.2020;1,5;{small}")
    (tmp_path / "here.csv").write_text("\n".join(here_lines), encoding="utf-8")
    (tmp_path / "there.csv").write_text("\n".join(there_lines), encoding="utf-8")
    (tmp_path / "schema.yaml").write_text(SCHEMA, encoding="utf-8")
    SQLLedger(tmp_path / "privacy.db", 3.0, 1e-5)
    return tmp_path


def test_a_table_with_commas_and_days_first_is_the_same_table(room: Path) -> None:
    there = eq.Schema.load(room / "schema.yaml")
    plain = eq.Schema.from_dict({**there.to_dict(), "columns": {
        **there.to_dict()["columns"], "tag": {"kind": "date", "bounds": ["2020-01-01", "2021-01-01"]}}})  # fmt: skip
    how: dict[str, Any] = {"delimiter": ";", "decimal": ","}
    one = eq.fit(room / "here.csv", plain, 2.0, random_state=3)
    other = eq.fit(room / "there.csv", there, 2.0, random_state=3, **how)
    np.testing.assert_array_equal(one.model.coef, other.model.coef)
    np.testing.assert_array_equal(one.predict(room / "here.csv"), other.predict(room / "there.csv", **how))
    found = [eq.evaluate(one, room / "here.csv", public=True).value,
             eq.evaluate(other, room / "there.csv", public=True, **how).value]  # fmt: skip
    assert found[0] == found[1]
    assert there.check(room / "there.csv", values="not private", **how).found == ()


def test_every_command_takes_the_comma(room: Path) -> None:
    told = ("schema", "check", "there.csv", "--count-not-private", *THERE, "--json")
    assert json.loads(here(*told, folder=room).stdout)["findings"] == []
    assert here("plan", "there.csv", "--epsilon", "1", *THERE, folder=room).returncode == Code.DONE
    price = ("--epsilon", "1", "--ledger", "privacy.db", "--yes", *THERE)
    fitted = here("fit", "there.csv", *price, "--public-test", "there.csv", folder=room)
    assert (fitted.returncode, fitted.stderr) == (Code.DONE, "")
    tuned = here(
        "tune", "there.csv", *price, "--out", "tuned", "--try", "alpha=0.1,1", "--method", "random", folder=room
    )
    assert (tuned.returncode, tuned.stderr) == (Code.DONE, "")
    said = here("predict", "there.csv", *THERE, folder=room)
    assert (said.returncode, said.stderr) == (Code.DONE, "")
    assert len(set(said.stdout.splitlines())) > 100


def test_semicolons_without_a_word_on_commas_are_noted_whatever_the_cells_hold(room: Path) -> None:
    """Data-free: the note is the same for a table without a comma."""
    (room / "other.csv").write_text("gewicht;tag;code;dosis\n1;2;3;4\n1;2;3;4\n", encoding="utf-8")
    for name in ("there.csv", "other.csv"):
        for command in (("plan", name, "--epsilon", "1"), ("schema", "check", name)):
            ran = here(*command, "--delimiter", ";", folder=room)
            assert ran.returncode == Code.DONE, ran.stderr
            assert ran.stderr.startswith(NOTE)
            assert ran.stderr.count("\n") == 1
    assert here("plan", "other.csv", "--epsilon", "1", "--delimiter", ";", "--decimal", ".", folder=room).stderr == ""


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [(("--decimal", ","), "is the delimiter as well"), (("--delimiter", ";", "--decimal", "x"), "must be '.' or ','")],
)
def test_a_decimal_mark_that_cannot_be_is_refused_for_free(arguments: tuple[str, ...], rule: str, room: Path) -> None:
    ran = here("fit", "here.csv", "--epsilon", "1", "--ledger", "privacy.db", "--yes", *arguments, folder=room)
    assert ran.returncode == Code.BAD_INPUT
    assert rule in ran.stderr
    assert "nothing was spent" in ran.stderr
    assert len(SQLLedger(room / "privacy.db").entries()) == 0


def test_a_point_in_a_number_with_commas_is_no_decimal_mark(tmp_path: Path) -> None:
    """Between thousands it would make 1.234 of 1234."""
    (tmp_path / "x.csv").write_text("x;y\n1,5;1.5\n1.234;1,5\n1.234,5;a\n-2,5E+01;\n", encoding="utf-8")
    table = read_table(tmp_path / "x.csv", delimiter=";", decimal=",", numbers=("x",))
    from equipoise.schema import cells

    np.testing.assert_array_equal(cells.numbers(table["x"], ()), [1.5, np.nan, np.nan, -25.0])
    assert table["y"].tolist() == ["1.5", "1,5", "a", ""]
    with pytest.raises(InvalidInput, match="decimal"):
        read_table(tmp_path / "x.csv", delimiter=";", decimal=";")
