"""Everybody one by one: how "auto" stands to each rival, and additive models to theirs."""

from __future__ import annotations

from benchmarks.utility.claims import ratio, share
from benchmarks.utility.compare import Results, not_behind
from benchmarks.utility.contenders import CONTENDERS
from benchmarks.utility.contenders.contract import DELTA, FEW_EPSILONS, REFERENCE
from benchmarks.utility.results import Result

WORDS = {"equipoise": "ours, by name", "peer": "out of the box", "rule": "by rule", "oracle": "tuned on the test rows"}


def one_by_one(results: Results, places: dict[str, str]) -> str:
    """A line for each rival: cells in which auto is not behind it, and the ratio of excesses, for each set."""
    lines = []
    for contender in CONTENDERS.values():
        if contender.kind == REFERENCE or contender.name == "auto":
            continue
        cells = [_stands(results, contender.name, place) for place in places]
        if any(cells):
            shown = " | ".join(cell or "–" for cell in cells)
            lines.append(f"| {contender.name} | {WORDS[contender.kind]} | {shown} |")
    if not lines:
        return ""
    head = f"| rival | kind | {' | '.join(f'tables {words}' for words in places.values())} |"
    text = """## Auto against each

δ = 10⁻⁶. Share of cells in which auto is not behind by more than one standard error, their number, and the ratio of
summed excesses of classes and of numbers (below one: auto lacks less).
"""
    return "\n".join([text, head, "|" + "---|" * (2 + len(places)), *lines])


def _stands(results: Results, name: str, place: str) -> str:
    pairs = _pairs(results, "auto", name, place)
    if not pairs:
        return ""
    good = [not_behind(own, rival) for own, rival in pairs]
    parts = [
        ratio(results, [pair for pair in pairs if (pair[0].task == "regression") == regression])
        for regression in (False, True)
    ]
    figures = ", ".join("–" if part is None else f"{part:.2f}" for part in parts)
    return f"{share(good)} of {len(good)}; {figures}"


def _pairs(results: Results, ours: str, name: str, place: str) -> list[tuple[Result, Result]]:
    found = [(own, results.get(own.problem, name, own.epsilon, DELTA)) for own in results.of(ours, place, DELTA)]
    return [(own, rival) for own, rival in found if rival is not None]


def additive_models(results: Results, places: dict[str, str]) -> str:
    """Table by table where additive models were run: theirs, DP-EBM's, and the linear model's figures."""
    parts = []
    for place, words in places.items():
        own = results.of("additive", place, DELTA)
        names = list(dict.fromkeys(each.problem for each in own))
        lines = [_line(results, name, [each for each in own if each.problem == name]) for name in names]
        if lines:
            head = ["table (n)", *(f"ε = {price:g}" for price in FEW_EPSILONS)]
            parts += [f"Tables {words}:", "", f"| {' | '.join(head)} |", "|" + "---|" * len(head), *lines, ""]
    if not parts:
        return ""
    text = """## Additive models

δ = 10⁻⁶: accuracy and AUC (two classes), accuracy (more), or R². **additive** / DP-EBM / auto, which is linear.
"""
    return "\n".join([text, *parts])


def _line(results: Results, name: str, own: list[Result]) -> str:
    cells = []
    for price in FEW_EPSILONS:
        mine = next((each for each in own if each.epsilon == price), None)
        if mine is None:
            cells.append("")
            continue
        others = [results.get(name, other, price, DELTA) for other in ("DP-EBM", "auto")]
        figures = ["failed" if mine.failed else f"**{_figures(mine)}**"]
        cells.append(" / ".join([*figures, *("–" if each is None else _figures(each) for each in others)]))
    return f"| {name} ({own[0].n:,}) | {' | '.join(cells)} |"


def _figures(result: Result) -> str:
    names = {"regression": ("r2",), "binary": ("accuracy", "auc"), "multiclass": ("accuracy",)}[result.task]
    return " ".join(told(getattr(result, name)) for name in names)


def told(value: float) -> str:
    """Without a leading zero."""
    if abs(value) >= 0.9995:
        return f"{value:.2f}".replace("-", "−")
    return f"{value:.3f}".replace("0.", ".", 1).replace("-", "−")
