"""Sparse logistic regression: how time grows with the numbers other than zero in a row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array

from benchmarks.speed.logistic import DELTA, gap, prepared, private
from benchmarks.speed.problem import Problem, Size, Table, Work, classes_for

BY_FILLED = tuple(Size(100_000, 1000, filled) for filled in (3, 10, 30, 100))
QUICK = Size(2000, 50, 5)


def table(size: Size) -> Table:
    """So many numbers in every row, in places drawn at random; one that is drawn twice is their sum."""
    filled = size.filled or max(1, size.d // 2)
    rng = np.random.default_rng(size.n + size.d + filled)
    places = rng.integers(0, size.d, size=size.n * filled, dtype=np.int32)
    numbers = rng.standard_normal(size.n * filled) * 0.9 / filled**0.5
    X = csr_array((numbers, places, np.arange(size.n + 1) * filled), shape=(size.n, size.d))
    X.sum_duplicates()
    return Table(X, classes_for(X))


def contenders(found: Table) -> dict[str, Callable[[], Work]]:
    return {
        "scikit-learn, lbfgs": lambda: prepared(found, "lbfgs"),
        "auto": lambda: private(found, "auto", DELTA),
        "objective": lambda: private(found, "objective", 0.0),
        "output": lambda: private(found, "output", 0.0),
    }


PROBLEMS = (Problem("sparse logistic", "scikit-learn, lbfgs", table, contenders, BY_FILLED, QUICK, gap),)
