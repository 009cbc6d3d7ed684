"""The sabotage runner itself: it catches what is caught, and calls a miss, a crash and an empty injection by name.

`make sabotage` tries every defect; here two of the quickest run, so that the runner is kept honest.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.sabotage import runner
from tests.sabotage.catalogue import DEFECTS, find
from tests.sabotage.compiled import Recompiled
from tests.sabotage.defect import Edit, InvalidDefect, Rewrite, edited, module_path, replaced

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "sabotage.md"

QUICK = ("private-has-a-repr", "pure-steps-forgotten")


def test_quick_defects_are_caught_by_the_tests_named_for_them() -> None:
    outcomes = runner.attempt_all([find(name) for name in QUICK])
    assert runner.summary(outcomes) == [f"caught {len(QUICK)}/{len(QUICK)}"]


def test_a_test_that_does_not_look_misses_and_is_named() -> None:
    blind = replace(
        find("private-has-a-repr"), tests=("inside/test_private.py::test_map_stays_private_and_reveal_opens",)
    )
    outcome = runner.attempt(blind)
    assert not outcome.caught
    assert runner.summary([outcome]) == ["missed: private-has-a-repr (missed: every test passed)", "caught 0/1"]


@pytest.mark.parametrize(
    ("report", "verdict"),
    [
        ({"invalid": "", "ran": 3, "failed": [["tests/a.py::b", "AssertionError"]], "crashed": []}, "caught"),
        ({"invalid": "", "ran": 3, "failed": [], "crashed": [["tests/a.py::b", "NameError"]]}, "crashed"),
        ({"invalid": "", "ran": 3, "failed": [["tests/a.py::shaky", "AssertionError"]], "crashed": []}, "without"),
        ({"invalid": "", "ran": 3, "failed": [], "crashed": []}, "every test passed"),
        ({"invalid": "", "ran": 0, "failed": [], "crashed": []}, "no test"),
        ({"invalid": "not there", "ran": 0, "failed": [], "crashed": []}, "not there"),
    ],
)
def test_only_a_failed_check_that_passes_in_the_control_counts(report: dict[str, object], verdict: str) -> None:
    test, problem = runner.judged(report, frozenset({"tests/a.py::shaky"}))
    assert (test, problem) == ("tests/a.py::b", "") if verdict == "caught" else verdict in problem and not test


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("not in the file", "anything", "0 times"),
        ("x", "y", "2 times"),
        ("# a comment", "# another", "nothing is changed"),
        ("= 2", "= (", "cannot be parsed"),
    ],
)
def test_an_injection_that_changes_nothing_is_invalid(old: str, new: str, why: str) -> None:
    with pytest.raises(InvalidDefect, match=why):
        replaced("x = 1  # a comment\nz = 2\nx\n", Edit("made.up", old, new))


def test_a_defect_put_in_too_late_is_invalid() -> None:
    import equipoise  # noqa: F401 - that it is there is the point

    with pytest.raises(InvalidDefect, match="imported before"):
        edited("gate.answers.vote", ("a", "b"))()


def test_every_defect_still_fits_the_source_and_names_tests_that_exist() -> None:
    for defect in DEFECTS:
        if isinstance(defect.inject, Recompiled):
            assert defect.inject.broken()
        else:
            assert isinstance(defect.inject, Rewrite)
            texts = {edit.module: module_path(edit.module).read_text(encoding="utf-8") for edit in defect.inject.edits}
            for edit in defect.inject.edits:
                texts[edit.module] = replaced(texts[edit.module], edit)
        for test in defect.tests:
            file, _, name = test.partition("::")
            text = (ROOT / "tests" / file).read_text(encoding="utf-8")
            function = name.rpartition("::")[2].partition("[")[0]
            assert not name or f"def {function}(" in text, f"{defect.name}: {test}"


def test_names_are_told_apart_and_every_defect_says_what_it_breaks_and_costs() -> None:
    assert len({defect.name for defect in DEFECTS}) == len(DEFECTS) >= 60
    for defect in DEFECTS:
        assert defect.broken.endswith("."), defect.name
        assert defect.harm.endswith("."), defect.name


def test_the_kept_score_is_of_these_defects() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z0-9-]+) \|", page, flags=re.M)
    assert [row for row in rows if row != "defect"] == [defect.name for defect in DEFECTS]
    score = re.search(r"\*\*Caught (\d+)/(\d+)\.\*\*", page)
    assert score is not None
    assert int(score[2]) + page.count("| not tried yet |") == len(DEFECTS)
    assert int(score[1]) >= 0.95 * int(score[2]) > 0
