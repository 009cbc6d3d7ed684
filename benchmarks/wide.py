"""Very wide sparse tables: made up after the URL reputation set, and what a private fit of one takes.

    python -m benchmarks.wide [--rows 100000] [--columns 1000000] [--entries 100] [--only NAME ...] [--repeats 3]
        [--no-scikit] [--csv benchmarks/results/wide.csv]

Seconds are of the processor.  scikit-learn minimises the same objective, constant column included, and counts where it
comes as close to the least value as the plan demands of the private fit; fits take turns.  Peak memory is what a fit
allocates, over the table and over (the table + ten vectors of a number per column).  Rows are added to the CSV file.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import equipoise as eq
from equipoise.gate import laws, noise_source

TELLING = 2000
"""Columns that say something of the label, among the most frequent ones."""

ALPHA = 1e-3
SOLVERS = (("newton-cg", 1e-7), ("newton-cg", 1e-8), ("liblinear", 1e-5), ("liblinear", 1e-6), ("lbfgs", 1e-8))
HEAD = (
    *("rows", "columns", "entries", "fit", "seconds", "seconds for the noise", "scikit-learn seconds", "ratio"),
    *("peak over table", "peak over table and ten vectors"),
)

FITS: dict[str, Callable[[], Any]] = {
    "logistic, Gaussian output": lambda: eq.LogisticRegression(1.0, 1e-6, mechanism="output", alpha=ALPHA),
    "logistic, Gaussian objective": lambda: eq.LogisticRegression(1.0, 1e-6, mechanism="objective", alpha=ALPHA),
    "hinge, Gaussian output": lambda: eq.LinearSVC(1.0, 1e-6, mechanism="output", alpha=ALPHA),
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
    index: Any = np.int32 if max(columns, rows * entries) < 2**31 else np.int64
    parts = (np.ones(rows * entries), places.ravel().astype(index), pointers.astype(index))
    table = sparse.csr_array(parts, shape=(rows, columns))
    table.sum_duplicates()
    table.data[:] = 1.0 / np.sqrt(entries)  # rows of norm at most one
    weights = rng.standard_normal(min(TELLING, columns))
    scores = np.asarray(table[:, : len(weights)] @ weights)
    scores = scores / scores.std() + 0.5 * rng.standard_normal(rows)
    return table, (scores > np.quantile(scores, 2 / 3)).astype(np.int64)


def size(table: sparse.csr_array) -> int:
    """Bytes of the table."""
    return int(table.data.nbytes + table.indices.nbytes + table.indptr.nbytes)


def seconds(make: Callable[[], Any], table: Any, labels: npt.NDArray[np.int64]) -> float:
    """Of the processor, for one fit."""
    started = time.process_time()
    make().fit(table, labels)
    return time.process_time() - started


def peak(make: Callable[[], Any], table: sparse.csr_array, labels: npt.NDArray[np.int64]) -> int:
    """Most bytes that a fit holds at once."""
    tracemalloc.start()
    make().fit(table, labels)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def drawing(columns: int) -> float:
    """Seconds for noise on as many coefficients, as output perturbation draws it."""
    noise = eq.LogisticRegression(1.0, 1e-6, mechanism="output", alpha=ALPHA).plan(100_000, columns).noise  # type: ignore[attr-defined]
    started = time.process_time()
    laws.draw(noise, noise_source("equipoise", None))
    return time.process_time() - started


def scikit_seconds(table: sparse.csr_array, labels: npt.NDArray[np.int64], repeats: int) -> dict[str, list[float]]:
    """Of the solvers and tolerances that come as close to the minimum as the private fit must."""
    constant = sparse.csr_array(np.full((table.shape[0], 1), 0.5))
    rows: Any = sparse.csr_matrix(sparse.hstack([table, constant]))
    signs = 2.0 * labels - 1
    radius = eq.LogisticRegression(1.0, 1e-6, mechanism="output", alpha=ALPHA).plan(*table.shape).radius  # type: ignore[attr-defined]
    taken: dict[str, list[float]] = {}
    value: dict[str, float] = {}
    for solver, tol in SOLVERS:
        name = f"{solver}, tol {tol:g}"
        for _ in range(repeats):
            model = LogisticRegression(
                C=1 / (ALPHA * len(labels)), solver=solver, tol=tol, fit_intercept=False, max_iter=1000
            )
            started = time.process_time()
            coef = model.fit(rows, labels).coef_.ravel()
            taken.setdefault(name, []).append(time.process_time() - started)
        value[name] = float(np.mean(np.logaddexp(0, -signs * (rows @ coef)))) + ALPHA / 2 * float(coef @ coef)
    least, allowed = min(value.values()), ALPHA * radius**2 / 2
    for name in value:
        print(
            f"scikit-learn {name}: {np.median(taken[name]):.2f} s, {value[name] - least:.1e} above the least,"
            f" {allowed:.1e} allowed"
        )
    return {name: times for name, times in taken.items() if value[name] - least <= allowed}


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=1_000_000)
    parser.add_argument("--entries", type=int, default=100)
    parser.add_argument("--only", nargs="*", default=list(FITS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-scikit", action="store_true")
    parser.add_argument("--csv", type=Path)
    asked = parser.parse_args()
    table, labels = url_like(asked.rows, asked.columns, asked.entries)
    print(f"{table.shape[0]:,} rows, {table.shape[1]:,} columns, {table.nnz:,} entries")
    for make in FITS.values():
        make().fit(table[:2000, :1000], labels[:2000])  # what is imported and planned once
    known = {} if asked.no_scikit else scikit_seconds(table, labels, asked.repeats)
    fastest = min((float(np.median(times)) for times in known.values()), default=math.nan)
    drawn = drawing(asked.columns)
    print(f"noise for as many coefficients: {drawn:.2f} s")
    own, whole = size(table), size(table) + 80 * table.shape[1]
    lines = []
    for name in asked.only:
        taken = float(np.median([seconds(FITS[name], table, labels) for _ in range(asked.repeats)]))
        most = peak(FITS[name], table, labels)
        ratio = taken / fastest
        lines.append(
            [
                asked.rows,
                asked.columns,
                table.nnz,
                name,
                *(f"{number:.3g}" for number in (taken, drawn, fastest, ratio, most / own, most / whole)),
            ]
        )
        print(
            f"{name}: {taken:.2f} s, {ratio:.2f} of scikit-learn's fastest; peak {most / own:.2f} of the table,"
            f" {most / whole:.2f} of table and ten vectors",
            flush=True,
        )
    if asked.csv:
        write(asked.csv, lines)


def write(path: Path, lines: list[list[Any]]) -> None:
    """After what is there already."""
    fresh = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([HEAD, *lines] if fresh else lines)


if __name__ == "__main__":
    main()
