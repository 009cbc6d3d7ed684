"""The demo's report: one HTML file with everything in it, the picture included."""

from __future__ import annotations

import html

from equipoise.cli.demo.study import DELTA, Answer
from equipoise.outside import Card
from equipoise.outside.pages import readable
from equipoise.outside.report import sheet

USE = """import equipoise as eq
from equipoise.cohort import encode, simulated_clinic

model = eq.load("model.json")                  # plain JSON, beside this page
new = simulated_clinic(patients=5, seed=99)    # somebody else's patients
print(model.predict(encode(new.X)) ** 2)       # mg a week; predicting costs no privacy
print(model.guarantee_.epsilon, model.card())
"""


def page(answers: tuple[Answer, ...], card: Card, picture: str, records: int, repetitions: int) -> str:
    """The whole report."""
    parts = [
        _opening(card, records),
        _results(answers, picture, records, repetitions),
        _usage(),
        card.fragment(),
        _method(),
    ]
    return sheet.page("Equipoise demo", parts)


def _opening(card: Card, records: int) -> str:
    return (
        "<h1>What does privacy cost a clinic?</h1>"
        f"<p class='lead'>A warfarin clinic of {records:,} simulated patients wants to publish a model of the dose a"
        " patient needs, with a proven limit on what it can tell about any one of them. This page shows how accurate"
        " such a model is at several levels of privacy, and comes with one that is ready to use,"
        f" <code>model.json</code> (ε = {readable(card.guarantee.epsilon)}, δ = {readable(card.guarantee.delta)}).</p>"
    )


def _results(answers: tuple[Answer, ...], picture: str, records: int, repetitions: int) -> str:
    return (
        "<h2>Accuracy against privacy</h2>"
        f"<div class='wide'>{picture}</div>"
        f"{_table(answers)}"
        f"<p>Measured on patients that were not learnt from. Each line is {repetitions} fits to {records:,} patients,"
        f" δ = {readable(DELTA)}; ± is the standard error of their mean. <em>No privacy</em> is scikit-learn on the"
        " same rows; <em>no model</em> gives everyone the same answer.</p>"
        "<p><strong>Fitting many times is for show.</strong> The patients are simulated, so nobody's privacy is at"
        " stake. With real records every fit spends its ε: fit once, keep the model, and let a ledger count. The noise"
        " came from the operating system's secure generator; the demo's seed only drew the patients.</p>"
    )


def _table(answers: tuple[Answer, ...]) -> str:
    head = "".join(f"<th scope='col'>{html.escape(found.question.measure)}</th>" for found in answers)
    body = []
    for index, level in enumerate(answers[0].levels):
        cells = [found.levels[index] for found in answers]
        body.append(sheet.line(f"ε = {level.epsilon:g}", [f"{cell.mean:.2f} ± {cell.error:.2f}" for cell in cells]))
    body.append(sheet.line("no privacy", [f"{found.open:.2f}" for found in answers], "compare"))
    body.append(sheet.line("no model", [f"{found.guess:.2f}" for found in answers], "compare"))
    return (
        f"<table class='numbers'><thead><tr><th scope='col'></th>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table>"
    )


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
