"""The same fit here and on two worker processes: what the engine costs (`python -m benchmarks.cluster`).

Writes benchmarks/results/cluster.csv.  Whole private fits of one simulated table, in memory and on a LocalCluster,
alternated: processor time of every process that takes part and time on the wall, with their ratios.  Then what a model
of larger tables needs: a round that asks nothing, for several numbers of parts, and rounds that ask for a gradient and
for a Hessian.  The table is in doubles; it is held once here and once by the workers, who read it where it lies.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

RESULT = Path(__file__).parent / "results" / "cluster.csv"
FIELDS = [
    "rows",
    "columns",
    "parts",
    "workers",
    "what",
    "figure",
    "value",
    "spread",
    "repeats",
    "unit",
    "configuration",
]
WORKERS = 2
Matrix = npt.NDArray[np.float64]


def rows_of(seed: int, rows: int, columns: int) -> Matrix:
    """A part of the table, by a seed of its own."""
    return np.random.default_rng(seed).standard_normal((rows, columns)) / columns**0.5


def labels_of(X: Matrix, seed: int) -> npt.NDArray[np.int64]:
    """0 or 1, by a slope that every column has and noise."""
    slopes = np.linspace(-4.0, 4.0, X.shape[1])
    return (X @ slopes + np.random.default_rng([seed, 1]).logistic(size=len(X)) > 0).astype(np.int64)


def far_table(rows: int, columns: int, parts: int) -> tuple[Any, Any]:
    """As Dask arrays, kept by the workers."""
    import dask.array as da
    from dask.delayed import delayed
    from distributed import default_client, wait

    size = rows // parts
    made = [delayed(rows_of)(seed, size, columns) for seed in range(parts)]
    X = da.concatenate([da.from_delayed(part, (size, columns), dtype=float) for part in made])
    told = [delayed(labels_of)(part, seed) for seed, part in enumerate(made)]
    y = da.concatenate([da.from_delayed(part, (size,), dtype=np.int64) for part in told])
    kept = default_client().persist([X, y])
    wait(kept)
    return kept[0], kept[1]


def near_table(rows: int, columns: int, parts: int) -> tuple[Matrix, npt.NDArray[np.int64]]:
    """The same in memory."""
    size = rows // parts
    X, y = np.empty((size * parts, columns)), np.empty(size * parts, dtype=np.int64)
    for seed in range(parts):
        here = slice(seed * size, (seed + 1) * size)
        X[here] = rows_of(seed, size, columns)
        y[here] = labels_of(X[here], seed)
    return X, y


def spent() -> float:
    """Processor time of this process."""
    return sum(os.times()[:2])


def measured(client: Any, job: Callable[[], Any]) -> tuple[float, float, Any]:
    """Processor time here and in the workers, time on the wall, and what came of it."""
    before = spent() + sum(client.run(spent).values())
    start = time.perf_counter()
    found = job()
    wall = time.perf_counter() - start
    return spent() + sum(client.run(spent).values()) - before, wall, found


def fits(client: Any, rows: int, columns: int, parts: int, repeats: int) -> list[tuple[str, str, list[float], str]]:
    """Whole fits, one here and one there in turn."""
    import equipoise as eq

    far, near = far_table(rows, columns, parts), near_table(rows, columns, parts)
    figures: dict[str, list[float]] = {"here": [], "there": [], "here wall": [], "there wall": []}
    apart = 0.0
    for turn in range(repeats + 1):
        model = [eq.LogisticRegression(1.0, 1e-8, random_state=turn) for _ in range(2)]
        here, here_wall, one = measured(client, lambda: model[0].fit(*near))  # noqa: B023 - called at once
        there, there_wall, other = measured(client, lambda: model[1].fit(*far))  # noqa: B023
        if turn:  # the first is a rehearsal: workers read the library
            for name, value in zip(figures, (here, there, here_wall, there_wall), strict=True):
                figures[name].append(value)
            apart = max(apart, float(np.abs(one.coef_ - other.coef_).max()))
    idle = [measured(client, lambda: time.sleep(3.0))[0] / 3.0 for _ in range(3)]  # what Dask takes without any work
    ratio = [b / a for a, b in zip(figures["here"], figures["there"], strict=True)]
    wall = [b / a for a, b in zip(figures["here wall"], figures["there wall"], strict=True)]
    return [
        ("fit in memory", "processor time", figures["here"], "s"),
        ("fit on workers", "processor time, all processes", figures["there"], "s"),
        ("waiting", "processor time a second, all processes", idle, "s"),
        ("fit on workers", "ratio of processor times", ratio, ""),
        ("fit in memory", "wall", figures["here wall"], "s"),
        ("fit on workers", "wall", figures["there wall"], "s"),
        ("fit on workers", "ratio of times on the wall", wall, ""),
        ("fit on workers", "largest difference of a coefficient", [apart], ""),
    ]


def rounds(client: Any, rows: int, columns: int, parts: int) -> list[tuple[str, str, list[float], str]]:
    """One question at a time, asked of parts that are there already."""
    from equipoise.estimators.cluster.collections import ByType
    from equipoise.inside.cluster.crew import Crew
    from equipoise.inside.cluster.parts import Seen
    from equipoise.inside.sums import Gradient, Hessian
    from equipoise.inside.tables.labels import LabelSums
    from equipoise.theory.bounds import Bounds
    from equipoise.theory.losses import Logistic

    X, y = far_table(rows, columns, parts)
    crew, reader, bounds = Crew(client), ByType(lent=True), Bounds(1.0, 0.5, classes=(0, 1))
    said = reader.seen(np.empty((0, columns)), np.empty(0, dtype=np.int64)).columns
    tasks = list(zip(np.ravel(X.to_delayed()), y.to_delayed(), strict=True))
    start = time.perf_counter()
    held = crew.bring_in(reader, tasks, [Seen(rows // parts, said)] * parts, bounds)
    found = [("bringing in", "wall", [time.perf_counter() - start], "s")]
    w = np.zeros(columns + 1)
    questions = {"labels": LabelSums(0), "gradient": Gradient(Logistic(), w), "Hessian": Hessian(Logistic(), w)}
    for name, of in questions.items():
        crew.total(of, held)
        walls, processor = [], []
        for _ in range(5):
            used, wall, _ = measured(client, lambda: crew.total(of, held))  # noqa: B023
            walls.append(wall)
            processor.append(used)
        found += [(f"round: {name}", "wall", walls, "s"), (f"round: {name}", "processor time", processor, "s")]
    return found


def main() -> None:
    """Measure, write."""
    from distributed import Client, LocalCluster

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULT)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    configuration = f"{platform.machine()} {os.cpu_count()} cores, 1 thread a process; numpy-{np.__version__}"
    lines = []
    kind: dict[str, Any] = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "memory_limit": 0}
    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, **kind) as cluster, Client(cluster) as client:
        jobs = [(given.rows, given.parts, lambda *size: fits(client, *size, given.repeats))]
        jobs += [(given.rows, given.parts, lambda *size: rounds(client, *size))]
        jobs += [(parts * 10, parts, lambda *size: rounds(client, *size)) for parts in (8, 64, 512)]
        for rows, parts, job in jobs:
            for what, figure, values, unit in job(rows, given.columns, parts):
                middle, wide = statistics.median(values), max(values) - min(values)
                lines.append(
                    [
                        rows,
                        given.columns,
                        parts,
                        WORKERS,
                        what,
                        figure,
                        f"{middle:.4g}",
                        f"{wide:.2g}",
                        len(values),
                        unit,
                    ]
                )
                print(*lines[-1], flush=True)
    with given.out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        writer.writerows([*line, configuration] for line in lines)


if __name__ == "__main__":
    main()
