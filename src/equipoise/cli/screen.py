"""What a person sees: results on stdout, progress and questions on stderr, and neither where nobody looks."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from equipoise.cli.exit_codes import Declined

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console
    from rich.progress import Progress, TaskID
    from rich.table import Table

    from equipoise.schema import Schema

Tick = Callable[[int, int], None]

PATIENCE = 2.0
"""Seconds after which a bar is worth drawing."""


def cores() -> int:
    """Processors of this machine; one where it does not tell."""
    return os.cpu_count() or 1


def results() -> Console:
    """For what was asked for."""
    from rich.console import Console

    return Console(highlight=False)


def tell(*lines: str) -> None:
    """Sentences on stdout, wrapped by the terminal and never by us: paths stay whole."""
    for line in lines:
        print(line)


def tell_json(data: Any) -> None:
    """One JSON document; a number that is not finite is null."""
    print(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))


def note_of_commas(data: Path | None, schema: Schema, delimiter: str | None, decimal: str | None) -> None:
    """Where semicolons part the cells commas often stand in numbers, and such numbers would all be missing: a column of
    gaps is learnt from like any other, and nobody may be told what the cells hold."""
    from equipoise.schema.tables.parquet import is_parquet

    if delimiter == ";" and decimal is None and data is not None and schema.numbers and not is_parquet(data):
        print(
            "equipoise: note: semicolons part the cells: give --decimal ',' if numbers are written 1,5, else"
            " --decimal '.'",
            file=sys.stderr,
        )


def table(title: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    """Words that came from files and options are shown as they are: no markup in them."""
    from rich.markup import escape
    from rich.table import Table

    result = Table(title=escape(title) or None, title_justify="left", show_header=any(head))
    for name in head:
        result.add_column(name, overflow="fold")
    for row in rows:
        result.add_row(*map(escape, row))
    return result


@contextmanager
def working(what: str) -> Iterator[None]:
    """A sign of life while something of unknown length goes on; nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    with _spinner() as bar:
        bar.add_task(_escaped(what), total=None)
        yield


@contextmanager
def counting(what: str) -> Iterator[Tick]:
    """A bar; call what comes out with (done, total).  Nothing is drawn where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with _bar() as bar:
        task = bar.add_task(_escaped(what), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def perhaps_counting(what: str) -> Iterator[Tick]:
    """A sign of life that becomes a bar if somebody counts after two seconds.  Nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    began = time.monotonic()
    with ExitStack() as shown:
        sign = shown.enter_context(_spinner())
        sign.add_task(_escaped(what), total=None)
        bars: list[tuple[Progress, TaskID]] = []

        def tick(done: int, total: int) -> None:
            if not bars and time.monotonic() - began >= PATIENCE:
                sign.stop()
                bar = shown.enter_context(_bar())
                bars.append((bar, bar.add_task(_escaped(what))))
            for bar, task in bars:
                bar.update(task, completed=done, total=total)

        yield tick


def _escaped(words: str) -> str:
    from rich.markup import escape

    return escape(words)


def _spinner() -> Progress:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


def ask(question: str, instead: str) -> None:
    """Go on after a yes; `Declined` after anything else, or where there is nobody to ask."""
    if not sys.stdin.isatty():
        raise Declined(f"{question} Nobody is there to answer, {instead}; nothing was spent")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Declined("not confirmed; nothing was spent")
