"""CSV: a line is a record, whatever it holds.

The header is the file's structure, which is public: a wrong delimiter, a wrong encoding or a missing column is told
from it, before anything is spent.  A line after the header is one person's record.  If it has too few cells the rest
are missing, if it has too many the rest are left out, bytes that are no text become a mark that no value equals, and a
quote that is never closed ends with its line: no line is an error and none changes how another is read.  Lines end at
line feeds.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import importlib
import os
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np

from equipoise._checks import quoted, shown
from equipoise.errors import InvalidInput, UnreadableFile
from equipoise.schema.tables.table import Table

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
"""Also of spreadsheets."""
LIKELY = {";": "semicolon", "\t": "tab", "|": "bar", ",": "comma"}
MARK = "\ufffd"
POINTS = str.maketrans({",": ".", ".": MARK})
"""Of numbers that are written with a comma.  A point is none of theirs: between thousands it would be read as 1.234."""
LINE_FEED = "\n"
"""Ends a line, after a carriage return or without.  One of those alone may stand in a person's cell: taken for an end,
as Python would, it makes two or many records of one."""
CLOSED = re.compile(r'"(?:[^"]|"")*"(?!")')
"""A cell in quotes; two of them in it are one."""
ASCII = bytes(range(128)).decode("ascii")


def header_of(path: str | os.PathLike[str], delimiter: str, encoding: str) -> list[str]:
    """The names on the first line."""
    with _opened(path, encoding) as file:
        return _names(_lines(file, os.fspath(path)), os.fspath(path), delimiter)


def read_csv(
    path: str | os.PathLike[str],
    wanted: Sequence[str] | None,
    delimiter: str,
    encoding: str,
    with_commas: Collection[str] = (),
) -> Table:
    """The wanted columns, all of them without a list; every cell is text, "" where there is none.

    In columns `with_commas` numbers are written 1,5, and come out as 1.5.
    """
    with _opened(path, encoding) as file:
        lines = _lines(file, os.fspath(path))
        names = _names(lines, os.fspath(path), delimiter)
        chosen = [name for name in names if wanted is None or name in wanted]
        places = [names.index(name) for name in chosen]
        cells: list[list[str]] = [[] for _ in chosen]
        rows = 0
        for line in lines:
            found = split(line, delimiter)
            for column, place in zip(cells, places, strict=True):
                column.append(found[place] if place < len(found) else "")
            rows += 1
    held = {
        name: [cell.translate(POINTS) for cell in column] if name in with_commas else column
        for name, column in zip(chosen, cells, strict=True)
    }
    columns = {name: np.array(column, dtype=object) for name, column in held.items()}
    return Table(columns, dict.fromkeys(chosen, "unknown"), rows)


def ragged_lines(path: str | os.PathLike[str], delimiter: str, encoding: str) -> int:
    """How many lines have another number of cells than the header.  Not private."""
    with _opened(path, encoding) as file:
        lines = _lines(file, os.fspath(path))
        wanted = len(_names(lines, os.fspath(path), delimiter))
        return sum(len(split(line, delimiter)) != wanted for line in lines)


def split(line: str, delimiter: str) -> list[str]:
    """The cells of one line, quotes taken off; nothing about it is an error."""
    if '"' not in line:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:  # a cell beyond a limit that anybody in the process may set, a carriage return beside a quote
        return _split_by_hand(line, delimiter)


def _split_by_hand(line: str, delimiter: str) -> list[str]:
    """The same by the same rules, of a line that Python's reader does not take: none of its cells is lost for it."""
    cells: list[str] = []
    left: str | None = line
    while left is not None:
        cell, left = _first_cell(left.lstrip(" "), delimiter)
        cells.append(cell)
    return cells


def _first_cell(line: str, delimiter: str) -> tuple[str, str | None]:
    """The first cell and what comes after its delimiter; None where nothing does."""
    inside, place = list[str](), 0
    if line.startswith('"'):
        place = 1
        while (end := line.find('"', place)) >= 0 and line[end + 1 : end + 2] == '"':  # two of them are one
            inside.append(line[place : end + 1])
            place = end + 2
        if end < 0:
            return "".join([*inside, line[place:]]), None
        inside.append(line[place:end])
        place = end + 1
    rest, found, after = line[place:].partition(delimiter)
    return "".join([*inside, rest]), after if found else None


