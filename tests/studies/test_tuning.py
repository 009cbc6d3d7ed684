"""The tuning study: small runs on simulated rows, its encodings on made-up tables."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from equipoise.cli import screen
from equipoise.cli.main import app
from equipoise.errors import InvalidInput
from equipoise.studies.common.claims import CANNOT_TELL, FAILS, HOLDS, UNKNOWN, Claim, as_measured
from equipoise.studies.prediction import data as prediction_data
from equipoise.studies.tuning import data as tuning_data
from equipoise.studies.tuning import histogram as tuning_histogram
from equipoise.studies.tuning import runs as tuning
from equipoise.studies.tuning.methods import ALPHAS, BY_KEY, METHODS, fit
from equipoise.studies.tuning.runs import Outcome, Settings, Task
from equipoise.studies.warfarin import data as warfarin_data

SHAPES = {"Adult": (1200, 5), "Magic": (900, 3)}
TINY = Settings((1.0, 4.0), 1, 2, 2, 1, bins=("auto", "4", "8"))
ONE_PRICE = replace(TINY, epsilons=(4.0,))
"""For the command: every method and table, at one ε; other studies' commands run at several."""


def silent(done: int, total: int) -> None:
    """No progress bar."""


@pytest.fixture(scope="module", autouse=True)
def _small_tables() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning_data, "SIMULATED_SHAPES", SHAPES)
        yield


