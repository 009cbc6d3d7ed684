from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import warnings
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from equipoise.cli import extras, main
from equipoise.cli.exit_codes import Code, Declined
from equipoise.errors import BudgetExhausted, InvalidInput, LedgerFailure


def stop(monkeypatch: pytest.MonkeyPatch, problem: BaseException) -> int:
    """What `run` does when a command fails with `problem`: its exit code."""

    def fail() -> None:
        raise problem

    monkeypatch.setattr(main, "app", fail)
    with pytest.raises(SystemExit) as caught:
        main.run()
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_version_is_the_installed_one() -> None:
    result = CliRunner().invoke(main.app, ["--version"])
    assert result.exit_code == 0
    assert result.output == f"equipoise {version('equipoise')}\n"


def test_help_lists_every_option_of_demo() -> None:
    result = CliRunner().invoke(main.app, ["demo", "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert result.exit_code == 0
    for option in ("--out", "--patients", "--seed", "--epsilons", "--repetitions"):
        assert option in result.output


@pytest.mark.parametrize(
    ("problem", "code", "line"),
    [
        (InvalidInput("epsilon=-1.0: must be > 0"), 2, "equipoise: epsilon=-1.0: must be > 0\n"),
        (BudgetExhausted("over two\nlines"), 3, "equipoise: over two lines\n"),
        (LedgerFailure("locked"), 4, "equipoise: locked\n"),
        (
            OSError(28, "No space left on device", "out/model.json"),
            5,
            "equipoise: out/model.json: No space left on device\n",
        ),
        (
            ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib.axes"),
            2,
            'equipoise: matplotlib: is not installed, and this command needs it: pip install "equipoise[studies]"\n',
        ),
        (Declined("no"), 6, "equipoise: no\n"),
        (SystemExit(130), 130, "equipoise: interrupted; what was reserved until now counts as spent\n"),
    ],
)
def test_errors_are_one_line_and_a_documented_exit_code(
    problem: BaseException, code: int, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stop(monkeypatch, problem) == code
    assert capsys.readouterr().err == line


def test_every_exit_code_is_in_the_reference() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    for code in Code:
        assert f"| {int(code)} | {code.words} |" in page


def test_a_bug_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        stop(monkeypatch, ZeroDivisionError())
    with pytest.raises(ModuleNotFoundError):
        stop(monkeypatch, ModuleNotFoundError("No module named 'equipose'", name="equipose"))


def test_every_extra_that_a_command_may_lack_is_one_of_the_projects() -> None:
    told = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(extras.EXTRAS.values()) <= set(told["project"]["optional-dependencies"])


def test_a_warning_is_one_line_without_a_place_in_the_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def warn() -> None:
        warnings.simplefilter("always")
        warnings.warn("over two\nlines", UserWarning, stacklevel=1)

    monkeypatch.setattr(main, "app", warn)
    main.run()
    assert capsys.readouterr().err == "equipoise: note: over two lines\n"


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (["--epsilons", "0.1,abc"], "must be numbers with commas between"),
        (["--epsilons", "0"], "epsilon=0.0: must be > 0"),
        (["--epsilons", "nan"], "epsilon=nan: must be finite"),
        (["--patients", "99"], "patients=99: must be at least 100"),
        (["--seed", "-1"], "seed=-1: must be at least 0"),
        (["--repetitions", "1"], "repetitions=1: must be at least 2"),
        (["--out", __file__], "is a file, give a folder"),
    ],
)
def test_bad_options_of_demo_name_the_rule(arguments: list[str], rule: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(main.app, ["demo", "--out", str(tmp_path / "out"), *arguments])
    assert isinstance(result.exception, InvalidInput)
    assert rule in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_a_terminal_without_greek_letters_still_gets_its_table(tmp_path: Path) -> None:
    program = "from equipoise.cli.main import run; run()"
    options = ["demo", "--out", str(tmp_path), "--patients", "100", "--epsilons", "1", "--repetitions", "2"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "OMP_NUM_THREADS": "1"}
    result = subprocess.run(
        [sys.executable, "-c", program, *options], capture_output=True, check=False, env=environment
    )
    assert result.returncode == 0, result.stderr
    assert b"no privacy" in result.stdout
