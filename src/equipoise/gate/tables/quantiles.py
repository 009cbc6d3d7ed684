"""Quantiles: for each column two of the cells of its public grid, chosen by their rank.

Guarantee.  ε-DP: an equal part for each choice.  δ is not used.
Assumes.    The grid is public; at most 2³⁰ records.
Adjacency.  Replace-one, of a row or of a person with a public cap on rows.
Numerics.   As for every choice: the law is exact, scores are rounded to a grid that the rate includes.
Reference.  docs/proofs/private_bounds.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equipoise._checks import whole
from equipoise.errors import InvalidInput
from equipoise.gate.choices.select import permute_and_flip
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.inside.design.contract import Array
from equipoise.inside.tables.quantiles import rank_scores
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import pure_answers
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import ONE_ROW, Budget, Guarantee
from equipoise.theory.plan import person_unit
from equipoise.theory.tables.quantiles import MOST_RECORDS, RANK_MOVED, rank_error, share_of_each

NAME = "private-bounds"
CHANCE = 0.05
"""With which the stated error of a rank is exceeded."""


@dataclass(frozen=True, slots=True)
class QuantilesPlan:
    """Everything about the release, before a record is seen."""

    records: int
    columns: int
    cells: int
    orders: tuple[float, float]
    budget: Budget
    person_rows: int | None = None
    """Rows of one person at most; None where the unit is the row."""

    def __post_init__(self) -> None:
        whole(records=self.records)
        if self.records > MOST_RECORDS:
            raise InvalidInput(f"data: has more than {MOST_RECORDS} rows, take bounds from a part of them")

    @property
    def choices(self) -> int:
        return 2 * self.columns

    @property
    def moved(self) -> float:
        """How far a row, or all rows of a person, move the score of a cell."""
        return RANK_MOVED * (self.person_rows or 1)

    @property
    def share(self) -> float:
        """ε of one choice."""
        return share_of_each(self.budget.epsilon, self.choices)

    @property
    def event(self) -> PureRelease:
        return pure_answers(self.share, self.choices)

    def guarantee(self, seeded: bool) -> Guarantee:
        """What the release promises."""
        return Guarantee(
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            delta_numeric=0.0,
            adjacency=Adjacency.REPLACE_ONE,
            mechanism=NAME,
            theorem="permute-and-flip among the cells of a public grid, by rank",
            sensitivity=self.moved,
            noise_scale=0.0,
            seeded=seeded,
            unit=ONE_ROW if self.person_rows is None else person_unit(self.person_rows),
            constants={
                "records": float(self.records),
                "columns": float(self.columns),
                "cells": float(self.cells),
                "epsilon of one choice": self.share,
                "ranks off, at most, in 19 of 20": self.ranks_off,
            },
            notes=self.notes,
        )

    @property
    def ranks_off(self) -> float:
        """How many ranks a quantile may lie outside the cell chosen for it, but for a small chance."""
        return rank_error(self.share / self.moved, self.cells, CHANCE)

    @property
    def notes(self) -> tuple[str, ...]:
        """For the card: what is paid, and whether so few ranks can be told apart at all."""
        pure = ("this holds with delta=0",) if self.budget.delta > 0 else ()
        low, high = self.orders
        beyond = min(low, 1 - high) * self.records
        if self.ranks_off <= beyond or beyond == 0:
            return pure
        doubt = f"a bound may be {self.ranks_off:.3g} ranks off, and {beyond:.3g} lie beyond one, so it may be anywhere"
        return (*pure, f"{doubt}: ask for less extreme quantiles, for fewer columns, or pay more")


def release(
    columns: Sequence[tuple[Private[Array], Array]], plan: QuantilesPlan, entry: Entry, bits: Bits
) -> tuple[tuple[int, int], ...]:
    """For each column (values, edges) the places of the two cells chosen, low and high order."""
    if len(columns) != plan.columns or any(len(grid) != plan.cells + 1 for _, grid in columns):
        raise InvalidInput("columns: are not those of the plan")
    found = []
    for values, grid in columns:
        low, high = (
            permute_and_flip(rank_scores(values, grid, order), plan.moved, plan.share, entry, bits)
            for order in plan.orders
        )
        found.append((low, high))
    return tuple(found)
