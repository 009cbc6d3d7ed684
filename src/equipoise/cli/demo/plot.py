"""The demo's picture: accuracy against ε, between what no privacy and no model would give."""

from __future__ import annotations

from equipoise.cli.demo.study import Answer
from equipoise.outside.report.curves import Panel
from equipoise.outside.report.curves import draw as draw_panels

LEGEND = (
    ("line", "Equipoise: mean ± standard error"),
    ("open", "scikit-learn, no privacy"),
    ("guess", "no model: the same answer for all"),
)


def draw(answers: tuple[Answer, ...]) -> str:
    """SVG, one panel for each question."""
    return draw_panels(tuple(map(_panel, answers)), LEGEND, _alternative(answers))


def _panel(found: Answer) -> Panel:
    better = "higher is better" if found.question.higher_is_better else "lower is better"
    return Panel(
        title=found.question.title,
        measure=f"{found.question.measure}, {better}",
        epsilons=tuple(level.epsilon for level in found.levels),
        means=tuple(level.mean for level in found.levels),
        errors=tuple(level.error for level in found.levels),
        references=(("open", found.open), ("guess", found.guess)),
    )


def _alternative(answers: tuple[Answer, ...]) -> str:
    told = [
        f"{found.question.measure}: {found.levels[0].mean:.1f} at epsilon {found.levels[0].epsilon:g},"
        f" {found.levels[-1].mean:.1f} at epsilon {found.levels[-1].epsilon:g}, {found.open:.1f} without privacy"
        for found in answers
    ]
    return "; ".join(told)
