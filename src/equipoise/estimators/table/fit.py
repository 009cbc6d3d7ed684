"""From a table and its schema to a released model, in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sklearn.base import clone

from equipoise._checks import one_of, quoted, shown
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators.additive.additive_classifier import AdditiveClassifier
from equipoise.estimators.additive.additive_regressor import AdditiveRegressor
from equipoise.estimators.additive.stated import KNOTS
from equipoise.estimators.kernel.kernel_classifier import KernelClassifier
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.linear.classifier import PrivateClassifier
from equipoise.estimators.linear.given import check_flag, may_see
from equipoise.estimators.linear.linear_regression import LinearRegression
from equipoise.estimators.linear.logistic_regression import LogisticRegression
from equipoise.estimators.table.labels import labels_of, target_of
from equipoise.estimators.table.people import ids_of
from equipoise.estimators.table.spread import crew_for, spread, without_rows
from equipoise.estimators.table.stream import Stream, streamed
from equipoise.gate import RandomState
from equipoise.inside.records import Told, nobody
from equipoise.ledger import LedgerLike
from equipoise.outside.table.model import TableModel
from equipoise.schema import Classes, Schema
from equipoise.schema.check import by_type
from equipoise.schema.encoding import AdditiveEncoding, Encoding
from equipoise.schema.tables import Table, column_types, read_table
from equipoise.schema.tables.parquet import is_parquet, open_parquet
from equipoise.theory.adjacency import Adjacency

LINEAR, ADDITIVE, KERNEL = "linear", "additive", "kernel"
ADDITIVE_KINDS = (AdditiveClassifier, AdditiveRegressor)
STATED_BY_SCHEMA = ("column_bounds", "categories", "pairs")


def fit(
    data: Any,
    schema: Schema | str | os.PathLike[str],
    epsilon: float,
    delta: float = 0.0,
    *,
    model: str = LINEAR,
    estimator: PrivateLinear | None = None,
    interactions: Sequence[Sequence[str]] = (),
    ledger: LedgerLike | None = None,
    random_state: RandomState = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    decimal: str | None = None,
    stream: bool | None = None,
    engine: Any = None,
    progress: Callable[[int, int], None] | None = None,
) -> TableModel:
    """Learn the schema's target from a table, privately, and give back a model that reads such tables.

    Names and types are compared with the schema first; what is wrong with them is told before anything is spent.
    Then the table is encoded by public facts alone, the ledger is debited, and the model is released.

    Parameters
    ----------
    data : path, data frame or dictionary of columns
        CSV (also zipped) or Parquet file, a folder of Parquet files or a `pyarrow.dataset`, pandas, polars or pyarrow,
        a Dask data frame, or a dictionary of lists or arrays.
    schema : Schema or path
        What is public about the table.
    epsilon, delta : float
        The price.  A larger epsilon promises less.
    model : str, default "linear"
        "linear", "additive" or, for classes, "kernel": coefficients, a shape of each column, or curves of all together.
    estimator : one of our linear or additive estimators, optional
        For other settings than the usual; epsilon, delta, ledger and what the schema says are set here.  Without it
        `LogisticRegression` for classes and `LinearRegression` for a number, or their additive counterparts.
    interactions : sequence of pairs of column names
        Products of two columns, as columns of their own; of an additive model, pairs with a shape together.
    ledger : Ledger or SQLLedger, optional
        Whom to charge.
    random_state : int, optional
        Makes the result repeatable and not private, for tests only.
    delimiter, encoding : str
        Of a CSV file.
    decimal : str, optional
        "," where a CSV file writes numbers as 1,5; else a point.
    stream : bool, optional
        Whether Parquet is read again in every pass, block by block, instead of once into memory; None for tables that
        would take more than a gibibyte.
    engine : distributed.Client, optional
        Whose workers read and keep the table, a Dask data frame or Parquet that all of them can read; None for the
        client in force where the table is Dask's, and else for this machine.
    progress : callable, optional
        Hears `progress(done, total)` in gradient steps of `mechanism="sgd"`, whose number is public beforehand; of
        fits that stop when they are near enough it hears nothing, for when they do would tell of the records.

    Returns
    -------
    TableModel
        `predict`, `predict_proba`, `coefficients` or `shapes`, `card`, `save`; `equipoise.load` reads it back.

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
    written: dict[str, Any] = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal}
    with before_the_debit():
        facts = _schema(schema)
        target_of(facts)
        asked = None if stream is None else check_flag(stream=stream)
        data = open_parquet(data) if is_parquet(data) else data
        crew = crew_for(data, engine, asked)
        _check_table(facts, column_types(without_rows(data), **written))
        learner = _prepared(facts, _chosen(facts, model, estimator), epsilon, delta, ledger, random_state)
        how = encoded_for(facts, learner, interactions)
        _check_person(facts, learner)
        secret = learner._adjacency() is Adjacency.ADD_REMOVE
        told = heard(progress)
        parts = None if crew is None else spread(crew, data, how, secret=secret, told=told)
        in_blocks = crew is None and streamed(data, how, asked, learner)
    learner._told = told
    if parts is not None:
        learner.fit(parts)
    elif in_blocks:
        learner.fit(Stream(data, how, learner._told))
    else:
        table = read_table(data, facts.needed, **written, numbers=facts.numbers)
        learner.fit(how.rows(table), labels_of(table, facts), **groups_in(facts, table))
    return TableModel(how, replace(learner.model_, feature_names=how.names))


