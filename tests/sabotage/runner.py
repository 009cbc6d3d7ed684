"""Puts in one defect after another, each into a process of its own, and counts how many the tests notice.

    python -m tests.sabotage.runner [NAME ...] [--area AREA] [--write FILE] [--list]

First the control: every test that is relied upon must pass without a defect.  Then each defect's tests run until the
first fails.  A defect counts as caught if a test's own check failed, and that test passed in the control; a run that
crashed, changed nothing or could not be started counts as missed and is named.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.sabotage.catalogue import DEFECTS
from tests.sabotage.defect import Defect
from tests.sabotage.page import kept, score_page

ROOT = Path(__file__).parents[2]
AT_ONCE = 2
LONGEST = 300
"""Seconds for one defect."""

LONGEST_CONTROL = 1800


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one defect."""

    defect: Defect
    caught_by: str
    """The test that failed, or nothing."""
    problem: str
    """Why it was not caught."""
    seconds: float

    @property
    def caught(self) -> bool:
        return bool(self.caught_by)


def run_tests(tests: Iterable[str], defect: str = "", workers: int = 0, longest: float = LONGEST) -> dict[str, Any]:
    """One pytest process; its report, or a report that says why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.sabotage.plugin"]
        command += ["--defect", defect, "-x"] if defect else []
        command += ["-n", str(workers)] if workers else []
        command += ["--report", str(report), *(f"tests/{test}" for test in tests)]
        # What an earlier run found must not help this one, nor stay behind for the ordinary suite.
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment = {**inherited, **threads, "HYPOTHESIS_STORAGE_DIRECTORY": folder}
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=longest, check=False
            )
        except subprocess.TimeoutExpired:
            return {"invalid": f"not finished after {longest:g} seconds", "ran": 0, "failed": [], "crashed": []}
        if report.is_file():
            found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
            return {**found, "said": _last_line(done.stdout + done.stderr)}
        return {"invalid": _last_line(done.stdout + done.stderr), "ran": 0, "failed": [], "crashed": []}


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no report"


def control(tests: Iterable[str]) -> frozenset[str]:
    """Those tests that fail with nothing broken; they prove nothing."""
    report = run_tests(sorted(set(tests)), workers=AT_ONCE, longest=LONGEST_CONTROL)
    if report["invalid"] or not report["ran"]:
        raise SystemExit(f"control: the tests could not be run: {report['invalid'] or report['said']}")
    return frozenset(test for test, _ in (*report["failed"], *report["crashed"]))


def attempt(defect: Defect, failing: frozenset[str] = frozenset()) -> Outcome:
    """Put the defect in and run its tests."""
    started = time.monotonic()
    report = run_tests(defect.tests, defect.name)
    test, problem = judged(report, failing)
    return Outcome(defect, test, problem, time.monotonic() - started)


def judged(report: dict[str, Any], failing: frozenset[str]) -> tuple[str, str]:
    """The test that caught it and nothing, or nothing and why not."""
    honest = [test for test, _ in report["failed"] if test not in failing]
    if report["invalid"]:
        return "", f"invalid: {report['invalid']}"
    if honest:
        return honest[0], ""
    if report["crashed"]:
        test, kind = report["crashed"][0]
        return "", f"invalid: {test} crashed with {kind} instead of failing"
    if report["failed"]:
        return "", f"invalid: {report['failed'][0][0]} fails without the defect too"
    if not report["ran"]:
        return "", "invalid: no test was run"
    return "", "missed: every test passed"


def attempt_all(defects: Sequence[Defect], failing: frozenset[str] = frozenset()) -> list[Outcome]:
    """Two at a time, told as they come in."""

    def one(defect: Defect) -> Outcome:
        outcome = attempt(defect, failing)
        print(told(outcome), flush=True)
        return outcome

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(one, defects))


def told(outcome: Outcome) -> str:
    """One row of the table."""
    end = outcome.caught_by.removeprefix("tests/") or outcome.problem
    verdict = "caught" if outcome.caught else "MISSED"
    return f"{verdict}  {outcome.seconds:5.1f} s  {outcome.defect.area:<12} {outcome.defect.name:<44} {end}"


def summary(outcomes: Sequence[Outcome]) -> list[str]:
    """The missed ones by name, and the score on the last line."""
    missed = [f"missed: {each.defect.name} ({each.problem})" for each in outcomes if not each.caught]
    return [*missed, f"caught {len(outcomes) - len(missed)}/{len(outcomes)}"]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="sabotage", description="How many defects do the tests notice?")
    parser.add_argument("names", nargs="*", help="only these defects")
    parser.add_argument("--area", help="only the defects of this area")
    parser.add_argument("--no-control", action="store_true", help="do not run the tests without defects first")
    parser.add_argument("--write", help="keep the score in this file")
    asked = parser.parse_args(arguments)
    chosen = [
        defect
        for defect in DEFECTS
        if (not asked.names or defect.name in asked.names) and asked.area in (None, defect.area)
    ]
    if not chosen:
        parser.error("no such defect")
    failing = frozenset() if asked.no_control else control(test for defect in chosen for test in defect.tests)
    for test in sorted(failing):
        print(f"control: {test} fails with nothing broken")
    outcomes = attempt_all(chosen, failing)
    if asked.write:
        page = Path(asked.write)
        known = kept(page.read_text(encoding="utf-8")) if page.exists() else {}
        known |= {each.defect.name: each.caught_by for each in outcomes}
        page.write_text(score_page([(defect, known.get(defect.name)) for defect in DEFECTS]), encoding="utf-8")
    print("\n".join(summary(outcomes)))
    return 0 if all(outcome.caught for outcome in outcomes) else 1


if __name__ == "__main__":
    raise SystemExit(main())
