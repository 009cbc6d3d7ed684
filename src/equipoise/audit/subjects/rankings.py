"""Rankers under audit: all pairs of a few records, one of which goes from the top to the bottom."""

from __future__ import annotations

from functools import partial

import numpy as np

from equipoise import estimators
from equipoise.audit.frozen.pairs_at_corners import Pair
from equipoise.audit.subjects.targets import Target, corners, fits

ENDS = (-1.0, 1.0)


def rankings(epsilon: float, delta: float, rows: int) -> list[Target]:
    """With every mechanism that serves them."""
    ways = [(how, slip) for how in ("output", "objective", "sgd") for slip in (0.0, delta)]
    return [_target(how, epsilon, slip, rows) for how, slip in [*ways, ("noisy-gradient", delta)]]


def _target(mechanism: str, epsilon: float, delta: float, rows: int) -> Target:
    walks = mechanism == "noisy-gradient"
    build = partial(estimators.PairwiseRanker, epsilon, delta, mechanism=mechanism, alpha=0.1 if walks else 1.0)
    return Target(
        name=f"PairwiseRanker, {mechanism}",
        epsilon=epsilon,
        delta=delta,
        release=fits(build),
        pairs=(_from_top_to_bottom(rows), *corners(rows, labels=ENDS)),
        labels=ENDS,
        effort=0.05 if walks else 0.5 if mechanism == "sgd" else 1.0,
        speaks_of=(mechanism, "PairwiseRanker"),
    )


def _from_top_to_bottom(rows: int) -> Pair:
    X, y = np.full((rows, 1), -1.0), np.zeros(rows)
    X[0], y[0] = 1.0, 1.0
    other = y.copy()
    other[0] = -1.0
    return Pair("others in the middle at one end; one at the other end goes from top to bottom", (X, y), (X, other))
