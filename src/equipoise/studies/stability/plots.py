"""The pictures of the stability study."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from equipoise.studies.common import look
from equipoise.studies.stability.claims import honest
from equipoise.studies.stability.methods import DYNAMIC, OPEN, PRINTED, PRIVATE, STATIC
from equipoise.studies.stability.narrowing import AS_IT_IS, BY_CHANCE, BY_PRIVATE, BY_PUBLIC
from equipoise.studies.stability.runs import FIXED, SELECT, TUNED
from equipoise.studies.stability.summary import Line, Summary

SHADES = (look.VERMILION, look.ORANGE, look.GREEN, look.SKY, look.BLUE, look.PURPLE)
WAY_PENS = {
    AS_IT_IS: (look.BLUE, "o", "-"),
    BY_PUBLIC: (look.BLUE, "o", "-"),
    BY_CHANCE: (look.GREEN, "s", "-"),
    BY_PRIVATE: (look.VERMILION, "x", ":"),
}
METHOD_PENS = {DYNAMIC: (look.BLUE, "o"), STATIC: (look.VERMILION, "x"), PRINTED: (look.GREY, "^")}


def tuned(summary: Summary) -> bytes:
    """Accuracy against alpha, a line for each ε, a panel for each table."""
    figure, panels = _grid(len(summary.tables()))
    for panel, table in zip(panels, summary.tables(), strict=False):
        way = honest(summary, table) or AS_IT_IS
        for colour, level in zip(SHADES, summary.epsilons(), strict=False):
            _curve(panel, summary, (TUNED, table, way, PRIVATE, level), (colour, "o", "-"), f"ε = {level:g}")
        _curve(panel, summary, (TUNED, table, way, OPEN, 0.0), (look.GREY, "", "--"), "no privacy")
        _finish(panel, f"{table} ({way})")
    return _with_legend(figure, panels[0])


def fixed(summary: Summary) -> bytes:
    """Accuracy against alpha with noise of one size, and the ε that it comes to."""
    figure, panels = look.figure_of(2, height=5.2)
    for colour, table in zip(SHADES, summary.tables(FIXED), strict=False):
        line = (FIXED, table, honest(summary, table) or AS_IT_IS, PRIVATE, 0.0)
        _curve(panels[0], summary, line, (colour, "o", "-"), table)
    table = summary.tables(FIXED)[0]
    line = (FIXED, table, honest(summary, table) or AS_IT_IS, PRIVATE, 0.0)
    _curve(panels[1], summary, line, (look.BLACK, "o", "-"), "", "epsilon")
    panels[1].set_yscale("log")
    _finish(panels[0], "Noise of one size")
    _finish(panels[1], "What it is worth", "ε")
    return _with_legend(figure, panels[0])


def selection(summary: Summary) -> bytes:
    """F1 against alpha, dynamic and static thresholds."""
    figure, panels = look.figure_of(max(1, len(summary.tables(SELECT))), height=5.2)
    for panel, table in zip(panels, summary.tables(SELECT), strict=True):
        for style, level in zip(("-", "--", ":"), summary.epsilons(SELECT), strict=False):
            for method, (colour, marker) in METHOD_PENS.items():
                line = (SELECT, table, AS_IT_IS, method, level)
                _curve(panel, summary, line, (colour, marker, style), f"{method}, ε = {level:g}", "f1")
        _finish(panel, table, "F1 of the chosen features")
    return _with_legend(figure, panels[0])


def narrowing(summary: Summary) -> bytes:
    """The best accuracy over alpha against ε, by how the columns became few."""
    tables = [table for table in summary.tables() if len(summary.ways(table)) > 1]
    figure, panels = _grid(max(1, len(tables)))
    for panel, table in zip(panels, tables, strict=False):
        for way in summary.ways(table):
            found = {level: summary.best((TUNED, table, way, PRIVATE, level)) for level in summary.epsilons()}
            known = {level: best[1] for level, best in found.items() if best is not None}
            colour, marker, style = WAY_PENS[way]
            panel.plot(list(known), list(known.values()), color=colour, marker=marker, linestyle=style, label=way)
        look.epsilon_axis(panel, summary.epsilons())
        look.finish(panel, table, "per cent right, best alpha")
    return _with_legend(figure, panels[0])


def _grid(count: int) -> tuple[Figure, list[Axes]]:
    rows, columns = -(-count // 3), min(3, count)
    figure = Figure(figsize=(11, 3.6 * rows + 0.6), dpi=150, layout="constrained")
    panels = list(figure.subplots(rows, columns, squeeze=False).ravel())
    for panel in panels[count:]:
        panel.set_visible(False)
    return figure, panels


def _curve(
    panel: Axes, summary: Summary, line: Line, pen: tuple[str, str, str], label: str, measure: str = "accuracy"
) -> None:
    cells = [
        (alpha, cell)
        for alpha in sorted(summary.values.get(line, {}))
        if (cell := summary.get(line, alpha, measure)) is not None
    ]
    if not cells:
        return
    means = np.array([cell.mean for _, cell in cells])
    ends = np.array([[cell.low, cell.high] for _, cell in cells])
    bars = np.abs(np.where(np.isfinite(ends), ends, means[:, None]) - means[:, None]).T
    colour, marker, style = pen
    places = [alpha for alpha, _ in cells]
    panel.errorbar(
        places, means, yerr=bars, color=colour, marker=marker, linestyle=style, linewidth=1.5, capsize=2, label=label
    )


def _finish(panel: Axes, title: str, measure: str = "per cent right") -> None:
    panel.set_xscale("log")
    panel.set_xlabel("alpha, the ridge", fontsize=12)
    look.finish(panel, title, measure)


def _with_legend(figure: Figure, panel: Axes) -> bytes:
    handles, labels = panel.get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=10)
    return look.png(figure)
