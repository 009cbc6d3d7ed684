"""How reports and pictures look: one style sheet, one palette, one ε axis for the demo and the studies."""

from __future__ import annotations

import base64
import html
import io

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

BLUE, BLACK, VERMILION = "#0072B2", "#000000", "#D55E00"
GREEN, PURPLE, ORANGE, SKY, GREY = "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777"
"""Okabe and Ito's colours: told apart by every kind of eye."""

STYLE = """
body { font: 17px/1.55 system-ui, sans-serif; color: #1b1b1b; background: #fff; max-width: 60rem; margin: 0 auto;
       padding: 2rem 1.2rem 4rem; }
h1 { line-height: 1.2; margin: 0 0 .4rem; }
h2 { margin: 2.6rem 0 .6rem; border-bottom: 2px solid #0072B2; padding-bottom: .2rem; }
h3 { margin: 1.6rem 0 .4rem; }
.lead { font-size: 1.15rem; color: #333; }
img { width: 100%; height: auto; }
table { border-collapse: collapse; margin: .6rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid #ddd; }
th { font-weight: 600; }
.numbers td, .numbers thead th:not(:first-child) { text-align: right; padding-left: 1.5rem;
       font-variant-numeric: tabular-nums; }
.numbers td { white-space: nowrap; }
.numbers th:first-child { padding-left: .4rem; }
.numbers tbody tr.compare { background: #f3f6f9; }
.card { background: #f8f9fb; border: 1px solid #d9dfe6; border-radius: 8px; padding: .2rem 1.4rem 1.2rem;
       margin-top: 2.6rem; overflow-x: auto; }
.card h2 { margin-top: 1rem; }
.card th { white-space: nowrap; }
.card td + td { color: #444; }
.warning { background: #fdecea; border: 2px solid #b00020; padding: .6rem 1rem; }
pre { background: #f3f3f3; padding: .9rem 1.1rem; overflow-x: auto; border-radius: 6px; font-size: .9rem; }
code { font-family: ui-monospace, monospace; }
"""


def page(title: str, parts: list[str], style: str = "") -> str:
    """A whole HTML file that needs nothing beside it."""
    head = [
        "<!DOCTYPE html>",
        "<html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>{html.escape(title)}</title><style>{STYLE}{style}</style></head><body>",
    ]
    return "\n".join([*head, *parts, "</body></html>"]) + "\n"


def image(picture: bytes, alternative: str) -> str:
    """The picture inside the page, with words for who cannot see it."""
    data = base64.b64encode(picture).decode("ascii")
    return f"<img alt='{html.escape(alternative, quote=True)}' src='data:image/png;base64,{data}'>"


def line(name: str, cells: list[str], style: str = "") -> str:
    """A row of a table of numbers."""
    values = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
    return f"<tr class='{style}'><th scope='row'>{html.escape(name)}</th>{values}</tr>"


def figure_of(panels: int, height: float = 4.8) -> tuple[Figure, list[Axes]]:
    """A wide picture with panels side by side."""
    figure = Figure(figsize=(11, height), dpi=150, layout="constrained")
    figure.set_layout_engine("constrained", w_pad=0.12, h_pad=0.08, wspace=0.05)
    return figure, list(figure.subplots(1, panels, squeeze=False)[0])


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


def png(figure: Figure) -> bytes:
    """The same bytes for the same figure."""
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()
