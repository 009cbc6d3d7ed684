"""Does accuracy rise with ε on the way a table takes through a schema, for every estimator?

    python -m benchmarks.rising [--splits 3] [--rows 8000]

Held-out fifths of the tables that have a schema in benchmarks/schemas, δ = 10⁻⁶, defaults.  Writes
benchmarks/results/rising.csv; the exit code is 1 if a step falls by more than two standard errors and a hundredth.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import equipoise as eq
from benchmarks.tables import FOLDER

HERE = Path(__file__).parent
EPSILONS = (0.1, 1.0, 10.0)
DELTA = 1e-6
SLACK = 0.01

TABLES = {
    "adult": ("adult.parquet", ("LogisticRegression", "LinearSVC", "AdditiveClassifier")),
    "magic": ("magic04.parquet", ("LogisticRegression", "LinearSVC", "AdditiveClassifier")),
    "warfarin": ("warfarin_iwpc.parquet", ("LinearRegression", "HuberRegressor", "AdditiveRegressor")),
}


def score(kind: str, schema: eq.Schema, epsilon: float, train: pd.DataFrame, test: pd.DataFrame) -> float:
    """Accuracy, or R², of one fit through the schema."""
    how: dict[str, Any] = {"model": "additive"} if kind.startswith("Additive") else {"estimator": getattr(eq, kind)()}
    model = eq.fit(train, schema, epsilon, DELTA, **how)
    assert schema.target is not None
    truth, told = test[schema.target.column], model.predict(test)
    if kind.endswith("Regressor") or kind == "LinearRegression":
        errors = np.asarray(truth, dtype=float) - told
        return float(1 - np.mean(errors**2) / np.var(np.asarray(truth, dtype=float)))
    return float(np.mean(np.asarray(truth).astype(str) == told.astype(str)))


def table_of(name: str, schema: eq.Schema, rows: int) -> pd.DataFrame:
    """Rows with a target, at most so many."""
    assert schema.target is not None
    table = pd.read_parquet(FOLDER / TABLES[name][0]).dropna(subset=[schema.target.column])
    return table.sample(min(rows, len(table)), random_state=0)


def main() -> int:
    """Measure, write, judge."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--splits", type=int, default=3)
    asked.add_argument("--rows", type=int, default=8000)
    given = asked.parse_args()
    warnings.simplefilter("ignore")
    lines, falls = [], 0
    for name, (_, kinds) in TABLES.items():
        schema = eq.Schema.load(HERE / "schemas" / f"{name}.yaml")
        table = table_of(name, schema, given.rows)
        for kind in kinds:
            found = np.zeros((len(EPSILONS), given.splits))
            for split in range(given.splits):
                order = np.random.default_rng(split).permutation(len(table))
                test, train = table.iloc[order[: len(table) // 5]], table.iloc[order[len(table) // 5 :]]
                found[:, split] = [score(kind, schema, epsilon, train, test) for epsilon in EPSILONS]
            means, errors = found.mean(axis=1), found.std(axis=1, ddof=1) / math.sqrt(given.splits)
            for place, epsilon in enumerate(EPSILONS):
                drop = 0.0 if place == 0 else max(0.0, float(means[place - 1] - means[place]))
                noise = 2 * math.hypot(errors[place], errors[max(place - 1, 0)])
                falls += drop > noise + SLACK
                lines.append([name, kind, epsilon, f"{means[place]:.4f}", f"{errors[place]:.4f}", f"{drop:.4f}"])
                print(*lines[-1], flush=True)
    with (HERE / "results" / "rising.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["table", "estimator", "epsilon", "score", "standard error", "fall"], *lines])
    print(f"{falls} of {len(lines)} steps fall")
    return int(falls > 0)


if __name__ == "__main__":
    sys.exit(main())
