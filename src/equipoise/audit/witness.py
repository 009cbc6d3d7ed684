"""One run of a release, and all that its caller sees of it: what it gives back, what it warns of, how it fails.

Whatever a caller can see is an output.  Every audit calls a release through `witnessed`, so that no table on which it
fails is skipped and no error of it is passed on: a release that raises on one table and not on its neighbour has told
them apart, whatever its numbers say.
"""

from __future__ import annotations

import hashlib
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

from equipoise.errors import InvalidInput

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
"""Where something lies in memory: other words in every run, and no news."""

_hearing: dict[int, list[tuple[str, str]]] = {}
"""For each thread that makes a run the warnings heard so far."""


class AlwaysRaised(InvalidInput):
    """It failed alike on both tables: that tells nothing of them, and nothing else came out."""


@dataclass(frozen=True, slots=True)
class Raised:
    """A run that ended in an exception of this type.

    `words` is a fingerprint of all that was said, not the words themselves, which may quote data.
    """

    exception: str
    words: str = ""
    warned: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join([f"raised {self.exception}", *_named(self.warned)])


@dataclass(frozen=True, slots=True)
class Warned:
    """An output that came with warnings of these categories."""

    output: Any
    words: str
    warned: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(_named(self.warned))


@contextmanager
def watching() -> Iterator[None]:
    """Hear warnings for as long as the block lasts.  One block for all threads: Python has one set of filters."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        before = warnings.showwarning

        def hear(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            heard = _whose()
            if heard is None:
                before(message, category, filename, lineno, file, line)
            else:
                heard.append((category.__name__, str(message)))

        warnings.showwarning = hear
        yield


def witnessed(run: Callable[[], Any]) -> Any:
    """What the run gave: its output as it is, or `Warned`, or `Raised`.  Warnings are heard inside `watching` only."""
    here, heard = threading.get_ident(), list[tuple[str, str]]()
    before, _hearing[here] = _hearing.get(here), heard
    try:
        output = run()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, the caller sees it
        return Raised(type(error).__name__, _fingerprint(heard, _text(error)), _categories(heard))
    finally:
        if before is None:
            del _hearing[here]
        else:
            _hearing[here] = before
    return Warned(output, _fingerprint(heard), _categories(heard)) if heard else output


def bare(seen: Any) -> Any:
    """The output alone."""
    return seen.output if isinstance(seen, Warned) else seen


def warned(seen: Any) -> tuple[str, ...]:
    """The categories of the warnings that were heard."""
    return seen.warned if isinstance(seen, Warned | Raised) else ()


def parted(first: Any, second: Any) -> str:
    """How a caller tells two runs apart without looking at their outputs; empty if they went alike."""
    how = [seen.exception if isinstance(seen, Raised) else "" for seen in (first, second)]
    if all(how) and how[0] != how[1]:
        return f"the first run raised {how[0]}, the second {how[1]}"
    if how[0] != how[1]:
        one, other = ("first", "second") if how[0] else ("second", "first")
        return f"the {one} run raised {how[0] or how[1]}, the {other} did not"
    words = [seen.words if isinstance(seen, Warned | Raised) else "" for seen in (first, second)]
    return "" if words[0] == words[1] else "the runs did not say the same: other warnings, or an error in other words"


def _whose() -> list[tuple[str, str]] | None:
    """Of this thread's run, or of the only one there is: a release may use threads of its own."""
    mine = _hearing.get(threading.get_ident())
    if mine is None and len(_hearing) == 1:
        return next(iter(_hearing.values()))
    return mine


def _categories(heard: list[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(category for category, _ in heard)


def _named(categories: tuple[str, ...]) -> list[str]:
    """Each category once: how many warnings there were is part of the words."""
    return [f"warned {category}" for category in sorted(set(categories))]


def _fingerprint(heard: list[tuple[str, str]], *more: str) -> str:
    said = [part for pair in heard for part in pair] + list(more)
    return hashlib.sha256(_ADDRESS.sub("", "\0".join(said)).encode(errors="replace")).hexdigest()[:8]


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a stranger's exception may fail at that too
        return ""
