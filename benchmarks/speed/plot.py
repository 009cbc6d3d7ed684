"""Time against rows, columns and numbers other than zero, with the fitted exponents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.speed.measure import Row
from benchmarks.speed.results import growth

PANELS = {
    "n": ("dense logistic", "rows"),
    "d": ("dense logistic", "columns"),
    "filled": ("sparse logistic", "numbers other than zero in a row"),
}
"""Along what, of which problem, and in words."""


def lines(rows: Iterable[Row], axis: str) -> dict[str, tuple[list[float], list[float], float]]:
    """By contender: sizes, seconds, exponent."""
    return {name[1]: found for name, found in growth(rows, axis).items() if name[0] == PANELS[axis][0]}


def powers(rows: list[Row]) -> Iterator[tuple[str, str, str, float]]:
    """Problem, axis, contender and exponent, wherever there are enough sizes."""
    for axis in PANELS:
        for (problem, contender), (_, _, power) in growth(rows, axis).items():
            yield problem, axis, contender, power


def draw(rows: list[Row], path: Path) -> bool:
    """A panel for each axis that has enough sizes; False where none has."""
    from matplotlib.figure import Figure

    panels = {axis: found for axis in PANELS if (found := lines(rows, axis))}
    if not panels:
        return False
    figure = Figure(figsize=(5.5 * len(panels), 4.5), layout="constrained")
    for place, (axis, found) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True):
        for contender, (sizes, times, power) in found.items():
            place.loglog(sizes, times, marker="o", label=f"{contender} ~ {axis}^{power:.2f}")
        place.set_title(PANELS[axis][0])
        place.set_xlabel(PANELS[axis][1])
        place.set_ylabel("processor time, s")
        place.grid(alpha=0.3, which="both")
        place.legend(fontsize=7)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    return True
