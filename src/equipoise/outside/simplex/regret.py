"""How decisions did against the best expert, from released decisions and costs that the caller shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Regret:
    """`bound` holds on average over the draws; the rest is None where no costs were shown."""

    rounds: int
    bound: float
    cost: float | None = None
    """Of the decisions that were made."""
    best: float | None = None
    """Of the best expert in hindsight."""

    @property
    def regret(self) -> float | None:
        return None if self.cost is None or self.best is None else self.cost - self.best

    def __str__(self) -> str:
        told = f"{self.rounds} rounds; at most {self.bound:.4g} beyond the best expert, on average"
        if self.cost is None or self.best is None:
            return told
        return f"{told}; cost {self.cost:.4g}, best expert {self.best:.4g}, regret {self.cost - self.best:.4g}"


def regret_of(decisions: Sequence[int], bound: float, costs: npt.ArrayLike | None, experts: int, most: float) -> Regret:
    """Costs are taken as public: one row for each round that is over."""
    rounds = len(decisions)
    if costs is None:
        return Regret(rounds, bound)
    table = np.array(costs, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != experts or table.shape[0] > rounds:
        raise InvalidInput(f"costs: give one row of {experts} for each round that is over, {rounds} at most")
    table = np.clip(np.nan_to_num(table), -most, most)
    paid = table[np.arange(len(table)), np.array(decisions[: len(table)], dtype=np.intp)]
    return Regret(len(table), bound, float(paid.sum()), float(table.sum(axis=0).min()))
