"""The demo's report: one HTML file with everything in it, the picture included."""

from __future__ import annotations

import base64
import html

from equipoise.cli.study import DELTA, Answer
from equipoise.outside import Card
from equipoise.outside.pages import readable

STYLE = """
body { font: 17px/1.55 system-ui, sans-serif; color: #1b1b1b; background: #fff; max-width: 60rem; margin: 0 auto;
       padding: 2rem 1.2rem 4rem; }
h1 { line-height: 1.2; margin: 0 0 .4rem; }
h2 { margin: 2.6rem 0 .6rem; border-bottom: 2px solid #0072B2; padding-bottom: .2rem; }
h3 { margin: 1.6rem 0 .4rem; }
.lead { font-size: 1.15rem; color: #333; }
img { width: 100%; height: auto; }
table { border-collapse: collapse; margin: .6rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid #ddd; }
th { font-weight: 600; }
.numbers td, .numbers thead th:not(:first-child) { text-align: right; padding-left: 1.5rem;
       font-variant-numeric: tabular-nums; }
.numbers td { white-space: nowrap; }
.numbers th:first-child { padding-left: .4rem; }
.numbers tbody tr.compare { background: #f3f6f9; }
.card { background: #f8f9fb; border: 1px solid #d9dfe6; border-radius: 8px; padding: .2rem 1.4rem 1.2rem;
       margin-top: 2.6rem; overflow-x: auto; }
.card h2 { margin-top: 1rem; }
.card th { white-space: nowrap; }
.card td + td { color: #444; }
.warning { background: #fdecea; border: 2px solid #b00020; padding: .6rem 1rem; }
pre { background: #f3f3f3; padding: .9rem 1.1rem; overflow-x: auto; border-radius: 6px; font-size: .9rem; }
code { font-family: ui-monospace, monospace; }
"""

USE = """import equipoise as eq
from equipoise.cohort import encode, simulated_clinic

model = eq.load("model.json")                  # plain JSON, beside this page
new = simulated_clinic(patients=5, seed=99)    # somebody else's patients
print(model.predict(encode(new.X)) ** 2)       # mg a week; predicting costs no privacy
print(model.guarantee_.epsilon, model.card())
"""


def page(answers: tuple[Answer, ...], card: Card, picture: bytes, records: int, repetitions: int) -> str:
    """The whole report."""
    parts = [
        "<!DOCTYPE html>",
        "<html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>Equipoise demo</title><style>{STYLE}</style></head><body>",
        _opening(card, records),
        _results(answers, picture, records, repetitions),
        _usage(),
        card.html(),
        _method(),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _opening(card: Card, records: int) -> str:
    return (
        "<h1>What does privacy cost a clinic?</h1>"
        f"<p class='lead'>A warfarin clinic of {records:,} simulated patients wants to publish a model of the dose a"
        " patient needs, with a proven limit on what it can tell about any one of them. This page shows how accurate"
        " such a model is at several levels of privacy, and comes with one that is ready to use,"
        f" <code>model.json</code> (ε = {readable(card.guarantee.epsilon)}, δ = {readable(card.guarantee.delta)}).</p>"
    )


def _results(answers: tuple[Answer, ...], picture: bytes, records: int, repetitions: int) -> str:
    image = base64.b64encode(picture).decode("ascii")
    return (
        "<h2>Accuracy against privacy</h2>"
        f"<img alt='{_alternative(answers)}' src='data:image/png;base64,{image}'>"
        f"{_table(answers)}"
        f"<p>Measured on patients that were not learnt from. Each line is {repetitions} fits to {records:,} patients,"
        f" δ = {readable(DELTA)}; ± is the standard error of their mean. <em>No privacy</em> is scikit-learn on the"
        " same rows; <em>no model</em> gives everyone the same answer.</p>"
        "<p><strong>Fitting many times is for show.</strong> The patients are simulated, so nobody's privacy is at"
        " stake. With real records every fit spends its ε: fit once, keep the model, and let a ledger count. The noise"
        " came from the operating system's secure generator; the demo's seed only drew the patients.</p>"
    )


def _alternative(answers: tuple[Answer, ...]) -> str:
    told = [
        f"{found.question.measure}: {found.levels[0].mean:.1f} at epsilon {found.levels[0].epsilon:g},"
        f" {found.levels[-1].mean:.1f} at epsilon {found.levels[-1].epsilon:g}, {found.open:.1f} without privacy"
        for found in answers
    ]
    return html.escape("; ".join(told), quote=True)


def _table(answers: tuple[Answer, ...]) -> str:
    head = "".join(f"<th scope='col'>{html.escape(found.question.measure)}</th>" for found in answers)
    body = []
    for index, level in enumerate(answers[0].levels):
        cells = [found.levels[index] for found in answers]
        body.append(_line(f"ε = {level.epsilon:g}", [f"{cell.mean:.2f} ± {cell.error:.2f}" for cell in cells]))
    body.append(_line("no privacy", [f"{found.open:.2f}" for found in answers], "compare"))
    body.append(_line("no model", [f"{found.guess:.2f}" for found in answers], "compare"))
    return (
        f"<table class='numbers'><thead><tr><th scope='col'></th>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def _line(name: str, cells: list[str], style: str = "") -> str:
    values = "".join(f"<td>{cell}</td>" for cell in cells)
    return f"<tr class='{style}'><th scope='row'>{html.escape(name)}</th>{values}</tr>"


def _usage() -> str:
    return (
        "<h2>Use the model</h2>"
        f"<pre><code>{html.escape(USE)}</code></pre>"
        "<p>The file holds released numbers only. Copying it, publishing it and predicting from it spend nothing"
        " more.</p>"
    )


def _method() -> str:
    return (
        "<h2>Where the patients come from</h2>"
        "<p>No real record was used. Ages, heights, weights, drugs and genotypes are drawn from published averages and"
        " frequencies; the dose follows the equation of the International Warfarin Pharmacogenetics Consortium"
        " (N Engl J Med 2009;360:753), plus noise. <code>equipoise.cohort</code> names the source of every number."
        " Columns were scaled by public ranges, never by looking at the patients.</p>"
    )
