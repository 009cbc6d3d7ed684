"""Random orders and numbers, drawn from how many are wanted and nothing else."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.gate.noise import Bits
from equipoise.gate.noise.choice import random_order, uniform_below

__all__ = ["order_in_runs", "random_order", "uniform_below"]


def order_in_runs(count: int, run: int, bits: Bits) -> npt.NDArray[np.intp]:
    """Every number below `count` once, in runs of neighbours that come in random order from a random start.

    Neighbouring rows are read faster than scattered ones.
    """
    if run == 1:
        return np.asarray(random_order(count, bits), dtype=np.intp)
    whole, start = count // run, int(bits.words(1)[0]) % count
    places = (random_order(whole, bits)[:, None] * run + np.arange(run)).ravel()
    order = np.concatenate([places, np.arange(whole * run, count)]) + start
    order[order >= count] -= count
    return np.asarray(order, dtype=np.intp)
