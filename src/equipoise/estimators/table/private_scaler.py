"""For those who would standardise: centre and spread of the columns, found privately and charged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from equipoise._checks import positive
from equipoise._docs import documented
from equipoise.estimators.table.private_transformer import PrivateTransformer, lines_among, with_bounds
from equipoise.gate import Bits, RandomState
from equipoise.gate.tables.scaling import ScalingPlan, release
from equipoise.inside.tables.scaling import enter_places
from equipoise.ledger import Entry, LedgerLike
from equipoise.schema import Column, Number, Schema, cells
from equipoise.schema.encoding.numbers import Along
from equipoise.schema.tables.table import Cells
from equipoise.theory.guarantees import Budget


class PrivateScaler(PrivateTransformer):
    """Columns of numbers, centred and scaled by their private mean and standard deviation; then it encodes by them.

    Takes the place of scikit-learn's `StandardScaler` before a private estimator.  The schema states bounds that
    certainly hold, and a scale, along which mean and deviation are taken.  `fit` charges epsilon once for all columns
    and gives `schema_`, in which a column's bounds are `reach` standard deviations on either side of its mean, never
    beyond the old ones; values outside are clipped.  A spread is never stated smaller than what the noise could hide:
    where bounds are a hundred times too wide, find better ones with `PrivateBounds` first.  A schema that names
    persons protects persons.  Better are bounds that are known: they cost nothing.

    Parameters
    ----------
    schema : Schema
        What is public, with wide bounds.
    epsilon, delta : float
        The price, for all columns together.  With a delta the noise is Gaussian.
    columns : sequence of names, optional
        Which columns to scale; all numbers that are a line without.
    reach : float, default 3.0
        How many standard deviations from the mean the encoded range goes.
    norm : float, default 1.0
        The longest encoded row.
    ledger : Ledger or SQLLedger, optional
        Whom to charge.
    random_state : int, optional
        Makes the result repeatable and not private, for tests only.

    Attributes
    ----------
    schema_ : Schema
        With the bounds that were found, and where they are from.
    centre_, spread_ : dict
        For each column mean and standard deviation along its scale, where −1 is the schema's low bound and 1 the high.
    guarantee_ : Guarantee
        What was promised.

    Examples
    --------
    >>> import equipoise as eq
    >>> schema = eq.Schema.from_dict({"columns": {"age": {"kind": "number", "bounds": [0, 200]}}})
    >>> found = eq.PrivateScaler(schema, epsilon=1.0).fit({"age": list(range(20, 80)) * 100})
    >>> low, high = found.schema_.columns["age"].bounds
    >>> 0 <= low < 5 and 95 < high < 110
    True
    """

    def __init__(
        self,
        schema: Schema,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        columns: Sequence[str] | None = None,
        reach: float = 3.0,
        norm: float = 1.0,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.schema = schema
        self.epsilon = epsilon
        self.delta = delta
        self.columns = columns
        self.reach = reach
        self.norm = norm
        self.ledger = ledger
        self.random_state = random_state

    @documented(returns="ScalingPlan: Print it.")
    def plan(self, n: int) -> ScalingPlan:
        """Everything about the release for n rows, before any is seen; of persons, those that the cap leaves."""
        positive(reach=self.reach)
        return ScalingPlan(n, len(self._chosen()), Budget(self.epsilon, self.delta), self._together())

    def _chosen(self) -> dict[str, Number]:
        return lines_among(self.schema, self.columns)

    def _found(self, held: dict[str, Cells], plan: Any, entry: Entry, bits: Bits) -> dict[str, Column]:
        chosen, words = self._chosen(), self.schema.missing_words
        places = enter_places([Along(chosen[name]).place(cells.numbers(held[name], words)) for name in held])
        found = dict(zip(held, release(places, plan, entry, bits), strict=True))
        self.centre_ = {name: each.centre for name, each in found.items()}
        self.spread_ = {name: each.spread for name, each in found.items()}
        return {name: self._bounded(chosen[name], each.centre, each.spread) for name, each in found.items()}

    def _bounded(self, column: Number, centre: float, spread: float) -> Number:
        along, far = Along(column), self.reach * spread
        low, high = (along.value(min(1.0, max(-1.0, centre + side * far))) for side in (-1, 1))
        return with_bounds(column, low, high, self.epsilon)
