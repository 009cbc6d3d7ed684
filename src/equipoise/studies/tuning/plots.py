"""The pictures of the tuning study."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from equipoise.studies.common import look
from equipoise.studies.tuning.histogram import AUTO, BINS
from equipoise.studies.tuning.methods import ALPHAS, BY_KEY
from equipoise.studies.tuning.summary import Summary


@dataclass(frozen=True, slots=True)
class Pen:
    """How the line of one method is drawn."""

    colour: str
    marker: str = "o"
    style: str = "-"


PENS = {
    "stability": Pen(look.BLUE),
    "budget": Pen(look.ORANGE, "^"),
    "data": Pen(look.VERMILION, "v"),
    "random": Pen(look.GREY, "x", ":"),
    "stop": Pen(look.PURPLE, "s"),
    "auto": Pen(look.GREEN, "D"),
    "auto-delta": Pen(look.GREEN, "D", "--"),
    "control": Pen(look.BLACK, "+", "--"),
}
SHADES = ("#c6dbef", "#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#084594", "#041f4a")


def measure(summary: Summary, name: str, title: str) -> bytes:
    """One measure against ε, a panel for each table."""
    tables = summary.tables()
    figure, panels = look.figure_of(len(tables), height=5.6)
    better = "higher is better" if name == "auc" else "lower is better"
    for panel, table in zip(panels, tables, strict=True):
        _baselines(panel, summary, table, name)
        for key, pen in PENS.items():
            _curve(panel, summary, table, key, name, pen, BY_KEY[key].label)
        look.epsilon_axis(panel, summary.epsilons(table))
        look.finish(panel, f"{table}\n({better})", title)
    _legend(figure, panels[0])
    return look.png(figure)


def chosen(summary: Summary) -> bytes:
    """Which regulariser each method takes, on average, against ε."""
    tables = summary.tables()
    figure, panels = look.figure_of(len(tables), height=5.6)
    for panel, table in zip(panels, tables, strict=True):
        for key in ("stability", "budget", "data", "random", "stop", "control"):
            _curve(panel, summary, table, key, "chosen", PENS[key], BY_KEY[key].label)
        panel.set_yticks(range(len(ALPHAS)), [f"{alpha:.2g}" for alpha in ALPHAS])
        panel.set_ylim(-0.4, len(ALPHAS) - 0.6)
        look.epsilon_axis(panel, summary.epsilons(table))
        look.finish(panel, table, "alpha chosen (mean of its place in the list)")
    _legend(figure, panels[0])
    return look.png(figure)


def histograms(summary: Summary) -> bytes:
    """ISE against ε for each column: chosen privately, and fixed."""
    columns = summary.columns()
    rows = max(1, -(-len(columns) // 3))
    figure = Figure(figsize=(11, 3.6 * rows + 0.6), dpi=150, layout="constrained")
    grid = figure.subplots(rows, 3, squeeze=False)
    panels: list[Axes] = list(grid.ravel())
    for panel, column in zip(panels, columns, strict=False):
        for bins, shade in zip(BINS[1:], SHADES, strict=False):
            _curve(panel, summary, column, bins, "ise", Pen(shade, "."), f"{bins} bins")
        _curve(panel, summary, column, AUTO, "ise", Pen(look.VERMILION, "o"), "chosen privately")
        panel.set_yscale("log")
        look.epsilon_axis(panel, summary.epsilons(column))
        panel.set_xlabel("ε", fontsize=11)
        look.finish(panel, column, "integrated squared error")
    for panel in panels[len(columns) :]:
        panel.set_axis_off()
    _legend(figure, panels[0])
    return look.png(figure)


def _curve(axes: Axes, summary: Summary, table: str, key: str, name: str, pen: Pen, label: str) -> None:
    found = [(level, cell) for level in summary.epsilons(table) if (cell := summary.get(table, key, level, name))]
    if not found:
        return
    means = np.array([cell.mean for _, cell in found])
    ends = np.array([[cell.low, cell.high] for _, cell in found])
    bars = np.abs(np.where(np.isfinite(ends), ends, means[:, None]) - means[:, None]).T
    axes.errorbar(
        [level for level, _ in found],
        means,
        yerr=bars,
        color=pen.colour,
        marker=pen.marker,
        linestyle=pen.style,
        linewidth=1.6,
        markersize=5,
        capsize=2,
        label=label,
    )


def _baselines(axes: Axes, summary: Summary, table: str, name: str) -> None:
    for key, style in (("open", "--"), ("guess", ":")):
        cell = summary.get(table, key, 0.0, name)
        if cell is not None:
            axes.axhline(cell.mean, color=look.GREY, linestyle=style, linewidth=1.2, label=BY_KEY[key].label)


def _legend(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=10)
