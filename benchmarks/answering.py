"""How long a batch of private answers takes, relative to the plain predictions of a released model.

Run: OMP_NUM_THREADS=1 python benchmarks/answering.py
The batch is 100,000 distinct rows: checks, de-duplication, accounting in memory, noise and cache are all counted.
Plain and private runs alternate and processor time is taken, so that a busy machine disturbs both alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from equipoise import LinearModel, LogisticRegression
from equipoise.answering import StablePredictor

ROWS = 100_000
REPEATS = 15
TARGET = 1 / 3

Array = npt.NDArray[np.float64]


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def table(columns: int) -> tuple[Array, npt.NDArray[np.int64]]:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(ROWS, columns)) / np.sqrt(columns)
    return X, (X[:, 0] + generator.normal(size=ROWS) / 4 > 0).astype(int)


def fastest(model: LinearModel, delta: float, X: Array, y: npt.NDArray[np.int64]) -> tuple[float, float, float]:
    """Plain predictions, new answers, repeated answers: the best of several alternating runs."""
    runs = []
    for _ in range(REPEATS):
        predictor = StablePredictor(epsilon=1.0, delta=delta).fit(X[:5000], y[:5000])
        ways: tuple[Callable[[Array], object], ...] = (model.predict, predictor.predict, predictor.predict)
        runs.append([seconds(lambda way=way: way(X)) for way in ways])  # type: ignore[misc]
    plain, new, again = np.min(runs, axis=0).tolist()
    return plain, new, again


def main() -> None:
    for columns in (10, 30, 100):
        X, y = table(columns)
        model = LogisticRegression(epsilon=1.0, delta=1e-6).fit(X[:5000], y[:5000]).model_
        for name, delta in (("Laplace", 0.0), ("Gaussian", 1e-6)):
            plain, new, again = fastest(model, delta, X, y)
            verdict = "meets" if plain / new >= TARGET else "misses"
            print(
                f"d={columns:<4} {name:<8} plain {plain * 1e3:6.1f} ms, new {new * 1e3:6.1f} ms, "
                f"again {again * 1e3:6.1f} ms: {plain / new:.2f} of plain, {verdict} {TARGET:.2f}"
            )


if __name__ == "__main__":
    main()
