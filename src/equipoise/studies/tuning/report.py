"""The tuning study's files: pictures, CSV, claims, and one HTML page that holds them all."""

from __future__ import annotations

import html
from collections import Counter
from pathlib import Path

from equipoise.outside.files import write_whole
from equipoise.studies.common import look
from equipoise.studies.common.claims import STYLE as CLAIMS_STYLE
from equipoise.studies.common.claims import Claim, as_measured, as_table
from equipoise.studies.tuning import plots as tuning_plots
from equipoise.studies.tuning.claims import check_claims
from equipoise.studies.tuning.data import COLUMNS, HOW_TO_GET
from equipoise.studies.tuning.histogram import AUTO, BINS
from equipoise.studies.tuning.methods import ALPHAS, BY_KEY, METHODS
from equipoise.studies.tuning.runs import FOLDS, FULL, Outcome
from equipoise.studies.tuning.summary import Summary, as_csv, summarise

STYLE = f"body {{ max-width: 76rem; }} .numbers {{ font-size: .84rem; }} {CLAIMS_STYLE}"
PICTURES = {
    "auc": "Ranking: area under the curve",
    "mse": "Probabilities: mean squared error",
    "chosen": "What was chosen",
    "histograms": "Histograms",
}
WORDS = {
    "auc": "Bars are bootstrap intervals over the folds. Grey: no privacy (dashed), and the share of ones for everybody"
    " (dotted).",
    "mse": "Of the predicted probability against 0 or 1, the Brier score. Above the dotted line a model is worse than"
    " telling everybody the same.",
    "chosen": "Control looks at the rows to choose and so shows where the best setting lies; Random is the middle.",
    "histograms": "Integrated squared error against the fine histogram of all rows, which is not private, in units of"
    " the column's range.",
}


def write_all(out: Path, outcome: Outcome) -> tuple[Summary, tuple[Claim, ...]]:
    """points.csv, four pictures, report.html."""
    summary = summarise(outcome)
    claims = as_measured(check_claims(summary), whole=outcome.settings == FULL)
    pictures = {
        "auc": tuning_plots.measure(summary, "auc", "area under the ROC curve"),
        "mse": tuning_plots.measure(summary, "mse", "mean squared error of the probability"),
        "chosen": tuning_plots.chosen(summary),
        "histograms": tuning_plots.histograms(summary),
    }
    for name, picture in pictures.items():
        (out / f"{name}.png").write_bytes(picture)
    write_whole(out / "points.csv", as_csv(summary))
    write_whole(out / "report.html", page(outcome, summary, claims, pictures))
    return summary, claims


def page(outcome: Outcome, summary: Summary, claims: tuple[Claim, ...], pictures: dict[str, bytes]) -> str:
    """The report as one HTML page, pictures included."""
    parts = [_opening(outcome), as_table(claims)]
    for name, title in PICTURES.items():
        image = look.image(pictures[name], _alternative(name, summary))
        parts += [f"<h2>{title}</h2>", image, f"<p>{WORDS[name]}</p>", _figures(name, summary)]
    return look.page("Tuning, privately", [*parts, _missing(outcome), _method(outcome)], STYLE)


def _opening(outcome: Outcome) -> str:
    notice = "" if outcome.real else f"<p class='warning'><strong>Simulated rows.</strong> {HOW_TO_GET}</p>"
    classifiers = sum("auc" in point.measures for point in outcome.points)
    return (
        "<h1>What does it cost to choose a setting privately?</h1>"
        "<p class='lead'>A model's regulariser is usually chosen by trying several and looking which does best; every"
        " look at private rows has its price. Chaudhuri and Vinterbo showed in 2013 how to choose among any number of"
        " settings for the price of one choice, if training is stable. This is their study again, on"
        f" {html.escape(outcome.source)}: {classifiers:,} tuned classifiers.</p>{notice}"
    )


def _alternative(name: str, summary: Summary) -> str:
    """A picture in words: its title and the ends of Stability's curves."""
    told = []
    for table in summary.columns() if name == "histograms" else summary.tables():
        key, measure = (AUTO, "ise") if name == "histograms" else ("stability", name)
        levels = summary.epsilons(table)
        cells = [(level, summary.get(table, key, level, measure)) for level in (*levels[:1], *levels[-1:])]
        told += [f"{table} {cell.mean:.3g} at epsilon {level:g}" for level, cell in cells if cell is not None]
    return f"{PICTURES[name]}: {', '.join(told)}"


