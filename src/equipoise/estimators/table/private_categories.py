"""For those who cannot list values: which ones occur often, found privately and charged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from equipoise._checks import whole
from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.estimators.table.private_transformer import PrivateTransformer, listed, sourced
from equipoise.gate import Bits, RandomState
from equipoise.gate.tables.categories import CategoriesPlan, release
from equipoise.inside.tables.categories import enter_words
from equipoise.ledger import Entry, LedgerLike
from equipoise.schema import Category, Column, Ignored, Schema, Text, cells, rules
from equipoise.schema.encoding.block import MISSING, OTHER
from equipoise.schema.tables.table import Cells
from equipoise.theory.guarantees import Budget

NONE_FOUND = "(none found)"
"""The one value of a column in which nothing was frequent enough."""


class PrivateCategories(PrivateTransformer):
    """Values of columns of words, those that occur often; then it encodes by them.

    Takes the place of scikit-learn's `OneHotEncoder` before a private estimator.  Each value that occurs is counted
    with noise, and found if that reaches a threshold which a value that one record alone has hardly ever does: that
    needs a delta.  `fit` charges epsilon and delta for all columns together and gives `schema_`, in which each column
    lists what was found, the most frequent first; whatever else is met is "other".  Values that the schema lists
    already are kept and need not be found.  Where the schema names persons, the first row of each is used.  Better are
    lists from a code book: they cost nothing.

    Parameters
    ----------
    schema : Schema
        What is public.  A column whose values are not known is of kind text or ignored there, or a category with some.
    epsilon, delta : float
        The price, for all columns together; delta must be above 0, and far below one over the number of rows.
    columns : sequence of names, optional
        Which columns to look at: categories, texts or ignored ones.  All categories without.
    most : int, default 100
        Values that are kept of one column, besides those listed.
    norm : float, default 1.0
        The longest encoded row.
    ledger : Ledger or SQLLedger, optional
        Whom to charge.
    random_state : int, optional
        Makes the result repeatable and not private, for tests only.

    Attributes
    ----------
    schema_ : Schema
        With the values that were found, and where they are from.
    counts_ : dict
        For each column the values that were found, with their noisy counts.
    guarantee_ : Guarantee
        What was promised; its constants state the threshold.

    Examples
    --------
    >>> import equipoise as eq
    >>> schema = eq.Schema.from_dict({"columns": {"town": {"kind": "text"}}})
    >>> towns = ["Leeds"] * 300 + ["York"] * 200 + ["a village"]
    >>> found = eq.PrivateCategories(schema, 1.0, 1e-6, columns=["town"]).fit({"town": towns})
    >>> found.schema_.columns["town"].values
    ('Leeds', 'York')
    """

    _rows_per_person = 1

    def __init__(
        self,
        schema: Schema,
        epsilon: float = 1.0,
        delta: float = 1e-7,
        *,
        columns: Sequence[str] | None = None,
        most: int = 100,
        norm: float = 1.0,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.schema = schema
        self.epsilon = epsilon
        self.delta = delta
        self.columns = columns
        self.most = most
        self.norm = norm
        self.ledger = ledger
        self.random_state = random_state

    @documented(returns="CategoriesPlan: Print it.")
    def plan(self, n: int) -> CategoriesPlan:
        """Everything about the release for n rows, before any is seen; of persons, their first rows."""
        known = max(len(_listed(column)) for column in self._chosen().values())
        if whole(most=self.most) + known > rules.MOST_VALUES:
            raise InvalidInput(f"most={self.most}: a category lists at most {rules.MOST_VALUES} values in all")
        budget, persons = Budget(self.epsilon, self.delta), self.schema.person is not None
        return CategoriesPlan(n, len(self._chosen()), budget, persons)

    def _chosen(self) -> dict[str, Column]:
        every = self.schema.columns
        usual = [name for name, column in every.items() if isinstance(column, Category)]
        names = usual if self.columns is None else listed(self.columns)
        found = {name: every[name] for name in names if isinstance(every.get(name), Category | Text | Ignored)}
        if not found or len(found) < len(names):
            raise InvalidInput("columns: must be categories, texts or ignored columns of the schema, at least one")
        return found

    def _found(self, held: dict[str, Cells], plan: Any, entry: Entry, bits: Bits) -> dict[str, Column]:
        chosen, missing = self._chosen(), self.schema.missing_words
        words = {name: _words(held[name], _listed(chosen[name]), missing) for name in held}
        found = release(enter_words(words), plan, entry, bits)
        counts: dict[str, dict[str, float]] = {name: {} for name in held}
        for (name, word), count in sorted(found.items(), key=lambda item: (-item[1], item[0])):
            if len(counts[name]) < self.most:
                counts[name][word] = count
        self.counts_ = counts
        return {name: self._with_values(chosen[name], tuple(counts[name])) for name in held}

    def _with_values(self, column: Column, found: tuple[str, ...]) -> Category:
        source = sourced(column.source, self.epsilon)
        if isinstance(column, Category):
            return Category((*column.values, *found), column.missing, source)
        return Category(found or (NONE_FOUND,), source=source)


def _listed(column: Column) -> tuple[rules.Value, ...]:
    return column.values if isinstance(column, Category) else ()


def _words(held: Cells, known: tuple[rules.Value, ...], missing: tuple[str, ...]) -> list[str | None]:
    """The value of each cell, as a schema writes it; None where there is none, or one that is listed already."""
    left_out = {*missing, *(rules.canonical(value) for value in known), OTHER, MISSING}
    return [_word(cell, left_out) for cell in held.tolist()]


def _word(cell: object, left_out: set[str]) -> str | None:
    plain = cells.plain_cell(cell)
    if plain is None or (isinstance(plain, float) and math.isnan(plain)):
        return None
    word = rules.canonical(plain)
    return None if word in left_out or rules.unfilled(word) else word
