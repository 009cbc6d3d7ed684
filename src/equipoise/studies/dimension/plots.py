"""The pictures of the dimension study."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from equipoise.studies.common import look
from equipoise.studies.dimension.methods import BY_KEY
from equipoise.studies.dimension.runs import EPSILON, EXPERTS, LEADERS, ROUNDS, WIDE_TABLES, WIDENED
from equipoise.studies.dimension.summary import Summary

PENS = {
    "output-gauss": (look.BLUE, "o", "-"),
    "output-gamma": (look.BLUE, "x", ":"),
    "objective-gauss": (look.VERMILION, "o", "-"),
    "objective-gamma": (look.VERMILION, "x", ":"),
    "sample": (look.GREEN, "D", "-"),
    "frank-wolfe": (look.PURPLE, "s", "-"),
    "ball": (look.GREEN, "", "--"),
    "open": (look.GREY, "", "--"),
}
"""Colour, marker and line of each method."""


def against_epsilon(summary: Summary) -> bytes:
    """Accuracy, a panel for each table."""
    figure, panels = look.figure_of(3, height=8.4, rows=2)
    for panel in panels[len(summary.tables()) :]:
        panel.set_axis_off()
    for panel, table in zip(panels, summary.tables(), strict=False):
        _methods(panel, summary, EPSILON, table)
        look.epsilon_axis(panel, summary.levels(EPSILON))
        panel.set_xlabel("ε", fontsize=12)
        look.finish(panel, table, "per cent right")
    _legend(figure, panels[0])
    return look.png(figure)


def against_width(summary: Summary) -> bytes:
    """Accuracy with zeros appended: eight columns that all matter, and eight of which three do."""
    figure, panels = look.figure_of(len(WIDE_TABLES), height=5.6)
    for panel, table in zip(panels, WIDE_TABLES, strict=True):
        _methods(panel, summary, WIDENED, table)
        panel.set_xscale("log")
        panel.set_xlabel("columns, all but eight of them zero", fontsize=12)
        look.finish(panel, f"{table}, ε = 10, δ = 0.001 (0 for Gamma)", "per cent right")
    _legend(figure, panels[0])
    return look.png(figure)


def regret(summary: Summary) -> bytes:
    """Against rounds and experts, beside the bound."""
    figure, panels = look.figure_of(2, height=4.8)
    for panel, part in zip(panels, (ROUNDS, EXPERTS), strict=True):
        for (key, (epsilon, _)), colour in zip(LEADERS.items(), (look.BLUE, look.VERMILION), strict=True):
            for measure, style in (("regret", "-"), ("bound", "--")):
                label = f"{measure}, ε = {epsilon:g}"
                _curve(panel, summary, (part, "experts", key, measure), (colour, "o", style), label)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xlabel(f"number of {part}", fontsize=12)
        look.finish(panel, f"Follow the leader: {part}", "cost beyond the best expert's")
    _legend(figure, panels[0])
    return look.png(figure)


def _methods(panel: Axes, summary: Summary, part: str, table: str) -> None:
    for key, pen in PENS.items():
        _curve(panel, summary, (part, table, key, "accuracy"), pen, BY_KEY[key].label)


def _curve(
    panel: Axes, summary: Summary, what: tuple[str, str, str, str], pen: tuple[str, str, str], label: str
) -> None:
    part, table, key, measure = what
    cells = [
        (level, cell)
        for level in summary.levels(part)
        if (cell := summary.get(part, table, key, level, measure)) is not None
    ]
    if not cells:
        return
    means = np.array([cell.mean for _, cell in cells])
    ends = np.array([[cell.low, cell.high] for _, cell in cells])
    bars = np.abs(np.where(np.isfinite(ends), ends, means[:, None]) - means[:, None]).T
    colour, marker, style = pen
    levels = [level for level, _ in cells]
    panel.errorbar(
        levels, means, yerr=bars, color=colour, marker=marker, linestyle=style, linewidth=1.6, capsize=2, label=label
    )


def _legend(figure: Figure, panel: Axes) -> None:
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=10)
