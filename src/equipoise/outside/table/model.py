"""A linear or additive model with its schema: tables in, predictions out, and everything in one file."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.outside.additive.plot import draw_shapes
from equipoise.outside.additive.shapes import Shape
from equipoise.outside.card import Card
from equipoise.outside.model import LinearModel
from equipoise.outside.table.coefficients import Coefficients, in_own_units
from equipoise.outside.table.shapes import in_own_words
from equipoise.schema import Schema
from equipoise.schema.encoding import AdditiveEncoding, Encoding
from equipoise.schema.tables import column_types, read_table
from equipoise.theory.guarantees import Guarantee

Array = npt.NDArray[np.float64]


@documented(record=True)
@dataclass(frozen=True, eq=False)
class TableModel:
    """A released model that reads tables by its schema: files, data frames or dictionaries of columns.

    It holds released values and public facts, so predicting, saving and copying cost no privacy.
    """

    encoding: Encoding | AdditiveEncoding
    model: LinearModel

    def __post_init__(self) -> None:
        if self.model.n_features_in_ != len(self.encoding.names) or self.additive != isinstance(
            self.encoding, AdditiveEncoding
        ):
            raise InvalidInput("model: was not fitted on what this schema encodes")

    @property
    def additive(self) -> bool:
        """Whether it learnt a shape of each column, instead of coefficients."""
        return self.model.shapes is not None

    @property
    def schema(self) -> Schema:
        """The public facts by which rows of a table are read."""
        return self.encoding.schema

    @property
    def guarantee_(self) -> Guarantee:
        """What the release promises, on every condition that it rests on."""
        return self.model.guarantee

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """What `predict` may answer, in order; a regressor has none."""
        return self.model.classes_

    @documented(returns="array or sparse matrix: Encoded rows.")
    def rows(
        self, data: Any, *, delimiter: str | None = None, encoding: str = "utf-8", decimal: str | None = None
    ) -> Any:
        """The table as the model sees it."""
        written: dict[str, Any] = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal}
        self.encoding.check_types(column_types(data, **written))
        return self.encoding.rows(read_table(data, self.schema.features, **written, numbers=self.schema.numbers))

    @documented(returns="array of shape (n,): Classes or numbers.")
    def predict(
        self, data: Any, *, delimiter: str | None = None, encoding: str = "utf-8", decimal: str | None = None
    ) -> npt.NDArray[Any]:
        """The class or the number for each row; no cell is an error, what is missing follows the schema."""
        return self.model.predict(self.rows(data, delimiter=delimiter, encoding=encoding, decimal=decimal))

    @documented(returns="array of shape (n, K): Probabilities.")
    def predict_proba(
        self, data: Any, *, delimiter: str | None = None, encoding: str = "utf-8", decimal: str | None = None
    ) -> Array:
        """(rows, classes), in the order of `classes_`."""
        return self.model.predict_proba(self.rows(data, delimiter=delimiter, encoding=encoding, decimal=decimal))

    @documented(returns="Coefficients: A line for each, with intervals where the mechanism can say.")
    def coefficients(self, level: float = 0.95) -> Coefficients:
        """By name, in the columns' own units.  An additive model has `shapes` instead."""
        if isinstance(self.encoding, AdditiveEncoding):
            raise InvalidInput("coefficients: an additive model has shapes instead, use shapes()")
        return in_own_units(self.model, self.encoding, level)

    @documented(returns="list of Shape: With grids in own units, or of words.")
    def shapes(self) -> list[Shape]:
        """What each column, then each pair, adds to the score of an additive model, in the columns' own units."""
        if not isinstance(self.encoding, AdditiveEncoding):
            raise InvalidInput("shapes: a linear model has coefficients instead, use coefficients()")
        return [in_own_words(shape, self.encoding) for shape in self.model.shapes_]

    @documented()
    def plot_shapes(self, path: str | os.PathLike[str]) -> None:
        """Draw every shape of an additive model, the most important first, into a picture file."""
        draw_shapes(self.shapes(), self.model.classes, path)

    @documented(returns="Card: Print it, or take `html()`.")
    def card(self) -> Card:
        """The page to ship with the model."""
        card = self.model.card()
        return replace(card, why=(*card.why, *self._facts()))

    @documented()
    def save(self, path: str | os.PathLike[str]) -> None:
        """One JSON file, schema and all; `equipoise.load` reads it."""
        from equipoise.outside.table.files import save_table_model

        save_table_model(self, path)

    def _facts(self) -> tuple[str, ...]:
        """What the schema states and where it has it from."""
        schema = self.schema
        named = [("target", schema.target), ("person", schema.person), *schema.columns.items()]
        sourced = [f"{name}: {each.source}" for name, each in named if each is not None and each.source]
        about = (f"table: {schema.about}",) if schema.about else ()
        facts = f"bounds and values of {len(schema.features)} columns as the schema states them"
        return (*about, f"{facts}; sources: {'; '.join(sourced)}" if sourced else f"{facts}; no source is given")
