"""A line is a record, and a line feed ends it: no cell makes two records of one, nor changes another."""

from __future__ import annotations

import csv
import gzip
import itertools
from pathlib import Path

import pytest

from equipoise.errors import InvalidInput
from equipoise.schema.tables.csv_files import header_of, ragged_lines, read_csv, split

LINES = [b"1,f", b"2,m", b"3,f", b"4,m"]
RETURNS = ["\r", "\r\r\r", "5\rf", "5,f\r", "\r5,f", '"5\r",f', "5,f\r" * 1000]
OTHERS = ["", '"', "5\x0b,f", "5\x0c,f", "5\x1c,f", "5\x85,f", "5\u2028,f", "5\0,f"]


def _written(path: Path, lines: list[bytes], end: bytes, *, zipped: bool = False) -> Path:
    whole = end.join([b"number,letter", *lines]) + end
    path.write_bytes(gzip.compress(whole) if zipped else whole)
    return path


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("odd", RETURNS + OTHERS)
@pytest.mark.parametrize("place", range(len(LINES)))
def test_no_line_changes_the_number_of_records_nor_another_one(
    tmp_path: Path, end: bytes, odd: str, place: int, zipped: bool
) -> None:
    lines = [*LINES]
    lines[place] = odd.encode()
    path = _written(tmp_path / "table.csv", lines, end, zipped=zipped)
    table = read_csv(path, None, ",", "utf-8")
    assert header_of(path, ",", "utf-8") == ["number", "letter"]
    assert table.rows == len(LINES)
    for at, line in enumerate(LINES):
        if at != place:
            assert [table.columns[name][at] for name in ("number", "letter")] == line.decode().split(",")
    assert ragged_lines(path, ",", "utf-8") <= 1


@pytest.mark.parametrize("lines", [LINES, LINES[:0], [b"5\n,f", *LINES]])
def test_returns_alone_are_refused_by_the_header_in_one_line(tmp_path: Path, lines: list[bytes]) -> None:
    path = _written(tmp_path / "table.csv", lines, b"\r")
    if not lines:
        assert read_csv(path, None, ",", "utf-8").rows == 0
        return
    with pytest.raises(InvalidInput, match="line feeds") as told:
        read_csv(path, None, ",", "utf-8")
    assert "\n" not in str(told.value)
    assert "5" not in str(told.value).replace(str(path), "")


CELLS = ["", "a", " a", 'a "b"', '"', '""', "a\rb", "\r", "é\u2028", "x" * 200_000, '"' * 999, "\0"]


@pytest.mark.parametrize("limit", [10, 131_072])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_cell_is_the_same_however_it_is_written_and_whatever_stands_beside_it(delimiter: str, limit: int) -> None:
    before = csv.field_size_limit(limit)  # which anybody in the process may set
    try:
        for cell in CELLS:
            quoted = '"' + cell.replace('"', '""') + '"'
            ways = [quoted] if cell.startswith(('"', " ")) else [cell, quoted]
            for way in ways:
                for beside in ("1", '"1"', '"1', "1\r2"):
                    kept = beside.replace('"', "")
                    assert split(f"{way}{delimiter}{beside}", delimiter) == [cell, kept]
    finally:
        csv.field_size_limit(before)


def test_lines_that_pythons_reader_does_not_take_are_split_by_its_own_rules() -> None:
    before = csv.field_size_limit()
    lines = ["".join(parts) for parts in itertools.product('a" ,', repeat=6)]
    taken = [split(line, ",") for line in lines]
    csv.field_size_limit(0)
    try:
        assert [split(line, ",") for line in lines] == taken
    finally:
        csv.field_size_limit(before)
