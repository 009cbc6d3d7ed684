"""For those who cannot state bounds: quantiles of the columns, found privately and charged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._checks import SMALLEST, number, quoted, whole
from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.estimators.table.private_transformer import PrivateTransformer, lines_among, listed, with_bounds
from equipoise.gate import Bits, RandomState
from equipoise.gate.tables.quantiles import QuantilesPlan, release
from equipoise.inside.tables.quantiles import enter_values
from equipoise.ledger import Entry, LedgerLike
from equipoise.schema import Column, Number, Range, Schema, cells
from equipoise.schema.encoding.numbers import Along
from equipoise.schema.tables.table import Cells
from equipoise.theory.guarantees import Budget

FEWEST_CELLS, MOST_CELLS = 8, 4096


class PrivateBounds(PrivateTransformer):
    """Tighter bounds for columns of numbers than the schema's, by private quantiles; then it encodes by them.

    The schema states bounds that certainly hold, however wide, and a scale: the grid has equal steps along it, so
    choose "log1p" for what may be a hundred or a million.  `fit` charges epsilon, an equal part for each end of each
    column, and gives `schema_`, in which the bounds are the quantiles found; values beyond are clipped.  Before a
    private estimator in a pipeline, with the same ledger, both are charged.  A schema that names persons protects
    persons.  Better are bounds that are known: they cost nothing.

    Parameters
    ----------
    schema : Schema
        What is public, with wide bounds.
    epsilon, delta : float
        The price; δ is not used.
    columns : sequence of names, optional
        Which columns to find bounds for; all numbers that are a line without.  The target, where it is a number, only
        if it is named here.
    lower, upper : float, default 0.01 and 0.99
        The orders of the quantiles.
    steps : int, default 256
        Of the grid, along the scale.
    norm : float, default 1.0
        The longest encoded row.
    ledger : Ledger or SQLLedger, optional
        Whom to charge.
    random_state : int, optional
        Makes the result repeatable and not private, for tests only.

    Examples
    --------
    >>> import equipoise as eq
    >>> schema = eq.Schema.from_dict({"columns": {"pay": {"kind": "number", "bounds": [0, 1000000], "scale": "log1p"}}})
    >>> found = eq.PrivateBounds(schema, epsilon=1.0).fit({"pay": list(range(1000, 5000))})
    >>> low, high = found.schema_.columns["pay"].bounds
    >>> 500 < low < 1500 and 4000 < high < 7000
    True
    """

    def __init__(
        self,
        schema: Schema,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        columns: Sequence[str] | None = None,
        lower: float = 0.01,
        upper: float = 0.99,
        steps: int = 256,
        norm: float = 1.0,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.schema = schema
        self.epsilon = epsilon
        self.delta = delta
        self.columns = columns
        self.lower = lower
        self.upper = upper
        self.steps = steps
        self.norm = norm
        self.ledger = ledger
        self.random_state = random_state

    @documented(returns="QuantilesPlan: Print it.")
    def plan(self, n: int) -> QuantilesPlan:
        """Everything about the release for n rows, before any is seen; of persons, those that the cap leaves."""
        low, high = number(lower=self.lower), number(upper=self.upper)
        if not 0 <= low < high <= 1:
            raise InvalidInput(f"lower={low:g}, upper={high:g}: must rise, between 0 and 1")
        if not FEWEST_CELLS <= whole(steps=self.steps) <= MOST_CELLS:
            raise InvalidInput(f"steps={self.steps}: must be {FEWEST_CELLS} to {MOST_CELLS}")
        for name, column in self._chosen().items():
            self._grid(name, column)  # which refuses what is too narrow, before anything is spent
        budget = Budget(self.epsilon, self.delta)
        return QuantilesPlan(n, len(self._chosen()), whole(steps=self.steps), (low, high), budget, self._together())

    def _chosen(self) -> dict[str, Number]:
        """Lines of the schema; its target, whose whole range noise is made for, where that is named."""
        target, named = self.schema.target, None if self.columns is None else listed(self.columns)
        if named is None or not isinstance(target, Range) or target.column not in named:
            return lines_among(self.schema, named)
        others = [name for name in named if name != target.column]
        lines = lines_among(self.schema, others) if others else {}
        return {**lines, target.column: Number(target.bounds, source=target.source)}

    def _found(self, held: dict[str, Cells], plan: Any, entry: Entry, bits: Bits) -> dict[str, Column]:
        chosen, words = self._chosen(), self.schema.missing_words
        grids = {name: self._grid(name, chosen[name]) for name in held}
        values = [(enter_values(cells.numbers(held[name], words), *chosen[name].bounds), grids[name]) for name in held]
        places = dict(zip(held, release(values, plan, entry, bits), strict=True))
        return {name: self._bounded(chosen[name], grids[name], *pair) for name, pair in places.items()}

    def _grid(self, name: str, column: Number) -> npt.NDArray[np.float64]:
        """Its edges; any two of them must do as bounds, for which ones are found is known only once it is paid for."""
        along = Along(column)
        edges = np.array([along.value(place) for place in np.linspace(-1.0, 1.0, whole(steps=self.steps) + 1).tolist()])
        if not (np.diff(edges) >= SMALLEST).all():
            raise InvalidInput(
                f"columns: {quoted(name)} is too narrow for {self.steps} steps, give fewer or other units"
            )
        return edges

    def _bounded(self, column: Number, grid: npt.NDArray[np.float64], first: int, second: int) -> Number:
        """From the near edge of the one cell to the far edge of the other."""
        low, high = float(grid[min(first, second)]), float(grid[max(first, second) + 1])
        return with_bounds(column, low, high, self.epsilon)
