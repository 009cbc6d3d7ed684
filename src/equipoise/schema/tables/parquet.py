"""Parquet: a file, a folder of files or a pyarrow data set, read at once or again and again in blocks of rows.

Footers are the table's structure, which is public: columns, types and the number of rows are told from them before
anything is spent.  Whoever reads the same table several times must read the same table: every pass compares the list of
files, their sizes, times and footers with what they were, and ends if one of them is another (docs/proofs/entrance.md).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

from equipoise._checks import quoted
from equipoise.errors import InvalidInput, UnreadableFile
from equipoise.schema.tables.frames import EXTRA, frame_types
from equipoise.schema.tables.pieces import Piece, block_of, joined, regrouped
from equipoise.schema.tables.table import Table

ENDINGS = (".parquet", ".pq")
BUFFER = 2**18
"""Bytes of a column read at once, so that a file of one huge row group needs no more memory than another; so few that
they are still in the processor's cache when they are unpacked."""

AT_ONCE = 4
"""Blocks that pyarrow reads together: a fifth of its time is saved for a few megabytes."""

CHANGED = "changed while it was read, keep a copy that nobody writes to"
DAMAGED = "the Parquet file is damaged"


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class File:
    """One file as it was when the table was opened."""

    path: str
    size: int
    time: Any
    footer: Any

    @property
    def rows(self) -> int:
        return int(self.footer.num_rows)


@dataclass(frozen=True, eq=False, repr=False)
class ParquetFiles:
    """A table in files: what is public about it, and its rows when they are asked for."""

    name: str
    files: tuple[File, ...]
    types: dict[str, str]
    folder: str | None
    system: Any
    groups: tuple[int, ...] | None = None
    """Row groups that are read of its only file; None for all of all."""

    def __len__(self) -> int:
        if self.groups is None:
            return sum(file.rows for file in self.files)
        return sum(int(self.files[0].footer.row_group(group).num_rows) for group in self.groups)

    def __repr__(self) -> str:
        return f"Parquet table of {len(self.types)} columns"

    def table(self, wanted: Sequence[str] | None = None) -> Table:
        """All rows at once."""
        blocks = list(self.blocks(wanted, 2**20))
        columns = {name: joined([block.columns[name] for block in blocks]) for name in self._names(wanted)}
        return Table(columns, {name: self.types[name] for name in columns}, len(self))

    @cached_property
    def sections(self) -> tuple[tuple[int, int], ...]:
        """What can be read in another order than it was written: the row groups, each by its file's place and its own.

        How many there are and how long is told by the footers: structure, and public."""
        found = [(place, group) for place, file in enumerate(self.files) for group in range(file.footer.num_row_groups)]
        return tuple(each for each in found if self.files[each[0]].footer.row_group(each[1]).num_rows)

    def blocks(self, wanted: Sequence[str] | None, height: int, order: Sequence[int] | None = None) -> Iterator[Table]:
        """The rows in their order, `height` at a time at most, and half as many at least but in the last block.

        With an `order`, every section once, as the order says, and exactly `height` rows at a time: how long a block is
        must follow from the number of rows alone, for the order within it is drawn from that.
        """
        names, fewest = self._names(wanted), height // 2 if order is None else height
        types = {name: self.types[name] for name in names}
        for pieces in regrouped(self._pieces(names, height, order), height, fewest):
            yield block_of(pieces, types, self.name)

    def _names(self, wanted: Sequence[str] | None) -> list[str]:
        return [name for name in self.types if wanted is None or name in wanted]

    def _visits(self, order: Sequence[int] | None) -> Iterator[tuple[File, list[int] | None]]:
        """Files, and which row groups of each: all of them, or those that come one after the other."""
        if order is None:
            yield from ((file, None if self.groups is None else list(self.groups)) for file in self.files)
            return
        for place, found in groupby((self.sections[each] for each in order), key=lambda section: section[0]):
            yield self.files[place], [group for _, group in found]

    def _pieces(self, names: list[str], height: int, order: Sequence[int] | None) -> Iterator[Piece]:
        """Of every file, which is looked at before and after it is read."""
        self._check_list()
        for file, groups in self._visits(order):
            self._check(file)
            opened = _opened(file.path, self.system)
            if opened.metadata != file.footer:
                raise UnreadableFile(f"{file.path}: {CHANGED}")
            yield from _read(opened, file.path, names, height, groups)
            self._check(file)
        self._check_list()

    def _check_list(self) -> None:
        """Of the folder, if it was one."""
        if self.folder is not None and _listed(self.folder) != [file.path for file in self.files]:
            raise UnreadableFile(f"{self.name}: {CHANGED}")

    def _check(self, file: File) -> None:
        info = _info(self.system, file.path)
        if (info.size, info.mtime_ns) != (file.size, file.time):
            raise UnreadableFile(f"{file.path}: {CHANGED}")


