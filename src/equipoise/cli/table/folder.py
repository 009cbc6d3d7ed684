"""The folder of a model: it appears whole or not at all, and what was paid for is not lost to a full disk."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from uuid import uuid4

from equipoise._checks import quoted
from equipoise._writing import write_whole
from equipoise.errors import InvalidInput

MODEL = "model.json"
SPARE = "spare"


@contextmanager
def prepared(out: Path, force: bool, bytes_needed: int) -> Iterator[Path]:
    """A hidden folder beside `out`, on the same disk, with room set aside: what is wrong is known before spending."""
    refuse_existing(out, force)
    room = out.with_name(f".{out.name[:100]}.{uuid4().hex[:12]}.part")
    try:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            room.mkdir()
            _set_aside(room / SPARE, bytes_needed)
        except OSError as problem:
            raise OSError(problem.errno, f"{problem.strerror}; nothing was spent", str(out)) from None
        yield room
    finally:
        shutil.rmtree(room, ignore_errors=True)


def refuse_existing(out: Path, force: bool) -> None:
    """A folder that is there is replaced only on demand, and only if it holds a model."""
    if out.exists() and not out.is_dir():
        raise InvalidInput(f"out={quoted(str(out))}: is a file, give a folder")
    if not out.exists():
        return
    if not force:
        raise InvalidInput(f"out={quoted(str(out))}: the folder exists, give another or --force; nothing was spent")
    if any(out.iterdir()) and not (out / MODEL).is_file():
        raise InvalidInput(f"out={quoted(str(out))}: holds no model, --force does not replace it; nothing was spent")


def publish(room: Path, out: Path, save: Callable[[Path], None], texts: Mapping[str, str]) -> None:
    """Write the model and what goes with it, then give the folder its name.

    If that fails the model, which was paid for, is put where there is room, and the error says where.
    """
    try:
        (room / SPARE).unlink(missing_ok=True)
        save(room / MODEL)
        for name, text in texts.items():
            write_whole(room / name, text)
        _take_place(room, out)
    except OSError as problem:
        kept = _rescued(save)
        told = f"{problem.strerror or 'cannot be written'}; the release is paid for, the model was saved as {kept}"
        raise OSError(problem.errno, told, str(out)) from None


def _take_place(room: Path, out: Path) -> None:
    old = room.with_suffix(".old")
    if out.exists():
        out.rename(old)
    try:
        room.rename(out)
    except OSError:
        if old.exists():
            old.rename(out)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _rescued(save: Callable[[Path], None]) -> str:
    """Another folder, or no file at all: a release is not made again because the first disk was full."""
    for folder in (Path(), Path(tempfile.gettempdir()), Path.home()):
        path = (folder / f"equipoise-{uuid4().hex[:8]}-{MODEL}").resolve()
        try:
            save(path)
        except OSError:
            continue
        return str(path)
    return "nothing: no folder had room for it"


def _set_aside(path: Path, size: int) -> None:
    """Blocks of the disk, not only a length."""
    with path.open("xb") as file:
        try:
            os.posix_fallocate(file.fileno(), 0, size)
        except AttributeError:  # not on every system
            file.write(b"\0" * size)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until this is over: between a release and its file there is nothing to gain by stopping."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []

    def wait(number: int, frame: FrameType | None) -> None:
        asked.append(number)

    before = signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt
