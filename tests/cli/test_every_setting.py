"""Whatever word is given for a setting of whichever estimator: one line, or a plan, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.clinic import SCHEMA, write
from tests.cli.running import here

import equipoise as eq
from equipoise.cli.exit_codes import Code
from equipoise.estimators.linear.base import PrivateLinear

WORDS = ("abc", "1,2")
NUMBER = SCHEMA.replace('classes: ["no", "yes"]', "bounds: [0, 1]")
KNOWN = [
    name for name in eq.__all__ if isinstance(getattr(eq, name), type) and issubclass(getattr(eq, name), PrivateLinear)
]


@pytest.mark.parametrize(("name", "secret"), [*((name, False) for name in KNOWN), ("LogisticRegression", True)])
def test_a_setting_is_taken_or_refused_in_one_line(name: str, secret: bool, tmp_path: Path) -> None:
    write(tmp_path, 40)
    if "Classifier" not in name and name not in ("LogisticRegression", "LinearSVC"):
        (tmp_path / "schema.yaml").write_text(NUMBER, encoding="utf-8")
    begins = ("--set", "adjacency=add-remove", "--set", "public_n=40") if secret else ()
    for setting in getattr(eq, name)().get_params():
        for word in WORDS:
            arguments = ("plan", "clinic.csv", "--epsilon", "1", "--estimator", name, *begins)
            ran = here(*arguments, "--set", f"{setting}={word}", folder=tmp_path)
            assert ran.returncode in (Code.DONE, Code.BAD_INPUT), (setting, word)
            assert ran.returncode == Code.DONE or len(ran.stderr.splitlines()) == 1, (setting, word, ran.stderr)


def test_a_wrong_neighbourhood_is_called_by_its_name(tmp_path: Path) -> None:
    write(tmp_path, 40)
    ran = here(
        *("plan", "clinic.csv", "--epsilon", "1", "--estimator", "LogisticRegression", "--set", "adjacency=near"),
        folder=tmp_path,
    )
    assert ran.returncode == Code.BAD_INPUT
    assert "adjacency='near'" in ran.stderr
