"""How long stable algorithms take, relative to scikit-learn's own on the same rows: processor time, in one run.

One pass of stable SGD against SGDClassifier, the walk alone and the whole fit (copy, clip, order, noise); an elastic
net with its certificate against coordinate descent at scikit-learn's default gap.

Run: python benchmarks/stability.py [--rows N] [--out benchmarks/results/stable-speed.csv]
"""

from __future__ import annotations

import argparse
import csv
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import ElasticNet, SGDClassifier

import equipoise as eq
from equipoise.gate import bits_from
from equipoise.gate.order import order_in_runs
from equipoise.inside import Private, Records
from equipoise.inside.design import design_from
from equipoise.inside.walk import walked
from equipoise.stability import SGD

Array = npt.NDArray[np.float64]
COLUMNS, REPEATS, ALPHA = 100, 5, 1e-3


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@dataclass(frozen=True)
class Line:
    """Our time over theirs, alternated: median, least and most; and their time."""

    what: str
    rows: int
    median: float
    least: float
    most: float
    theirs: float


def compared(what: str, rows: int, ours: Callable[[], object], theirs: Callable[[], object]) -> Line:
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(REPEATS)]
    ratios = [mine / other for mine, other in pairs]
    base = statistics.median(other for _, other in pairs)
    line = Line(what, rows, statistics.median(ratios), min(ratios), max(ratios), base)
    print(f"{what:<32} {line.median:.2f} ({line.least:.2f} to {line.most:.2f}) times {base:.3f} s, {rows:,} rows")
    return line


def rows_of(count: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(count, COLUMNS)) / np.sqrt(2 * COLUMNS)
    return X, X @ rng.normal(size=COLUMNS) / 4 + rng.normal(size=count) / 10


def of_sgd(X: Array, y: npt.NDArray[np.int_]) -> list[Line]:
    model = eq.LogisticRegression(1.0, mechanism=SGD(1, 256), alpha=ALPHA)
    other = SGDClassifier(loss="log_loss", alpha=ALPHA, max_iter=1, tol=None)
    plan = model.plan(*X.shape)
    records = Private(Records(design_from(X, 1.0, 0.5), np.where(y > 0, 1.0, -1.0)))
    order = order_in_runs(len(y), 32, bits_from(0))
    return [
        compared(what, len(y), work, lambda: other.fit(X, y))
        for what, work in (
            ("stable SGD, the walk", lambda: walked(records, plan.facts, plan.walk, lambda _: order)),  # type: ignore[attr-defined]
            ("stable SGD, the fit", lambda: model.fit(X, y)),
        )
    ]


def of_net(X: Array, y: Array) -> list[Line]:
    lines = []
    for alpha in (0.1, 0.01, 0.001):
        ours = eq.ElasticNet(1.0, label_bounds=(-1, 1), mechanism="output", alpha=alpha, l1_ratio=0.5)
        # ours: mean squares + (alpha/2)|w|^2 + alpha |w|_1; theirs is half of that
        theirs = ElasticNet(alpha=alpha, l1_ratio=0.5)
        lines.append(
            compared(
                f"elastic net, alpha {alpha:g}",
                len(y),
                lambda model=ours: model.fit(X, y),  # type: ignore[misc]
                lambda model=theirs: model.fit(X, y),  # type: ignore[misc]
            )
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y = rows_of(given.rows)
    lines = of_sgd(X, (y > 0).astype(int)) + of_net(X[: len(y) // 10].copy(), y[: len(y) // 10])
    if given.out is not None:
        with given.out.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(field.name for field in fields(Line))
            table.writerows(
                [f"{cell:.4g}" if isinstance(cell, float) else cell for cell in astuple(line)] for line in lines
            )


if __name__ == "__main__":
    main()
