"""A table in Parquet files, cut into tables of a few row groups each: for workers who read one apiece."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from equipoise.schema.tables.parquet import ParquetFiles


def parts_of_files(files: ParquetFiles, most: int) -> list[ParquetFiles]:
    """The same rows in the same order as tables of one file each: row groups of at most so many rows together, a longer
    one by itself.  One without rows where there are none."""
    found = [
        replace(files, files=(file,), folder=None, groups=groups)
        for file in files.files
        for groups in _together([file.footer.row_group(at).num_rows for at in range(file.footer.num_row_groups)], most)
    ]
    return found or [replace(files, files=files.files[:1], folder=None, groups=())]


def _together(sizes: list[int], most: int) -> Iterator[tuple[int, ...]]:
    """Places of neighbours that have at most so much together; those of none are left out."""
    held: list[int] = []
    rows = 0
    for place, size in enumerate(sizes):
        if held and rows + size > most:
            yield tuple(held)
            held, rows = [], 0
        if size:
            held.append(place)
            rows += size
    if held:
        yield tuple(held)
