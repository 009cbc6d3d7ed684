"""Which rows go to which shard, and each shard's seed: dealt at random, from the number of rows and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.gate.noise import Bits
from equipoise.gate.order import random_order
from equipoise.gate.source import seeds_for_strangers


@dataclass(frozen=True, slots=True, eq=False)
class Deal:
    """Positions of the rows of each shard, and a seed for each shard's model."""

    parts: tuple[npt.NDArray[np.intp], ...]
    seeds: tuple[int, ...]


def deal(sizes: Sequence[int], bits: Bits, codes: npt.NDArray[np.intp] | None = None) -> Deal:
    """A random order, cut into parts, and a seed for each.

    With `codes`, the number of each row's person, sizes count people: all rows of a person go to one part.
    """
    order = random_order(sum(sizes), bits)
    parts = tuple(np.sort(part) for part in np.split(order, np.cumsum(sizes)[:-1]))
    if codes is not None:
        part_of = np.empty(len(order), dtype=np.intp)
        for place, people in enumerate(parts):
            part_of[people] = place
        parts = tuple(np.flatnonzero(part_of[codes] == place) for place in range(len(parts)))
    return Deal(parts, seeds_for_strangers(len(parts), bits))
