"""A line is a record, and a line feed ends it: no cell makes two records of one, nor changes another."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from equipoise.errors import InvalidInput
from equipoise.schema.tables.csv_files import header_of, ragged_lines, read_csv

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
