"""What goes to workers and comes back passes one file, and no task that is sent there can raise."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tests.architecture.trees import SOURCE, files, nodes, source, tree_of

WORKERS = sorted((SOURCE / "inside" / "cluster").rglob("*.py"))
HANDS = SOURCE / "inside" / "cluster" / "hands.py"
CREW = SOURCE / "inside" / "cluster" / "crew.py"
THREADS = SOURCE / "inside" / "threads.py"
SPREAD = SOURCE / "inside" / "cluster" / "spread.py"
ENGINE = SOURCE / "estimators" / "cluster" / "engine.py"

ASKS = {"submit", "gather", "persist", "run_on_scheduler", "as_completed"}
"""What a client is asked to do with records, or with what comes of them."""

READS = {"result", "exception", "traceback"}
"""Of a future: the last two are a worker's words."""

HARMLESS = {"carried"}
"""Gives back what it is given, which is no record."""


def called(path: Path, names: set[str]) -> list[ast.Call]:
    """Calls of a method of one of these names."""
    calls = [node for node in nodes(source(path)) if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in names]


def test_one_file_asks_workers_and_reads_what_they_send() -> None:
    asking = {path for path in files() if called(path, ASKS)}
    assert asking == {HANDS, THREADS}
    assert "ThreadPoolExecutor" in source(THREADS)  # of this very process, where exceptions may go on
    naming = {path for path in files() if "distributed" in imported(path)}
    assert naming == {HANDS, CREW, ENGINE}


def imported(path: Path) -> set[str]:
    parts = nodes(source(path))
    found = {alias.name for node in parts if isinstance(node, ast.Import) for alias in node.names}
    found |= {node.module or "" for node in parts if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in found}


def test_what_a_worker_raised_is_never_read() -> None:
    for path in (SOURCE / "inside" / "cluster").rglob("*.py"):
        assert not called(path, READS), path


def quiet_tasks() -> set[str]:
    functions = [node for path in WORKERS for node in tree_of(source(path)).body if isinstance(node, ast.FunctionDef)]
    return {one.name for one in functions if "quiet" in {ast.unparse(mark) for mark in one.decorator_list}}


def test_every_task_that_is_sent_to_workers_keeps_its_exceptions() -> None:
    sent = {ast.unparse(call.args[0]) for path in WORKERS for call in called(path, {"_submitted", "_begun"})}
    assert sent >= {"told", "entered", "added", "about", "seen", "chosen", "named", "counted", "picked"}
    assert sent <= quiet_tasks() | HARMLESS


def test_what_runs_on_workers_knows_neither_noise_nor_ledger() -> None:
    for path in (SOURCE / "inside" / "cluster").rglob("*.py"):
        text = source(path)
        assert "equipoise.gate" not in text
        assert "equipoise.ledger" not in text


@pytest.mark.parametrize("field", ["crew", "parts"])
def test_handles_of_parts_are_held_by_records_alone(field: str) -> None:
    """Which are within `Private`; whoever lets them in hands them over at once."""
    made = [call for path in files() for call in nodes(source(path)) if is_spread(call)]
    assert len(made) == 1
    (one,) = made
    assert isinstance(one, ast.Call)
    assert field in {keyword.arg for keyword in one.keywords}
    assert f"return Private({ast.unparse(one)})" in ast.unparse(tree_of(source(SPREAD)))


def is_spread(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "Spread"
