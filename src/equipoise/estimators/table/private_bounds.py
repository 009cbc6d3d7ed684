"""For those who cannot state bounds: quantiles of the columns, found privately and charged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from equipoise._checks import SMALLEST, number, whole
from equipoise._docs import documented
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.estimators.linear.base import _checked_ledger
from equipoise.estimators.table.encoder import Encoder
from equipoise.gate import RandomState, bits_from
from equipoise.gate.tables.quantiles import QuantilesPlan, release
from equipoise.inside.strangers import unseen
from equipoise.inside.tables.quantiles import enter_values
from equipoise.ledger import Ledger, LedgerLike
from equipoise.outside import Card
from equipoise.schema import Number, Schema, cells
from equipoise.schema.encoding.numbers import Along
from equipoise.schema.tables import Table, column_types, read_table
from equipoise.theory.adjacency import Adjacency, Neighbours
from equipoise.theory.guarantees import Budget

FEWEST_CELLS, MOST_CELLS = 8, 4096


class PrivateBounds(TransformerMixin, BaseEstimator):
    """Tighter bounds for columns of numbers than the schema's, by private quantiles; then it encodes by them.

    The schema states bounds that certainly hold, however wide, and a scale: the grid has equal steps along it, so
    choose "log1p" for what may be a hundred or a million.  `fit` charges epsilon, an equal part for each end of each
    column, and gives `schema_`, in which the bounds are the quantiles found; values beyond are clipped.  Before a
    private estimator in a pipeline, with the same ledger, both are charged.  Better are bounds that are known: they
    cost nothing.

    Parameters
    ----------
    schema : Schema
        What is public, with wide bounds.
    epsilon, delta : float
        The price; δ is not used.
    columns : sequence of names, optional
        Which columns to find bounds for; all numbers that are a line without.
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

    data_free = True
    """It looks, and pays for what it sees: safe before a private estimator that is charged to the same ledger."""

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
        """Everything about the release for n rows, before any is seen."""
        low, high = number(lower=self.lower), number(upper=self.upper)
        if not 0 <= low < high <= 1:
            raise InvalidInput(f"lower={low:g}, upper={high:g}: must rise, between 0 and 1")
        if not FEWEST_CELLS <= whole(steps=self.steps) <= MOST_CELLS:
            raise InvalidInput(f"steps={self.steps}: must be {FEWEST_CELLS} to {MOST_CELLS}")
        return QuantilesPlan(n, len(self._chosen()), self.steps, (low, high), Budget(self.epsilon, self.delta))

    @documented(returns="PrivateBounds: Itself, with `schema_` and `guarantee_`.")
    def fit(self, X: Any, y: Any = None) -> Self:
        """Debit the ledger, look at the columns, release two cells of each."""
        encoding = Encoder(self.schema, norm=self.norm).encoding
        if self.schema.person is not None:
            raise MechanismRefused("person: private bounds protect one row at a time, nothing was spent")
        encoding.check_types(column_types(X))
        chosen, given = self._chosen(), _checked_ledger(self.ledger)
        table = read_table(X, tuple(chosen))
        plan, bits = self.plan(len(table)), bits_from(self.random_state)
        grids = {name: self._grid(name, column) for name, column in chosen.items()}
        account: LedgerLike = Ledger() if given is None else given
        about = Neighbours(Adjacency.REPLACE_ONE)
        with account.reserve(plan.event, label=type(self).__name__, neighbours=about) as entry, unseen():
            values = [(self._values(table, name, chosen[name]), grids[name]) for name in chosen]
            places = release(values, plan, entry, bits)
            entry.commit()
        found = {name: self._between(grids[name], *pair) for name, pair in zip(chosen, places, strict=True)}
        self.schema_ = _narrowed(self.schema, found, self.epsilon)
        self.guarantee_ = plan.guarantee(bits.seeded)
        return self

    @documented(returns="array or sparse matrix: One row for each row of the table.")
    def transform(self, X: Any) -> Any:
        """Encoded by the schema with the bounds that were found."""
        check_is_fitted(self)
        return Encoder(self.schema_, norm=self.norm).transform(X)

    @documented(returns="array of str: One for each encoded column.")
    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The names of the encoded columns."""
        return Encoder(self.schema).get_feature_names_out()

    @documented(returns="Card: Print it, or take `html()`.")
    def card(self) -> Card:
        """What was promised for the bounds; the model fitted afterwards has a card of its own."""
        check_is_fitted(self)
        return Card(type(self).__name__, "transformer", len(self._chosen()), None, self.guarantee_)

    def _chosen(self) -> dict[str, Number]:
        """The columns to find bounds for."""
        every = self.schema.columns
        names = [name for name in every if _is_line(every[name])] if self.columns is None else list(self.columns)
        found = {name: column for name in names if isinstance(column := every.get(name), Number) and _is_line(column)}
        if not found or len(found) < len(names):
            raise InvalidInput("columns: must be numbers of the schema with shape line and without knots, at least one")
        return found

    def _grid(self, name: str, column: Number) -> npt.NDArray[np.float64]:
        """Its edges; any two of them must do as bounds, for which ones are found is known only once it is paid for."""
        along = Along(column)
        edges = np.array([along.value(place) for place in np.linspace(-1.0, 1.0, self.steps + 1).tolist()])
        if not (np.diff(edges) >= SMALLEST).all():
            raise InvalidInput(f"columns: {name!r} is too narrow for {self.steps} steps, give fewer or other units")
        return edges

    def _values(self, table: Table, name: str, column: Number) -> Any:
        return enter_values(cells.numbers(table[name], self.schema.missing_words), *column.bounds)

    @staticmethod
    def _between(grid: npt.NDArray[np.float64], first: int, second: int) -> tuple[float, float]:
        """From the near edge of the one cell to the far edge of the other."""
        return float(grid[min(first, second)]), float(grid[max(first, second) + 1])


def _is_line(column: object) -> bool:
    return isinstance(column, Number) and column.shape == "line" and not column.knots


def _narrowed(schema: Schema, found: dict[str, tuple[float, float]], epsilon: float) -> Schema:
    """The schema with these bounds, and where they are from."""
    columns = dict(schema.columns)
    for name, (low, high) in found.items():
        column = columns[name]
        if not isinstance(column, Number):
            continue
        missing = column.missing if isinstance(column.missing, str) else min(high, max(low, column.missing))
        source = f"{column.source}; found privately for epsilon {epsilon:g}".removeprefix("; ")
        columns[name] = replace(column, bounds=(low, high), missing=missing, source=source)
    return replace(schema, columns=columns)
