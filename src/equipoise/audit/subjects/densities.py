"""Densities by histograms."""

from __future__ import annotations

from functools import partial
from typing import Any

from equipoise.audit.subjects.targets import Target, density_corners, fits
from equipoise.estimators import HistogramDensity


def densities(epsilon: float, rows: int) -> list[Target]:
    """Histograms with given bins, with bins chosen privately, and merged afterwards."""
    made: list[tuple[str, dict[str, Any]]] = [
        ("bins given", {"bins": 2}),
        ("bins chosen", {"bins": "auto", "candidates": [1, 2]}),
        ("cells merged", {"bins": "coarsen", "candidates": [1, 2]}),
    ]
    return [
        Target(
            name=f"HistogramDensity, {name}",
            epsilon=epsilon,
            delta=0.0,
            release=fits(partial(HistogramDensity, epsilon, bounds=(0.0, 1.0), **options)),
            pairs=density_corners(rows),
            speaks_of=("HistogramDensity",),
        )
        for name, options in made
    ]
