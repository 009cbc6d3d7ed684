"""Dense logistic regression: every mechanism and "auto", scikit-learn's solvers at one gap, diffprivlib."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression as Plain

import equipoise as eq
from benchmarks.speed.diffprivlib import contenders as diffprivlib
from benchmarks.speed.problem import Array, Problem, Size, Table, Work, classes_for, simulated

EPSILON, DELTA = 1.0, 1e-6
GAP = 1e-6
"""In mean log-loss: scikit-learn's solvers stop within this of the minimum, each at the loosest tolerance that does."""

CLASSES = 5
SOLVERS = ("lbfgs", "newton-cholesky", "newton-cg")
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)

BY_ROWS = tuple(Size(n, 100) for n in (10_000, 30_000, 100_000, 300_000, 1_000_000))
BY_COLUMNS = tuple(Size(100_000, d) for d in (10, 30, 300))
OF_MANY = (Size(10_000, 20), Size(40_000, 50), Size(100_000, 50))


def table(size: Size, kind: type[np.floating] = np.float64) -> Table:
    X = simulated(size, kind)
    return Table(X, classes_for(X))


def mean_loss(found: Table, model: Any) -> float:
    """Of scores, on the rows of the fit; rows are taken as they are."""
    margin = np.where(found.y > 0, 1.0, -1.0) * (found.X @ np.ravel(model.coef_) + float(np.ravel(model.intercept_)[0]))
    return float(np.mean(np.logaddexp(0.0, -margin)))


def plain(found: Table, solver: str, tolerance: float) -> Any:
    return Plain(solver=solver, tol=tolerance, max_iter=2000).fit(found.X, found.y)


@lru_cache(maxsize=1)
def least(found: Table) -> float:
    """The minimum, of this very table."""
    return mean_loss(found, plain(found, "newton-cholesky", 1e-9))


def prepared(found: Table, solver: str) -> Work:
    """The loosest tolerance that reaches the gap, found beforehand and not timed."""
    for tolerance in TOLERANCES:
        if mean_loss(found, plain(found, solver, tolerance)) <= least(found) + GAP:
            break
    return partial(plain, found, solver, tolerance)


def private(found: Table, mechanism: str, delta: float) -> Work:
    return lambda: eq.LogisticRegression(EPSILON, delta=delta, mechanism=mechanism, random_state=1).fit(
        found.X, found.y
    )


def contenders(found: Table) -> dict[str, Callable[[], Work]]:
    return {
        **{f"scikit-learn, {solver}": partial(lambda name: prepared(found, name), solver) for solver in SOLVERS},
        "auto": lambda: private(found, "auto", DELTA),
        "auto, delta=0": lambda: private(found, "auto", 0.0),
        "noisy-gradient": lambda: private(found, "noisy-gradient", DELTA),
        "objective": lambda: private(found, "objective", 0.0),
        "objective, Gaussian": lambda: private(found, "objective", DELTA),
        "output": lambda: private(found, "output", 0.0),
        "output, Gaussian": lambda: private(found, "output", DELTA),
        **diffprivlib(found, EPSILON),
    }


def many_classes(size: Size) -> Table:
    """Five, by the largest of five noisy scores."""
    X = simulated(size)
    rng = np.random.default_rng(4)
    scores = X @ (3.0 * rng.normal(size=(size.d, CLASSES))) + rng.gumbel(size=(size.n, CLASSES))
    return Table(X, np.argmax(scores, axis=1))


def of_many(found: Table) -> dict[str, Callable[[], Work]]:
    def ours(mechanism: str, delta: float) -> Callable[[], Work]:
        listed = list(range(CLASSES))
        return lambda: (
            lambda: eq.LogisticRegression(
                EPSILON, delta=delta, mechanism=mechanism, classes=listed, random_state=1
            ).fit(found.X, found.y)
        )

    return {
        "scikit-learn, lbfgs": lambda: lambda: plain(found, "lbfgs", 1e-4),
        "auto": ours("auto", DELTA),
        "output": ours("output", 0.0),
        "output, Gaussian": ours("output", DELTA),
    }


def gap(found: Table, model: Any) -> float:
    return mean_loss(found, model) - least(found)


def one_pass(found: Table) -> dict[str, Callable[[], Work]]:
    """What a gradient at a point takes, beside the product with the table that it cannot do without."""
    from equipoise.inside import Records
    from equipoise.inside.design import design_from
    from equipoise.inside.objective import data_gradient
    from equipoise.theory.losses import Logistic

    signs: Array = np.where(found.y > 0, 1.0, -1.0)
    w = np.full(found.X.shape[1], 0.1)

    def ours() -> Work:
        records = Records(design_from(found.X, 1.0, 0.0), signs)
        return lambda: data_gradient(Logistic(), records, 1.0, w)

    def twice() -> Work:
        def both() -> Array:
            scores = found.X @ w
            return np.asarray(found.X.T @ (-signs / (1 + np.exp(signs * scores))))

        return both

    return {"X @ w": lambda: lambda: found.X @ w, "gradient": ours, "two products": twice}


PROBLEMS = (
    Problem("dense logistic", "scikit-learn, lbfgs", table, contenders, (*BY_ROWS, *BY_COLUMNS), Size(2000, 10), gap),
    Problem(
        "dense logistic in singles",
        "scikit-learn, lbfgs",
        partial(table, kind=np.float32),
        contenders,
        (Size(100_000, 100),),
        Size(2000, 10),
        gap,
    ),
    Problem("softmax", "scikit-learn, lbfgs", many_classes, of_many, OF_MANY, Size(2000, 10)),
    Problem("one gradient", "X @ w", table, one_pass, (Size(100_000, 100), Size(1_000_000, 100)), Size(2000, 10)),
)