def _names(lines: Iterator[str], path: str, delimiter: str) -> list[str]:
    header = next(lines, None)
    if header is None:
        raise InvalidInput(f"{path}: the file is empty, it needs a line of column names first")
    if not header.strip():
        raise InvalidInput(f"{path}: the first line is blank, it must hold the names of the columns")
    if MARK in header or "\0" in header:
        wide = header.count("\0") > len(header) // 3
        way = "it looks like UTF-16, save the file as UTF-8" if wide else 'give encoding= (such as "latin-1")'
        raise InvalidInput(f"{path}: the header is no text in this encoding, {way}")
    if "\r" in header:
        raise InvalidInput(f"{path}: the header has a carriage return in it, save the file with line feeds")
    if _left_open(header, delimiter):
        raise InvalidInput(f"{path}: a quote in the header is open at its end, names must not hold line breaks")
    names = [name.strip() for name in split(header, delimiter)]
    if names.count("") > 1:
        raise InvalidInput(
            f"{path}: {names.count('')} columns have no name in the header, name them or take the delimiters away"
        )
    if len(names) == 1:
        other = next((word for mark, word in LIKELY.items() if mark != delimiter and mark in header), None)
        if other is not None:
            raise InvalidInput(f"{path}: the header is one name with a {other} in it, give delimiter= (--delimiter)")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InvalidInput(f"{path}: the header has the column {quoted(twice[0])} twice, rename one")
    return names


def _left_open(header: str, delimiter: str) -> bool:
    """Whether a quote goes on beyond the line: then the names do too, and what follows is no record."""
    left: str | None = header
    while left is not None:
        left = left.lstrip(" ")
        if left.startswith('"') and CLOSED.match(left) is None:
            return True
        _, left = _first_cell(left, delimiter)
    return False


def _lines(file: Iterable[str], path: str) -> Iterator[str]:
    try:
        for line in file:
            yield line.rstrip("\r\n")
    except (EOFError, gzip.BadGzipFile, zlib.error):
        damaged = True
    except OSError:
        damaged = True
    else:
        damaged = False
    if damaged:
        raise UnreadableFile(f"{path}: the file is cut short or damaged")


def _opened(path: str | os.PathLike[str], encoding: str) -> TextIO:
    name = os.fspath(path)
    codec, problem = _codec(encoding), ""
    try:
        with Path(path).open("rb") as raw:
            first = raw.read(4)
        if first == ZIP:
            raise InvalidInput(f"{name}: is a zip archive or a spreadsheet, take the CSV file out or save it as one")
        zipped = first[:2] == GZIP
        how: dict[str, Any] = {"mode": "rt", "encoding": codec, "errors": "replace", "newline": LINE_FEED}
        return cast(TextIO, gzip.open(path, **how) if zipped else open(path, **how))
    except FileNotFoundError:
        problem = "no such file, check the path"
    except OSError as error:
        problem = f"cannot be read ({error.strerror or 'input error'})"
    raise UnreadableFile(f"{name}: {problem}")


def _codec(encoding: str) -> str:
    """One in which a line's bytes are read alike whatever other lines hold: UTF-8, or a character for every byte.  In
    others a stray byte or a shift in one person's line changes what the lines after it say."""
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, TypeError, ValueError):
        raise InvalidInput(f"encoding={shown(encoding)}: not known to Python") from None
    if name in ("utf-8", "utf-8-sig"):
        return "utf-8-sig"
    try:
        table = importlib.import_module(f"encodings.{name.replace('-', '_')}").decoding_table
    except (ImportError, AttributeError):  # not a character for every byte
        table = ""
    if name == "ascii" or table[:128] == ASCII:
        return name
    raise InvalidInput(f"encoding={shown(encoding)}: one line could change how others are read, save the file as UTF-8")
