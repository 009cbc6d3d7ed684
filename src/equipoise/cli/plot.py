"""The demo's picture: accuracy against ε, between what no privacy and no model would give."""

from __future__ import annotations

import io

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

from equipoise.cli.study import Answer

PRIVATE, OPEN, GUESS = "#0072B2", "#000000", "#D55E00"
"""Okabe and Ito's blue, black and vermilion: told apart by every kind of eye."""


def draw(answers: tuple[Answer, ...]) -> bytes:
    """A PNG, one panel for each question."""
    figure = Figure(figsize=(11, 4.8), dpi=150, layout="constrained")
    figure.set_layout_engine("constrained", w_pad=0.12, h_pad=0.08, wspace=0.05)
    panels = figure.subplots(1, len(answers), squeeze=False)[0]
    for panel, found in zip(panels, answers, strict=True):
        _panel(panel, found)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=11)
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def _panel(axes: Axes, found: Answer) -> None:
    epsilons = [level.epsilon for level in found.levels]
    axes.axhline(found.open, color=OPEN, linestyle="--", linewidth=1.6, label="scikit-learn, no privacy")
    axes.axhline(found.guess, color=GUESS, linestyle=":", linewidth=2.2, label="no model: the same answer for all")
    axes.errorbar(
        epsilons,
        [level.mean for level in found.levels],
        yerr=[level.error for level in found.levels],
        color=PRIVATE,
        marker="o",
        markersize=6,
        linewidth=2,
        capsize=4,
        label="Equipoise: mean ± standard error",
        zorder=3,
    )
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(epsilons))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
    axes.set_xlabel("ε, privacy loss (smaller is more private)", fontsize=12)
    axes.set_ylabel(found.question.measure, fontsize=12)
    better = "higher is better" if found.question.higher_is_better else "lower is better"
    axes.set_title(f"{found.question.title}\n({better})", fontsize=13)
    axes.tick_params(labelsize=11)
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
