"""The warfarin study: small runs on simulated patients, its cleaning on made-up rows, its claims on made-up numbers."""

from __future__ import annotations

import csv
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from equipoise.cli import screen
from equipoise.cli.main import app
from equipoise.cohort import FEATURES
from equipoise.errors import InvalidInput
from equipoise.studies.common.claims import FAILS, HOLDS, UNKNOWN
from equipoise.studies.warfarin import claims as warfarin_claims
from equipoise.studies.warfarin import data as warfarin_data
from equipoise.studies.warfarin import runs as warfarin
from equipoise.studies.warfarin.claims import check_claims
from equipoise.studies.warfarin.methods import BY_KEY, METHODS, Method, fit, regression
from equipoise.studies.warfarin.runs import Outcome, Point, Settings, Task
from equipoise.studies.warfarin.summary import Cell, Summary, as_csv, summarise

KEYS = ("tuned", "free", "free-printed", "objective", "mean", "open")
TINY = Settings((0.2, 2.0), 2, (0.5, 1.0), (2.0,), KEYS)


def silent(done: int, total: int) -> None:
    """No progress bar."""


def no_such_mechanism(epsilon: float, n: int, d: int, seed: int) -> object:
    return regression("no-such", epsilon, seed)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The command on a tiny study, with one method that this library does not have."""
    out = tmp_path_factory.mktemp("study") / "deep" / "out"
    missing = Method("functional", "functional mechanism", no_such_mechanism)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warfarin, "QUICK", replace(TINY, methods=("functional", *KEYS)))
        patch.setitem(BY_KEY, "functional", missing)
        patch.setattr(warfarin_data, "SIMULATED_PATIENTS", 400)
        patch.setattr(screen, "cores", lambda: 1)
        options = ["--quick", "--simulated", "--out", str(out)]
        result = CliRunner().invoke(
            app, ["reproduce", "warfarin", *options], env={"COLUMNS": "160"}, catch_exceptions=False
        )
    assert result.exit_code == 0, result.output
    return out, " ".join(result.output.split())


def test_without_data_it_says_how_to_get_it_and_simulates(ran: tuple[Path, str]) -> None:
    assert "using simulated patients" in ran[1]
    assert "PharmGKB" in ran[1]
    assert "Simulated patients." in (ran[0] / "report.html").read_text(encoding="utf-8")


def test_the_command_writes_report_csv_pictures_and_points(ran: tuple[Path, str]) -> None:
    pictures = {f"{name}.png" for name in ("accuracy", "against_oracle", "risk", "inversion", "training_size")}
    assert {path.name for path in ran[0].iterdir()} == pictures | {"report.html", "points.csv", "points.jsonl"}


def test_the_report_is_self_contained_and_holds_every_claim(ran: tuple[Path, str]) -> None:
    report = (ran[0] / "report.html").read_text(encoding="utf-8")
    assert report.count("data:image/png;base64,") == 5
    assert not re.search(r"(src|href)=['\"]?https?:", report)
    assert "<script" not in report
    assert len(re.findall(r"<td class='(holds|fails|unknown)'>", report)) == len(check_claims(Summary({}, {})))
    for words in ("Predicting the mean dose", "constant column of the intercept", "A seeded model is not private"):
        assert words in report, words


def test_a_method_the_library_lacks_is_a_visible_row(ran: tuple[Path, str]) -> None:
    assert "Not available: functional" in ran[1]
    report = (ran[0] / "report.html").read_text(encoding="utf-8")
    assert "<th scope='row'>functional mechanism</th><td>not available</td>" in report


def test_the_csv_has_mean_error_and_runs_of_every_point(ran: tuple[Path, str]) -> None:
    with (ran[0] / "points.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    found = {(line["method"], line["epsilon"], line["training_rows"], line["measure"]): line for line in lines}
    line = found["tuned", "2", "320", "mse"]
    assert float(line["mean"]) > 0
    assert float(line["standard_error"]) > 0
    assert line["runs"] == "2"
    assert ("tuned", "2", "160", "inversion") in found
    assert ("open", "", "320", "mse") in found


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, warfarin_data.Patients, Settings, Outcome]:
    out, patients = tmp_path_factory.mktemp("small"), warfarin_data.simulated(300)
    settings = Settings((1.0,), 2, (1.0,), (1.0,), ("free", "mean", "open"))
    return out, patients, settings, warfarin.run(patients, settings, out, 1, silent)


def test_resuming_computes_nothing_again(
    small: tuple[Path, warfarin_data.Patients, Settings, Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, patients, settings, first = small
    monkeypatch.setattr(warfarin, "measure", None)  # calling it would fail
    again = warfarin.run(patients, settings, out, 1, silent)
    assert again.computed == 0
    assert again.points == first.points


def test_a_longer_study_computes_only_what_is_missing(
    small: tuple[Path, warfarin_data.Patients, Settings, Outcome],
) -> None:
    out, patients, settings, _ = small
    assert warfarin.run(patients, replace(settings, runs=3), out, 1, silent).computed == 3


def test_a_line_cut_off_by_a_crash_is_computed_again(
    small: tuple[Path, warfarin_data.Patients, Settings, Outcome], tmp_path: Path
) -> None:
    out, patients, settings, first = small
    lines = (out / warfarin.CACHE).read_text(encoding="utf-8").splitlines()[: len(first.points)]
    (tmp_path / warfarin.CACHE).write_text("\n".join(lines)[:-20] + "\n", encoding="utf-8")
    again = warfarin.run(patients, settings, tmp_path, 1, silent)
    assert again.computed == 1
    assert again.points == first.points


def test_points_of_other_patients_are_not_taken_over(
    small: tuple[Path, warfarin_data.Patients, Settings, Outcome],
) -> None:
    out, patients, _, _ = small
    others = warfarin_data.simulated(300, seed=1)
    assert warfarin.read_points(out / warfarin.CACHE, warfarin.fingerprint(patients))
    assert not warfarin.read_points(out / warfarin.CACHE, warfarin.fingerprint(others))


def test_two_processes_find_what_one_finds(
    small: tuple[Path, warfarin_data.Patients, Settings, Outcome], tmp_path: Path
) -> None:
    _, patients, settings, first = small
    assert warfarin.run(patients, settings, tmp_path, 2, silent).points == first.points


def test_fewer_rows_than_chunks_are_refused_before_anything_is_fitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warfarin, "measure", None)
    with pytest.raises(InvalidInput, match="tuning needs 25 chunks"):
        warfarin.run(warfarin_data.simulated(40), TINY, tmp_path, 1, silent)
    assert not list(tmp_path.iterdir())


def test_every_task_has_noise_of_its_own_and_methods_share_splits() -> None:
    found = warfarin.tasks(TINY, list(KEYS))
    assert len({task.noise_seed for task in found}) == len(found) == len(set(found))
    assert {task.seed for task in found} == {0, 1}


def test_the_attack_beats_guessing_on_an_accurate_model() -> None:
    patients = warfarin_data.simulated(1500)
    accurate, guess = (
        warfarin.measure(Task(key, 0.0, 1.0, 0), patients).measures["inversion"] for key in ("open", "mean")
    )
    assert accurate > guess + 5


def table(rows: int = 4) -> pd.DataFrame:
    """A made-up table with the consortium's columns."""
    values: dict[str, object] = dict.fromkeys(warfarin_data.NEEDED, 0.0)
    values |= {name: "C/T" for name, _, _ in warfarin_data.NEIGHBOURS}
    values |= {"Age": "60 - 69", "Race": "White", "CYP2C9 consensus": "*1/*5", "Height (cm)": 170.0}
    values |= {"Weight (kg)": 500.0, "Therapeutic Dose of Warfarin": 1e6, "VKORC1 -1639 consensus": None}
    return pd.DataFrame([values] * rows)


