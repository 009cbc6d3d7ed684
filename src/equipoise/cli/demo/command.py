"""`equipoise demo`: a simulated clinic, fitted at several ε; a table, a plot, a model, its card and a report."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from equipoise._checks import positive, shown
from equipoise.cli import screen
from equipoise.cli.demo.plot import draw
from equipoise.cli.demo.report import page
from equipoise.cli.demo.study import DELTA, QUESTIONS, Answer, Part, answer, fit_dose, split
from equipoise.cli.demo.table import as_csv
from equipoise.cli.places import refuse_replacing, refuse_replacing_in
from equipoise.cohort import simulated_clinic
from equipoise.errors import InvalidInput
from equipoise.outside import Card
from equipoise.outside.files import write_whole
from equipoise.outside.origin import named
from equipoise.outside.pages import readable
from equipoise.outside.report import svg

WRITTEN = "model.json", "card.txt", "card.json", "accuracy.svg", "report.html"


def run_demo(
    out: Path, patients: int, seed: int, epsilons: str, repetitions: int, as_json: bool = False, force: bool = False
) -> None:
    """Everything the command does; what it writes is listed at the end."""
    levels = parse_epsilons(epsilons)
    check(patients, seed, repetitions)
    refuse_replacing_in("out", out, WRITTEN, force)
    out.mkdir(parents=True, exist_ok=True)  # a folder that cannot be made should fail before the work, not after
    console = Console(stderr=as_json)
    train, test = split(simulated_clinic(patients, seed))
    console.print(
        f"A simulated clinic: {len(train.rows)} patients to learn from, {len(test.rows)} kept for measuring,"
        f" {repetitions} fits at each ε, δ = {readable(DELTA)}."
    )
    answers = measure(train, test, levels, repetitions)
    write_all(out, train, answers, repetitions, levels)
    if as_json:
        screen.tell_json({"folder": str(out), "accuracy": [plain(found) for found in answers]})
        return
    console.print(table(answers))
    console.print(f"Written to {out}/: {', '.join(WRITTEN)}", soft_wrap=True)


def write_table(path: Path, patients: int, seed: int, as_json: bool = False) -> None:
    """The clinic as CSV; no file is replaced."""
    refuse_replacing("table", path, force=False, forced=False)
    write_whole(path, as_csv(simulated_clinic(patients, seed)))
    if as_json:
        screen.tell_json({"table": str(path), "patients": patients})
        return
    screen.tell(f"Written to {path}: {patients} simulated patients, nobody's records.")


def parse_epsilons(text: str) -> list[float]:
    """Positive numbers between commas, smallest first."""
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        raise InvalidInput(f"epsilons={shown(text)}: must be numbers with commas between, such as 0.1,1,10") from None
    return sorted({positive(epsilon=value) for value in values})


def check(patients: int, seed: int, repetitions: int) -> None:
    """What typer cannot check in one line."""
    for name, value, least in (("patients", patients, 100), ("seed", seed, 0), ("repetitions", repetitions, 2)):
        if value < least:
            raise InvalidInput(f"{name}={value}: must be at least {least}")


def measure(train: Part, test: Part, epsilons: list[float], repetitions: int) -> tuple[Answer, ...]:
    """Both questions, behind a progress bar that leaves when it is done."""
    total, done = len(QUESTIONS) * len(epsilons) * repetitions, count(1)
    with screen.counting("Fitting") as tick:
        return tuple(
            answer(question, train, test, epsilons, repetitions, lambda: tick(next(done), total))
            for question in QUESTIONS
        )


def plain(found: Answer) -> dict[str, Any]:
    """One question's figures, for programs."""
    levels = [{"epsilon": each.epsilon, "mean": each.mean, "error": each.error} for each in found.levels]
    return {"measure": found.question.measure, "levels": levels, "no_privacy": found.open, "no_model": found.guess}


def table(answers: tuple[Answer, ...]) -> Table:
    """One line for each ε, then the two lines to compare with."""
    result = Table(title="Accuracy on patients not learnt from: mean ± standard error over the fits")
    result.add_column("ε", justify="right")
    for found in answers:
        result.add_column(found.question.measure, justify="right")
    for index, level in enumerate(answers[0].levels):
        cells = [found.levels[index] for found in answers]
        result.add_row(f"{level.epsilon:g}", *(f"{cell.mean:.2f} ± {cell.error:.2f}" for cell in cells))
    result.add_section()
    result.add_row("no privacy", *(f"{found.open:.2f}" for found in answers))
    result.add_row("no model", *(f"{found.guess:.2f}" for found in answers))
    return result


def write_all(out: Path, train: Part, answers: tuple[Answer, ...], repetitions: int, epsilons: list[float]) -> None:
    """One more fit is made to be kept: the dose model at the ε nearest to 1."""
    kept = fit_dose(train, min(epsilons, key=lambda epsilon: abs(math.log(epsilon))))
    model = replace(kept.model_, origin=named(kept.model_.origin, "simulated patients, nobody's records"))
    card: Card = model.card()
    model.save(out / "model.json")
    write_whole(out / "card.txt", card.text())
    write_whole(out / "card.json", json.dumps(card.to_json(), indent=2, ensure_ascii=False) + "\n")
    picture = draw(answers)
    write_whole(out / "accuracy.svg", svg.alone(picture))
    write_whole(out / "report.html", page(answers, card, picture, len(train.rows), repetitions))
