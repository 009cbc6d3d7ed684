"""How much faster shards are trained on two cores than on one.

Run: OMP_NUM_THREADS=1 python benchmarks/shards.py
Wall-clock time of `VotingPredictor.fit`, one worker and two in turn, the pool's start counted; best of several.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from equipoise.answering import VotingPredictor

ROWS, COLUMNS = 40_000, 50
REPEATS = 3
VOTERS: dict[str, tuple[Any, int]] = {
    "forest of 50 trees": (RandomForestClassifier(50), 100),
    "boosted trees": (HistGradientBoostingClassifier(max_iter=30), 100),
    "single trees": (DecisionTreeClassifier(), 400),
    "logistic regression": (LogisticRegression(max_iter=200), 400),
}
"""A voter and the number of shards."""

Array = npt.NDArray[np.float64]


def table() -> tuple[Array, npt.NDArray[np.int64]]:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(ROWS, COLUMNS))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + generator.normal(size=ROWS) / 2 > 0).astype(int)


def seconds(voter: Any, shards: int, workers: int, X: Array, y: npt.NDArray[np.int64]) -> float:
    start = time.perf_counter()
    VotingPredictor(voter, shards=shards, n_jobs=workers).fit(X, y)
    return time.perf_counter() - start


def main() -> None:
    X, y = table()
    for name, (voter, shards) in VOTERS.items():
        runs = [[seconds(voter, shards, workers, X, y) for workers in (1, 2)] for _ in range(REPEATS)]
        one, two = np.min(runs, axis=0).tolist()
        print(f"{name:<20} {shards:>4} shards: {one:5.1f} s on one core, {two:5.1f} s on two: {one / two:.2f} times")


if __name__ == "__main__":
    main()
