"""The stability study's files: pictures, CSV, claims, and one HTML page that holds them all."""

from __future__ import annotations

import html
from pathlib import Path

from equipoise.outside.files import write_whole
from equipoise.studies.common import look
from equipoise.studies.common.claims import STYLE as CLAIMS_STYLE
from equipoise.studies.common.claims import Claim, as_measured, as_table
from equipoise.studies.stability import plots
from equipoise.studies.stability.claims import check_claims
from equipoise.studies.stability.data import HOW_TO_GET
from equipoise.studies.stability.methods import (
    L1_RATIO,
    OPEN,
    PRIVATE,
    REFERENCE_ALPHA,
    REFERENCE_EPSILON,
    STATIC_THRESHOLD,
)
from equipoise.studies.stability.narrowing import COLUMNS
from equipoise.studies.stability.runs import FULL, TUNED, Outcome
from equipoise.studies.stability.summary import Summary, as_csv, summarise

STYLE = f"body {{ max-width: 76rem; }} .numbers {{ font-size: .84rem; }} {CLAIMS_STYLE}"
PICTURES = {
    "tuned": "Accuracy against alpha, noise tuned to stability",
    "fixed": "The same with noise of one size",
    "selection": "Chosen features against alpha",
    "narrowing": "What an honest narrowing costs",
}


def write_all(out: Path, outcome: Outcome) -> tuple[Summary, tuple[Claim, ...]]:
    """points.csv, four pictures, report.html."""
    summary = summarise(outcome)
    claims = as_measured(check_claims(summary), whole=outcome.settings == FULL)
    drawn = (plots.tuned(summary), plots.fixed(summary), plots.selection(summary), plots.narrowing(summary))
    pictures = dict(zip(PICTURES, drawn, strict=True))
    for name, picture in pictures.items():
        (out / f"{name}.png").write_bytes(picture)
    write_whole(out / "points.csv", as_csv(summary))
    write_whole(out / "report.html", page(outcome, summary, claims, pictures))
    return summary, claims


def page(outcome: Outcome, summary: Summary, claims: tuple[Claim, ...], pictures: dict[str, bytes]) -> str:
    """The report as one HTML page, pictures included."""
    parts = [_opening(outcome), as_table(claims)]
    for name, title in PICTURES.items():
        parts += [f"<h2>{title}</h2>", look.image(pictures[name], title)]
    return look.page("Stability and privacy", [*parts, _table(summary), _method()], STYLE)


def _opening(outcome: Outcome) -> str:
    notice = "" if outcome.real else f"<p class='warning'><strong>Simulated rows.</strong> {HOW_TO_GET}</p>"
    return (
        "<h1>Does a steadier algorithm need less noise?</h1>"
        "<p class='lead'>A stronger regulariser makes a model move less when one record changes, so that less noise"
        " hides it, and it fits worse. Watson, Rozemberczki and Sarkar looked in 2020 for the place between. This is"
        f" their study again, on {html.escape(outcome.source)}.</p>{notice}"
    )


def best_lines(summary: Summary) -> list[tuple[str, list[str]]]:
    """For each table and way: the best over alpha at every ε and where it was; without privacy; the constant."""
    lines = []
    for table in summary.tables():
        for way in summary.ways(table):
            found = [summary.best((TUNED, table, way, PRIVATE, level)) for level in summary.epsilons()]
            told = ["refused" if best is None else f"{best[1]:.1f} ({best[0]:g})" for best in found]
            open_line = (TUNED, table, way, OPEN, 0.0)
            best, plain = summary.best(open_line), summary.best(open_line, "constant")
            told += [] if best is None or plain is None else [f"{best[1]:.1f}", f"{plain[1]:.1f}"]
            lines.append((f"{table}, {way}", told))
    return lines


def _table(summary: Summary) -> str:
    head = "".join(f"<th scope='col'>ε = {level:g}</th>" for level in summary.epsilons())
    head += "<th scope='col'>no privacy</th><th scope='col'>constant</th>"
    body = "".join(look.line(label, told, "") for label, told in best_lines(summary))
    return (
        "<h2>Best accuracy over alpha, and that alpha</h2><div class='wide'><table class='numbers'>"
        f"<thead><tr><th scope='col'></th>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _method() -> str:
    items = (
        "A fifth of the rows is declared public, three fifths are fitted, a fifth is measured; every line sees the same"
        f" splits. Wide tables become {COLUMNS} columns, then every row is divided by its own length.",
        "The SVD of the private rows, as in the paper, looks at them without any accounting: its lines are not private,"
        " and only show what that hides.",
        "Logistic regression, noise on the certified minimiser, δ = 0. The best alpha is read off the test rows, to see"
        " where it lies; choosing it so would not be private.",
        f"Fixed noise: as large as ε = {REFERENCE_EPSILON:g} asks for at alpha = {REFERENCE_ALPHA:g}.",
        f"Features: elastic net with l1_ratio = {L1_RATIO:g}; the static threshold is {STATIC_THRESHOLD:g}. What"
        " matters is planted, or, on Adult, what an L1 penalty without privacy keeps. The printed constant is the"
        " paper's for elastic nets, 4L√κ/(α√n): its noise is that of a smaller ε by the direct one.",
        "Noise is seeded so that the figures can be had again. A seeded model is not private.",
    )
    return "<h2>How it was done</h2><ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"
