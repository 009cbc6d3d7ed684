"""Releases that read a table by its schema, for the audit table."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from equipoise.audit.frozen.pairs_at_corners import Data
from equipoise.audit.subjects.targets import Target, corners
from equipoise.estimators import LogisticRegression, PrivateBounds
from equipoise.estimators.table.evaluate import evaluate
from equipoise.estimators.table.fit import fit
from equipoise.outside.table.model import TableModel
from equipoise.schema import Classes, Number, Range, Schema

EPSILON, ROWS = 1.0, 8
COLUMNS = {"x": Number((-1.0, 1.0))}
CLASSES = Schema(COLUMNS, Classes("y", (0, 1)))
SCHEMAS = {"classes": CLASSES, "a number": Schema(COLUMNS, Range("y", (0.0, 1.0)))}


def by_schema() -> list[Target]:
    """One column between -1 and 1, labels 0 and 1."""
    pairs = corners(ROWS, labels=(0, 1))
    return [
        Target("PrivateBounds", EPSILON, 0.0, _bounds, pairs, speaks_of=("PrivateBounds",)),
        Target("fit (output perturbation)", EPSILON, 0.0, _fit, pairs, speaks_of=("fit",)),
        *(
            Target(f"evaluate, {of}", EPSILON, 0.0, partial(_evaluate, _taught(of)), pairs, speaks_of=("evaluate",))
            for of in SCHEMAS
        ),
    ]


def _columns(table: Data) -> dict[str, Any]:
    return {"x": np.asarray(table[0])[:, 0], "y": np.asarray(table[1])}


def _bounds(table: Data) -> Any:
    found = PrivateBounds(CLASSES, EPSILON, lower=0.25, upper=0.75, steps=8).fit(_columns(table)).schema_
    column = found.columns["x"]
    return list(column.bounds) if isinstance(column, Number) else []


def _fit(table: Data) -> Any:
    model = fit(_columns(table), CLASSES, EPSILON, estimator=LogisticRegression(mechanism="output", alpha=1.0))
    return [model.model.coef, model.model.intercept]


def _evaluate(model: TableModel, table: Data) -> Any:
    return evaluate(model, _columns(table), epsilon=EPSILON).value


@cache
def _taught(of: str) -> TableModel:
    """A model of other, public rows; the seed does no harm to them.  Made before a run is watched."""
    x = np.linspace(-1, 1, 50)
    return fit({"x": x, "y": (x > 0).astype(float)}, SCHEMAS[of], 100.0, random_state=0)