def test_cleaning_keeps_complete_cases_and_public_ranges() -> None:
    made = table()
    made.loc[0, "Height (cm)"] = np.nan
    patients = warfarin_data.clean(made)
    row = dict(zip(FEATURES, patients.X[0], strict=True))
    assert len(patients.X) == 3
    assert row["weight (kg)"] == 130.0
    assert row["age (decades)"] == 6.0
    assert row["CYP2C9 unknown"] == 1.0
    assert row["VKORC1 A/G"] == 1.0
    assert np.linalg.norm(warfarin_data.rows(patients.X), axis=1).max() <= warfarin_data.ROW_NORM * (1 + 1e-12)


def test_vkorc1_is_read_from_neighbours_only_where_the_rules_allow() -> None:
    made = table()
    made["VKORC1 1173 consensus"] = None
    made["Race"] = ["White", "Black or African American", "Unknown", "Asian"]
    assert warfarin_data.vkorc1(made).isna().tolist() == [False, True, True, False]
    made["VKORC1 1173 consensus"] = "T/T"
    assert warfarin_data.vkorc1(made).tolist() == ["A/G", "A/A", "A/A", "A/G"]


def test_missing_genotype_columns_are_named() -> None:
    with pytest.raises(InvalidInput, match="lacks the columns VKORC1 -1639 consensus, CYP2C9 consensus"):
        warfarin_data.clean(table().drop(columns=["VKORC1 -1639 consensus", "CYP2C9 consensus"]))