@pytest.fixture(scope="module")
def tables() -> tuning_data.Tables:
    return tuning_data.Tables({name: tuning_data.simulated(name) for name in SHAPES})


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The command on a tiny study without data."""
    out = tmp_path_factory.mktemp("study") / "deep" / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "QUICK", ONE_PRICE)
        patch.setattr(screen, "cores", lambda: 1)
        options = ["--quick", "--simulated", "--out", str(out)]
        result = CliRunner().invoke(
            app, ["reproduce", "tuning", *options], env={"COLUMNS": "160"}, catch_exceptions=False
        )
    assert result.exit_code == 0, result.output
    return out, " ".join(result.output.split())


def test_without_data_it_says_which_rows_are_simulated_and_how_to_get_real_ones(ran: tuple[Path, str]) -> None:
    assert "1,200 simulated rows of Adult and 900 simulated rows of Magic" in ran[1]
    assert "UCI repository" in ran[1]
    assert "Simulated rows." in (ran[0] / "report.html").read_text(encoding="utf-8")


def test_the_command_writes_report_csv_pictures_and_points(ran: tuple[Path, str]) -> None:
    pictures = {f"{name}.png" for name in ("auc", "mse", "chosen", "histograms")}
    assert {path.name for path in ran[0].iterdir()} == pictures | {"report.html", "points.csv", "points.jsonl"}


def test_the_report_is_self_contained_and_holds_every_claim(ran: tuple[Path, str]) -> None:
    report = (ran[0] / "report.html").read_text(encoding="utf-8")
    assert report.count("data:image/png;base64,") == 4
    assert not re.search(r"(src|href)=['\"]?https?:", report)
    assert "<script" not in report
    assert len(re.findall(r"<td class='(holds|fails|unknown)'>", report)) == 2 * 7 + 1
    for words in ("own list was not at hand", "A seeded model is not private", "somewhat too narrow"):
        assert words in report, words
    for method in METHODS:
        assert method.label in report


def test_the_csv_has_mean_interval_and_folds_of_every_point(ran: tuple[Path, str]) -> None:
    with (ran[0] / "points.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    found = {(line["table"], line["method"], line["epsilon"], line["measure"]): line for line in lines}
    for key in ("stability", "budget", "data", "random", "stop", "control", "auto", "auto-delta"):
        line = found["Adult", key, "4", "auc"]
        assert 0 <= float(line["low"]) <= float(line["mean"]) <= float(line["high"]) <= 1
        assert line["folds"] == "2"
    assert ("Magic", "open", "", "mse") in found
    assert found["Adult", "auto-delta", "4", "auc"]["delta"] == "1e-06"
    assert found["Magic fAlpha", "auto", "4", "ise"]["folds"] == "2"


def test_a_method_that_knows_no_epsilon_is_run_once_a_fold(tables: tuning_data.Tables) -> None:
    found = tuning.tasks(TINY, tables)
    assert len(found) == len(set(found))
    assert sum(task.method == "open" for task in found) == 2 * TINY.folds
    assert sum(task.method == "stability" for task in found) == 2 * TINY.folds * len(TINY.epsilons)


def test_methods_with_delta_run_on_the_first_partitions_only(tables: tuning_data.Tables) -> None:
    found = tuning.tasks(replace(TINY, repeats=3, delta_repeats=2), tables)
    assert {task.repeat for task in found if task.method == "auto-delta"} == {0, 1}


def test_the_full_study_is_the_one_that_was_asked_for(tables: tuning_data.Tables) -> None:
    full = tuning.FULL
    assert full.epsilons == (0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0)
    assert (full.repeats, full.folds, len(ALPHAS)) == (10, 10, 10)
    searches = [
        task for task in tuning.tasks(full, tables) if task.method in ("stability", "budget", "data", "control")
    ]
    assert len(searches) * len(ALPHAS) > 24_000


@pytest.fixture(scope="module")
def small(
    tmp_path_factory: pytest.TempPathFactory, tables: tuning_data.Tables
) -> tuple[Path, tuning_data.Tables, Settings, Outcome]:
    out = tmp_path_factory.mktemp("small")
    settings = Settings((1.0,), 1, 2, 1, 0, ("random", "auto", "guess"), ("4",))
    return out, tables, settings, tuning.run(tables, settings, out, 1, silent)


def test_resuming_computes_nothing_again(
    small: tuple[Path, tuning_data.Tables, Settings, Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, tables, settings, first = small
    monkeypatch.setattr(tuning, "measure", None)  # calling it would fail
    again = tuning.run(tables, settings, out, 1, silent)
    assert again.computed == 0
    assert again.points == first.points


def test_a_line_cut_off_by_a_crash_is_computed_again(
    small: tuple[Path, tuning_data.Tables, Settings, Outcome], tmp_path: Path
) -> None:
    out, tables, settings, first = small
    lines = (out / tuning.CACHE).read_text(encoding="utf-8").splitlines()
    (tmp_path / tuning.CACHE).write_text("\n".join(lines)[:-20] + "\n", encoding="utf-8")
    again = tuning.run(tables, settings, tmp_path, 1, silent)
    assert again.computed == 1
    assert again.points == first.points


def test_points_of_other_tables_are_not_taken_over(
    small: tuple[Path, tuning_data.Tables, Settings, Outcome],
) -> None:
    out, tables, _, _ = small
    others = tuning_data.Tables({name: tuning_data.simulated(name, seed=1) for name in SHAPES})
    assert tuning.read_points(out / tuning.CACHE, tuning.fingerprint(tables))
    assert not tuning.read_points(out / tuning.CACHE, tuning.fingerprint(others))


@pytest.mark.usefixtures("lasting_workers")
def test_two_processes_find_what_one_finds(
    small: tuple[Path, tuning_data.Tables, Settings, Outcome], tmp_path: Path
) -> None:
    _, tables, settings, first = small
    assert tuning.run(tables, settings, tmp_path, 2, silent).points == first.points


def test_too_few_rows_are_refused_before_anything_is_fitted(
    tables: tuning_data.Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "measure", None)
    adult = tables.tables["Adult"]
    short = tuning_data.Tables({"Adult": replace(adult, X=adult.X[:50], y=adult.y[:50])})
    with pytest.raises(InvalidInput, match="Adult has 50 rows"):
        tuning.run(short, TINY, tmp_path, 1, silent)


def test_folds_are_shared_by_the_methods_and_noise_is_not() -> None:
    tasks = [Task("Adult", key, 1.0, 0, 0) for key in BY_KEY]
    assert len({task.noise_seed for task in tasks}) == len(tasks)
    assert Task("Adult", "auto", 1.0, 0, 1).noise_seed != Task("Adult", "auto", 1.0, 0, 0).noise_seed


def test_without_privacy_the_models_are_better_than_a_guess(tables: tuning_data.Tables) -> None:
    open_fit = tuning.measure(Task("Adult", "open", 0.0, 0, 0), tables).measures
    guess = tuning.measure(Task("Adult", "guess", 0.0, 0, 0), tables).measures
    assert guess["auc"] == 0.5
    assert open_fit["auc"] > 0.7
    assert open_fit["mse"] < guess["mse"]


def test_a_refusal_is_kept_with_its_reason(tables: tuning_data.Tables) -> None:
    table = tables.tables["Magic"]
    method = replace(BY_KEY["auto"], make=lambda epsilon, seed: BY_KEY["auto"].make(-1.0, seed))
    found = fit(method, 1.0, table.X, table.y, 0)
    assert isinstance(found, str)
    assert found.startswith("epsilon=-1.0")


def _adult_rows() -> pd.DataFrame:
    words = {name: ["a", "b", "a"] for name in tuning_data.ADULT_ATTRIBUTES}
    numbers = {"age": [17, 90, 53], "education-num": [1, 16, 8], "hours-per-week": [1, 99, 50]}
    money = {"capital-gain": [0, 99999, 0], "capital-loss": [0, 4356, 0]}
    return pd.DataFrame(words | numbers | money | {"income": ["<=50K", ">50K", "<=50K"]})


def test_adult_is_encoded_by_public_ranges() -> None:
    found = tuning_data.adult(_adult_rows())
    assert found.X.shape == (3, 5 + 2 * len(tuning_data.ADULT_ATTRIBUTES))
    np.testing.assert_allclose(3 * found.X[0, :5], [-1, -1, -1, 0, 0])
    np.testing.assert_allclose(3 * found.X[1, :5], [1, 1, 1, 1, 1])
    assert found.y.tolist() == [0, 1, 0]
    assert np.floor(found.columns["age"]).tolist() == [17, 90, 53]
    assert found.real


def test_magic_is_centred_by_the_instruments_ranges() -> None:
    middles = {name: [middle, middle + spread] for name, (middle, spread) in tuning_data.MAGIC_MIDDLES.items()}
    table = pd.DataFrame(middles | {"class": ["g", "h"]}).rename(columns={"fM3Long": "fM3long"})
    found = tuning_data.magic(table)
    np.testing.assert_allclose(found.X, [[0.0] * 10, [10**-0.5] * 10])
    assert found.y.tolist() == [1, 0]


def test_a_table_without_its_columns_is_refused_by_their_names() -> None:
    with pytest.raises(InvalidInput, match="lacks the columns age, income"):
        tuning_data.adult(_adult_rows().drop(columns=["age", "income"]))


def test_a_real_table_and_a_simulated_one_can_be_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _adult_rows().to_parquet(tmp_path / tuning_data.FILES["Adult"])
    monkeypatch.setenv("EQUIPOISE_DATA", str(tmp_path))
    found = tuning_data.load(None)
    assert found.source == "3 real rows of Adult and 900 simulated rows of Magic"
    assert not found.real


def test_the_reference_integrates_to_one_and_a_noiseless_histogram_meets_it() -> None:
    column = tuning_data.Measure("Adult", "age", 0.0, 8.0, 8)
    values = np.random.default_rng(0).beta(2, 3, size=4000) * 8
    places = 8 * (np.arange(1000) + 0.5) / 1000
    assert float(np.mean(tuning_histogram.reference(column, values, places))) * 8 == pytest.approx(1.0)
    found = tuning_histogram.measure(column, values, "8", 1e4, 0)
    assert isinstance(found, dict)
    assert found["ise"] < 1e-6
    assert found["bins"] == 8
    rough = tuning_histogram.measure(column, values, "2", 1e4, 0)
    assert isinstance(rough, dict)
    assert rough["ise"] > 0.1


@pytest.mark.parametrize("study", [tuning_data, warfarin_data, prediction_data])
def test_a_folder_that_is_named_and_has_no_tables_is_an_error(
    study: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidInput, match=r"has no .*\.parquet; give the folder"):
        study.load(tmp_path)
    monkeypatch.setenv("EQUIPOISE_DATA", str(tmp_path / "typo"))
    with pytest.raises(InvalidInput, match=r"EQUIPOISE_DATA=.*is no folder"):
        study.load(None)


def test_a_quick_run_confirms_but_never_refutes() -> None:
    claims = tuple(Claim("", "", "", "", verdict) for verdict in (HOLDS, FAILS, UNKNOWN))
    assert [each.verdict for each in as_measured(claims, whole=True)] == [HOLDS, FAILS, UNKNOWN]
    assert [each.verdict for each in as_measured(claims, whole=False)] == [HOLDS, CANNOT_TELL, UNKNOWN]
