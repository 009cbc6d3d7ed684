"""From a table and its schema to a released model, in one call."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sklearn.base import clone

from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.linear.classifier import PrivateClassifier
from equipoise.estimators.linear.linear_regression import LinearRegression
from equipoise.estimators.linear.logistic_regression import LogisticRegression
from equipoise.estimators.table.labels import labels_of, target_of
from equipoise.gate import RandomState
from equipoise.ledger import LedgerLike
from equipoise.outside.table.model import TableModel
from equipoise.schema import Classes, Schema
from equipoise.schema.check import by_type
from equipoise.schema.encoding import Encoding
from equipoise.schema.tables import Table, column_types, read_table


def fit(
    data: Any,
    schema: Schema | str | os.PathLike[str],
    epsilon: float,
    delta: float = 0.0,
    *,
    estimator: PrivateLinear | None = None,
    interactions: Sequence[Sequence[str]] = (),
    ledger: LedgerLike | None = None,
    random_state: RandomState = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> TableModel:
    """Learn the schema's target from a table, privately, and give back a model that reads such tables.

    Names and types are compared with the schema first; what is wrong with them is told before anything is spent.
    Then the table is encoded by public facts alone, the ledger is debited, and the model is released.

    Parameters
    ----------
    data : path, data frame or dictionary of columns
        CSV (also zipped) or Parquet file, pandas, polars or pyarrow, or a dictionary of lists or arrays.
    schema : Schema or path
        What is public about the table.
    epsilon, delta : float
        The price.  A larger epsilon promises less.
    estimator : one of our linear estimators, optional
        For other settings than the usual; epsilon, delta, ledger and what the schema says are set here.  Without it
        `LogisticRegression` for classes and `LinearRegression` for a number.
    interactions : sequence of pairs of column names
        Products of two columns, as columns of their own.
    ledger : Ledger or SQLLedger, optional
        Whom to charge.
    random_state : int, optional
        Makes the result repeatable and not private, for tests only.
    delimiter, encoding : str
        Of a CSV file.

    Returns
    -------
    TableModel
        `predict`, `predict_proba`, `coefficients`, `card`, `save`; `equipoise.load` reads it back.

    Examples
    --------
    >>> import equipoise as eq
    >>> schema = eq.Schema.from_dict({"target": {"column": "ill", "classes": ["no", "yes"]},
    ...                               "columns": {"age": {"kind": "number", "bounds": [0, 100]}}})
    >>> table = {"age": list(range(100)) * 20, "ill": (["no"] * 50 + ["yes"] * 50) * 20}
    >>> model = eq.fit(table, schema, epsilon=5.0)
    >>> model.predict({"age": ["3", 97, 200]}).tolist()
    ['no', 'yes', 'yes']
    """
    facts = _schema(schema)
    target_of(facts)
    _check_table(facts, column_types(data, delimiter=delimiter, encoding=encoding))
    model = _prepared(facts, estimator, epsilon, delta, ledger, random_state)
    how = Encoding(facts, model.row_norm, interactions)  # type: ignore[arg-type]
    _check_person(facts, model)
    table = read_table(data, facts.needed, delimiter=delimiter, encoding=encoding)
    model.fit(how.rows(table), labels_of(table, facts), **_groups(facts, table))
    return TableModel(how, replace(model.model_, feature_names=how.names))


def _schema(schema: Schema | str | os.PathLike[str]) -> Schema:
    if isinstance(schema, str | os.PathLike):
        return Schema.load(schema)
    if not isinstance(schema, Schema):
        raise InvalidInput("schema: must be an equipoise.Schema, or the path of one")
    return schema


def _check_table(schema: Schema, types: dict[str, str]) -> None:
    """By names and types, before a row is read."""
    fatal = [found for found in by_type(schema, types) if found.fatal]
    if fatal:
        raise InvalidInput(f"data: {fatal[0]}, nothing was spent")


def _prepared(
    schema: Schema,
    estimator: PrivateLinear | None,
    epsilon: float,
    delta: float,
    ledger: LedgerLike | None,
    random_state: RandomState,
) -> PrivateLinear:
    """A fresh estimator for the schema's target."""
    target = target_of(schema)
    usual = LogisticRegression() if isinstance(target, Classes) else LinearRegression()
    chosen = usual if estimator is None else clone(estimator)
    if not isinstance(chosen, PrivateLinear):
        raise InvalidInput(f"estimator of type {type(estimator).__name__}: must be one of our linear estimators")
    if isinstance(target, Classes) != isinstance(chosen, PrivateClassifier):
        wanted = "a classifier" if isinstance(target, Classes) else "a regressor"
        raise InvalidInput(f"estimator of type {type(chosen).__name__}: the target asks for {wanted}")
    if chosen.column_bounds is not None:
        raise InvalidInput("estimator: column_bounds are the schema's business, leave them out")
    stated = {"classes": list(target.classes)} if isinstance(target, Classes) else {"label_bounds": target.bounds}
    given: dict[str, Any] = {"ledger": ledger} if ledger is not None else {}
    if schema.person is not None and "rows_per_person" in chosen.get_params():
        given["rows_per_person"] = schema.person.rows_per_person
    seeded = {"random_state": random_state} if random_state is not None else {}
    chosen.set_params(epsilon=epsilon, delta=delta, **stated, **given, **seeded)
    return chosen


def _check_person(schema: Schema, model: PrivateLinear) -> None:
    """Rows of one person can be protected together only by a fit that knows of groups."""
    if schema.person is not None and model.rows_per_person is None:
        raise MechanismRefused(
            f"person {schema.person.column!r}: {type(model).__name__} protects one row at a time, nothing was spent"
        )


def _groups(schema: Schema, table: Table) -> dict[str, Any]:
    if schema.person is None:
        return {}
    return {"groups": table[schema.person.column]}
