"""The prediction study: a tiny run on simulated rows, its parts one by one, its claims on made-up numbers."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from equipoise.cli import screen
from equipoise.cli.main import app
from equipoise.errors import InvalidInput
from equipoise.studies.common.claims import FAILS, HOLDS, UNKNOWN
from equipoise.studies.prediction import data as prediction_data
from equipoise.studies.prediction import runs as prediction
from equipoise.studies.prediction import walks as prediction_walks
from equipoise.studies.prediction import width as prediction_width
from equipoise.studies.prediction.answers import measure_budget, split
from equipoise.studies.prediction.attacks import VICTIMS
from equipoise.studies.prediction.claims import (
    answer_beats_model,
    attack_allowed,
    check_claims,
    model_wins,
    noise_grows,
    noise_stays,
    open_leaks,
    soft_majority,
    walk,
    within_budget,
)
from equipoise.studies.prediction.methods import BY_KEY, DELTA, METHODS, price_of
from equipoise.studies.prediction.runs import Outcome, Point, Settings, Task
from equipoise.studies.prediction.summary import Place, Summary, as_csv, summarise
from equipoise.studies.tuning import data as tuning_data
from equipoise.studies.warfarin import data as warfarin_data
from equipoise.theory.guarantees import Budget

TINY = Settings(
    epsilons=(1.0, 4.0),
    rows=(200,),
    rows_epsilon=1.0,
    totals=(2.0,),
    queries=(1, 20),
    walk_epsilons=(1.0,),
    walk_rows=(300,),
    intervals=(1,),
    widths=(5, 40),
    attack_epsilons=(1.0,),
    repeats=1,
    walk_repeats=2,
    attack_repeats=1,
)


def silent(done: int, total: int) -> None:
    """No progress bar."""


@pytest.fixture(scope="module", autouse=True)
def _small_tables() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning_data, "SIMULATED_SHAPES", {"Adult": (700, 5), "Magic": (600, 3)})
        patch.setattr(prediction_data, "COD_RNA_SIMULATED", (600, 5))
        patch.setattr(warfarin_data, "SIMULATED_PATIENTS", 500)
        patch.setattr("equipoise.studies.prediction.attacks.MEMBERS", 60)
        patch.setattr("equipoise.studies.prediction.attacks.SHADOWS", 4)
        patch.setattr("equipoise.studies.prediction.attacks.FOREST", 5)
        patch.setattr(prediction_width, "ROWS", 400)
        yield


@pytest.fixture(scope="module")
def tables() -> prediction_data.Tables:
    return prediction_data.load(None, simulated_only=True)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The command on a tiny study without data."""
    out = tmp_path_factory.mktemp("study") / "deep" / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prediction, "QUICK", TINY)
        patch.setattr(screen, "cores", lambda: 1)
        options = ["--quick", "--simulated", "--out", str(out)]
        result = CliRunner().invoke(
            app, ["reproduce", "prediction", *options], env={"COLUMNS": "160"}, catch_exceptions=False
        )
    assert result.exit_code == 0, result.output
    return out, " ".join(result.output.split())


def test_without_data_it_says_which_rows_are_simulated(ran: tuple[Path, str]) -> None:
    told = "700 simulated rows of Adult, 600 simulated rows of Magic, 600 simulated rows of Cod-RNA and 500 simulated"
    assert told in ran[1]
    assert "LIBSVM" in ran[1]
    assert "Simulated rows." in (ran[0] / "report.html").read_text(encoding="utf-8")


def test_the_command_writes_report_csv_pictures_and_points(ran: tuple[Path, str]) -> None:
    pictures = {f"{name}.png" for name in ("answers", "rows", "budget", "walks", "attacks")}
    assert {path.name for path in ran[0].iterdir()} == pictures | {"report.html", "points.csv", "points.jsonl"}


def test_the_report_is_self_contained_and_holds_every_claim(ran: tuple[Path, str]) -> None:
    report = (ran[0] / "report.html").read_text(encoding="utf-8")
    assert report.count("data:image/png;base64,") == 5
    assert not re.search(r"(src|href)=['\"]?https?:", report)
    assert "<script" not in report
    assert len(re.findall(r"<td class='(holds|fails|unknown)'>", report)) == 2 + 3 + 2 + 4 + 4 + 1 + 2 + 2
    for words in ("is not private", "each answer has the same law", "sorts ties by label"):
        assert words in report, words
    for method in METHODS:
        assert method.label in report


