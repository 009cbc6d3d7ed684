"""Pictures of released densities; matplotlib is asked for only when one is drawn."""

from __future__ import annotations

from typing import Any

from equipoise.errors import EquipoiseError, InvalidInput
from equipoise.outside.density.released_density import Density

BLUE = "#0072B2"


def new_axes() -> Any:
    """Axes of a new figure."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise EquipoiseError("plot: needs matplotlib, pip install 'equipoise[plots]'") from None
    return plt.subplots(figsize=(6, 4), layout="constrained")[1]


def draw_density(density: Density, ax: Any = None) -> Any:
    """Steps in one dimension, an image in two."""
    if density.box.dimensions > 2:
        raise InvalidInput("plot: draws one or two dimensions, fit fewer columns")
    axes = new_axes() if ax is None else ax
    if density.box.dimensions == 1:
        axes.stairs(density.heights, density.edges[0], color=BLUE, fill=True, alpha=0.25)
        axes.stairs(density.heights, density.edges[0], color=BLUE, linewidth=1.6, label=_label(density))
        axes.set(xlabel="value", ylabel="density", ylim=(0, None))
        axes.legend(frameon=False)
        return axes
    mesh = axes.pcolormesh(*density.edges, density.heights.T, cmap="Blues", vmin=0)
    axes.figure.colorbar(mesh, ax=axes, label="density")
    axes.set(xlabel="first column", ylabel="second column", title=_label(density))
    return axes


def _label(density: Density) -> str:
    return f"private histogram, epsilon {density.guarantee.epsilon:g}"