def is_parquet(source: Any) -> bool:
    """Whether it is the path of a Parquet file or of a folder, a data set of pyarrow's, or opened already."""
    if isinstance(source, ParquetFiles):
        return True
    if isinstance(source, str | os.PathLike):
        return os.fspath(source).lower().endswith(ENDINGS) or os.path.isdir(source)
    return type(source).__module__.startswith("pyarrow") and type(source).__name__.endswith("Dataset")


def open_parquet(source: Any) -> ParquetFiles:
    """Footers alone are read."""
    if isinstance(source, ParquetFiles):
        return source
    if isinstance(source, str | os.PathLike):
        return _of_path(os.fspath(source))
    if getattr(source, "_scan_options", None):
        raise InvalidInput("data: a data set with a filter is another table, write it to files of its own first")
    if type(source).__name__ != "FileSystemDataset" or type(source.format).__name__ != "ParquetFileFormat":
        raise InvalidInput("data: a data set of pyarrow's must be made of Parquet files")
    return _of_files("data", list(source.files), source.filesystem, None)


def _of_path(path: str) -> ParquetFiles:
    try:
        from pyarrow import fs
    except ImportError:
        raise InvalidInput(f"{path}: reading Parquet needs pyarrow, {EXTRA}") from None
    if not os.path.isdir(path):
        return _of_files(path, [path], fs.LocalFileSystem(), None)
    files = _listed(path)
    if not files:
        raise UnreadableFile(f"{path}: cannot be read as a table, the folder holds no .parquet or .pq")
    return _of_files(path, files, fs.LocalFileSystem(), path)


def _listed(folder: str) -> list[str]:
    """The Parquet files in a folder and in those below it, by name; names that begin with a dot or _ are left out."""
    found = []
    for here, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith((".", "_")))
        found += [
            os.path.join(here, name)
            for name in names
            if name.lower().endswith(ENDINGS) and not name.startswith((".", "_"))
        ]
    return sorted(found)


def _of_files(name: str, paths: list[str], system: Any, folder: str | None) -> ParquetFiles:
    """All footers; a file with other columns or types than the first is refused."""
    files: list[File] = []
    types: dict[str, str] = {}
    for path in paths:
        info, opened = _info(system, path), _opened(path, system)
        found = frame_types(opened.schema_arrow.empty_table())
        types = types or found
        for column, kind in types.items():
            if column not in found:
                raise InvalidInput(f"{path}: has no column {quoted(column)}, which {paths[0]} has")
            if found[column] != kind:
                raise InvalidInput(f"{path}: column {quoted(column)} is {found[column]}, in {paths[0]} it is {kind}")
        files.append(File(path, info.size, info.mtime_ns, opened.metadata))
    if not files:
        raise InvalidInput("data: the data set has no files")
    return ParquetFiles(name, tuple(files), types, folder, system)


def _info(system: Any, path: str) -> Any:
    try:
        return system.get_file_info(path)
    except OSError as error:
        problem = f"cannot be read ({error.strerror or 'input error'})"
    raise UnreadableFile(f"{path}: {problem}")


def _opened(path: str, system: Any) -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise InvalidInput(f"{path}: reading Parquet needs pyarrow, {EXTRA}") from None
    try:
        return parquet.ParquetFile(path, filesystem=system, buffer_size=BUFFER, pre_buffer=False)
    except FileNotFoundError:
        problem = "no such file, check the path"
    except OSError as error:
        problem = f"cannot be read ({error.strerror or 'input error'})"
    except Exception:  # noqa: BLE001 - whatever pyarrow says of it
        problem = "is no Parquet file, or damaged"
    raise UnreadableFile(f"{path}: {problem}")


def _read(opened: Any, path: str, names: list[str], height: int, groups: list[int] | None) -> Iterator[Piece]:
    """Pieces that are not empty.  pyarrow's own message might quote a value."""
    try:
        for batch in opened.iter_batches(AT_ONCE * height, groups, names, use_threads=False):
            whole = Piece.of(batch)
            for first in range(0, whole.rows, height):
                yield whole.cut(first, height)
    except Exception:  # noqa: BLE001
        pass
    else:
        return
    raise UnreadableFile(f"{path}: {DAMAGED}")
