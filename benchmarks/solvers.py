"""How long a certified minimum takes, relative to scikit-learn's solvers on the same regularised problem.

scikit-learn stops at its default tolerance; ours goes on until the distance to the minimiser is proved to be below
2⁻¹⁰ of the sensitivity.  The intercept is a column for both.

Run: python benchmarks/solvers.py
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from equipoise.inside import Records
from equipoise.inside.design import design_from
from equipoise.inside.objective import Objective
from equipoise.inside.solvers import solve
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Hinge, Logistic, Loss
from equipoise.theory.regularisers import L2

ROWS, COLUMNS = 50_000, 100
ALPHAS = (1e-1, 1e-2, 1e-3)
BOUNDS = Bounds(row_norm=1.0, intercept=1.0, classes=(-1, 1))
REPEATS = 3


def seconds(work: Callable[[], object]) -> float:
    """The fastest of a few runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def simulated() -> Records:
    """Correlated columns and classes that overlap."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS)) @ (np.eye(COLUMNS) + 0.2) / COLUMNS
    y = np.where(X @ rng.normal(size=COLUMNS) * 20 + rng.logistic(size=ROWS) > 0, 1.0, -1.0)
    return Records(design_from(X, BOUNDS.row_norm, BOUNDS.intercept), y)


def ours(loss: Loss, records: Records, alpha: float) -> float:
    radius = 2.0**-10 * 2 * BOUNDS.norm / (alpha * ROWS)
    return seconds(lambda: solve(Objective(loss, L2(alpha), records, ROWS), radius, math.inf))


def theirs(loss: Loss, X: npt.NDArray[np.float64], y: npt.NDArray[np.float64], alpha: float) -> float:
    strength = 1 / (alpha * ROWS)
    logistic = LogisticRegression(C=strength, fit_intercept=False, max_iter=1000)
    machine = LinearSVC(C=strength, loss="hinge", fit_intercept=False, max_iter=1000)
    return seconds(lambda: (logistic if isinstance(loss, Logistic) else machine).fit(X, y))


def main() -> None:
    records = simulated()
    X, y = records.design.matvec(np.eye(COLUMNS + 1)), records.labels
    print(f"{'loss':10} {'alpha':>7} {'ours, s':>9} {'sklearn, s':>11} {'ratio':>6}")
    for loss in (Logistic(), Hinge().stand_in()):
        for alpha in ALPHAS:
            mine, other = ours(loss, records, alpha), theirs(loss, X, y, alpha)
            print(f"{loss.name:10} {alpha:7g} {mine:9.3f} {other:11.3f} {mine / other:6.2f}")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LinearSVC says so when it stops before its tolerance
        main()
