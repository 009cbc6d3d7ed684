"""Time against n and against d, with the fitted exponents."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchmarks.speed.measure import Row
from benchmarks.speed.results import growth

WORDS = {"n": "rows", "d": "columns"}


def draw(rows: Iterable[Row], problem: str, path: Path) -> bool:
    """Two panels of one problem; False where there are too few sizes."""
    from matplotlib.figure import Figure

    panels = {
        axis: {name[1]: found for name, found in growth(rows, axis).items() if name[0] == problem} for axis in WORDS
    }
    if not any(panels.values()):
        return False
    figure = Figure(figsize=(11, 4.5), layout="constrained")
    for place, (axis, lines) in zip(figure.subplots(1, 2), panels.items(), strict=True):
        for contender, (sizes, times, power) in lines.items():
            place.loglog(sizes, times, marker="o", label=f"{contender} ~ {axis}^{power:.2f}")
        place.set_xlabel(WORDS[axis])
        place.set_ylabel("processor time, s")
        place.grid(alpha=0.3, which="both")
        place.legend(fontsize=7)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    return True
