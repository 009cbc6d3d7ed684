"""Files written whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from equipoise.errors import InvalidInput


def file_at(path: object) -> Path:
    """Where the caller's file is.  A number would be an open file's, and no system takes a zero in a name."""
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(name, str) or not name or "\0" in name:
        raise InvalidInput("path: must be the name of a file, as text or a pathlib.Path")
    return Path(name)


def writable(text: str) -> str:
    """The same, with a question mark for what UTF-8 cannot hold: half a character, as in names of other encodings."""
    return text.encode("utf-8", "replace").decode("utf-8")


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """All or nothing: write beside the target, flush, rename.  When that fails (`OSError`) the target is untouched.

    No text is an error: what is written may have been paid for.
    """
    target = Path(os.path.realpath(file_at(path)))
    spare = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        with spare.open("x", encoding="utf-8", newline="\n") as file:
            file.write(writable(text))
            file.flush()
            os.fsync(file.fileno())
        spare.replace(target)
    except BaseException as problem:
        spare.unlink(missing_ok=True)
        if isinstance(problem, OSError):  # of a full disk it names no file, of others the spare one
            problem.filename = os.fspath(path)
        raise
