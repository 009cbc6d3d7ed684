"""A pytest plugin: puts one defect into the library before any test is collected and writes down which tests failed.

    python -m pytest -p tests.sabotage.plugin --defect NAME --report FILE TESTS

Without a name it only reports: that is the control.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.sabotage.catalogue import find
from tests.sabotage.defect import PACKAGE, Defect, InvalidDefect, Rewrite, is_broken

CRASHES = (NameError, TypeError, AttributeError, ImportError, SyntaxError, ArithmeticError, LookupError)
"""A test that stops on one of these noticed a clumsy injection, not a broken promise."""

_report: dict[str, Any] = {"invalid": "", "ran": 0, "failed": [], "crashed": []}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("sabotage")
    group.addoption("--defect", default="", help="the defect to put into the library")
    group.addoption("--report", default="", help="where to write what failed, as JSON")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before any conftest, which might import the library."""
    name = early_config.known_args_namespace.defect
    if not name:
        return
    try:
        _put_in(find(name))
    except Exception as problem:  # noqa: BLE001 - whatever it is, this defect proves nothing
        _report["invalid"] = f"{type(problem).__name__}: {problem}"
        _write(early_config)
        pytest.exit(f"invalid defect: {problem}", returncode=3)


def _put_in(defect: Defect) -> None:
    defect.inject()
    importlib.import_module(PACKAGE)
    if not isinstance(defect.inject, Rewrite):
        return
    for edit in defect.inject.edits:
        importlib.import_module(f"{PACKAGE}.{edit.module}")
        if not is_broken(edit.module):
            raise InvalidDefect(f"{edit.module}: the module in use is not the broken one")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note how a test failed, in a way that travels from a worker to the process that reports."""
    report = yield
    if report.failed and call.excinfo is not None:
        crashed = report.when != "call" or _crashed(call.excinfo.type)
        report.user_properties.append(("crashed" if crashed else "failed", call.excinfo.typename))
    return report


def _crashed(kind: type[BaseException]) -> bool:
    """A bare ValueError is arithmetic or unpacking gone wrong; the library's own errors are subclasses of it."""
    return issubclass(kind, CRASHES) or kind is ValueError


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call":
        _report["ran"] += 1
    for how, kind in report.user_properties if report.failed else ():
        if how in ("failed", "crashed"):
            _report[how].append([report.nodeid, kind])


def pytest_sessionfinish(session: pytest.Session) -> None:
    _write(session.config)


def _write(config: pytest.Config) -> None:
    path = config.known_args_namespace.report
    if path and not os.environ.get("PYTEST_XDIST_WORKER"):
        Path(path).write_text(json.dumps(_report), encoding="utf-8")
