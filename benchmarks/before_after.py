"""Processor time of whole fits by two versions of the library, alternated in one run.

Each version lives in a process of its own, with one thread for linear algebra, and both fit the same tables; which of
the two goes first alternates.  A ratio above one says that the second version is slower.  The spread is that of the
quotients of neighbouring runs, a quarter of which lie below and above.

Run: git worktree add ../before COMMIT; python benchmarks/before_after.py ../before/src src
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROWS, COLUMNS, ALPHA = 40_000, 50, 0.01
REPEATS = int(os.environ.get("REPEATS", "15"))


def fits() -> dict[str, Callable[[], object]]:
    """Of the version that this process imports; ridges are given, for what "auto" takes is another question."""
    from scipy import sparse

    from equipoise import HuberRegressor, LinearRegression, LinearSVC, LogisticRegression

    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS)) / COLUMNS**0.5 * 0.9
    w = rng.normal(size=COLUMNS)
    classes = (X @ w + rng.logistic(size=ROWS) > 0).astype(int)
    numbers = np.clip(X @ w + rng.normal(size=ROWS), -4, 4)
    thin = sparse.random_array((ROWS, 10 * COLUMNS), density=0.04, format="csr", rng=rng)

    def each(kind: Any, mechanism: str, table: Any, labels: Any, delta: float = 0.0, **more: Any) -> Any:
        made = kind(epsilon=1.0, delta=delta, mechanism=mechanism, alpha=ALPHA, random_state=1, **more)
        return lambda: made.fit(table, labels)

    real: dict[str, Any] = {"label_bounds": (-4.0, 4.0)}
    return {
        "logistic, output": each(LogisticRegression, "output", X, classes),
        "logistic, objective": each(LogisticRegression, "objective", X, classes),
        "logistic, objective, Gaussian": each(LogisticRegression, "objective", X, classes, 1e-6),
        "logistic, sparse": each(LogisticRegression, "output", thin, classes),
        "hinge": each(LinearSVC, "output", X, classes),
        "Huber": each(HuberRegressor, "output", X, numbers, **real),
        "least squares": each(LinearRegression, "output", X, numbers, **real),
        "moments": each(LinearRegression, "sufficient-statistics", X, numbers, **real),
    }


def work() -> None:
    """Fit what standard input names, and answer with the processor time."""
    known = fits()
    print("ready", flush=True)
    for line in sys.stdin:
        start = time.process_time()
        known[line.strip()]()
        print(time.process_time() - start, flush=True)


class Version:
    """A process that fits with the library in this folder."""

    def __init__(self, source: str) -> None:
        own = {"PYTHONPATH": str(Path(source).resolve()), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-W", "ignore", __file__]
        self._process = subprocess.Popen(
            command, env={**os.environ, **own}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._answer()

    def _answer(self) -> str:
        if self._process.stdout is None:
            raise RuntimeError("no pipe")
        answer = self._process.stdout.readline().strip()
        if not answer:
            raise RuntimeError("a version failed, see above")
        return answer

    def seconds(self, name: str) -> float:
        if self._process.stdin is None:
            raise RuntimeError("no pipe")
        print(name, file=self._process.stdin, flush=True)
        return float(self._answer())

    def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()


def compare(before: Version, after: Version, names: list[str]) -> None:
    """One line for each kind of fit."""
    print(f"{'fit':30} {'before, ms':>10} {'after, ms':>10} {'ratio':>6}  quarters")
    for name in names:
        times = []
        for turn in range(REPEATS + 1):
            first, second = (before, after) if turn % 2 else (after, before)
            pair = first.seconds(name), second.seconds(name)
            times.append(pair if turn % 2 else pair[::-1])
        old, new = np.array(times[1:]).T  # the first fit of each warms up
        low, middle, high = np.quantile(new / old, [0.25, 0.5, 0.75])
        print(
            f"{name:30} {1e3 * np.median(old):10.1f} {1e3 * np.median(new):10.1f} {middle:6.2f}  {low:.2f} {high:.2f}"
        )


def main() -> None:
    if len(sys.argv) == 1:
        return work()
    before, after = Version(sys.argv[1]), Version(sys.argv[2])
    compare(before, after, sys.argv[3:] or list(fits()))
    before.close()
    after.close()
    return None


if __name__ == "__main__":
    main()
