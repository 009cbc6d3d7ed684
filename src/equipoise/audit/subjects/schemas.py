"""Releases that read a table by its schema, for the audit table."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from equipoise.audit.frozen.pairs_at_corners import Data, Pair
from equipoise.audit.subjects.targets import Target, corners
from equipoise.estimators import LogisticRegression, PrivateBounds, PrivateCategories, PrivateScaler
from equipoise.estimators.table.evaluate import evaluate
from equipoise.estimators.table.fit import fit
from equipoise.outside.table.model import TableModel
from equipoise.schema import Classes, Number, Range, Schema, Text

EPSILON, ROWS = 1.0, 8
MANY = 1200
"""Rows of which an evaluation first finds out how large errors usually are, as a test asserts."""
DELTA, LARGE_DELTA = 1e-3, 0.1
COLUMNS = {"x": Number((-1.0, 1.0))}
CLASSES = Schema(COLUMNS, Classes("y", (0, 1)))
SCHEMAS = {"classes": CLASSES, "a number": Schema(COLUMNS, Range("y", (0.0, 1.0)))}


def by_schema() -> list[Target]:
    """One column between -1 and 1, labels 0 and 1."""
    pairs = corners(ROWS, labels=(0, 1))
    return [
        Target("PrivateBounds", EPSILON, 0.0, _bounds, pairs, speaks_of=("PrivateBounds",)),
        Target("PrivateScaler", EPSILON, 0.0, partial(_scaling, 0.0), pairs, speaks_of=("PrivateScaler",)),
        Target("PrivateScaler", EPSILON, DELTA, partial(_scaling, DELTA), pairs, speaks_of=("PrivateScaler",)),
        Target(
            "PrivateCategories", EPSILON, LARGE_DELTA, _categories, (*pairs, _lone()), speaks_of=("PrivateCategories",)
        ),
        Target("fit (output perturbation)", EPSILON, 0.0, _fit, pairs, speaks_of=("fit",)),
        *(
            Target(f"evaluate, {of}", EPSILON, 0.0, partial(_evaluate, _taught(of)), pairs, speaks_of=("evaluate",))
            for of in SCHEMAS
        ),
        Target(
            "evaluate, a number: a usual size of errors first",
            EPSILON,
            0.0,
            partial(_evaluate, _taught("a number")),
            exchanged_errors(),
            effort=0.1,
            speaks_of=("evaluate",),
        ),
    ]


def exchanged_errors() -> tuple[Pair, ...]:
    """One error becomes the largest there is, or the last that a size can do without."""
    return (
        Pair("errors small; one becomes the largest", _errors(0), _errors(1)),
        Pair("as many large errors as may be beyond; one more", _errors(MANY // 10), _errors(MANY // 10 + 1)),
        Pair("all errors but one the largest; it becomes so too", _errors(MANY - 1), _errors(MANY)),
    )


def _errors(large: int) -> Data:
    """Rows at one place, where 1 is expected, and so many labels at the other end."""
    labels = np.ones(MANY)
    labels[:large] = 0.0
    return np.ones((MANY, 1)), labels


def _columns(table: Data) -> dict[str, Any]:
    return {"x": np.asarray(table[0])[:, 0], "y": np.asarray(table[1])}


def _bounds(table: Data) -> Any:
    found = PrivateBounds(CLASSES, EPSILON, lower=0.25, upper=0.75, steps=8).fit(_columns(table)).schema_
    column = found.columns["x"]
    return list(column.bounds) if isinstance(column, Number) else []


def _scaling(delta: float, table: Data) -> Any:
    found = PrivateScaler(CLASSES, EPSILON, delta).fit(_columns(table))
    return [found.centre_["x"], found.spread_["x"]]


def _categories(table: Data) -> Any:
    """Everything that was found with its noisy count; a delta so large that samples can see it."""
    words = [f"{place:g}" for place in np.asarray(table[0])[:, 0].tolist()]
    found = PrivateCategories(Schema({"x": Text()}), EPSILON, LARGE_DELTA, columns=["x"]).fit({"x": words})
    return sorted(found.counts_["x"].items())


def _lone() -> Pair:
    """A value that one record alone has becomes another such value."""
    left, nobody = np.zeros((ROWS, 1)), np.zeros(ROWS)
    right = left.copy()
    left[0], right[0] = -1.0, 1.0
    return Pair("one record has a value of its own, and another one there", (left, nobody), (right, nobody))


def _fit(table: Data) -> Any:
    model = fit(_columns(table), CLASSES, EPSILON, estimator=LogisticRegression(mechanism="output", alpha=1.0))
    return [model.model.coef, model.model.intercept]


def _evaluate(model: TableModel, table: Data) -> Any:
    """All that is told: where errors are clipped, and how many, as well."""
    found = evaluate(model, _columns(table), epsilon=EPSILON)
    return [found.value, found.clipped or 0.0, found.clipped_part or 0.0]


@cache
def _taught(of: str) -> TableModel:
    """A model of other, public rows; the seed does no harm to them.  Made before a run is watched."""
    x = np.linspace(-1, 1, 50)
    return fit({"x": x, "y": (x > 0).astype(float)}, SCHEMAS[of], 100.0, random_state=0)
