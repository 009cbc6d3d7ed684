"""The prediction study's files: pictures, CSV, claims, and one HTML page that holds them all."""

from __future__ import annotations

import html
from pathlib import Path

from equipoise.outside.files import write_whole
from equipoise.studies.common import look
from equipoise.studies.common.claims import STYLE as CLAIMS_STYLE
from equipoise.studies.common.claims import Claim, as_measured, as_table
from equipoise.studies.prediction import plots as prediction_plots
from equipoise.studies.prediction.claims import check_claims
from equipoise.studies.prediction.data import HOW_TO_GET
from equipoise.studies.prediction.runs import FULL, Outcome
from equipoise.studies.prediction.sections import attack_table, budget_tables, how_it_was_done, single_tables
from equipoise.studies.prediction.summary import Summary, as_csv, summarise

STYLE = f"body {{ max-width: 76rem; }} .numbers {{ font-size: .84rem; }} {CLAIMS_STYLE}"
PICTURES = {
    "answers": "One answer, or one model, for ε",
    "rows": "How many rows it takes",
    "budget": "Many questions, one budget",
    "walks": "Thresholds on a line, against Theorem 5.3",
    "attacks": "Who was in the table, and what noise costs",
}
WORDS = {
    "answers": "Bars are bootstrap intervals over the repeats. ε is the price of a single answer for the predictors,"
    " and of everything for the released model, whose answers are free from then on. δ = 0 unless a line says so."
    " Black: no privacy (dashed), and the most frequent class, or the mean, for everybody (dotted).",
    "rows": "The same at one ε, on the first rows of the training part.",
    "budget": "Every predictor is fitted at the price that so many answers can pay together, by the tightest"
    " composition known for it; the released model spends the whole budget once.",
    "walks": "Points: measured on new rows. Dashed: the most that the corrected theorem allows. Where no interval fits"
    " all labels the setting is slower than ε allows, as the theorem has it.",
    "attacks": "Adult, 500 members and 500 others; a negative advantage is chance. Right: rows of norm one, all signal"
    " in the first four columns.",
}


def write_all(out: Path, outcome: Outcome) -> tuple[Summary, tuple[Claim, ...]]:
    """points.csv, five pictures, report.html."""
    summary = summarise(outcome)
    claims = as_measured(check_claims(summary), whole=outcome.settings == FULL)
    pictures = {
        "answers": prediction_plots.answers(summary),
        "rows": prediction_plots.rows(summary),
        "budget": prediction_plots.budget(summary, middle_total(outcome)),
        "walks": prediction_plots.walks(summary),
        "attacks": prediction_plots.attacks(summary),
    }
    for name, picture in pictures.items():
        (out / f"{name}.png").write_bytes(picture)
    write_whole(out / "points.csv", as_csv(summary))
    write_whole(out / "report.html", page(outcome, summary, claims, pictures))
    return summary, claims


def middle_total(outcome: Outcome) -> float:
    """The total that is drawn; tables have them all."""
    totals = outcome.settings.totals
    return totals[len(totals) // 2]


def page(outcome: Outcome, summary: Summary, claims: tuple[Claim, ...], pictures: dict[str, bytes]) -> str:
    """The report as one HTML page, pictures included."""
    tables = {"answers": single_tables(summary), "budget": budget_tables(summary), "attacks": attack_table(summary)}
    parts = [_opening(outcome), as_table(claims)]
    for name, title in PICTURES.items():
        image = look.image(pictures[name], f"{title}: {_alternative(name, summary)}")
        parts += [f"<h2>{title}</h2>", image, f"<p>{WORDS[name]}</p>", tables.get(name, "")]
    return look.page("Private prediction", [*parts, _missing(outcome), how_it_was_done(outcome)], STYLE)


def _opening(outcome: Outcome) -> str:
    notice = (
        "" if outcome.real else f"<p class='warning'><strong>Simulated rows.</strong> {html.escape(HOW_TO_GET)}</p>"
    )
    return (
        "<h1>Is it cheaper to answer questions than to release a model?</h1>"
        "<p class='lead'>Dwork and Feldman asked in 2018 what privacy costs when callers need predictions only and the"
        " model never leaves. Later work found that releasing a privately trained model is often the better buy. Here"
        f" both are measured on {html.escape(outcome.source)}: {len(outcome.points):,} points.</p>{notice}"
    )


def _alternative(name: str, summary: Summary) -> str:
    """A picture in words: the ends of one curve."""
    if name in ("walks", "attacks"):
        return WORDS[name]
    told = []
    for table in summary.tables():
        levels = summary.epsilons("answer", table)
        cells = [(level, summary.answer(table, "stable", level)) for level in (*levels[:1], *levels[-1:])]
        told += [f"{table} stable {cell.mean:.3g} at epsilon {level:g}" for level, cell in cells if cell is not None]
    return ", ".join(told)


def _missing(outcome: Outcome) -> str:
    lines = [f"{name}: {reason}" for name, reason in sorted(outcome.unavailable.items())]
    if not lines:
        return ""
    return "<h3>Refused</h3><ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in lines) + "</ul>"