def _figures(name: str, summary: Summary) -> str:
    if name == "histograms":
        return "".join(_table(summary, column, "ise", BINS, 3) for column in summary.columns())
    keys = tuple(method.key for method in METHODS)
    if name == "chosen":
        return "".join(_choices(summary, table) for table in summary.tables())
    return "".join(_table(summary, table, name, keys, 3) for table in summary.tables())


def _table(summary: Summary, table: str, measure: str, keys: tuple[str, ...], digits: int) -> str:
    levels, body = summary.epsilons(table), []
    for key in keys:
        cells = [summary.get(table, key, level, measure) for level in levels]
        if any(cell is not None for cell in cells):
            told = ["refused" if cell is None else cell.told(digits) for cell in cells]
            body.append(look.line(_label(key), told, "" if _private(key) else "compare"))
    return _framed(table, levels, body)


def _choices(summary: Summary, table: str) -> str:
    """The setting taken most often, and how often."""
    levels, body = summary.epsilons(table), []
    for method in METHODS:
        numbers = [summary.numbers(table, method.key, level, "chosen") for level in levels]
        if any(numbers):
            told = [_most_often(found) for found in numbers]
            body.append(look.line(method.label, told, "" if method.private else "compare"))
    return _framed(f"{table}: alpha taken most often", levels, body)


def _most_often(found: list[float]) -> str:
    if not found:
        return "refused"
    place, times = Counter(int(number) for number in found).most_common(1)[0]
    return f"{ALPHAS[place]:.2g} ({times / len(found):.0%})"


def _framed(title: str, levels: list[float], body: list[str]) -> str:
    head = "".join(f"<th scope='col'>ε = {level:g}</th>" for level in levels)
    return (
        f"<h3>{html.escape(title)}</h3><div class='wide'><table class='numbers'>"
        f"<thead><tr><th scope='col'></th>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _label(key: str) -> str:
    if key in BY_KEY:
        return BY_KEY[key].label
    return "chosen privately" if key == AUTO else f"{key} bins"


def _private(key: str) -> bool:
    return key not in BY_KEY or BY_KEY[key].private


def _missing(outcome: Outcome) -> str:
    lines = [f"{name}: {reason}" for name, reason in sorted(outcome.unavailable.items())]
    if not lines:
        return ""
    return "<h3>Refused</h3><ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in lines) + "</ul>"


def _method(outcome: Outcome) -> str:
    settings = outcome.settings
    alphas = ", ".join(f"{alpha:.2g}" for alpha in ALPHAS)
    columns = ", ".join(f"{column.name} ({column.low:g} to {column.high:g})" for column in COLUMNS)
    items = (
        f"{settings.repeats} random partitions into {FOLDS} folds, {settings.folds} folds of each used; fitted on nine"
        " folds, measured on the tenth. Every method sees the same folds. Folds share rows, so the bootstrap intervals"
        " over them are somewhat too narrow.",
        f"Ten regularisers: {alphas}. The paper's own list was not at hand; these ten are evenly spaced on a"
        " logarithmic scale. alpha is that of (α/2)‖w‖² beside the mean loss.",
        "Logistic regression with δ = 0; for each setting the better of output and objective perturbation by predicted"
        " risk, the same for every search. One line uses δ = 1e-6 and says so.",
        "Stability: ramp score, settings of the library (a quarter of the rows to choose on, the chosen setting fitted"
        " again on all rows with fresh noise). alphaSplit: every setting on the same rows, each for its part of ε."
        " dataSplit: every setting on rows of its own. Random: a setting drawn blindly. RandomStop: the best of a"
        " random number of runs, ten on average (Papernot and Steinke). Control: all ten settings fitted with"
        " the whole ε each and the best on the training rows kept, with its noise: not private.",
        "“auto without tuning” is the plain estimator: mechanism and ridge from public facts alone.",
        f"Histograms on {columns}, {settings.histogram_runs} runs each; a whole number stands for all"
        " up to the next, and its rows are spread over that cell.",
        "Noise is seeded so that the figures can be had again. A seeded model is not private: fit once, without a seed,"
        " to publish one.",
    )
    return "<h2>How it was done</h2><ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"
