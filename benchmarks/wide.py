"""Very wide sparse tables: made up after the URL reputation set, and what a private fit of one takes.

    python -m benchmarks.wide [--rows 100000] [--columns 20000000] [--entries 100] [--only NAME ...]

Prints, for each fit, seconds and peak memory over (the table + ten vectors of a number per column).
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

import equipoise as eq

TELLING = 2000
"""Columns that say something of the label, among the most frequent ones."""

FITS: dict[str, Callable[[], Any]] = {
    "logistic, Gaussian output": lambda: eq.LogisticRegression(1.0, 1e-6, mechanism="output", alpha=1e-3),
    "logistic, Gaussian objective": lambda: eq.LogisticRegression(1.0, 1e-6, mechanism="objective", alpha=1e-3),
    "hinge, Gaussian output": lambda: eq.LinearSVC(1.0, 1e-6, mechanism="output", alpha=1e-3),
    "rounded hinge, Gaussian objective": lambda: eq.LinearSVC(
        1.0, 1e-6, mechanism="objective", alpha=1e-2, smoothing=0.5
    ),
    "few columns, drawn": lambda: eq.SimplexClassifier(1.0, 1e-6, mechanism="sample"),
}


def url_like(rows: int, columns: int, entries: int, seed: int = 0) -> tuple[sparse.csr_array, npt.NDArray[np.int64]]:
    """Ones at about `entries` columns a row; column j is as frequent as 1/j, as words and hosts are.

    A third of the rows is of the second class: by a sum of random weights on the most frequent columns, and noise.
    """
    rng = np.random.default_rng(seed)
    places = np.minimum((np.float64(columns) ** rng.random((rows, entries))).astype(np.int64) - 1, columns - 1)
    places.sort(axis=1)
    pointers = np.arange(0, rows * entries + 1, entries)
    table = sparse.csr_array((np.ones(rows * entries), places.ravel(), pointers), shape=(rows, columns))
    table.sum_duplicates()
    table.data[:] = 1.0 / np.sqrt(entries)  # rows of norm at most one
    weights = rng.standard_normal(min(TELLING, columns))
    scores = table[:, : len(weights)] @ weights
    scores = scores / scores.std() + 0.5 * rng.standard_normal(rows)
    return table, (scores > np.quantile(scores, 2 / 3)).astype(np.int64)


def footprint(table: sparse.csr_array) -> int:
    """Bytes of the table and of ten vectors as long as its rows."""
    return int(table.data.nbytes + table.indices.nbytes + table.indptr.nbytes + 80 * table.shape[1])


def measured(make: Callable[[], Any], table: sparse.csr_array, labels: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Seconds, and peak memory over the footprint."""
    tracemalloc.start()
    started = time.perf_counter()
    make().fit(table, labels)
    taken = time.perf_counter() - started
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return taken, peak / footprint(table)


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=20_000_000)
    parser.add_argument("--entries", type=int, default=100)
    parser.add_argument("--only", nargs="*", default=list(FITS))
    asked = parser.parse_args()
    table, labels = url_like(asked.rows, asked.columns, asked.entries)
    print(f"{table.shape[0]:,} rows, {table.shape[1]:,} columns, {table.nnz:,} entries")
    for name in asked.only:
        seconds, share = measured(FITS[name], table, labels)
        print(f"{name}: {seconds:.1f} s, peak memory {share:.2f} of table and ten vectors", flush=True)


if __name__ == "__main__":
    main()
