"""scikit-learn's door to the encoding: a transformer that learns nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin

from equipoise._checks import shown
from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.schema import Schema
from equipoise.schema.encoding import Encoding
from equipoise.schema.tables import column_types, read_table


class Encoder(TransformerMixin, BaseEstimator):
    """Rows of a table as vectors no longer than `norm`, by public facts alone: nothing is fitted.

    Numbers lie between −1 and 1 along their scale, categories have a slot for each value and one for "other", and what
    is missing follows the schema's rule; docs/reference/schema.md has all of it.  Every column gets the same weight,
    so that a row with every column at its bound has length `norm`; estimators with `row_norm` equal to `norm`, which
    is the default of both, need no more.

    Parameters
    ----------
    schema : Schema
        What is public about the table.
    norm : float, default 1.0
        The longest row.
    sparse : bool or None, default None
        Whether to give compressed rows; None for tables of more than a thousand encoded columns.
    interactions : sequence of pairs of column names, default ()
        Products of two columns, as columns of their own.

    Examples
    --------
    >>> import equipoise as eq
    >>> schema = eq.Schema.from_dict({"columns": {"age": {"kind": "number", "bounds": [0, 100]},
    ...                                           "sex": {"kind": "category", "values": ["f", "m"]}}})
    >>> encoder = eq.Encoder(schema)
    >>> encoder.transform({"age": [0, 50, 999], "sex": ["f", "x", None]}).round(2).tolist()
    [[-0.71, 0.71, 0.0, 0.0], [0.0, 0.0, 0.0, 0.71], [0.71, 0.0, 0.0, 0.71]]
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'sex=f', 'sex=m', 'sex=other']
    """

    data_free = True
    """Its steps are the same whatever the rows hold, so it may stand before a private estimator in a pipeline."""

    def __init__(
        self,
        schema: Schema,
        *,
        norm: float = 1.0,
        sparse: bool | None = None,
        interactions: Sequence[Sequence[str]] = (),
    ) -> None:
        self.schema = schema
        self.norm = norm
        self.sparse = sparse
        self.interactions = interactions

    @property
    def encoding(self) -> Encoding:
        """The map itself."""
        if self.sparse is not None and not isinstance(self.sparse, bool | np.bool_):
            raise InvalidInput(f"sparse={shown(self.sparse)}: must be True, False or None")
        return Encoding(self.schema, self.norm, self.interactions)  # type: ignore[arg-type]

    @documented(returns="Encoder: Itself.")
    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Checks the parameters.  X is not looked at."""
        self.encoding  # noqa: B018 - raises what is wrong
        return self

    @documented(returns="array or sparse matrix: One row for each row of the table.")
    def transform(self, X: Any) -> Any:
        """A file, a data frame or a dictionary of columns, encoded; no cell is an error."""
        encoding = self.encoding
        encoding.check_types(column_types(X))
        return encoding.rows(read_table(X, self.schema.features), self.sparse)

    @documented(returns="array of str: One for each encoded column.")
    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The names of the encoded columns."""
        return np.array(self.encoding.names, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.two_d_array = False
        tags.input_tags.categorical = tags.input_tags.string = tags.input_tags.allow_nan = True
        return tags
