"""The demo on a small clinic, with the real estimators."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

import equipoise as eq
from equipoise.cli.demo.command import parse_epsilons
from equipoise.cli.demo.plot import draw
from equipoise.cli.demo.report import USE, page
from equipoise.cli.demo.study import QUESTIONS, Always, Answer, Level, Part, dose_error, split
from equipoise.cli.main import app
from equipoise.cohort import LABEL_BOUNDS, encode, simulated_clinic


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder and what was printed."""
    out = tmp_path_factory.mktemp("demo") / "deep" / "out"
    options = ["--out", str(out), "--patients", "400", "--epsilons", "30,1", "--repetitions", "2"]
    result = CliRunner().invoke(app, ["demo", *options], env={"COLUMNS": "140"}, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return out, result.output


@pytest.fixture(scope="module")
def answers() -> tuple[Answer, ...]:
    levels = (Level(0.1, 20.0, 2.0), Level(1.0, 10.0, 0.5), Level(10.0, 9.1, 0.01))
    return tuple(Answer(question, levels, open=9.0, guess=12.0) for question in QUESTIONS)


def test_demo_writes_five_files(ran: tuple[Path, str]) -> None:
    names = {path.name for path in ran[0].iterdir()}
    assert names == {"model.json", "card.txt", "card.json", "accuracy.svg", "report.html"}


def test_demo_prints_a_line_for_each_epsilon_and_two_to_compare_with(ran: tuple[Path, str]) -> None:
    printed = ran[1]
    assert re.search(r"│\s+1 │.*±.*│.*±", printed)
    assert re.search(r"│\s+30 │.*±.*│.*±", printed)
    assert "no privacy" in printed
    assert "no model" in printed
    assert "300 patients to learn from, 100 kept" in " ".join(printed.split())


def test_saved_model_predicts_doses_with_secure_noise(ran: tuple[Path, str]) -> None:
    model = eq.load(ran[0] / "model.json")
    doses = model.predict(encode(simulated_clinic(50, seed=5).X)) ** 2
    assert np.isfinite(doses).all()
    assert model.guarantee_.epsilon == 1.0
    assert not model.guarantee_.seeded


def test_card_files_describe_the_saved_model(ran: tuple[Path, str]) -> None:
    card = eq.load(ran[0] / "model.json").card()
    assert "simulated patients" in card.text()
    assert (ran[0] / "card.txt").read_text(encoding="utf-8") == card.text()
    assert json.loads((ran[0] / "card.json").read_text(encoding="utf-8")) == card.to_json()


def test_report_is_self_contained_and_says_the_essentials(ran: tuple[Path, str]) -> None:
    report = (ran[0] / "report.html").read_text(encoding="utf-8")
    assert "<svg" in report
    assert not re.search(r"(src|href)=['\"]?https?:", report)
    assert "<script" not in report
    for words in ("Fitting many times is for show", "No real record was used", "What is not covered", "Use the model"):
        assert words in report, words


def test_the_report_s_example_runs(
    ran: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ran[0])
    exec(USE, {})
    assert "Model card: LinearRegression" in capsys.readouterr().out


def test_report_table_holds_the_measured_numbers(answers: tuple[Answer, ...], ran: tuple[Path, str]) -> None:
    card = eq.load(ran[0] / "model.json").card()
    assert "simulated patients" in card.text()
    report = page(answers, card, "", records=3000, repetitions=7)
    assert "<td>20.00 ± 2.00</td>" in report
    assert "<td>9.10 ± 0.01</td>" in report
    assert "7 fits to 3,000 patients" in report


def test_plot_is_a_picture_of_readable_size(answers: tuple[Answer, ...]) -> None:
    picture = draw(answers)
    shown = ElementTree.fromstring(picture)
    width, height = (float(number) for number in shown.attrib["viewBox"].split()[2:])
    assert 0.3 < height / width < 0.7
    words = " ".join(node.text or "" for node in shown.iter() if node.tag.endswith("text"))
    for question in QUESTIONS:
        assert question.title in words
        assert question.measure in words
    marks = [node for node in shown.iter() if node.tag.endswith("circle")]
    assert len(marks) == len(QUESTIONS) * len(answers[0].levels)


def test_epsilons_are_sorted_and_told_apart() -> None:
    assert parse_epsilons("3, 0.1,3,1") == [0.1, 1.0, 3.0]


def test_held_out_patients_are_not_learnt_from() -> None:
    cohort = simulated_clinic(400, seed=1)
    train, test = split(cohort)
    assert len(train.rows) == 300
    assert sorted([*train.root_dose, *test.root_dose]) == sorted(cohort.root_dose)
    assert not set(train.root_dose) & set(test.root_dose)


def test_dose_error_is_in_milligrams_and_within_bounds() -> None:
    part = Part(np.zeros((2, 1)), np.array([5.0, 7.0]), np.array([0, 1]))
    assert dose_error(Always(6.0), part) == pytest.approx((11 + 13) / 2)
    assert dose_error(Always(1e9), part) == dose_error(Always(LABEL_BOUNDS[1]), part)
