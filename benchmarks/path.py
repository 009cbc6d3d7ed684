"""What ten ridges cost on one table, in units of one cold fit of the same run.

Every fit, cold or on the path, is certified within 2⁻¹⁰ of its sensitivity.  `mean` is the mean time of the ten cold
fits, `longest` the time of the slowest of them, which is the one at the smallest alpha more often than not.  Times are
of the processor, all threads together, and the best of a few runs of cold fits and path in turn: what else the machine
does then matters least.

Run: python benchmarks/path.py [results.csv]
"""

from __future__ import annotations

import csv
import math
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equipoise.inside import Private, Records, minimise, minimise_path
from equipoise.inside.design import Matrix, design_from
from equipoise.theory.losses import Hinge, Logistic, Loss, Softmax, Squared
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]

ALPHAS = tuple(float(alpha) for alpha in np.geomspace(1e-4, 1.0, 10))
ROWS, COLUMNS = 40_000, 100
REPEATS = 3
NORM = math.sqrt(2)


def dense() -> Array:
    """Correlated columns."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(ROWS, COLUMNS)) @ (np.eye(COLUMNS) + 0.2) / COLUMNS


def words(rows: int, columns: int, per_row: int) -> sparse.csr_array:
    """A bag of words with frequent and rare ones."""
    rng = np.random.default_rng(1)
    chance = 1 / np.arange(1, columns + 1)
    places = rng.choice(columns, size=rows * per_row, p=chance / chance.sum())
    counts = sparse.coo_array((np.ones(len(places)), (np.repeat(np.arange(rows), per_row), places)), (rows, columns))
    return sparse.csr_array(counts * (1 / math.sqrt(per_row)))


def table(X: Matrix, loss: Loss) -> Private[Records]:
    """Labels that overlap: classes, or numbers in [−1, 1]."""
    rng = np.random.default_rng(2)
    design = design_from(X, 1.0, 1.0)
    lean = design.matvec(rng.normal(size=design.columns))
    lean = 2 * (lean - lean.mean()) / lean.std() + rng.logistic(size=design.rows)
    if isinstance(loss, Softmax):
        labels = np.digitize(lean, np.linspace(-2, 2, loss.classes - 1)).astype(float)
    else:
        labels = np.clip(lean / 4, -1, 1) if isinstance(loss, Squared) else np.where(lean > 0, 1.0, -1.0)
    return Private(Records(design, labels))


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def measure(records: Private[Records], loss: Loss, rows: int) -> tuple[list[float], float]:
    """Seconds of each cold fit and of the path, next to each other in time."""
    radii = [2.0**-10 * 2 * NORM / (alpha * rows) for alpha in ALPHAS]
    penalties = [L2(alpha) for alpha in ALPHAS]
    cold = [
        seconds(partial(minimise, records, loss, penalty, rows, radius))
        for penalty, radius in zip(penalties, radii, strict=True)
    ]
    return cold, seconds(lambda: minimise_path(records, loss, penalties, rows, radii))


CASES: dict[str, tuple[Callable[[], Matrix], Loss]] = {
    "logistic, dense": (dense, Logistic()),
    "hinge, dense": (dense, Hinge().stand_in()),
    "softmax of 4, dense": (dense, Softmax(4)),
    "squared, dense": (dense, Squared()),
    "logistic, sparse": (lambda: words(ROWS, 2_000, 30), Logistic()),
    "hinge, sparse": (lambda: words(ROWS, 2_000, 30), Hinge().stand_in()),
    "logistic, wide sparse": (lambda: words(4_000, 50_000, 100), Logistic()),
}


def main(target: str | None) -> None:
    lines = []
    print(f"{'case':24} {'mean cold, s':>12} {'longest, s':>10} {'path, s':>8} {'/ mean':>7} {'/ longest':>9}")
    for name, (make, loss) in CASES.items():
        X = make()
        records, runs = table(X, loss), []
        measure(records, loss, X.shape[0])  # once to warm caches
        for _ in range(REPEATS):
            runs.append(measure(records, loss, X.shape[0]))
        best = [min(fits) for fits in zip(*(cold for cold, _ in runs), strict=True)]
        mean, longest, path = statistics.mean(best), max(best), min(path for _, path in runs)
        ratios = [path / mean, path / longest]
        print(f"{name:24} {mean:12.3f} {longest:10.3f} {path:8.3f} {ratios[0]:7.2f} {ratios[1]:9.2f}")
        lines.append([name, *(f"{number:.4g}" for number in (mean, longest, path, *ratios))])
    if target:
        with Path(target).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["case", "mean_cold_s", "longest_cold_s", "path_s", "path_per_mean", "path_per_longest"])
            writer.writerows(lines)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
