"""The warfarin study's files: pictures, CSV, claims, and one HTML page that holds them all."""

from __future__ import annotations

import html
from pathlib import Path

from equipoise.cohort import LABEL_BOUNDS
from equipoise.outside.files import write_whole
from equipoise.outside.pages import readable
from equipoise.studies.common import look
from equipoise.studies.common.claims import STYLE as CLAIMS_STYLE
from equipoise.studies.common.claims import Claim, as_measured, as_table
from equipoise.studies.warfarin import plots as warfarin_plots
from equipoise.studies.warfarin.claims import check_claims
from equipoise.studies.warfarin.data import HOW_TO_GET
from equipoise.studies.warfarin.methods import ALPHAS, BY_KEY, CHUNKS, DELTA, METHODS, ORACLE_DRAWS
from equipoise.studies.warfarin.runs import FULL, Outcome
from equipoise.studies.warfarin.summary import Summary, as_csv, summarise

STYLE = f"body {{ max-width: 72rem; }} .numbers {{ font-size: .88rem; }} {CLAIMS_STYLE}"
PICTURES = {
    "accuracy": "Accuracy against privacy",
    "against_oracle": "Choosing without looking, against an oracle",
    "risk": "What the errors would do to patients",
    "inversion": "Guessing a gene from the model",
    "training_size": "More patients",
}


def write_all(out: Path, outcome: Outcome) -> tuple[Summary, tuple[Claim, ...]]:
    """points.csv, five pictures, report.html."""
    summary = summarise(outcome)
    claims = as_measured(check_claims(summary), whole=outcome.settings == FULL)
    pictures = {
        "accuracy": warfarin_plots.accuracy(summary),
        "against_oracle": warfarin_plots.against_oracle(summary),
        "risk": warfarin_plots.risk(summary),
        "inversion": warfarin_plots.inversion(summary),
        "training_size": warfarin_plots.training_size(summary),
    }
    for name, picture in pictures.items():
        (out / f"{name}.png").write_bytes(picture)
    write_whole(out / "points.csv", as_csv(summary))
    write_whole(out / "report.html", page(outcome, summary, claims, pictures))
    return summary, claims


def page(outcome: Outcome, summary: Summary, claims: tuple[Claim, ...], pictures: dict[str, bytes]) -> str:
    """The report as one HTML page, pictures included."""
    parts = [_opening(outcome, summary), as_table(claims)]
    for name, title in PICTURES.items():
        parts += [f"<h2>{title}</h2>", look.image(pictures[name], _alternative(name, summary)), _words(name, summary)]
    parts += [_table(summary, outcome), _missing(outcome), _method(outcome)]
    return look.page("Warfarin, privately", parts, STYLE)


def _opening(outcome: Outcome, summary: Summary) -> str:
    notice = "" if outcome.real else f"<p class='warning'><strong>Simulated patients.</strong> {HOW_TO_GET}</p>"
    return (
        "<h1>Can a clinic publish a dosing model under strong privacy?</h1>"
        "<p class='lead'>Wu, Fredrikson, Wu, Jha and Naughton asked it in 2015, on the patients of the International"
        f" Warfarin Pharmacogenetics Consortium. This is their study again, on {html.escape(outcome.patients)}, with"
        f" constants derived anew beside the printed ones.</p>{notice}{honest_lines(summary, outcome.real)}"
    )


def honest_lines(summary: Summary, real: bool) -> str:
    """What the paper's figures leave out, said first."""
    mean, least = summary.get("mean", 0.0, "mse"), summary.get("open", 0.0, "mse")
    if mean is None or least is None:
        return ""
    judged = (
        " The paper's figure for an oracle at ε = 0.2 is 1.82. So what it calls accurate at small ε is close to"
        " predicting the mean: safe, and of little use."
    )
    told = []
    for epsilon in (0.1, 0.3, 1.0):
        cells = [(key, summary.get(key, epsilon, "mse")) for key in ("free-printed", "tuned-printed", "free", "auto")]
        known = [f"{_short(key)} {cell.mean:.2f}" for key, cell in cells if cell is not None]
        if known:
            told.append(f"<li>ε = {epsilon:g}: {', '.join(known)}</li>")
    return (
        f"<p><strong>Two lines the paper lacks.</strong> Predicting the mean dose for everybody has an MSE of"
        f" {mean.mean:.2f}; least squares without privacy reaches {least.mean:.2f}.{judged if real else ''}"
        f" How far one gets (MSE):</p><ul>{''.join(told)}</ul>"
    )


def _short(key: str) -> str:
    names = {
        "free-printed": "data-independent as printed",
        "tuned-printed": "tuned as printed",
        "free": "data-independent with our constant",
        "auto": f"Equipoise's own choice (δ = {readable(DELTA)})",
    }
    return names[key]


def _alternative(name: str, summary: Summary) -> str:
    """A picture in words: its title and the ends of Equipoise's own curve."""
    measure = {"risk": "bleeding", "inversion": "inversion"}.get(name, "mse")
    key = "tuned" if name == "training_size" else "free" if name == "against_oracle" else "auto"
    ends = [(level, summary.get(key, level, measure)) for level in summary.epsilons(key)]
    told = [f"{cell.mean:.2f} at epsilon {level:g}" for level, cell in ends[:1] + ends[-1:] if cell is not None]
    return f"{PICTURES[name]}: {measure} of {BY_KEY[key].label} {' and '.join(told)}"


