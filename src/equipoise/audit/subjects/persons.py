"""Releases whose unit is the person: each record of the audited table stands for one with several equal rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from equipoise import estimators
from equipoise.audit.frozen.pairs_at_corners import Data
from equipoise.audit.subjects.targets import Target, corners

PERSON_ROWS = 3
SIGNS = (-1, 1)


def persons(epsilon: float, delta: float, rows: int) -> list[Target]:
    """With every mechanism that serves logistic regression."""
    made = [("output", 0.0), ("objective", 0.0), ("noisy-gradient", delta)]
    return [
        Target(
            f"LogisticRegression, {mechanism} (persons of {PERSON_ROWS} rows)",
            epsilon,
            spent,
            partial(_persons, epsilon, mechanism, spent),
            corners(rows, labels=SIGNS),
            effort=0.05 if mechanism == "noisy-gradient" else 0.4,
            speaks_of=(mechanism, "LogisticRegression"),
        )
        for mechanism, spent in made
    ]


def _persons(epsilon: float, mechanism: str, delta: float, table: Data) -> Any:
    X, y = (np.repeat(part, PERSON_ROWS, axis=0) for part in table)
    model = estimators.LogisticRegression(
        epsilon, delta, mechanism=mechanism, alpha=0.1, classes=SIGNS, fit_intercept=False, rows_per_person=PERSON_ROWS
    )
    return model.fit(X, y, groups=np.repeat(np.arange(len(table[0])), PERSON_ROWS)).coef_
