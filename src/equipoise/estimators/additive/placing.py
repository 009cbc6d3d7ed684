"""Knots placed where the records are, by counts that the same debit pays for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.estimators.additive.stated import PAIR_KNOTS, thinned
from equipoise.gate import Bits, choose
from equipoise.gate.tables import placing as gate
from equipoise.inside import Private, Records, enter
from equipoise.inside.tables.placing import cell_counts
from equipoise.ledger import Entry
from equipoise.theory.accounting.shares import one_debit
from equipoise.theory.additive import Basis, Column, Encoding, Numbers, Pair
from equipoise.theory.bounds import Bounds
from equipoise.theory.plan import GradientPlan, Plan
from equipoise.theory.tables.placing import CELLS, placed

NOTE = "knots were placed where records are, by counts with noise that are part of the price"


def with_counts(plan: Plan, free: tuple[int, ...], alpha: float | None) -> Plan:
    """The plan of a fit whose free columns have their knots placed first; the plan itself where that does not pay."""
    first = counting(plan, free)
    if first is None:
        return plan
    second = choose(plan.facts, first.left, plan.mechanism, alpha)
    return replace(second, budget=plan.budget, event=one_debit(first.event, second.event), notes=(*second.notes, NOTE))


def counting(plan: Plan, free: tuple[int, ...]) -> gate.PlacingPlan | None:
    """How the counts of these columns would be released beside this plan; Gaussian noise goes with Gaussian noise."""
    if not free or not isinstance(plan, GradientPlan):
        return None
    return gate.plan(len(free), plan.facts, plan.budget)


@dataclass(slots=True)
class PlacingEntrance:
    """Counts first, then encodes with the knots that follow from them."""

    rows: Any
    labels: npt.NDArray[Any]
    bounds: Bounds
    free: tuple[int, ...]
    plan: gate.PlacingPlan
    bits: Bits

    def __call__(self, entry: Entry) -> Private[Records]:
        """Lets the records in; from here on `bounds` are those of the release."""
        encoding = self.bounds.encoding
        assert encoding is not None
        ranges = tuple((place, *_ends(encoding.basis.columns[place])) for place in self.free)
        counts = gate.release(cell_counts(self.rows, ranges, CELLS), self.plan, entry, self.bits)
        self.bounds = replace(self.bounds, encoding=self._moved(encoding, counts))
        return enter(self.rows, self.labels, self.bounds)

    def _moved(self, encoding: Encoding, counts: npt.NDArray[np.float64]) -> Encoding:
        columns = list(encoding.basis.columns)
        for place, own in zip(self.free, counts, strict=True):
            low, high = _ends(columns[place])
            columns[place] = Numbers(placed(own, self.plan.noise.scale, low, high, columns[place].shown))
        pairs = tuple(_repaired(pair, columns, self.free) for pair in encoding.basis.pairs)
        return replace(encoding, basis=Basis(tuple(columns), pairs))


def _ends(column: Column) -> tuple[float, float]:
    assert isinstance(column, Numbers)
    return column.knots[0], column.knots[-1]


def _repaired(pair: Pair, columns: list[Column], free: tuple[int, ...]) -> Pair:
    """A pair whose free columns have fewer of the same knots."""
    left, right = (
        _fewer(columns[place]) if place in free else column
        for place, column in zip(pair.places, pair.columns, strict=True)
    )
    return replace(pair, columns=(left, right))


def _fewer(column: Column) -> Column:
    assert isinstance(column, Numbers)
    return Numbers(thinned(column.knots, PAIR_KNOTS))
