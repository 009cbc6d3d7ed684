"""The folder of a model: it appears whole or not at all, and what was paid for is not lost, whatever happens."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from uuid import uuid4

from equipoise._checks import quoted
from equipoise._writing import write_whole
from equipoise.cli.places import Inputs, holds_input
from equipoise.errors import EquipoiseError, InvalidInput
from equipoise.estimators._spent import untold_free

MODEL = "model.json"
SPARE = "spare"
WRITTEN = frozenset((MODEL, "report.html", "card.html", "card.txt", "card.json", "schema.yaml"))
"""What a fit puts into its folder."""


@contextmanager
def prepared(out: Path, force: bool, bytes_needed: int, inputs: Inputs = ()) -> Iterator[Path]:
    """A hidden folder beside `out`, on the same disk, with room set aside: what is wrong is known before spending."""
    refuse_existing(out, force, inputs)
    place = _followed(out)
    room = place.with_name(f".{place.name[:100]}.{uuid4().hex[:12]}.part")
    try:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            room.mkdir()
            _set_aside(room / SPARE, bytes_needed)
        except OSError as problem:
            raise OSError(problem.errno, f"{problem.strerror}; nothing was spent", str(out)) from None
        yield room
    finally:
        shutil.rmtree(room, ignore_errors=True)


def refuse_existing(out: Path, force: bool, inputs: Inputs = ()) -> None:
    """A folder that is there is replaced only on demand, and only if it holds a model and nothing else, and nothing
    that the fit reads.  The one that somebody is in, or one above it, is never replaced: it would be gone under their
    feet."""
    why = _refused(out, force, inputs)
    if why:
        raise InvalidInput(f"out={quoted(str(out))}: {why}; nothing was spent")


def _refused(out: Path, force: bool, inputs: Inputs) -> str:
    """Why no model can be written there; "" if it can.  A link is the folder that it leads to."""
    here, place = Path.cwd(), _followed(out)
    if Path(os.path.realpath(out)) in (here, *here.parents) or out.name in ("", ".."):
        return "is the folder you are in or one above it, name one of its own"
    if not _is_there(place):
        return "is a link that leads nowhere, give a folder" if out.is_symlink() else ""
    if not place.is_dir():
        return "is a file, give a folder"
    if not force:
        return "the folder exists, give another or --force"
    if holds_input(place, inputs):
        return "holds what the fit reads, --force does not replace it"
    names = {path.name for path in place.iterdir()}
    if names and not (place / MODEL).is_file():
        return "holds no model, --force does not replace it"
    if not names <= WRITTEN:
        return "holds files that no fit wrote, --force does not replace it"
    return "is a disk of its own, which --force cannot replace" if place.is_mount() else ""


def _followed(out: Path) -> Path:
    """What a link leads to: it stays, and the folder behind it is replaced."""
    return Path(os.path.realpath(out)) if out.is_symlink() else out


def _is_there(place: Path) -> bool:
    """Anything of that name, a link that cannot be followed as well.  A name that the system does not take is an error
    now and not when the folder is to get it."""
    try:
        place.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as problem:
        raise OSError(problem.errno, f"{problem.strerror}; nothing was spent", str(place)) from None
    return True


@contextmanager
def paid_for(room: Path, out: Path, save: Callable[[Path], None]) -> Iterator[None]:
    """From the release on: the model is written before anything else is done, and at the end the folder gets its name.

    Whatever goes wrong before that, in here or in between, the model is put where there is room, and the error says
    where.
    """
    try:
        (room / SPARE).unlink(missing_ok=True)
        save(room / MODEL)
        yield
        _take_place(room, out)
    except BaseException as problem:  # noqa: BLE001 - raised again below
        trouble = problem
    else:
        return
    raise _told(trouble, _rescued(save), out)


def fill(room: Path, save: Callable[[Path], None], texts: Mapping[str, str]) -> None:
    """The model and what goes with it."""
    save(room / MODEL)
    for name, text in texts.items():
        write_whole(room / name, text)


def _told(problem: BaseException, kept: str, out: Path) -> BaseException:
    """The same trouble, with what became of the model; of trouble that is not ours the line is printed here, for
    whoever catches it may drop a note."""
    told = f"the release is paid for, the model was saved as {kept}"
    if isinstance(problem, OSError):
        return OSError(problem.errno, f"{problem.strerror or 'cannot be written'}; {told}", str(out))
    if isinstance(problem, EquipoiseError):
        return type(problem)(f"{untold_free(str(problem))}; {told}")
    print(f"equipoise: note: {told}", file=sys.stderr)
    return problem


def _take_place(room: Path, out: Path) -> None:
    old, place = room.with_suffix(".old"), _followed(out)
    if place.exists():
        place.rename(old)
    try:
        room.rename(place)
    except OSError:
        if old.exists():
            old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _rescued(save: Callable[[Path], None]) -> str:
    """Another folder, or no file at all: a release is not made again because the first disk was full."""
    for folder in (Path(), Path(tempfile.gettempdir()), Path.home()):
        path = (folder / f"equipoise-{uuid4().hex[:8]}-{MODEL}").resolve()
        try:
            save(path)
        except Exception:  # noqa: BLE001 - a full disk or anything else: the next folder may do
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
