"""How long stable algorithms take, relative to scikit-learn's own on the same rows: processor time, in one run.

One pass of stable SGD against SGDClassifier, the walk alone and the whole fit (copy, clip, order, noise); an elastic
net with its certificate against coordinate descent at scikit-learn's default gap.

Run: python benchmarks/stability.py [--rows N]
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable

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


def ratio(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    """Median of our time over theirs, alternated, and their time."""
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(REPEATS)]
    return statistics.median(mine / other for mine, other in pairs), statistics.median(other for _, other in pairs)


def rows_of(count: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(count, COLUMNS)) / np.sqrt(2 * COLUMNS)
    return X, X @ rng.normal(size=COLUMNS) / 4 + rng.normal(size=count) / 10


def of_sgd(X: Array, y: npt.NDArray[np.int_]) -> None:
    model = eq.LogisticRegression(1.0, mechanism=SGD(1, 256), alpha=ALPHA)
    other = SGDClassifier(loss="log_loss", alpha=ALPHA, max_iter=1, tol=None)
    plan = model.plan(*X.shape)
    records = Private(Records(design_from(X, 1.0, 0.5), np.where(y > 0, 1.0, -1.0)))
    order = order_in_runs(len(y), 32, bits_from(0))
    for name, work in (
        ("stable SGD, the walk", lambda: walked(records, plan.facts, plan.walk, lambda _: order)),  # type: ignore[attr-defined]
        ("stable SGD, the fit", lambda: model.fit(X, y)),
    ):
        found, base = ratio(work, lambda: other.fit(X, y))
        print(f"{name:<24} {found:.2f} times SGDClassifier's {base:.3f} s, {len(y):,} rows")


def of_net(X: Array, y: Array) -> None:
    for alpha in (0.1, 0.01, 0.001):
        ours = eq.ElasticNet(1.0, label_bounds=(-1, 1), mechanism="output", alpha=alpha, l1_ratio=0.5)
        # ours: mean squares + (alpha/2)|w|^2 + alpha |w|_1; theirs is half of that
        theirs = ElasticNet(alpha=alpha, l1_ratio=0.5)
        found, base = ratio(lambda model=ours: model.fit(X, y), lambda model=theirs: model.fit(X, y))  # type: ignore[misc]
        print(f"elastic net, alpha {alpha:<6g} {found:.2f} times coordinate descent's {base:.3f} s, {len(y):,} rows")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    warnings.simplefilter("ignore")
    X, y = rows_of(parser.parse_args().rows)
    of_sgd(X, (y > 0).astype(int))
    of_net(X[: len(y) // 10], y[: len(y) // 10])


if __name__ == "__main__":
    main()
