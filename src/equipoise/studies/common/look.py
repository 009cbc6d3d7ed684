"""How the studies' pictures look: one palette, one ε axis; their pages have the style sheet of every report."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

from equipoise.outside.report.picture import image as image
from equipoise.outside.report.picture import png as png
from equipoise.outside.report.sheet import line as line
from equipoise.outside.report.sheet import page as page

BLUE, BLACK, VERMILION = "#0072B2", "#000000", "#D55E00"
GREEN, PURPLE, ORANGE, SKY, GREY = "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777"
"""Okabe and Ito's colours: told apart by every kind of eye."""


def figure_of(panels: int, height: float = 4.8, rows: int = 1) -> tuple[Figure, list[Axes]]:
    """A wide picture with so many panels side by side, in so many rows."""
    figure = Figure(figsize=(11, height), dpi=150, layout="constrained")
    figure.set_layout_engine("constrained", w_pad=0.12, h_pad=0.08, wspace=0.05)
    return figure, list(figure.subplots(rows, panels, squeeze=False).ravel())


def epsilon_axis(axes: Axes, epsilons: list[float]) -> None:
    """A logarithmic axis with a mark at every ε that was tried."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(epsilons))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks(epsilons, _spaced(epsilons))
    axes.set_xlabel("ε, privacy loss (smaller is more private)", fontsize=12)


def _spaced(epsilons: list[float]) -> list[str]:
    """A label at each mark, unless it would run into the one before it."""
    labels, last = [], 0.0
    for epsilon in epsilons:
        labels.append(f"{epsilon:g}" if epsilon > 1.6 * last else "")
        last = epsilon if labels[-1] else last
    return labels


def finish(axes: Axes, title: str, measure: str) -> None:
    """Titles, a light grid, no box."""
    axes.set_ylabel(measure, fontsize=12)
    axes.set_title(title, fontsize=13)
    axes.tick_params(labelsize=11)
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
