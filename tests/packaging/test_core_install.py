"""What `pip install equipoise` brings is enough for the README and the demo; nothing is imported before its time."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, packages_distributions, requires
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

BLOCKED = """
import sys
allowed = set({allowed!r})
class Empty:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in {others!r} and top not in allowed:
            raise ModuleNotFoundError(f"No module named {{top!r}}", name=top)
sys.meta_path.insert(0, Empty())
"""


def core_packages() -> set[str]:
    """Names of distributions that a core install brings: what the project asks for, and what that asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    todo, found = [plain(line) for line in project["dependencies"]], set[str]()
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        todo += [plain(line) for line in requires(name) or () if "extra ==" not in line and installed(plain(line))]
    return found


def installed(name: str) -> bool:
    """Not on every system: colorama is for Windows alone."""
    return bool(list(Distribution.discover(name=name)))


def plain(requirement: str) -> str:
    name = re.match(r"[A-Za-z0-9_.-]+", requirement)
    assert name is not None
    return name[0].lower().replace("_", "-")


@cache
def core_room() -> str:
    """A program's opening that hides every installed module a core install does not bring."""
    core = core_packages()
    owners = packages_distributions()
    allowed = {top for top, names in owners.items() if {plain(name) for name in names} & core} | {"equipoise"}
    return BLOCKED.format(allowed=sorted(allowed), others=sorted(set(owners) - allowed))


ONE_BY_ONE = """
import contextlib, io, json, os, traceback
told = []
for program, folder, arguments in json.loads(sys.stdin.read()):
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    sys.argv = ["program", *arguments]
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            exec(compile(program, "program", "exec"), {"__name__": "__main__"})
        except SystemExit as ending:
            code = ending.code or 0
        except BaseException:
            code = 1
            traceback.print_exc()
    told.append((code, err.getvalue()))
print(json.dumps(told))
"""
COMMAND = "from equipoise.cli.main import run; run()"
DEMO = ("demo", "--patients", "200", "--epsilons", "1", "--repetitions", "2")
AUDIT = ("audit", "LogisticRegression", "--epsilon", "1", "--quick", "--samples", "400")
STUDY = ("reproduce", "warfarin", "--quick", "--simulated")
EXTRAS = ("matplotlib", "pandas", "pyarrow", "opendp", "cvxpy", "pytest")


@dataclass(frozen=True)
class Ran:
    """What became of one program, and the folder it was run in."""

    code: int
    stderr: str
    folder: Path


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    """Every program of a core install, one after another in one process: what it brings does not change meanwhile."""
    folder = tmp_path_factory.mktemp("core")
    programs: dict[str, tuple[str, tuple[str, ...]]] = {name: (f"import {name}", ()) for name in EXTRAS}
    programs |= {f"README {place}": (block, ()) for place, block in enumerate(readme())}
    programs |= {options[0]: (COMMAND, options) for options in (DEMO, AUDIT, STUDY)}
    asked = [(program, str(folder / name), options) for name, (program, options) in programs.items()]
    done = run(core_room() + ONE_BY_ONE, folder, answer=json.dumps(asked))
    assert done.returncode == 0, done.stderr
    return {
        name: Ran(code, stderr, folder / name)
        for name, (code, stderr) in zip(programs, json.loads(done.stdout), strict=True)
    }


def readme() -> list[str]:
    """Its examples."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.S)
    assert blocks
    return blocks


def run(program: str, folder: Path, answer: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, cwd=folder, input=answer, capture_output=True, text=True, check=False, env=environment
    )


def test_the_room_is_empty_of_extras(ran: dict[str, Ran]) -> None:
    for name in EXTRAS:
        assert "ModuleNotFoundError" in ran[name].stderr, name


def test_the_readme_runs_on_a_core_install(ran: dict[str, Ran]) -> None:
    for place in range(len(readme())):
        assert ran[f"README {place}"].code == 0, ran[f"README {place}"].stderr


def test_the_demo_runs_on_a_core_install(ran: dict[str, Ran]) -> None:
    assert ran["demo"].code == 0, ran["demo"].stderr
    assert (ran["demo"].folder / "out" / "report.html").is_file()


OTHER_ESTIMATORS = (
    *("sklearn.linear_model", "sklearn.feature_selection", "sklearn.neighbors", "sklearn.model_selection"),
    *("dp_accounting", "sqlalchemy", "yaml", "equipoise.audit", "equipoise.estimators.additive"),
    *("equipoise.estimators.density", "equipoise.estimators.select", "equipoise.estimators.table"),
)
"""What one estimator does not need, and a start would wait for."""


def test_an_audit_runs_on_a_core_install_and_a_study_says_what_it_needs(ran: dict[str, Ran]) -> None:
    assert ran["audit"].code == 0, ran["audit"].stderr
    assert (ran["audit"].folder / "out" / "audit" / "audit.html").is_file()
    study = ran["reproduce"]
    assert study.code == 2
    assert study.stderr.count("\n") == 1
    assert "pip install" in study.stderr


@pytest.mark.parametrize(
    ("program", "late"),
    [
        ("import equipoise", ("numpy", "scipy", "sklearn", "sqlalchemy", "typer", "rich", "yaml", "matplotlib")),
        ("import equipoise.cli.main", ("numpy", "scipy", "sklearn", "sqlalchemy", "yaml", "matplotlib", "pandas")),
        ("import equipoise; equipoise.Ledger(1.0)", ("sklearn", "sqlalchemy", "typer", "matplotlib")),
        ("from equipoise import LogisticRegression", OTHER_ESTIMATORS),
    ],
)
def test_nothing_is_imported_before_it_is_used(program: str, late: tuple[str, ...], tmp_path: Path) -> None:
    found = run(f"{program}\nimport sys; print([name for name in {late!r} if name in sys.modules])", tmp_path)
    assert found.stdout.strip() == "[]", found.stderr


def test_every_public_name_is_found_late_and_listed() -> None:
    import equipoise

    for name in (*equipoise.__all__, "tuning", "answering", "audit", "calibration"):
        assert getattr(equipoise, name) is not None
        assert name in dir(equipoise)
    with pytest.raises(AttributeError, match="no attribute 'Nobody'"):
        _ = equipoise.Nobody


def test_each_promised_python_is_tried_by_test_all() -> None:
    script = (ROOT / "scripts" / "test-all").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.11"
    assert "for version in 3.11 3.12 3.13" in script
