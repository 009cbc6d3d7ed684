"""The demo's picture: accuracy against ε, between what no privacy and no model would give."""

from __future__ import annotations

from matplotlib.axes import Axes

from equipoise.cli.demo.study import Answer
from equipoise.studies.common import look

PRIVATE, OPEN, GUESS = look.BLUE, look.BLACK, look.VERMILION


def draw(answers: tuple[Answer, ...]) -> bytes:
    """A PNG, one panel for each question."""
    figure, panels = look.figure_of(len(answers))
    for panel, found in zip(panels, answers, strict=True):
        _panel(panel, found)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=11)
    return look.png(figure)


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
    look.epsilon_axis(axes, epsilons)
    better = "higher is better" if found.question.higher_is_better else "lower is better"
    look.finish(axes, f"{found.question.title}\n({better})", found.question.measure)
