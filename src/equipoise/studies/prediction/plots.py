"""The pictures of the prediction study."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

from equipoise.studies.common import look
from equipoise.studies.prediction.attacks import VICTIMS
from equipoise.studies.prediction.methods import BY_KEY
from equipoise.studies.prediction.summary import Summary, answer_place, budget_place
from equipoise.studies.prediction.walks import BEST
from equipoise.studies.tuning.summary import Cell

Curve = list[tuple[float, Cell]]


@dataclass(frozen=True, slots=True)
class Pen:
    """How the line of one method is drawn."""

    colour: str
    marker: str = "o"
    style: str = "-"


PENS = {
    "vote-trees": Pen(look.BLUE),
    "vote-linear": Pen(look.SKY, "s"),
    "vote-gaussian": Pen(look.BLUE, "x", ":"),
    "average-linear": Pen(look.ORANGE, "^"),
    "average-trees": Pen(look.ORANGE, "v", "--"),
    "stable": Pen(look.VERMILION, "D"),
    "sgd": Pen(look.PURPLE, "P"),
    "walk": Pen(look.GREY, "x", ":"),
    "model": Pen(look.GREEN, "o", "--"),
    "model-delta": Pen(look.GREEN),
    "open": Pen(look.BLACK, "", "--"),
    "guess": Pen(look.BLACK, "", ":"),
}
SHADES = (look.VERMILION, look.ORANGE, look.GREEN, look.BLUE)


def answers(summary: Summary) -> bytes:
    """Error against the ε of one answer, or of a model."""

    def curve(table: str, key: str) -> Curve:
        return _known((level, summary.answer(table, key, level)) for level in summary.epsilons("answer", table))

    figure, panels = _panels(summary.tables(), curve)
    for table, panel in panels.items():
        look.epsilon_axis(panel, summary.epsilons("answer", table))
        panel.set_xlabel("ε of one answer, or of the model", fontsize=11)
    return look.png(figure)


def rows(summary: Summary) -> bytes:
    """Error against the number of rows."""
    every = {table: _most_rows(summary, table) for table in summary.tables()}

    def curve(table: str, key: str) -> Curve:
        level, sizes = summary.rows_epsilon(table), summary.sizes("answer", table)
        return _known((size or every[table], summary.get(answer_place(table, key, level, size))) for size in sizes)

    figure, panels = _panels(summary.tables(), curve)
    for table, panel in panels.items():
        ticks = [size for size in summary.sizes("answer", table) if size]
        _log_ticks(panel, [*ticks, every[table]], [*(f"{size:,}" for size in ticks), "all"])
        panel.set_xlabel(f"rows, at ε = {summary.rows_epsilon(table):g}", fontsize=11)
    return look.png(figure)


def _most_rows(summary: Summary, table: str) -> int:
    """Where to draw "all": twice the largest number tried."""
    return 2 * max((size for size in summary.sizes("answer", table)), default=1) or 1


def budget(summary: Summary, total: float) -> bytes:
    """Error against the number of questions that share a total."""

    def curve(table: str, key: str) -> Curve:
        counts = [count for count in summary.sizes("budget", table) if count]
        return _known((count, summary.get(budget_place(table, key, total, count))) for count in counts)

    figure, panels = _panels(summary.tables("budget"), curve)
    for table, panel in panels.items():
        counts = [count for count in summary.sizes("budget", table) if count]
        _log_ticks(panel, counts, [f"{count:,}" for count in counts])
        panel.set_xlabel(f"questions that share ε = {total:g}, δ = 1e-6", fontsize=11)
    return look.png(figure)


def walks(summary: Summary) -> bytes:
    """The walk's error beyond the best intervals' against the number of rows, and what the theorem allows."""
    kinds = [kind for kind in BEST if kind in summary.tables("walk")]
    figure, panels = look.figure_of(max(1, len(kinds)), height=5.2)
    for panel, kind in zip(panels, kinds, strict=False):
        for epsilon, colour in zip(summary.epsilons("walk", kind), SHADES, strict=False):
            places = [("walk", kind, "1", epsilon, size) for size in summary.sizes("walk", kind)]
            found = _known((place[4], summary.get(place)) for place in places)
            bounds = _known((place[4], summary.get(place, "bound")) for place in places)
            best = BEST[kind]
            panel.plot(
                [size for size, _ in bounds], [cell.mean - best for _, cell in bounds], color=colour, linestyle="--"
            )
            panel.plot(
                [size for size, _ in found],
                [cell.mean - best for _, cell in found],
                color=colour,
                marker="o",
                linestyle="",
                label=f"ε = {epsilon:g}",
            )
        panel.set_yscale("log")
        sizes = summary.sizes("walk", kind)
        _log_ticks(panel, sizes, [f"{size:,}" for size in sizes])
        panel.set_xlabel("rows", fontsize=11)
        look.finish(panel, f"{kind}, one interval", "error beyond the best interval's")
    _legend(figure, panels[0])
    return look.png(figure)


def attacks(summary: Summary) -> bytes:
    """Advantage of both attacks, with what the claim allows; and noise against columns."""
    figure, (left, right) = look.figure_of(2, height=5.8)
    names, place = [], 0
    for victim in VICTIMS:
        for where in (each for each in summary.places("attack") if each[2] == victim.key):
            for attack, colour, shift in (("threshold", look.BLUE, -0.2), ("ratio", look.ORANGE, 0.2)):
                cell = summary.get(where, attack)
                if cell is not None:
                    word = "threshold" if attack == "threshold" else "likelihood ratios"
                    left.barh(place + shift, cell.mean, 0.36, color=colour, label=word if place == 0 else None)
            allowed = summary.get(where, "allowed")
            if allowed is not None:
                left.plot([allowed.mean] * 2, [place - 0.42, place + 0.42], color=look.BLACK, linewidth=2)
            names.append(f"{victim.label}{f', ε = {where[3]:g}' if where[3] else ''}")
            place += 1
    left.set_yticks(range(place), names, fontsize=9)
    left.invert_yaxis()
    left.axvline(0, color="#999999", linewidth=0.8)
    look.finish(left, "Members told from others\n(black: the most its ε allows)", "")
    left.set_xlabel("advantage: members found minus others accused", fontsize=11)
    _widths(right, summary)
    _legend(figure, left)
    return look.png(figure)


def _widths(axes: Axes, summary: Summary) -> None:
    for kind, words in (("stable", "stable answers"), ("model", "released model")):
        places = sorted(place for place in summary.places("width") if place[2] == kind)
        _draw(axes, _known((place[4], summary.get(place, "noise")) for place in places), PENS[kind], words)
    sizes = sorted({place[4] for place in summary.places("width")})
    if sizes:
        _log_ticks(axes, sizes, [f"{size}" for size in sizes])
        axes.legend(frameon=False, fontsize=10)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("columns", fontsize=11)
    look.finish(axes, "Noise in a score\n(same ridge, ε = 1, δ = 0)", "standard deviation")


def _panels(tables: list[str], curve: Callable[[str, str], Curve]) -> tuple[Figure, dict[str, Axes]]:
    """A panel for each table with every line that it has."""
    lines = max(1, math.ceil(len(tables) / 2))
    figure = Figure(figsize=(11, 4.1 * lines + 1.0), dpi=150, layout="constrained")
    grid = list(figure.subplots(lines, 2, squeeze=False).ravel())
    for table, panel in zip(tables, grid, strict=False):
        for key, pen in PENS.items():
            _draw(panel, curve(table, key), pen, BY_KEY[key].label)
        classifies = table != "Warfarin"
        look.finish(panel, table, "share of wrong answers" if classifies else "root mean square error, √(mg a week)")
    for panel in grid[len(tables) :]:
        panel.set_axis_off()
    _legend(figure, *grid)
    return figure, dict(zip(tables, grid, strict=False))


def _known(found: Iterable[tuple[float, Cell | None]]) -> Curve:
    return [(at, cell) for at, cell in found if cell is not None]


def _draw(axes: Axes, found: Curve, pen: Pen, label: str) -> None:
    if not found:
        return
    means = np.array([cell.mean for _, cell in found])
    ends = np.array([[cell.low, cell.high] for _, cell in found])
    bars = np.abs(np.where(np.isfinite(ends), ends, means[:, None]) - means[:, None]).T
    axes.errorbar(
        [at for at, _ in found],
        means,
        yerr=None if pen.marker == "" else bars,
        color=pen.colour,
        marker=pen.marker,
        linestyle=pen.style,
        linewidth=1.5,
        markersize=5,
        capsize=2,
        label=label,
    )


def _log_ticks(axes: Axes, ticks: list[int], labels: list[str]) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks(ticks, labels)


def _legend(figure: Figure, *panels: Axes) -> None:
    known: dict[str, Artist] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        for handle, label in zip(handles, labels, strict=True):
            known.setdefault(str(label), handle)
    if known:
        figure.legend(
            list(known.values()), list(known), loc="outside lower center", ncols=4, frameon=False, fontsize=10
        )