def _words(name: str, summary: Summary) -> str:
    words = {
        "accuracy": "Dotted: the mean dose for everybody. Dashed: least squares without privacy. A method above the"
        " dotted line is worse than knowing nothing of the patient. Bars are standard errors. All start from the"
        " middle of the public range of doses, which lies near the mean dose, so that even a model of pure shrinkage"
        " does not fall far below it. The functional mechanism is done as its authors advise, with a ridge of four"
        " standard deviations of its noise, and directions lost in noise are left alone: so done it is no longer"
        " unusable at small ε, which the paper's figure of 22.57 suggests that theirs was.",
        "against_oracle": "The oracle tries every setting on the training rows and keeps the best: nobody may do that"
        " with private records. Data-independent choice uses R = 1 and a ridge from n, d and ε alone: the paper's"
        " √(d/(nε)), or the corrected formula that minimises the bound.",
        "risk": "Each patient is simulated for 90 days on the predicted dose and on the dose that was found right; no"
        " doctor corrects it, so the figures compare models and forecast no clinic. Predictions are kept within the"
        " public bounds, so that no model can prescribe an absurd dose.",
        "inversion": "The attacker knows everything about a patient but VKORC1, and the dose, the model, how frequent"
        " each genotype is, and how large the model's errors are. Predicting the mean tells nothing, so that line is"
        f" the best guess without a model. {_strangers(summary)} What the attack measures is"
        " mostly how well the model predicts: no privacy of the training records can prevent that, and none is meant"
        " to.",
        "training_size": f"Tuning splits the rows into {CHUNKS} chunks and keeps the model of one, so it learns from a"
        " small part of what it is given.",
    }
    return f"<p>{words[name]}</p>"


def _strangers(summary: Summary) -> str:
    """Does having been learnt from make a difference?"""
    inside, outside = (summary.get("open", 0.0, name) for name in ("inversion", "inversion, strangers"))
    if inside is None or outside is None:
        return ""
    return (
        f"Against least squares without privacy, the attack is right for {inside.mean:.0f}% of the patients learnt from"
        f" and for {outside.mean:.0f}% of patients never seen."
    )


def _table(summary: Summary, outcome: Outcome) -> str:
    levels = outcome.settings.epsilons
    head = "".join(f"<th scope='col'>ε = {level:g}</th>" for level in levels)
    body = []
    for method in METHODS:
        cells = [summary.get(method.key, level, "mse") for level in levels]
        if any(cell is not None for cell in cells):
            style = "" if method.private else "compare"
            body.append(look.line(method.label, ["refused" if cell is None else cell.told() for cell in cells], style))
        elif method.key in outcome.unavailable:
            body.append(look.line(method.label, ["not available"] * len(levels)))
    return (
        "<h2>All figures</h2><p>Mean squared error of √(mg a week) on the held-out fifth, mean ± standard error over"
        f" {outcome.settings.runs} splits. <code>points.csv</code> has every measure.</p><div class='wide'>"
        f"<table class='numbers'><thead><tr><th scope='col'></th>{head}</tr></thead><tbody>{''.join(body)}</tbody>"
        "</table></div>"
    )


def _missing(outcome: Outcome) -> str:
    refused = {f"{BY_KEY[key].label}: {reason}" for key, reason in outcome.unavailable.items()}
    refused |= {f"{BY_KEY[point.task.method].label}: {point.refused}" for point in outcome.points if point.refused}
    if not refused:
        return ""
    return "<h3>Not available</h3><ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in sorted(refused)) + "</ul>"


def _method(outcome: Outcome) -> str:
    low, high = LABEL_BOUNDS
    alphas = ", ".join(f"{alpha:.2g}" for alpha in ALPHAS)
    items = (
        "Patients with a known dose, age, height and weight are kept. VKORC1 is read from neighbouring variants by the"
        " consortium's rules where it is missing, otherwise unknown is a category; drugs not mentioned count as not"
        " taken.",
        f"The outcome is √(mg a week), clipped to {low:g} to {high:g} for learning; clipped doses are not counted."
        " Held-out doses are left as they are. Columns are scaled by public ranges and rows clipped to norm 1.",
        "The paper's B = Y = 1 hold in units of the fit: labels are centred and scaled to [−1, 1], and a row together"
        " with the constant column of the intercept, which the paper does not mention, has norm at most 1.",
        f"Tuning: R in {{¼, ½, 1}} or {{½, 1, 2}} with alpha in {{{alphas}}}, {CHUNKS} chunks, and an exponential"
        " mechanism with the corrected sensitivity. The oracle judges each setting by"
        f" {ORACLE_DRAWS} draws of the noise and then fits with fresh noise; “setting and noise” keeps the luckiest.",
        "“As printed” uses the paper's 12R + 8 where 3√3 is enough for R = 1. Methods marked δ use"
        f" δ = {readable(DELTA)}; all others are purely ε-private. Neighbours differ by replacing one row.",
        "Noise is seeded so that the figures can be had again. A seeded model is not private: fit once, without a seed,"
        " to publish one.",
    )
    return "<h2>How it was done</h2><ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"
