"""Answers or a released model: measured and predicted error on real tables against the number of questions.

    python benchmarks/crossover.py [--seeds 3] [--tables adult,magic,farm-ads] [--out benchmarks/results]

k questions share one budget (ε, δ = 1e-6).  For every k each predictor is fitted at the price that one of k answers may
have, the one `compare_with_release` names, and asked about held-out rows; the released model is `LogisticRegression`
with the whole budget.  At most 15,000 rows of a table are used.  Errors are shares of wrong answers on held-out rows,
beyond those of a model without privacy.
Writes crossover.csv and crossover.png, of which docs/explanation/figures has a copy.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression
from tables import TABLES, Table

import equipoise as eq
from equipoise.answering import PrivatePredictor, SGDPredictor, StablePredictor, VotingPredictor
from equipoise.estimators.answer.advice import compare
from equipoise.theory.guarantees import Budget

EPSILONS = (0.3, 3.0)
DELTA = 1e-6
QUESTIONS = (1, 10, 100, 1000)
MOST_ROWS = 15000
ASKED = 1000
ASKED_WIDE = 300
"""Of tables with many columns: queries are dense."""
FIELDS = ["table", "n", "d", "method", "epsilon", "k", "answer_epsilon", "extra_error", "standard_error", "predicted"]
COLOURS = {"StablePredictor": "#0072B2", "SGDPredictor": "#56B4E9", "VotingPredictor": "#009E73"}
RELEASED = "#D55E00"

Build = Callable[[float, float], PrivatePredictor]
PREDICTORS: dict[str, Build] = {
    "StablePredictor": lambda epsilon, delta: StablePredictor(epsilon, delta),
    "SGDPredictor": lambda epsilon, delta: SGDPredictor(epsilon, delta),
    "VotingPredictor": lambda epsilon, delta: VotingPredictor(LogisticRegression(max_iter=200), epsilon, n_jobs=1),
}


def split(table: Table, seed: int) -> tuple[Any, Any, Any, Any]:
    order = np.random.default_rng(500 + seed).permutation(len(table.y))
    wide = issparse(table.X)
    asked, train, _ = np.split(order, [ASKED_WIDE if wide else ASKED, MOST_ROWS])
    X_asked = table.X[asked].toarray() if wide else table.X[asked]
    return table.X[train], table.y[train], X_asked, table.y[asked]


BEST: dict[tuple[str, int], float] = {}


def best_error(table: Table, seed: int) -> float:
    """Share of wrong answers of a model without privacy."""
    if (table.name, seed) not in BEST:
        X, y, X_asked, y_asked = split(table, seed)
        model = LogisticRegression(C=100.0, max_iter=1000).fit(X, y)
        BEST[table.name, seed] = float(np.mean(model.predict(X_asked) != y_asked))
    return BEST[table.name, seed]


def measured(table: Table, build: Callable[[], Any], seeds: int) -> tuple[float, float]:
    """Mean and standard error of the extra share of wrong answers, against a model without privacy on each split."""
    extra = []
    for seed in range(seeds):
        X, y, X_asked, y_asked = split(table, seed)
        extra.append(np.mean(build().fit(X, y).predict(X_asked) != y_asked) - best_error(table, seed))
    return float(np.mean(extra)), float(np.std(extra, ddof=1) / np.sqrt(seeds))


def study(table: Table, epsilon: float, seeds: int) -> list[dict[str, Any]]:
    X, y, _, _ = split(table, 0)
    rows, shape = [], (len(y), X.shape[1])

    def add(method: str, k: int, price: float, found: tuple[float, float], predicted: float) -> None:
        values = [table.name, *shape, method, epsilon, k, f"{price:.4g}", *(f"{number:.4f}" for number in found)]
        rows.append(dict(zip(FIELDS, [*values, f"{predicted:.4f}"], strict=True)))
        print(*rows[-1].values(), flush=True)

    released = measured(table, lambda: eq.LogisticRegression(epsilon, DELTA), seeds)
    for method in ("StablePredictor",) if issparse(X) else PREDICTORS:
        build = PREDICTORS[method]
        fitted = build(1.0, DELTA / 10).fit(X, y)  # compare looks at public facts of the fit alone
        for k in QUESTIONS:
            advice = compare(fitted, k, Budget(epsilon, DELTA))
            price = (advice.answer_epsilon, advice.answer_delta)
            found = measured(table, partial(build, *price), seeds)
            add(method, k, price[0], found, advice.answers_error)
        if method == "StablePredictor":
            add("released model", 0, epsilon, released, advice.release_error)
    return rows


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    tables = list(dict.fromkeys(row["table"] for row in rows))
    figure, grid = plt.subplots(
        len(EPSILONS),
        len(tables),
        figsize=(4.6 * len(tables), 3.4 * len(EPSILONS)),
        squeeze=False,
        layout="constrained",
    )
    for line, epsilon in zip(grid, EPSILONS, strict=True):
        for ax, table in zip(line, tables, strict=True):
            here = [row for row in rows if row["table"] == table and row["epsilon"] == epsilon]
            for method, colour in COLOURS.items():
                points = [row for row in here if row["method"] == method]
                if not points:
                    continue
                asked, extra = [row["k"] for row in points], [float(row["extra_error"]) for row in points]
                bars = [2 * float(row["standard_error"]) for row in points]
                ax.errorbar(asked, extra, bars, color=colour, marker="o", markersize=3, label=method)
                ax.plot(asked, [float(row["predicted"]) for row in points], color=colour, linestyle=":")
            model = next(row for row in here if row["method"] == "released model")
            ax.axhline(float(model["extra_error"]), color=RELEASED, label="released model")
            ax.axhline(float(model["predicted"]), color=RELEASED, linestyle=":")
            ax.set(xscale="log", title=f"{table}, total epsilon {epsilon:g}", xlabel="questions", ylim=(-0.01, None))
        line[0].set_ylabel("extra share of wrong answers")
    grid[0][0].legend(frameon=False, fontsize=8, title="dotted: predicted", title_fontsize=8)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tables", default="adult,magic,farm-ads")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    began, rows = time.perf_counter(), []
    for name in arguments.tables.split(","):
        table = TABLES[name]()
        for epsilon in EPSILONS:
            rows += study(table, epsilon, arguments.seeds)
    with open(arguments.out / "crossover.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(rows)
    draw(rows, arguments.out / "crossover.png")
    print(f"{time.perf_counter() - began:.0f} seconds")


if __name__ == "__main__":
    main()
