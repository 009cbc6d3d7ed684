"""How long a batch of private answers takes, relative to plain predictions of the same kind of model.

Run: OMP_NUM_THREADS=1 python benchmarks/answering.py
The batch is 100,000 distinct rows: checks, de-duplication, accounting in memory, noise and cache are all counted.
Plain is `predict` of a fitted estimator, and, stricter, of the bare model it released.  Noise and accounting alone are
shown too: the rest is telling repeated questions apart.  Runs alternate and processor time is taken, so that a busy
machine disturbs all alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from equipoise import LogisticRegression
from equipoise.answering import StablePredictor

ROWS = 100_000
REPEATS = 15

Array = npt.NDArray[np.float64]


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def table(columns: int) -> tuple[Array, npt.NDArray[np.int64]]:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(ROWS, columns)) / np.sqrt(columns)
    return X, (X[:, 0] + generator.normal(size=ROWS) / 4 > 0).astype(int)


def fastest(plain: LogisticRegression, delta: float, X: Array, y: npt.NDArray[np.int64]) -> list[float]:
    """Estimator, bare model, new answers, repeated ones, noise and accounting alone: the best of alternating runs."""
    runs = []
    for _ in range(REPEATS):
        asked, bare = (StablePredictor(epsilon=1.0, delta=delta).fit(X[:5000], y[:5000]) for _ in range(2))
        ways: tuple[Callable[[Array], object], ...] = (
            plain.predict,
            plain.model_.predict,
            asked.predict,
            asked.predict,
            bare._pay_and_answer,
        )
        runs.append([seconds(lambda way=way: way(X)) for way in ways])  # type: ignore[misc]
    return [float(best) for best in np.min(runs, axis=0)]


def main() -> None:
    for columns in (10, 30, 100, 300):
        X, y = table(columns)
        plain = LogisticRegression(epsilon=1.0, delta=1e-6).fit(X[:5000], y[:5000])
        for name, delta in (("Laplace", 0.0), ("Gaussian", 1e-6)):
            estimator, model, new, again, noise = fastest(plain, delta, X, y)
            print(
                f"d={columns:<4} {name:<8} estimator {estimator * 1e3:5.1f} ms, model {model * 1e3:5.1f} ms, "
                f"new {new * 1e3:6.1f} ms ({estimator / new:.2f} of the estimator, {model / new:.2f} of the model), "
                f"again {again * 1e3:6.1f} ms, noise and accounting {noise * 1e3:5.1f} ms ({model / noise:.2f})"
            )


if __name__ == "__main__":
    main()
