"""The tuning study's claims and intervals, on made-up numbers."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.studies.common.claims import FAILS, HOLDS, UNKNOWN
from equipoise.studies.tuning.claims import beats, bins_follow, check_claims, random_wins
from equipoise.studies.tuning.runs import QUICK, Outcome, Point, Task
from equipoise.studies.tuning.summary import Summary, as_csv, interval, summarise


def _made(values: dict[str, list[float]], measure: str, table: str = "Adult") -> Summary:
    held = {
        (table, key, 1.0): {measure: {(0, fold): number for fold, number in enumerate(numbers)}}
        for key, numbers in values.items()
    }
    return Summary(held)


WOBBLE = [0.001, -0.001, 0.002, -0.002, 0.0, 0.001, -0.001, 0.0]


def test_a_claim_holds_only_if_every_difference_is_beyond_its_interval() -> None:
    better, same = [0.8 + wobble for wobble in WOBBLE], [0.7] * 8
    assert beats(_made({"stability": better, "budget": same}, "auc"), "Adult", "auc", ("budget",), "").verdict == HOLDS
    assert beats(_made({"stability": same, "budget": better}, "auc"), "Adult", "auc", ("budget",), "").verdict == FAILS
    level = [0.7 + wobble for wobble in WOBBLE]
    assert beats(_made({"stability": level, "budget": same}, "auc"), "Adult", "auc", ("budget",), "").verdict == FAILS
    assert beats(_made({"stability": same, "budget": better}, "mse"), "Adult", "mse", ("budget",), "").verdict == HOLDS
    assert beats(_made({"stability": better}, "auc"), "Adult", "auc", ("budget",), "").verdict == UNKNOWN


def test_where_random_wins_is_named() -> None:
    made = _made({"random": [0.1 + wobble for wobble in WOBBLE], "data": [0.2] * 8, "stability": [0.05] * 8}, "mse")
    found = random_wins(made, "Adult", "mse")
    assert found.verdict == HOLDS
    assert found.measured == "ε = 1: better than dataSplit"
    assert random_wins(_made({"random": [0.9] * 8, "data": [0.2] * 8}, "mse"), "Adult", "mse").measured == "nowhere"


def test_chosen_bins_are_judged_against_the_best_fixed_number() -> None:
    good = _made({"auto": [0.15, 0.17], "4": [0.5, 0.5], "8": [0.1, 0.1]}, "ise", "Adult age")
    assert bins_follow(good).verdict == HOLDS
    assert "1.60" in bins_follow(good).measured
    bad = _made({"auto": [0.3, 0.3], "8": [0.1, 0.1]}, "ise", "Adult age")
    assert bins_follow(bad).verdict == FAILS
    assert "Adult age at ε = 1 (3.0×)" in bins_follow(bad).measured


def test_nothing_measured_is_not_a_verdict() -> None:
    assert {claim.verdict for claim in check_claims(Summary({}))} == {UNKNOWN}


def test_differences_are_taken_fold_by_fold() -> None:
    """Folds that differ much hide a small steady difference only if they are not paired."""
    rough = [0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6]
    made = _made({"stability": [value + 0.01 for value in rough], "auto": rough}, "auc")
    gain = made.gain("Adult", "stability", "auto", 1.0, "auc")
    assert gain is not None
    assert gain.low == pytest.approx(0.01)
    assert gain.high == pytest.approx(0.01)


def test_the_interval_holds_its_mean_about_as_often_as_it_says() -> None:
    """Fixed seeds: of 400 intervals from 60 numbers, 95 per cent should hold the truth; 5 standard errors allowed."""
    rng = np.random.default_rng(0)
    cells = [interval(rng.normal(size=60)) for _ in range(400)]
    assert np.mean([cell.low <= 0 <= cell.high for cell in cells]) == pytest.approx(0.95, abs=0.055)


def test_a_single_fold_has_no_interval_and_refused_points_do_not_count() -> None:
    points = (Point(Task("Adult", "auto", 1.0, 0, 0), {"auc": 0.7}), Point(Task("Adult", "data", 1.0, 0, 0), {}, "no"))
    summary = summarise(Outcome(QUICK, "rows", False, points, {}, 2))
    cell = summary.get("Adult", "auto", 1.0, "auc")
    assert cell is not None
    assert (cell.low, cell.high) == (float("-inf"), float("inf"))
    assert summary.get("Adult", "data", 1.0, "auc") is None
    assert len(as_csv(summary).splitlines()) == 2
