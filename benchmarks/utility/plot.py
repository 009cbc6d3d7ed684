"""Two pictures: accuracy against ε on single tables, and mean excess error against ε over a whole set."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.utility.compare import ORACLE, PEER, RULE, Results, score
from benchmarks.utility.contenders.contract import DELTA
from benchmarks.utility.metrics import primary
from benchmarks.utility.problem import DESIGN, FRESH, SEEN
from benchmarks.utility.results import Result
from equipoise.studies.common.look import BLACK, BLUE, GREEN, GREY, ORANGE, VERMILION, finish, png

README = ("churned", "mosquitoes", "ratings", "shops", "careers", "blocks")
"""Of the real tables never seen before those with the most rows: two of two classes, one of more, three of numbers."""

TITLES = {
    "churned": "Customers who leave",
    "mosquitoes": "Mosquitoes with a virus",
    "ratings": "Ratings of films",
    "shops": "Sales of shops",
    "careers": "Wages of women",
    "blocks": "Prices of houses",
}
LEAST = 1e-3
"""An excess that is drawn, on a logarithmic axis; less counts as this."""

NARROWEST = 0.02
"""Of an axis: thousandths are not drawn as if they mattered."""

RIVALS = (
    ("best peer out of the box", [PEER], ORANGE, "s--"),
    ("best data-free rule", [RULE], GREEN, "^--"),
    ("best peer tuned on the test rows", [ORACLE], VERMILION, "v:"),
)


def tables(results: Results, names: tuple[str, ...] = README) -> bytes:
    """A panel for each table that was measured."""
    shown = [name for name in names if results.reference(name, "not private") and _own(results, name)]
    if not shown:
        return b""
    across = min(3, len(shown))
    down = -(-len(shown) // across)
    figure = Figure(figsize=(11, 3.1 * down + 0.6), dpi=130, layout="constrained")
    axes = np.ravel(figure.subplots(down, across, squeeze=False))
    for axis, name in zip(axes, shown, strict=False):
        _panel(axis, results, name)
    for axis in axes[len(shown) :]:
        axis.set_visible(False)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    return png(figure)


def _own(results: Results, name: str) -> list[Result]:
    found = [each for each in results.of("auto", None, DELTA) if each.problem == name and not each.failed]
    return sorted(found, key=lambda each: each.epsilon)


def _panel(axis: Axes, results: Results, name: str) -> None:
    own = _own(results, name)
    prices = [each.epsilon for each in own]
    errors = [getattr(each, f"{primary(each.task)}_se") or 0.0 for each in own]
    axis.errorbar(prices, [score(each) for each in own], errors, fmt="o-", color=BLUE, capsize=3,
                  label="Equipoise, nothing tuned", zorder=5)  # fmt: skip
    levels = [score(each) for each in own]
    for label, kinds, colour, style in RIVALS:
        pairs = [(each.epsilon, results.best(each, kinds)) for each in own]
        kept = [(price, score(rival)) for price, rival in pairs if rival is not None]
        if kept:
            axis.plot(*zip(*kept, strict=True), style, color=colour, markersize=5, linewidth=1.2, label=label)
            levels += [value for _, value in kept]
    for label, style in (("not private", "-"), ("constant", ":")):
        reference = results.reference(name, label)
        if reference is not None:
            axis.axhline(score(reference), color=GREY if label == "constant" else BLACK, linestyle=style,
                         linewidth=1, label=label)  # fmt: skip
            if label == "not private":
                levels.append(score(reference))
    low, high = max(min(levels), -0.35), max(levels)
    room = max(0.06 * (high - low), (NARROWEST - (high - low)) / 2)
    axis.set_ylim(low - room, high + room)
    _epsilon_axis(axis, prices)
    measure = "R²" if own[0].task == "regression" else "accuracy"
    finish(axis, f"{TITLES.get(name, name)} (n = {own[0].n:,}, d = {own[0].d:,})", measure)
    axis.title.set_fontsize(10)


def _epsilon_axis(axis: Axes, prices: list[float]) -> None:
    axis.set_xscale("log")
    axis.set_xticks(prices, [f"{price:g}" for price in prices])
    axis.minorticks_off()
    axis.set_xlabel("ε")


def excess(results: Results) -> bytes:
    """A panel for each set and task: means over tables."""
    panels = [(place, regression) for place in (FRESH, SEEN, DESIGN) for regression in (False, True)]
    panels = [panel for panel in panels if _asked(results, *panel)]
    if not panels:
        return b""
    figure = Figure(figsize=(11, 3.6 * -(-len(panels) // 2) + 0.5), dpi=130, layout="constrained")
    axes = np.ravel(figure.subplots(-(-len(panels) // 2), 2, squeeze=False))
    for axis, panel in zip(axes, panels, strict=False):
        _excess_panel(axis, results, *panel)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    return png(figure)


def _asked(results: Results, place: str, regression: bool) -> list[Result]:
    """Cells in which everybody who is drawn was measured."""
    own = results.of("auto", place, DELTA)
    own = [each for each in own if (each.task == "regression") == regression and results.excess(each) is not None]
    return [each for each in own if all(results.best(each, kinds) is not None for _, kinds, _, _ in RIVALS)]


def _excess_panel(axis: Axes, results: Results, place: str, regression: bool) -> None:
    own = _asked(results, place, regression)
    prices = sorted({each.epsilon for each in own})

    def line(rival_kinds: list[str] | None, style: str, colour: str, label: str) -> None:
        values = []
        for price in prices:
            cells = [each for each in own if each.epsilon == price]
            shown = [each if rival_kinds is None else results.best(each, rival_kinds) for each in cells]
            found = [results.excess(each) for each in shown if each is not None]
            values.append(float(np.mean([value for value in found if value is not None])))
        axis.plot(prices, np.maximum(values, LEAST), style, color=colour, label=label, markersize=5)

    line(None, "o-", BLUE, "Equipoise, nothing tuned")
    for label, kinds, colour, style in RIVALS:
        line(kinds, style, colour, label)
    axis.set_yscale("log")
    _epsilon_axis(axis, prices)
    task = "regression" if regression else "classification"
    names = {FRESH: "never seen before", SEEN: "seen since", DESIGN: "designed on"}
    count = len({each.problem for each in own})
    finish(axis, f"{task}, {count} tables {names[place]}", "mean excess " + ("R²" if regression else "error"))
    axis.title.set_fontsize(10)
    axis.yaxis.label.set_fontsize(10)
