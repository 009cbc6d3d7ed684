"""A table that does not fit in memory: made, scanned, and fitted (`make bench-large`).

Writes benchmarks/results/large.csv: processor time of a pass over the records against that of a plain pyarrow scan of
the same columns, alternated; then a whole private fit with its passes, its time and the largest memory it took.  The
table is simulated: float32 columns, snappy, a million rows in a file.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROWS_A_FILE = 1_000_000
ROW_GROUP = 2**17
HERE = Path(__file__).parent
RESULT = HERE / "results" / "large.csv"
FIELDS = ["rows", "columns", "what", "figure", "value", "unit"]


def write(folder: Path, rows: int, columns: int) -> None:
    """The files that are missing, each by a seed of its own."""
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir(parents=True, exist_ok=True)
    slopes = np.linspace(-1.0, 1.0, columns, dtype=np.float32)
    for place in range(-(-rows // ROWS_A_FILE)):
        path = folder / f"part-{place:05d}.parquet"
        if path.exists():
            continue
        here = min(ROWS_A_FILE, rows - place * ROWS_A_FILE)
        rng = np.random.default_rng(place)
        X = rng.standard_normal((columns, here), dtype=np.float32)
        ill = slopes @ X + 2 * rng.logistic(size=here) > 0
        held = {f"x{j}": X[j] for j in range(columns)} | {"ill": ill.astype(np.int8)}
        draft = path.with_suffix(".draft")
        parquet.write_table(pa.table(held), draft, row_group_size=ROW_GROUP, use_dictionary=False)
        draft.rename(path)


def schema(columns: int) -> Any:
    """Every column between −4 and 4."""
    import equipoise as eq

    numbers = {f"x{j}": {"kind": "number", "bounds": [-4, 4]} for j in range(columns)}
    return eq.Schema.from_dict({"target": {"column": "ill", "classes": [0, 1]}, "columns": numbers})


def scan(folder: Path, facts: Any) -> int:
    """The columns, read in order by one thread and looked at by nobody."""
    from pyarrow import parquet

    rows = 0
    for path in sorted(folder.glob("*.parquet")):
        file = parquet.ParquetFile(path, buffer_size=2**20, pre_buffer=False)
        for batch in file.iter_batches(2**15, columns=list(facts.needed), use_threads=False):
            rows += batch.num_rows
    return rows


def one_pass(folder: Path, facts: Any) -> Callable[[], Any]:
    """A gradient of all records, as a fit asks for it."""
    from equipoise.estimators.table.stream import encoded_blocks, with_places
    from equipoise.inside.parted import enter_streamed, height_for
    from equipoise.inside.sums import Gradient
    from equipoise.schema.encoding import Encoding
    from equipoise.schema.tables.parquet import open_parquet
    from equipoise.theory.bounds import Bounds
    from equipoise.theory.losses.logistic import Logistic

    files, how = open_parquet(folder), Encoding(facts)
    width, bounds = len(how.names), with_places(Bounds(1.0, 0.5, classes=(0, 1)))
    height = height_for(width + 1)
    records = enter_streamed(lambda: encoded_blocks(files, how, height), len(files), width, width + 1, height, bounds)
    w = np.linspace(-1.0, 1.0, width + 1)
    return lambda: records.map(lambda inner: inner.summed(Gradient(Logistic(), w)))


def timed(job: Callable[[], Any]) -> float:
    """Processor time, of all threads."""
    start = time.process_time()
    job()
    return time.process_time() - start


def fit(folder: Path, facts: Any) -> tuple[str, int, float]:
    """The mechanism that was chosen, how often the records were read, and processor time."""
    import equipoise as eq
    from equipoise.schema.tables.parquet import ParquetFiles

    passes = 0
    blocks = ParquetFiles.blocks

    def counted(self: ParquetFiles, *asked: Any) -> Any:
        nonlocal passes
        passes += 1
        return blocks(self, *asked)

    ParquetFiles.blocks = counted  # type: ignore[method-assign,assignment]
    found: list[Any] = []
    spent = timed(lambda: found.append(eq.fit(folder, facts, epsilon=1.0, stream=True)))
    ParquetFiles.blocks = blocks  # type: ignore[method-assign]
    return found[0].guarantee_.mechanism, passes, spent


def lines_of_other_sizes(path: Path, rows: int, columns: int) -> list[list[str]]:
    """What was measured before on tables of another size stays in the file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [line for line in list(csv.reader(file))[1:] if line[:2] != [str(rows), str(columns)]]


def main() -> None:
    """Make what is missing, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULT)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    write(given.folder, given.rows, given.columns)
    facts = schema(given.columns)
    told: list[tuple[str, str, float, str]] = []
    work = one_pass(given.folder, facts)
    pairs = [(timed(lambda: scan(given.folder, facts)), timed(work)) for _ in range(given.repeats)]
    ratios = sorted(ours / plain for plain, ours in pairs)
    told += [("plain scan", "processor time", min(plain for plain, _ in pairs), "s")]
    told += [("pass over the records", "processor time", min(ours for _, ours in pairs), "s")]
    told += [("pass over the records", f"over a plain scan, median of {len(pairs)}", ratios[len(ratios) // 2], "times")]
    told += [("pass over the records", "over a plain scan, smallest", ratios[0], "times")]
    told += [("pass over the records", "over a plain scan, largest", ratios[-1], "times")]
    mechanism, passes, spent = fit(given.folder, facts)
    told += [(f"fit ({mechanism}, epsilon 1)", "passes", float(passes), "")]
    told += [(f"fit ({mechanism}, epsilon 1)", "processor time", spent, "s")]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    told += [("everything", "peak memory", peak, "GiB")]
    size = sum(os.path.getsize(path) for path in given.folder.glob("*.parquet")) / 2**30
    told += [("files", "size", size, "GiB")]
    others = lines_of_other_sizes(given.out, given.rows, given.columns)
    with given.out.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(FIELDS)
        lines.writerows(others)
        for what, figure, value, unit in told:
            lines.writerow([given.rows, given.columns, what, figure, f"{value:.4g}", unit])
            print(what, figure, f"{value:.4g}", unit)


if __name__ == "__main__":
    main()
