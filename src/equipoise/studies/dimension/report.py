"""The dimension study's files: pictures, CSV, claims, and one HTML page that holds them all."""

from __future__ import annotations

import html
from pathlib import Path

from equipoise.outside.files import write_whole
from equipoise.studies.common import look
from equipoise.studies.common.claims import STYLE as CLAIMS_STYLE
from equipoise.studies.common.claims import Claim, as_measured, as_table
from equipoise.studies.dimension import plots
from equipoise.studies.dimension.claims import check_claims
from equipoise.studies.dimension.data import HOW_TO_GET
from equipoise.studies.dimension.methods import DELTA, METHODS, RADIUS
from equipoise.studies.dimension.runs import EPSILON, FULL, GAP, WIDE_TABLES, WIDENED, Outcome
from equipoise.studies.dimension.summary import Summary, as_csv, summarise

STYLE = f"body {{ max-width: 76rem; }} .numbers {{ font-size: .84rem; }} {CLAIMS_STYLE}"
PICTURES = {
    "epsilon": "Accuracy against ε",
    "width": "Accuracy against the number of columns",
    "regret": "Regret against rounds and experts",
}


def write_all(out: Path, outcome: Outcome) -> tuple[Summary, tuple[Claim, ...]]:
    """points.csv, three pictures, report.html."""
    summary = summarise(outcome)
    claims = as_measured(check_claims(summary), whole=outcome.settings == FULL)
    drawn = (plots.against_epsilon(summary), plots.against_width(summary), plots.regret(summary))
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
    tables = [_table(summary, EPSILON, table) for table in summary.tables()]
    tables += [_table(summary, WIDENED, table) for table in WIDE_TABLES]
    return look.page("Privacy and dimension", [*parts, *tables, _method()], STYLE)


def _opening(outcome: Outcome) -> str:
    notice = "" if outcome.real else f"<p class='warning'><strong>Simulated rows.</strong> {HOW_TO_GET}</p>"
    return (
        "<h1>Does privacy get worse with the number of columns?</h1>"
        "<p class='lead'>Noise on every coefficient adds up over columns. Jain and Thakurta showed in 2014 that it need"
        " not: Gaussian noise is felt only where a row has entries, and columns may be drawn instead of blurred. This"
        f" is their study again, on {html.escape(outcome.source)}.</p>{notice}"
    )


def _table(summary: Summary, part: str, table: str) -> str:
    levels, body = summary.levels(part), []
    for method in METHODS:
        cells = [summary.get(part, table, method.key, level) for level in levels]
        if any(cell is not None for cell in cells):
            body.append(look.line(method.label, ["refused" if cell is None else cell.told(1) for cell in cells], ""))
    word = "ε = " if part == EPSILON else "d = "
    head = "".join(f"<th scope='col'>{word}{level:,g}</th>" for level in levels)
    return (
        f"<h3>{html.escape(table)}, per cent right</h3><div class='wide'><table class='numbers'>"
        f"<thead><tr><th scope='col'></th>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _method() -> str:
    items = (
        "Four fifths of the rows to fit, the rest to measure; every method sees the same splits.",
        "The four perturbations: logistic loss with slopes up to one and one ridge for all four, by the rule that knows"
        " ε, δ and the number of rows but not that of columns, so that nothing but the noise follows the width;"
        f" δ = {DELTA:g}, 0 for Gamma noise. Drawn columns and Frank-Wolfe: the L1 ball of radius {RADIUS:g}, all else"
        " by public facts. Without privacy: the best of four ridges on a quarter of the training rows, and the"
        " best over that L1 ball.",
        "Planted: eight columns of signs, labels by the majority of three, a tenth of them flipped.",
        f"Experts: costs uniform on [−1, 1], one expert better by {GAP:g}; ε = 1, δ = 10⁻⁶ and ε = 10, δ = 10⁻³.",
        "Noise is seeded so that the figures can be had again. A seeded model is not private.",
    )
    return "<h2>How it was done</h2><ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"
