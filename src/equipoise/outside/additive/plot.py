"""Pictures of released shapes; matplotlib is asked for only when one is drawn."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from equipoise.errors import EquipoiseError
from equipoise.outside.additive.shapes import Shape

BLUE = "#0072B2"
ACROSS = 4
"""Panels in a row."""

BAND = 2.0
"""Standard deviations of noise on either side."""


def draw_shapes(shapes: list[Shape], classes: tuple[Any, ...] | None, path: str | os.PathLike[str]) -> None:
    """A panel for each shape, the most important first."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise EquipoiseError("plot_shapes: needs matplotlib, install equipoise[cli]") from None
    across = min(ACROSS, len(shapes))
    down = math.ceil(len(shapes) / across)
    figure: Any = Figure(figsize=(3.2 * across, 2.6 * down), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for panel, shape in zip(panels, sorted(shapes, key=lambda shape: -shape.importance), strict=False):
        _draw(panel, shape, classes)
    for panel in panels[len(shapes) :]:
        panel.set_axis_off()
    figure.savefig(path, dpi=130)


def _draw(panel: Any, shape: Shape, classes: tuple[Any, ...] | None) -> None:
    panel.set_title(shape.name, fontsize=9)
    panel.tick_params(labelsize=7)
    if len(shape.grid) == 2:
        _surface(panel, shape)
    elif all(isinstance(knot, float) for knot in shape.grid[0]):
        _curves(panel, shape, classes)
    else:
        _steps(panel, shape, classes)


def _curves(panel: Any, shape: Shape, classes: tuple[Any, ...] | None) -> None:
    across = shape.grid[0] if shape.axis is None else shape.axis.at
    for place, values in enumerate(np.atleast_2d(shape.values)):
        (line,) = panel.plot(across, values, color=None if classes and len(classes) > 2 else BLUE, linewidth=1.4)
        if classes is not None and len(classes) > 2:
            line.set_label(str(classes[place]))
        if shape.noise is not None:
            reach = BAND * shape.noise
            panel.fill_between(across, values - reach, values + reach, color=line.get_color(), alpha=0.2, lw=0)
    if shape.axis is not None:
        places, numbers = zip(*shape.axis.marks, strict=True)
        panel.set_xticks(places, [f"{number:g}" for number in numbers])
    _finish(panel, classes)


def _steps(panel: Any, shape: Shape, classes: tuple[Any, ...] | None) -> None:
    at = np.arange(len(shape.grid[0]))
    reach = None if shape.noise is None else BAND * shape.noise
    for place, values in enumerate(np.atleast_2d(shape.values)):
        label = str(classes[place]) if classes is not None and len(classes) > 2 else None
        colour = None if label else BLUE
        panel.errorbar(at, values, reach, fmt="o", markersize=3, capsize=2, color=colour, label=label)
    panel.set_xticks(at, [str(value) for value in shape.grid[0]], rotation=60, ha="right", fontsize=6)
    _finish(panel, classes)


def _surface(panel: Any, shape: Shape) -> None:
    values = shape.values if shape.values.ndim == 2 else shape.values[-1]
    reach = max(float(np.abs(values).max()), 1e-12)
    mesh = panel.imshow(values.T, origin="lower", aspect="auto", cmap="RdBu_r", vmin=-reach, vmax=reach)
    panel.figure.colorbar(mesh, ax=panel)
    for axis, side in zip(("x", "y"), shape.grid, strict=True):
        shown = [f"{knot:g}" if isinstance(knot, float) else str(knot) for knot in side]
        panel.set(**{f"{axis}ticks": range(len(side)), f"{axis}ticklabels": shown})


def _finish(panel: Any, classes: tuple[Any, ...] | None) -> None:
    panel.axhline(0.0, color="#888888", linewidth=0.6)
    if classes is not None and len(classes) > 2:
        panel.legend(fontsize=6, frameon=False)
