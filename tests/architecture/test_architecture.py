"""The house law, kept by tests: where private values are opened, what is exported, what is proved and documented."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import equipoise
from equipoise.gate import MECHANISMS
from equipoise.theory.mechanisms import about

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "equipoise"
PUBLIC = ["equipoise", "equipoise.answering", "equipoise.audit", "equipoise.calibration", "equipoise.tuning"]


def modules() -> list[str]:
    return [found.name for found in pkgutil.walk_packages([str(SOURCE)], prefix="equipoise.")]


def with_examples() -> list[str]:
    """Modules that show how they are used; at least those a newcomer meets first."""
    paths = {name: SOURCE.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in modules()}
    found = [name for name, path in paths.items() if path.is_file() and ">>>" in path.read_text(encoding="utf-8")]
    assert len(found) >= 10
    return found


def test_the_import_law_holds() -> None:
    script = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([str(script), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_only_the_gate_opens_private_values() -> None:
    opens = [path for path in SOURCE.rglob("*.py") if ".reveal(" in path.read_text(encoding="utf-8")]
    taps = SOURCE / "audit" / "frozen" / "taps.py"  # opens the values of synthetic tables, while a replay lasts
    assert taps in opens
    assert all(path.is_relative_to(SOURCE / "gate") for path in opens if path != taps), opens


def test_only_the_noise_folder_asks_for_random_bits() -> None:
    wild = re.compile(r"np\.random|default_rng|urandom|\bsecrets\b|import random\b")
    allowed = {
        SOURCE / "gate" / "noise" / "bits.py",
        SOURCE / "cohort.py",  # simulates patients
        SOURCE / "cli" / "demo" / "study.py",  # splits them
        SOURCE / "outside" / "files.py",  # names temporary files
    }
    for path in set(SOURCE.rglob("*.py")) - allowed:
        code = re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.S)
        assert not wild.search(code), path


def test_nothing_is_pickled_to_disk() -> None:
    assert not [path for path in SOURCE.rglob("*.py") if "pickle.load" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", PUBLIC)
def test_star_import_gives_exactly_the_public_names(name: str) -> None:
    module = importlib.import_module(name)
    scope: dict[str, object] = {}
    exec(f"from {name} import *", scope)
    assert set(module.__all__) == set(scope) - {"__builtins__"}
    assert len(set(module.__all__)) == len(module.__all__)


def test_every_module_imports() -> None:
    names = modules()
    assert len(names) > 100  # an empty walk would pass
    for name in names:
        assert importlib.import_module(name).__doc__, f"{name}: says nothing of itself"


def test_every_mechanism_has_a_proof_page_and_states_its_guarantee() -> None:
    for name, option in MECHANISMS.items():
        module = importlib.import_module(option.plan.__module__)
        assert getattr(module, "MECHANISM", None) is option, "a mechanism's file ends with its description"
        assert option.about is about(name)
        assert option.about.proof in (module.__doc__ or "")
        text = module.__doc__ or ""
        assert re.search(r"docs/proofs/\w+\.md", text), f"{name}: names no proof page"
        for heading in ("Guarantee.", "Assumes.", "Adjacency.", "Numerics.", "Reference."):
            assert heading in text, f"{name}: {heading}"


def test_proof_pages_named_in_the_source_exist() -> None:
    for path in SOURCE.rglob("*.py"):
        for name in re.findall(r"docs/[\w/.-]+\.md", path.read_text(encoding="utf-8")):
            assert (ROOT / name).is_file(), f"{path.name} names {name}"


def test_constants_are_multiplied_in_one_place() -> None:
    """No other file divides by n·α: that would be a second home for sensitivities."""
    pattern = re.compile(r"(alpha|strong_convexity)\s*\*\s*\w*\.?n\b|\bn\s*\*\s*\w*\.?(alpha|strong_convexity)")
    allowed = {"sensitivity.py"}
    culprits = [
        path.name
        for path in SOURCE.rglob("*.py")
        if path.name not in allowed and re.search(r"/\s*\(" + pattern.pattern, path.read_text(encoding="utf-8"))
    ]
    assert not culprits


def test_files_and_functions_stay_short() -> None:
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= 300, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
                assert node.end_lineno - node.lineno <= 60, f"{path.name}: {node.name}"


@pytest.mark.parametrize("name", with_examples())
def test_docstring_examples_run(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried > 0
    assert failed == 0


def test_readme_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.S)
    assert blocks, "the README has no example"
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


def test_readme_names_the_two_commands_ci_runs() -> None:
    readme, ci = (ROOT / "README.md").read_text(encoding="utf-8"), (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "make demo" in readme
    assert "make test" in readme
    assert "make test" in ci
    assert "make check" in ci


def test_the_version_is_stated_once() -> None:
    assert f'version = "{equipoise.__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
