"""After the release nothing costs the model: whatever fails then, it is on a disk, and no line says it was free."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.clinic import HEAD, SCHEMA, spent
from tests.cli.running import equipoise, here
from tests.lists.turns import in_turns

import equipoise as eq
from equipoise.cli import main
from equipoise.cli.exit_codes import Code
from equipoise.cli.table import delivery, folder, written
from equipoise.errors import InvalidInput, LedgerFailure
from equipoise.estimators._spent import FREE
from equipoise.ledger import Entry, SQLLedger
from equipoise.outside.table.model import TableModel

PRICE = ("--epsilon", "1", "--delta", "1e-6", "--ledger", "privacy.db", "--yes")
FIT = ("fit", "clinic.csv", *PRICE, "--public-test", "clinic.csv")
TUNE = ("tune", "clinic.csv", *PRICE, "--try", "alpha=0.01,0.1", "--method", "random")

STEPS = {
    "evaluate": (eq, "evaluate"),
    "deliver": (delivery, "state_after"),
    "state": (written, "state_of"),
    "name": (written, "from_data"),
    "report": (written, "report_on"),
    "texts": (written, "texts"),
    "fill": (folder, "fill"),
    "write": (folder, "write_whole"),
    "place": (folder, "_take_place"),
}
"""Everything that is done between a release and the folder's name."""

TROUBLES = {
    "disk": OSError(28, "No space left on device"),
    "ours": InvalidInput(f"data: has no rows; {FREE}"),
    "ledger": LedgerFailure("ledger privacy.db: disk I/O error, nothing was released"),
    "value": ValueError("some value"),
    "text": UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
    "ctrl-c": KeyboardInterrupt(),
}


def kept(room: Path, told: str) -> TableModel:
    """The model: in its folder, or where the line says."""
    if (room / "model").exists():
        names = {path.name for path in (room / "model").iterdir()}
        assert names == {"model.json", "report.html", "card.html", "card.txt", "card.json", "schema.yaml"}
        return loaded(room / "model" / "model.json")
    found = re.search(r"the release is paid for, the model was saved as (\S+)", told)
    assert found, told
    return loaded(Path(found[1]))


def loaded(path: Path) -> TableModel:
    model = eq.load(path)
    assert isinstance(model, TableModel)
    return model


MET = [(FIT, step) for step in STEPS] + [(TUNE, "report"), (TUNE, "state"), (TUNE, "place")]
TRIED = [(*MET[turn], trouble) for turn in range(len(MET)) for trouble in in_turns(list(TROUBLES), turn, 2)]
"""Every other trouble at one step, and those between at the next."""


@pytest.mark.parametrize(("command", "step", "trouble"), TRIED)
def test_no_step_after_the_release_loses_the_model_or_says_that_it_was_free(
    command: tuple[str, ...],
    step: str,
    trouble: str,
    room: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    module, name = STEPS[step]
    honest = getattr(module, name)

    def fails(*arguments: Any, **named: Any) -> Any:
        if name == "state_of" and spent(room) == 0:
            return honest(*arguments, **named)  # the plan shows it too, before the question
        raise TROUBLES[trouble]

    monkeypatch.setattr(module, name, fails)
    monkeypatch.chdir(room)
    monkeypatch.setattr(sys, "argv", ["equipoise", *command])
    with contextlib.suppress(SystemExit, ValueError):  # a bug is still a traceback
        main.run()
    told = "".join(capsys.readouterr())
    monkeypatch.undo()
    assert spent(room) == 1
    assert kept(room, told).guarantee_.epsilon == 1.0
    assert "nothing was" not in told.lower()
    assert [path.name for path in room.iterdir() if path.name.startswith(".")] == []


def test_a_ledger_that_is_gone_after_the_release_costs_a_line_of_the_report(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Entry.commit

    def unmounted(self: Entry) -> None:
        honest(self)
        shutil.move(room / "privacy.db", room / "away.db")

    monkeypatch.setattr(Entry, "commit", unmounted)
    ran = here(*FIT, folder=room)
    assert ran.returncode == Code.DONE, ran.stderr
    shutil.move(room / "away.db", room / "privacy.db")
    assert spent(room) == 1
    kept(room, "")
    assert "not known: the ledger could not be read after the release" in (room / "model" / "report.html").read_text()


@pytest.mark.parametrize("rows", [HEAD, HEAD.rstrip("\n")])
def test_a_public_test_without_rows_is_refused_for_free(rows: str, room: Path) -> None:
    (room / "empty.csv").write_text(rows, encoding="utf-8")
    ran = here(*FIT[:-1], "empty.csv", folder=room)
    assert ran.returncode == Code.BAD_INPUT, ran.stderr
    assert ran.stderr == f"equipoise: empty.csv: holds no rows to measure on; {FREE}\n"
    assert spent(room) == 0


def test_names_that_are_no_utf_8_cost_nothing(room: Path) -> None:
    """File names are bytes: those of another encoding reach Python as halves of characters."""
    table, book, out = (os.fsdecode(name) for name in (b"M\xe4rz.csv", b"b\xfccher.db", b"m\xf6del"))
    try:
        shutil.copy(room / "clinic.csv", room / table)
    except (OSError, UnicodeError):
        pytest.skip("this file system takes no such names")
    SQLLedger(room / book, 3.0, 1e-5)
    ran = equipoise(
        "fit", table, "--epsilon", "1", "--ledger", book, "--yes", "--out", out, "--public-test", table, folder=room
    )
    assert ran.returncode == Code.DONE, ran.stderr
    assert len(list((room / out).iterdir())) == 6
    for path in (room / out).iterdir():
        path.read_text(encoding="utf-8")
    assert loaded(room / out / "model.json").model.origin.data == "M?rz.csv"  # type: ignore[union-attr]
    assert here("card", out, folder=room).returncode == Code.DONE
    planned = here("plan", table, "--epsilon", "1", "--report", os.fsdecode(b"pl\xe4n.html"), folder=room)
    assert planned.returncode == Code.DONE, planned.stderr


PLACES = {
    "about": ("about: a simulated clinic", 'about: "a\\ud800"'),
    "unit": ("unit: cm", 'unit: "\\udc00"'),
    "source": ("source: human life", 'source: "\\ud800"'),
    "value": ("A/G", '"\\ud800"'),
    "class": ('"yes"', '"\\ud800"'),
    "column": ("  height:", '  "h\\ud800":'),
    "target": ("column: high_dose", 'column: "\\ud800"'),
    "missing words": ("about: a simulated clinic", 'missing_words: ["\\ud800"]'),
}


@pytest.mark.parametrize("place", PLACES)
def test_half_a_character_anywhere_in_a_schema_is_refused_for_free(place: str, room: Path) -> None:
    (room / "schema.yaml").write_text(SCHEMA.replace(*PLACES[place]), encoding="utf-8")
    ran = here(*FIT, folder=room)
    assert ran.returncode == Code.BAD_INPUT, ran.stderr
    assert "half a character" in ran.stderr
    assert ran.stderr.count("\n") == 1
    ran.stderr.encode("utf-8")
    assert spent(room) == 0