def test_a_file_that_is_no_table_is_one_line(tmp_path: Path) -> None:
    (tmp_path / warfarin_data.FILE).write_bytes(b"not a table")
    with pytest.raises(InvalidInput, match="is no Parquet file") as caught:
        warfarin_data.load(tmp_path)
    assert "not a table" not in str(caught.value)


def test_doses_outside_the_bounds_are_clipped_and_nothing_counts_them() -> None:
    patients = warfarin_data.simulated(200)
    wild = patients.root_dose.copy()
    wild[0] = 1e6
    seen: list[float] = []

    class Spy:
        def fit(self, X: object, y: warfarin.Array) -> Spy:
            seen.append(float(y.max()))
            return self

    fit(Method("spy", "spy", lambda *_: Spy()), 1.0, warfarin_data.rows(patients.X), wild, 0)
    assert seen == [9.0]


def made(mses: dict[tuple[str, float], float], inversions: dict[tuple[str, float], float] | None = None) -> Summary:
    """A summary with small errors."""
    cells: dict[tuple[str, float, float], dict[str, Cell]] = {}
    for (key, epsilon), value in mses.items():
        gain = mses.get(("mean", 0.0), math.nan) - value
        cells[key, epsilon, 1.0] = {"mse": Cell(value, 0.01, 9), "gain over the mean": Cell(gain, 0.01, 9)}
    for (key, epsilon), value in (inversions or {}).items():
        cells[key, epsilon, 1.0]["inversion"] = Cell(value, 0.5, 9)
    return Summary(cells, dict.fromkeys(cells, 100))


def test_far_better_needs_twice_the_error_at_every_small_epsilon() -> None:
    mses = {("free", 0.1): 1.8, ("functional", 0.1): 22.0, ("free", 0.3): 1.7, ("functional", 0.3): 3.5}
    large = {("free", 5.0): 1.2, ("functional", 5.0): 1.2}
    assert warfarin_claims.far_better(made(mses | large), "free", "").verdict == HOLDS
    assert warfarin_claims.far_better(made(mses | {("functional", 0.3): 3.3}), "free", "").verdict == FAILS
    assert warfarin_claims.far_better(made({("free", 0.1): 1.8}), "free", "").verdict == UNKNOWN


def test_close_to_the_oracle_is_judged_at_the_worst_epsilon() -> None:
    mses = {("free", 0.1): 1.85, ("oracle", 0.1): 1.8, ("free", 1.0): 1.5, ("oracle", 1.0): 1.45}
    assert warfarin_claims.close_to_oracle(made(mses), "free", "oracle", "").verdict == HOLDS
    found = warfarin_claims.close_to_oracle(made(mses | {("oracle", 1.0): 1.2}), "free", "oracle", "")
    assert found.verdict == FAILS
    assert "largest gap 0.30 at ε=1; within 0.1 at ε = 0.1" in found.measured


