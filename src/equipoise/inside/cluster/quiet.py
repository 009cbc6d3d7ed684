"""Tasks that never raise.

What a worker raises is logged where it runs with the arguments of the task, which are rows, and sent to the caller with
its traceback; so whatever happens becomes a `Failure`, one of a few words that are the same whatever the rows hold.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import ParamSpec, TypeVar

from equipoise.errors import UnreadableFile
from equipoise.rows.unseen import unseen

P = ParamSpec("P")
T = TypeVar("T")


class Failure(StrEnum):
    """All that a worker says of what went wrong."""

    FAILED = "a worker could not do its part"
    OTHER = "a part of the table is not what it was, keep a copy that nobody writes to"
    STRUCTURE = "a part of the table has other columns or types than the table says"
    UNREADABLE = "a file changed, is damaged or cannot be read where the workers are, which all need the same files"
    VERSION = "a worker has another version of Equipoise"


def quiet(work: Callable[P, T]) -> Callable[P, T | Failure]:
    """The same, without a word: neither a warning nor an exception leaves.  A failure among what it is given is what it
    gives back."""

    def quietly(*given: P.args, **named: P.kwargs) -> T | Failure:
        for one in given:
            if isinstance(one, Failure):
                return one
        try:
            with unseen():
                return work(*given, **named)
        except UnreadableFile:
            return Failure.UNREADABLE
        except Exception:  # noqa: BLE001 - whatever it is, its words may be a record's
            return Failure.FAILED

    quietly.__module__, quietly.__qualname__, quietly.__name__ = work.__module__, work.__qualname__, work.__name__
    return quietly
