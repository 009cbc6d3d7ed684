"""The histogram part of the tuning study: bin counts chosen privately or fixed, on real columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.errors import EquipoiseError
from equipoise.estimators.density.histogram_density import HistogramDensity
from equipoise.studies.tuning.data import Measure

Array = npt.NDArray[np.float64]

AUTO = "auto"
BINS = (AUTO, "4", "8", "16", "32", "64", "128", "256")
POINTS = 20_000
"""Where densities are compared: so many that the edges of no bin matter."""


def measure(column: Measure, values: Array, bins: str, epsilon: float, seed: int) -> dict[str, float] | str:
    """Integrated squared error against the reference, in units of the column's range; the reference is not private."""
    bounds = (column.low, column.high)
    model = HistogramDensity(epsilon, bins=bins if bins == AUTO else int(bins), bounds=bounds, random_state=seed)
    try:
        model.fit(values)
    except EquipoiseError as problem:
        return str(problem)
    span = column.high - column.low
    places = column.low + span * (np.arange(POINTS) + 0.5) / POINTS
    error = float(np.mean((model.pdf(places) - reference(column, values, places)) ** 2)) * span**2
    return {"ise": error, "bins": float(len(model.bin_edges_) - 1)}


def reference(column: Measure, values: Array, places: Array) -> Array:
    """The fine histogram of all values, without noise."""
    inside = np.clip(values, column.low, column.high)
    density, edges = np.histogram(inside, bins=column.cells, range=(column.low, column.high), density=True)
    return np.asarray(density[np.clip(np.searchsorted(edges, places, side="right") - 1, 0, column.cells - 1)])