def heard(progress: Any) -> Told:
    """Whoever is to hear of a walk, checked before the debit."""
    if progress is not None and not callable(progress):
        raise InvalidInput("progress: must be a function of (done, total), or None; nothing was spent")
    return nobody if progress is None else progress


def _chosen(schema: Schema, model: str, estimator: PrivateLinear | None) -> PrivateLinear:
    """The estimator that was given, or the usual one of this kind for the target."""
    additive = one_of((LINEAR, ADDITIVE, KERNEL), model=model) == ADDITIVE
    kernel = model == KERNEL
    if estimator is not None:
        if (additive and not isinstance(estimator, ADDITIVE_KINDS)) or (
            kernel and not isinstance(estimator, KernelClassifier)
        ):
            raise InvalidInput(
                f"model={shown(model)}: does not go with {type(estimator).__name__}, leave one of them out"
            )
        return estimator
    if kernel and not isinstance(target_of(schema), Classes):
        raise InvalidInput("model='kernel': learns classes, use model='additive' for a number")
    if kernel:
        return KernelClassifier()
    if isinstance(target_of(schema), Classes):
        return AdditiveClassifier() if additive else LogisticRegression()
    return AdditiveRegressor() if additive else LinearRegression()


def encoded_for(
    schema: Schema, learner: PrivateLinear, interactions: Sequence[Sequence[str]]
) -> Encoding | AdditiveEncoding:
    """How rows are read for this estimator; an additive one is told what the schema says of columns."""
    if not isinstance(learner, ADDITIVE_KINDS):
        return Encoding(schema, learner.row_norm, interactions)  # type: ignore[arg-type]
    how = AdditiveEncoding(schema, interactions)  # type: ignore[arg-type]
    knots, rising = learner.knots, learner.monotone or {}
    if knots is not None and not isinstance(knots, int):
        raise InvalidInput("knots: those of single columns are the schema's business, give one number for the others")
    if not isinstance(rising, Mapping) or any(name not in schema.features for name in rising):
        raise InvalidInput("monotone: must map names of the schema's columns to 1 or -1")
    directions = {how.place_of(name): direction for name, direction in rising.items()}
    learner.set_params(**how.stated(KNOTS if knots is None else knots), monotone=directions or None)
    return how


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
    estimator: PrivateLinear,
    epsilon: float,
    delta: float,
    ledger: LedgerLike | None,
    random_state: RandomState,
) -> PrivateLinear:
    """A fresh estimator for the schema's target."""
    target = target_of(schema)
    if not isinstance(estimator, PrivateLinear):
        raise InvalidInput(f"estimator of type {type(estimator).__name__}: must be one of our linear estimators")
    if not estimator._by_schema:
        raise InvalidInput(
            f"estimator of type {type(estimator).__name__}: a schema does not say what it learns from, give it arrays"
            " (Encoder makes them of a table)"
        )
    chosen: PrivateLinear = clone(estimator)
    if isinstance(target, Classes) != isinstance(chosen, PrivateClassifier):
        wanted = "a classifier" if isinstance(target, Classes) else "a regressor"
        raise InvalidInput(f"estimator of type {type(chosen).__name__}: the target asks for {wanted}")
    for name in STATED_BY_SCHEMA:
        if getattr(chosen, name, None) is not None:
            raise InvalidInput(f"estimator: {name} are the schema's business, leave them out")
    stated = {"classes": list(target.classes)} if isinstance(target, Classes) else {"label_bounds": target.bounds}
    given: dict[str, Any] = {"ledger": ledger} if ledger is not None else {}
    if schema.person is not None and "rows_per_person" in chosen.get_params():
        given["rows_per_person"] = schema.person.rows_per_person
    seeded = {"random_state": random_state} if random_state is not None else {}
    if may_see(chosen.middle):  # docs/decisions/0028
        raise InvalidInput(
            'estimator: middle="auto" is for arrays, what a unit of a schema\'s column adds is to hold for every row,'
            " leave it out"
        )
    chosen.set_params(epsilon=epsilon, delta=delta, **stated, **given, **seeded)
    return chosen


def _check_person(schema: Schema, model: PrivateLinear) -> None:
    """Rows of one person can be protected together only by a fit that knows of groups."""
    if schema.person is not None and model.rows_per_person is None:
        raise MechanismRefused(
            f"person {quoted(schema.person.column)}: {type(model).__name__} protects one row at a time, nothing was"
            " spent"
        )


def groups_in(schema: Schema, table: Table) -> dict[str, Any]:
    """What a fit is told of persons, where the schema names them."""
    if schema.person is None:
        return {}
    return {"groups": ids_of(schema, table)}
