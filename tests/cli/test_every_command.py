"""What every command has: JSON for programs, examples in its help, and silence where nobody looks."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.main import get_command

from equipoise.cli import main, reproduce, screen
from equipoise.cli.demo.command import run_demo, write_table
from equipoise.cli.main import app
from equipoise.cli.table import folder, written
from equipoise.studies.common.claims import HOLDS, Claim

FROM_A_CHECKOUT = "bench "
"""Developers' commands: they write pages of the documentation."""


def commands(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    command = get_command(app) if command is None else command
    for name, each in getattr(command, "commands", {}).items():
        yield from commands(each, (*path, name))
    if not hasattr(command, "commands"):
        yield " ".join(path), command


NAMES = [name for name, _ in commands() if not name.startswith(FROM_A_CHECKOUT)]


def test_the_commands_that_are_promised_are_there() -> None:
    first = {name.split()[0] for name in NAMES}
    promised = {"schema", "plan", "fit", "predict", "tune", "card", "ledger", "audit", "reproduce", "data", "demo"}
    assert promised <= first
    assert {"ledger show", "ledger entries", "ledger new", "ledger limits"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_speaks_json_and_its_help_has_examples(name: str) -> None:
    command = dict(commands())[name]
    assert "--json" in [option for each in command.params for option in each.opts]
    assert "Example" in command.help
    assert f"equipoise {name}" in command.help


def test_completion_is_offered(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["equipoise", "--help"])
    with pytest.raises(SystemExit) as left:
        main.run()
    assert left.value.code in (0, None)
    assert "--install-completion" in capsys.readouterr().out


def test_demo_and_template_answer_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_table(tmp_path / "clinic.csv", 100, 0, as_json=True)
    assert json.loads(capsys.readouterr().out) == {"table": str(tmp_path / "clinic.csv"), "patients": 100}
    run_demo(tmp_path / "out", 200, 0, "1", 2, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert [level["epsilon"] for level in told["accuracy"][0]["levels"]] == [1.0]
    main_schema = dict(commands())["schema new"]
    main_schema.callback(data=tmp_path / "clinic.csv", out=tmp_path / "s.yaml", as_json=True)
    assert "weight_kg" in json.loads(capsys.readouterr().out)["columns"]


def test_a_study_answers_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claim = Claim("it holds", "the paper", "the rule", "1 of 1", HOLDS)
    study = reproduce.Study(
        load=lambda *_: SimpleNamespace(real=False, source="made up"),
        without_data=lambda _: "No table found.",
        settings=lambda quick: quick,
        check=lambda *_: None,
        run=lambda *_: SimpleNamespace(unavailable={}),
        write=lambda *_: (None, (claim,)),
        files="nothing",
    )
    reproduce.reproduce(study, tmp_path / "out", None, quick=True, simulated=False, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["claims"][0]["verdict"] == HOLDS


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("show", [screen.working, screen.counting, screen.perhaps_counting])
def test_progress_is_for_people_and_silent_elsewhere(show: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for stream, seen in ((io.StringIO(), False), (Terminal(), True)):
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stderr", stream)
            with show("Attacking a model") as tick:
                if tick is not None:
                    tick(1, 2)
        assert ("Attacking a model" in stream.getvalue()) is seen


def test_a_walk_shows_how_far_it_is_once_two_seconds_are_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream, clock = Terminal(), iter([0.0, 1.9, 2.1])
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(screen, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with screen.perhaps_counting("Learning") as tick:
        tick(64, 180)
        assert "/180" not in stream.getvalue()
        tick(128, 180)
        tick(180, 180)
    assert "180/180" in stream.getvalue()


def test_a_long_audit_shows_that_it_is_alive() -> None:
    """It was silent for minutes once: each of its long parts is behind a sign of life."""
    text = (Path(main.__file__).parent / "audit" / "command.py").read_text(encoding="utf-8")
    for what in ("Asking", "Attacking", "Checking the noise", "Auditing the library"):
        assert what in text


def test_what_a_plan_foresees_is_told() -> None:
    plan: Any = SimpleNamespace(mechanism="no such one", expected="accuracy 0.70 to 0.80; take more rows")
    assert written.expected(plan) == ("To be expected: accuracy 0.70 to 0.80; take more rows.",)
    plan.expected = None
    assert written.expected(plan) == ()


def test_a_folder_that_cannot_be_made_says_that_nothing_was_spent(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(OSError, match="nothing was spent"), folder.prepared(tmp_path / "file" / "model", False, 10):
        pass
