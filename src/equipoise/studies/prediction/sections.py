"""Tables of the prediction study's report, and how it was done."""

from __future__ import annotations

import html

from equipoise.studies.common import look
from equipoise.studies.prediction.answers import MOST_TEST_ROWS, VOTERS_WATCHED
from equipoise.studies.prediction.attacks import MEMBERS, SHADOWS, VICTIMS
from equipoise.studies.prediction.methods import BY_KEY, DEPTH, ROUNDS, SHARD_C
from equipoise.studies.prediction.runs import Outcome
from equipoise.studies.prediction.summary import Place, Summary, answer_place, budget_place
from equipoise.studies.prediction.walks import FLIPS
from equipoise.studies.tuning.summary import Cell


def single_tables(summary: Summary) -> str:
    """Error at every ε, for each table."""
    found = []
    for table in summary.tables():
        levels, body = summary.epsilons("answer", table), []
        for key in summary.methods("answer", table):
            cells = [summary.get(answer_place(table, key, level)) for level in levels]
            body.append(look.line(BY_KEY[key].label, [_told(cell) for cell in cells], _style(key)))
        found.append(_framed(table, [f"ε = {level:g}" for level in levels], body))
    return "".join(found)


def budget_tables(summary: Summary) -> str:
    """Error at every number of questions, for each table and total; consensus by how many it answered."""
    found = []
    for table in summary.tables("budget"):
        counts = [count for count in summary.sizes("budget", table) if count]
        for total in summary.epsilons("budget", table):
            body = []
            for key in (*summary.methods("budget", table), "open"):
                places: list[Place] = [budget_place(table, key, total, count) for count in counts]
                told = [_told(summary.get(place)) for place in places]
                if BY_KEY[key].law == "rounds":
                    told = [_answered(summary, place) for place in places]
                body.append(look.line(BY_KEY[key].label, told, _style(key)))
            found.append(_framed(f"{table}, total ε = {total:g}", [f"k = {count:,}" for count in counts], body))
    return "".join(found)


def _answered(summary: Summary, place: Place) -> str:
    cell = summary.get(place, "answered")
    return "" if cell is None else f"answered {cell.mean:.0f} of {place[4]:,}"


def attack_table(summary: Summary) -> str:
    """Both attacks, with what is allowed."""
    body = []
    for victim in VICTIMS:
        for place in (each for each in summary.places("attack") if each[2] == victim.key):
            cells = [summary.get(place, name) for name in ("threshold", "ratio", "allowed")]
            told = [*(_told(cell) for cell in cells[:2]), "" if cells[2] is None else f"{cells[2].mean:.3f}"]
            name = f"{victim.label}{f', total ε = {place[3]:g}' if place[3] else ''}"
            body.append(look.line(name, told, "" if victim.private else "compare"))
    return _framed("Advantage", ["threshold", "likelihood ratios", "allowed"], body)


def _told(cell: Cell | None) -> str:
    if cell is None:
        return "–"
    return f"{cell.mean:.3f}" if cell.count < 2 else cell.told(3)


def _style(key: str) -> str:
    return "" if BY_KEY[key].private else "compare"


def _framed(title: str, heads: list[str], body: list[str]) -> str:
    head = "".join(f"<th scope='col'>{html.escape(name)}</th>" for name in heads)
    return (
        f"<h3>{html.escape(title)}</h3><div class='wide'><table class='numbers'>"
        f"<thead><tr><th scope='col'></th>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def how_it_was_done(outcome: Outcome) -> str:
    """The section that says what was run, with the constants of this outcome."""
    settings = outcome.settings
    items = (
        f"{settings.repeats} random splits; up to {MOST_TEST_ROWS:,} rows (a fifth of small tables) are asked about,"
        " the rest is learnt from. All methods see the same splits, which share rows: intervals are too narrow.",
        f"Voters are trees of depth {DEPTH}, or logistic regression with C = {SHARD_C:g} on rows of norm about one; the"
        f" number of shards is the library's. Voters' own error is that of {VOTERS_WATCHED} models on shards of the"
        " same size.",
        "An averaged classifier answers with the class by a coin of the mean probability, as the paper has it, and so"
        " errs even where the probability is known; with ridge regression or trees it averages doses.",
        "k questions: the error is measured on all held-out rows at the price of k answers, since each answer has the"
        " same law. Laplace or Gaussian noise, whichever is smaller for k.",
        f"Consensus splits its budget into {ROUNDS} rounds and is asked different rows until the budget is used up;"
        " each contested question ends a round.",
        "A walk takes one column: years of schooling, the angle fAlpha, the folding energy. Whole numbers are spread up"
        " to the next by the row's place, for a walk sorts ties by label.",
        f"Simulated lines: x uniform, k intervals of equal length; labels as they are, flipped with probability"
        f" {FLIPS:g}, or drawn with a chance that waves between 0 and 1.",
        f"Membership: {MEMBERS} members and as many others of Adult, every person asked about once, {SHADOWS} shadow"
        " models; thresholds are picked on one half and tested on the other. Total ε at δ = 1e-6 covers all questions.",
        "Verdicts that rest on a difference need five repeats; a quick run has two and leaves them open.",
        "Noise is seeded so that the figures can be had again. A seeded predictor or model is not private.",
    )
    return "<h2>How it was done</h2><ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"