@pytest.mark.parametrize(
    ("mse", "verdict", "share"), [(1.5, HOLDS, "50%"), (1.99, FAILS, "1%"), (3.0, FAILS, "no part")]
)
def test_accurate_means_better_than_the_mean_beyond_chance(mse: float, verdict: str, share: str) -> None:
    summary = made({("free", 0.1): mse, ("mean", 0.0): 2.0, ("open", 0.0): 1.0})
    found = warfarin_claims.accurate(summary, "free", 0.1, "")
    assert found.verdict == verdict
    assert share in found.measured


def test_about_equal_allows_a_tenth() -> None:
    assert warfarin_claims.about_equal(made({("output", 1.0): 1.5, ("objective", 1.0): 1.4})).verdict == HOLDS
    assert warfarin_claims.about_equal(made({("output", 1.0): 1.5, ("objective", 1.0): 1.3})).verdict == FAILS


def test_utility_and_inversion_must_go_together() -> None:
    mses = {("oracle", 0.2): 1.82, ("functional", 0.2): 22.57}
    paper = made(mses, {("oracle", 0.2): 45.0, ("functional", 0.2): 35.0})
    found = warfarin_claims.utility_and_inversion(paper, "oracle", "")
    assert found.verdict == HOLDS
    assert found.measured == "MSE 1.82 against 22.57; right in 45% against 35%"
    other = made(mses, {("oracle", 0.2): 35.0, ("functional", 0.2): 45.0})
    assert warfarin_claims.utility_and_inversion(other, "oracle", "").verdict == FAILS


def test_inversion_follows_accuracy_by_rank() -> None:
    keys = [("free", float(level)) for level in range(1, 6)]
    mses = dict(zip(keys, (5.0, 4.0, 3.0, 2.0, 1.0), strict=True))
    rising = dict(zip(keys, (30.0, 35.0, 40.0, 45.0, 50.0), strict=True))
    assert warfarin_claims.inversion_follows_accuracy(made(mses, rising)).verdict == HOLDS
    falling = dict(zip(keys, (50.0, 45.0, 40.0, 35.0, 30.0), strict=True))
    assert warfarin_claims.inversion_follows_accuracy(made(mses, falling)).verdict == FAILS


@pytest.mark.parametrize(("later", "verdict"), [((1.5, 45.0), HOLDS), ((1.5, 30.0), FAILS), ((2.5, 45.0), FAILS)])
def test_more_data_must_help_both(later: tuple[float, float], verdict: str) -> None:
    def both(mse: float, inversion: float) -> dict[str, Cell]:
        return {"mse": Cell(mse, 0.1, 5), "inversion": Cell(inversion, 1.0, 5)}

    places = {("tuned", 1.0, 0.2): both(2.0, 40.0), ("tuned", 1.0, 1.0): both(*later)}
    found = warfarin_claims.more_data(Summary(places, {("tuned", 1.0, 0.2): 700, ("tuned", 1.0, 1.0): 3500}))
    assert found.verdict == verdict
    assert "700 to 3500 rows" in found.measured


def test_nothing_measured_claims_nothing() -> None:
    assert {claim.verdict for claim in check_claims(Summary({}, {}))} == {UNKNOWN}


def test_refused_points_count_for_nothing_and_one_run_has_no_error() -> None:
    points = (Point(Task("free", 1.0, 1.0, 0), 9, {"mse": 2.0}), Point(Task("free", 1.0, 1.0, 1), 9, {}, "too small"))
    summary = summarise(Outcome(TINY, "", False, points, {}, 2))
    found = summary.get("free", 1.0, "mse")
    assert found is not None
    assert (found.mean, found.runs) == (2.0, 1)
    assert math.isnan(found.error)
    assert as_csv(summary).splitlines()[1].endswith(",mse,2,,1")


def test_methods_have_keys_of_their_own_and_points_survive_json() -> None:
    assert len(BY_KEY) == len(METHODS)
    task = Task("free", 0.1, 0.2, 3)
    assert Task(**json.loads(json.dumps({"method": "free", "epsilon": 0.1, "share": 0.2, "seed": 3}))) == task