def test_every_part_and_method_is_in_the_csv(ran: tuple[Path, str]) -> None:
    with (ran[0] / "points.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert {line["part"] for line in lines} == set(prediction.PARTS)
    asked = {line["method"] for line in lines if line["part"] == "answer" and line["measure"] == "error"}
    assert asked == {method.key for method in METHODS if method.one_answer}
    budget = {line["method"] for line in lines if line["part"] == "budget" and line["measure"] == "spent"}
    assert budget == {method.key for method in METHODS if method.predicts}
    assert {line["method"] for line in lines if line["part"] == "attack"} == {victim.key for victim in VICTIMS}


def test_k_answers_cost_no_more_than_the_total_in_the_ledgers_own_words(ran: tuple[Path, str]) -> None:
    with (ran[0] / "points.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    spent = [line for line in lines if line["part"] == "budget" and line["measure"] == "spent"]
    assert len(spent) > 20
    assert all(float(line["high"] if line["repeats"] != "1" else line["mean"]) <= 2.0 * (1 + 1e-6) for line in spent)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, tables: prediction_data.Tables) -> tuple[Path, Settings, Outcome]:
    out = tmp_path_factory.mktemp("small")
    settings = replace(
        TINY, epsilons=(1.0,), tables=("Magic",), methods=("stable", "guess"), walk_repeats=1, attack_repeats=0
    )
    return out, settings, prediction.run(tables, settings, out, 1, silent)


def test_resuming_computes_nothing_again(
    small: tuple[Path, Settings, Outcome], tables: prediction_data.Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, settings, first = small
    monkeypatch.setattr(prediction, "measure", None)  # calling it would fail
    again = prediction.run(tables, settings, out, 1, silent)
    assert again.computed == 0
    assert again.points == first.points


def test_a_line_cut_off_by_a_crash_is_computed_again(
    small: tuple[Path, Settings, Outcome], tables: prediction_data.Tables, tmp_path: Path
) -> None:
    out, settings, first = small
    lines = (out / prediction.CACHE).read_text(encoding="utf-8").splitlines()
    (tmp_path / prediction.CACHE).write_text("\n".join(lines)[:-20] + "\n", encoding="utf-8")
    again = prediction.run(tables, settings, tmp_path, 1, silent)
    assert again.computed == 1
    assert again.points == first.points


def test_points_of_other_tables_are_not_taken_over(
    small: tuple[Path, Settings, Outcome], tables: prediction_data.Tables
) -> None:
    other = prediction_data.Tables(tables.tables | {"Cod-RNA": prediction_data.simulated_rna(seed=1)})
    path = small[0] / prediction.CACHE
    assert prediction.read_points(path, prediction.fingerprint(tables))
    assert not prediction.read_points(path, prediction.fingerprint(other))


def test_too_few_rows_are_refused_before_anything_is_fitted(
    tables: prediction_data.Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prediction, "measure", None)
    magic = tables.tables["Magic"]
    short = prediction_data.Tables({"Magic": replace(magic, X=magic.X[:50], y=magic.y[:50])})
    with pytest.raises(InvalidInput, match="Magic has 50 rows"):
        prediction.run(short, TINY, tmp_path, 1, silent)


def test_every_task_is_wanted_once_and_has_noise_of_its_own(tables: prediction_data.Tables) -> None:
    for settings in (prediction.QUICK, prediction.FULL):
        found = prediction.tasks(settings, tables)
        assert len(found) == len(set(found))
    seeds = [task.noise_seed for task in prediction.tasks(prediction.QUICK, tables)]
    assert len(set(seeds)) == len(seeds)


def test_the_full_study_asks_what_it_was_asked_to() -> None:
    full = prediction.FULL
    assert full.queries == (1, 10, 100, 1000)
    assert full.tables == ("Adult", "Magic", "Cod-RNA", "Warfarin")
    assert len(full.intervals) > 1
    assert len(full.walk_rows) > 2
    assert len(full.walk_epsilons) > 2


def test_all_methods_are_asked_about_the_same_rows_and_learn_from_others(tables: prediction_data.Tables) -> None:
    table = tables.tables["Magic"]
    places = np.arange(len(table.y), dtype=np.float64)
    marked = replace(table, X=places[:, None], single=places)
    parts = [split(marked, BY_KEY[key], 0, 3) for key in ("stable", "walk")]
    np.testing.assert_array_equal(parts[0][2], parts[1][2])
    learnt, asked = (set(parts[0][place][:, 0]) for place in (0, 2))
    assert learnt | asked == set(range(len(table.y)))
    assert not learnt & asked


def test_prices_of_many_answers_are_lower_and_a_models_is_not(tables: prediction_data.Tables) -> None:
    table, total = tables.tables["Magic"], Budget(1.0, DELTA)
    for method in METHODS:
        if method.law in ("range", "noise"):
            one, many = (price_of(method, table, total, count) for count in (1, 100))
            assert many.epsilon < one.epsilon <= 1.0, method.key
        elif method.law == "model":
            assert price_of(method, table, total, 100) == total


def test_noise_is_laplace_for_one_answer_and_gaussian_for_many(tables: prediction_data.Tables) -> None:
    table, total = tables.tables["Warfarin"], Budget(1.0, DELTA)
    assert price_of(BY_KEY["stable"], table, total, 1).delta == 0
    assert price_of(BY_KEY["stable"], table, total, 1000).delta > 0


def test_a_consensus_stops_at_its_budget_and_counts_what_it_answered(tables: prediction_data.Tables) -> None:
    found = measure_budget(Task("budget", "Magic", "consensus", 1.0, 100, 0), tables.tables["Magic"])
    assert isinstance(found, dict)
    assert 0 < found["answered"] < 100
    assert found["spent"] <= 1.0
    assert found["contested"] == 4  # a round ends with its contested question


def test_lines_have_the_best_error_that_is_told() -> None:
    """Fixed seed; 40,000 rows put the share within 0.01 by more than four standard errors."""
    for kind, best in prediction_walks.BEST.items():
        for intervals in (1, 3):
            x, y = prediction_walks.drawn(kind, intervals, 40_000, 1)
            rule = prediction_walks.chance(kind, intervals, x) > 0.5
            assert float(np.mean(rule != (y == 1))) == pytest.approx(best, abs=0.01)
            ordered = rule[np.argsort(x)]
            assert int(np.sum(ordered[1:] & ~ordered[:-1])) == intervals


def test_a_walks_bound_falls_with_rows_and_its_price_never_exceeds_epsilon() -> None:
    for kind in prediction_walks.BEST:
        found = [prediction_walks.promised(kind, 2, 1.0, rows) for rows in (300, 3000, 30_000)]
        assert found[0][1] > found[1][1] > found[2][1] > prediction_walks.BEST[kind]
        assert all(setting.epsilon <= 1.0 for setting, _ in found)


def test_simulated_rows_of_any_width_have_norm_one() -> None:
    for width in (5, 60):
        X, _ = prediction_width.drawn(width, 0)
        np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0)


def test_cod_rna_is_scaled_by_public_ranges_and_keeps_the_training_part() -> None:
    numbers = {"1": [-600, -300, 0], "2": [100, 135, 65]} | {str(place): [0.25, 0.37, 0.13] for place in range(3, 9)}
    table = pd.DataFrame(numbers | {"label": [1, -1, 1], "split": ["train", "train", "test"]})
    found = prediction_data.cod_rna(table)
    np.testing.assert_allclose(found.X * np.sqrt(8), [[0.0] * 8, [1.0] * 8], atol=1e-12)
    assert found.y.tolist() == [1.0, 0.0]
    assert found.single is not None
    assert np.floor(found.single).tolist() == [-600, -300]
    with pytest.raises(InvalidInput, match="lacks the columns label"):
        prediction_data.cod_rna(table.drop(columns=["label"]))


WOBBLE = (0.001, -0.001, 0.002, -0.002, 0.0, 0.001)


def _made(values: dict[Place, dict[str, float]]) -> Summary:
    return Summary(
        {
            place: {name: {turn: number + step for turn, step in enumerate(WOBBLE)} for name, number in found.items()}
            for place, found in values.items()
        }
    )


def test_a_soft_majority_above_its_bound_fails() -> None:
    place = ("answer", "Adult", "vote-trees", 1.0, 0)
    assert soft_majority(_made({place: {"error": 0.15, "vote_bound": 0.2}}), "vote-trees").verdict == HOLDS
    assert soft_majority(_made({place: {"error": 0.25, "vote_bound": 0.2}}), "vote-trees").verdict == FAILS


def test_a_walk_fails_only_if_surely_above_its_bound() -> None:
    place = ("walk", "flipped", "1", 1.0, 1000)
    steady = {"bound": dict.fromkeys(range(6), 0.2)}
    for level, verdict in ((0.15, HOLDS), (0.2001, HOLDS), (0.25, FAILS)):
        errors = {turn: level + step for turn, step in enumerate(WOBBLE)}
        assert walk(Summary({place: steady | {"error": errors}}), "flipped").verdict == verdict
    assert walk(_made({}), "flipped").verdict == UNKNOWN


def test_noise_is_judged_between_the_fewest_and_the_most_columns() -> None:
    def made(kind: str, few: float, many: float) -> Summary:
        return _made(
            {
                ("width", "simulated", kind, 1.0, 5): {"noise": few},
                ("width", "simulated", kind, 1.0, 80): {"noise": many},
            }
        )

    assert noise_stays(made("stable", 1.0, 1.05)).verdict == HOLDS
    assert noise_stays(made("stable", 1.0, 1.5)).verdict == FAILS
    assert noise_grows(made("model", 1.0, 3.0)).verdict == HOLDS
    assert noise_grows(made("model", 1.0, 1.5)).verdict == FAILS


def test_an_answer_must_beat_the_model_where_privacy_is_strongest_and_lose_nowhere() -> None:
    def made(low: float, high: float) -> Summary:
        held = {("answer", "Adult", "model", level, 0): {"error": 0.2} for level in (0.1, 1.0)}
        held |= {("answer", "Adult", "stable", level, 0): {"error": e} for level, e in ((0.1, low), (1.0, high))}
        return _made(held)

    assert answer_beats_model(made(0.1, 0.2), "Adult").verdict == HOLDS
    assert answer_beats_model(made(0.1, 0.3), "Adult").verdict == FAILS
    assert answer_beats_model(made(0.2, 0.1), "Adult").verdict == FAILS


def test_the_number_of_questions_from_which_a_model_wins_is_told() -> None:
    errors = {1: 0.1, 10: 0.15, 100: 0.3}
    held: dict[Place, dict[str, float]] = {
        ("budget", "Adult", "stable", 1.0, count): {"error": found} for count, found in errors.items()
    }
    held["budget", "Adult", "model-delta", 1.0, 0] = {"error": 0.2}
    found = model_wins(_made(held), "Adult")
    assert found.verdict == HOLDS
    assert found.measured == "total ε = 1, from k = stable 100"
    held["budget", "Adult", "stable", 1.0, 100] = {"error": 0.15}
    assert model_wins(_made(held), "Adult").verdict == FAILS
    assert "not by 100" in model_wins(_made(held), "Adult").measured


def test_a_difference_between_two_repeats_is_not_judged() -> None:
    held = {
        ("answer", "Adult", key, 0.1, 0): {"error": {0: level, 1: level}}
        for key, level in (("stable", 0.1), ("model", 0.2))
    }
    found = answer_beats_model(Summary(held), "Adult")
    assert found.verdict == UNKNOWN
    assert found.measured == "ε = 0.1: -0.100"


def test_one_point_over_budget_is_a_failure() -> None:
    place = ("budget", "Adult", "stable", 1.0, 10)
    assert within_budget(Summary({place: {"spent": {0: 1.0, 1: 0.9}}})).verdict == HOLDS
    assert within_budget(Summary({place: {"spent": {0: 0.9, 1: 1.01}}})).verdict == FAILS


def test_attacks_are_judged_by_what_epsilon_allows_and_by_the_open_api() -> None:
    forest: Place = ("attack", "Adult", "forest", 0.0, 500)
    model: Place = ("attack", "Adult", "model", 1.0, 500)

    def made(private: float) -> Summary:
        return _made({forest: {"threshold": 0.4}, model: {"threshold": private, "allowed": 0.46}})

    assert attack_allowed(made(0.1), "threshold").verdict == HOLDS
    assert attack_allowed(made(0.6), "threshold").verdict == FAILS
    assert open_leaks(made(0.1), "threshold").verdict == HOLDS
    assert open_leaks(made(0.4), "threshold").verdict == FAILS


def test_nothing_measured_is_not_a_verdict() -> None:
    assert {claim.verdict for claim in check_claims(Summary({}))} == {UNKNOWN}


def test_refused_points_do_not_count() -> None:
    places = Task("answer", "Adult", "model", 1.0, 0, 0), Task("answer", "Adult", "stable", 1.0, 0, 0)
    points = (Point(places[0], {"error": 0.2}), Point(places[1], {}, "no"))
    summary = summarise(Outcome(TINY, "rows", False, points, {}, 2))
    assert summary.answer("Adult", "model", 1.0) is not None
    assert summary.answer("Adult", "stable", 1.0) is None
    assert len(as_csv(summary).splitlines()) == 2
