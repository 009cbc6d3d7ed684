"""Where a command may write: nothing is replaced unasked, and what the command reads never."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from equipoise._checks import quoted
from equipoise.errors import InvalidInput

BESIDE = "-journal", "-wal", "-shm"
"""Files that belong to a SQLite file: without them, or with others, what it holds may be lost."""

Inputs = Iterable[str | os.PathLike[str] | None]


def refuse_replacing(name: str, out: Path, force: bool, inputs: Inputs = (), *, forced: bool = True) -> None:
    """One line for a file that is there, unless `force`; for what is no file, and for one of the inputs, in any case.

    A link is what it leads to, and one that leads nowhere is there as well.  `forced` says whether the command has
    --force to offer.
    """
    what = f"{name}={quoted(str(out))}"
    if is_input(out, inputs):
        raise InvalidInput(f"{what}: is read by this command, give another file")
    if not os.path.lexists(out):
        return
    if out.exists() and not out.is_file():
        raise InvalidInput(f"{what}: is a folder or a device, give a file")
    if not force:
        raise InvalidInput(f"{what}: the file exists, give another{' or --force' if forced else ''}")


def refuse_replacing_in(
    name: str, folder: Path, files: Iterable[str], force: bool, inputs: Inputs = (), *, forced: bool = True
) -> None:
    """The same for files of these names in a folder, which may exist."""
    if os.path.lexists(folder) and not folder.is_dir():
        raise InvalidInput(f"{name}={quoted(str(folder))}: is a file, give a folder")
    for file in files:
        place = folder / file
        if is_input(place, inputs):
            raise InvalidInput(
                f"{name}={quoted(str(folder))}: {file} in it is read by this command, give another folder"
            )
        if os.path.lexists(place) and (not force or not place.is_file()):
            way_out = " or --force" if forced else ""
            raise InvalidInput(f"{name}={quoted(str(folder))}: holds {file} already, give another folder{way_out}")


def is_input(out: Path, inputs: Inputs) -> bool:
    """Whether it is one of them by any name, lies in one that is a folder, or belongs to one that is a ledger."""
    return any(_same(out, each) or _within(out, each) for each in _with_theirs(inputs))


def holds_input(folder: Path, inputs: Inputs) -> bool:
    """Whether one of them is the folder or lies in it."""
    return any(_same(folder, each) or _within(each, folder) for each in _with_theirs(inputs))


def _with_theirs(inputs: Inputs) -> Iterator[Path]:
    for each in inputs:
        if each is not None:
            place = Path(each)
            yield place
            yield from (place.with_name(place.name + end) for end in BESIDE if place.name)


def _same(one: Path, other: Path) -> bool:
    """By any name: links of both kinds, another spelling of the path, a file system that does not tell cases apart."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return os.path.realpath(one) == os.path.realpath(other)


def _within(inner: Path, folder: Path) -> bool:
    return folder.is_dir() and any(_same(above, folder) for above in Path(os.path.realpath(inner)).parents)
