"""The tutorial's commands, pasted one after the other into an empty folder."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from pathlib import Path

from tests.cli.running import here

from equipoise.cli.exit_codes import Code

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "from-a-csv.md"
BLOCK = re.compile(r"```(console|yaml|python)\n(.*?)```", flags=re.S)


def run_command(line: str, folder: Path) -> str:
    program, *arguments = shlex.split(line.removeprefix("$ "))
    if program == "pip":
        return ""
    assert program == "equipoise", line
    ran = here(*arguments, folder=folder)
    assert ran.returncode == Code.DONE, f"{line}: {ran.stderr}"
    return ran.stdout


def test_every_command_of_the_tutorial_runs_as_written(tmp_path: Path) -> None:
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert [kind for kind, _ in blocks].count("console") >= 7
    printed = {}
    for kind, text in blocks:
        if kind == "yaml":
            (tmp_path / "schema.yaml").write_text(text, encoding="utf-8")
        elif kind == "console":
            for line in text.strip().splitlines():
                printed[line] = run_command(line, tmp_path)
        else:
            with contextlib.chdir(tmp_path), contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(text, PAGE.name, "exec"), {})
            assert "root mean squared error" in out.getvalue()
    assert "names and types agree" in printed["$ equipoise schema check clinic.csv"]
    assert "Good" in next(said for line, said in printed.items() if line.startswith("$ equipoise plan"))
    assert len((tmp_path / "predictions.csv").read_text(encoding="utf-8").splitlines()) == 501
    card = json.loads((tmp_path / "model" / "card.json").read_text(encoding="utf-8"))
    assert (card["epsilon"], card["delta"]) == (1.0, 1e-7)
