"""What `fit` would do, before a row is read: the estimator it would use, the encoding, and the plan."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise._checks import whole
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.table.fit import LINEAR, _chosen, _prepared, _schema, encoded_for
from equipoise.schema import Schema
from equipoise.schema.encoding import AdditiveEncoding, Encoding
from equipoise.theory.plan import Plan


@dataclass(frozen=True, slots=True)
class Prospect:
    """Public facts alone."""

    estimator: PrivateLinear
    encoding: Encoding | AdditiveEncoding
    plan: Plan


def plan_fit(
    schema: Schema | str | os.PathLike[str],
    n: int,
    epsilon: float,
    delta: float = 0.0,
    *,
    model: str = LINEAR,
    estimator: PrivateLinear | None = None,
    interactions: Sequence[Sequence[str]] = (),
) -> Prospect:
    """For a table of n rows; under add-remove n is the public nominal size."""
    facts = _schema(schema)
    learner = _prepared(facts, _chosen(facts, model, estimator), epsilon, delta, None, None)
    encoding = encoded_for(facts, learner, interactions)
    return Prospect(learner, encoding, learner.plan(whole(n=n), len(encoding.names)))
