"""The contract of a ledger: reserve before looking, commit on release, and never forget.

A ledger holds released facts only: events, labels and times.  Never data, never a digest of data.
The argument that it never under-counts is docs/proofs/ledger.md.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Literal, NoReturn, Protocol

from equipoise.errors import EquipoiseError, InvalidInput, LedgerFailure, told_free, told_spent
from equipoise.theory.accounting.compose import Spent
from equipoise.theory.accounting.neighbours import as_charged
from equipoise.theory.adjacency import ONE_ROW_REPLACED, Neighbours
from equipoise.theory.events import Event, to_dict
from equipoise.theory.guarantees import Budget

State = Literal["reserved", "committed"]

LONGEST_TEXT = 200


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the book.  Reserved or committed, it counts as spent.

    `event` is what was planned, for `neighbours`; an account about other neighbours counts what it is worth there.
    """

    id: int
    label: str
    event: Event
    state: State
    time: datetime
    neighbours: Neighbours = ONE_ROW_REPLACED


@dataclass(frozen=True, slots=True)
class Remaining:
    """What is left, rounded down; unlike a Budget it may be zero.

    A pure release of `epsilon` still fits.  `delta` is what (ε, δ) releases may still claim; Gaussian releases show
    up in `epsilon` alone, so the two together are not one promise.
    """

    epsilon: float
    delta: float


class LedgerLike(Protocol):
    """What the gate and the estimators ask of a ledger.

    Whoever asks says which `neighbours` the event was planned for: an account is about one kind.
    """

    @property
    def limit(self) -> Budget | None: ...

    @property
    def neighbours(self) -> Neighbours: ...

    def reserve(self, event: Event, label: str = "", neighbours: Neighbours = ONE_ROW_REPLACED) -> Entry: ...

    def fits(self, event: Event, neighbours: Neighbours = ONE_ROW_REPLACED) -> bool: ...

    def most(
        self, event_for: Callable[[int], Event], at_most: int, neighbours: Neighbours = ONE_ROW_REPLACED
    ) -> int: ...

    def entries(self) -> tuple[Record, ...]: ...

    def spent(
        self, delta: float | None = None, also: Event | None = None, neighbours: Neighbours = ONE_ROW_REPLACED
    ) -> Spent: ...

    def remaining(self) -> Remaining | None: ...


class Entry:
    """A reservation: already counted, and the right to make one release while it is open.

    Use it as a context manager.  It is open from `reserve` until `commit` or the end of the block, in the
    process that reserved it; a copy or a forked child would be a second release for one payment, so neither
    is possible.  There is no way back: a reservation that is never committed stays spent, and whatever ends the block
    early carries a note of that.
    """

    __slots__ = ("_lock", "_open", "_process", "_write", "event", "id", "label", "neighbours")

    def __init__(self, record: Record, write: Callable[[int], None]) -> None:
        self.id = record.id
        self.event = record.event
        self.label = record.label
        self.neighbours = record.neighbours
        self._write = write
        self._open = True
        self._process = os.getpid()
        self._lock = threading.Lock()

    @property
    def open(self) -> bool:
        """True while noise may be drawn under this entry."""
        return self._open and self._process == os.getpid()

    def commit(self) -> None:
        """Mark the release as made.  Of several threads that try, one succeeds."""
        if not self.open:  # before the lock, which a forked child might find held for ever
            raise LedgerFailure(f"entry={self.id}: already closed, reserve again before another release")
        with self._lock:
            if not self._open:
                raise LedgerFailure(f"entry={self.id}: already closed, reserve again before another release")
            self._open = False  # first, so that an entry whose store fails below cannot be used again
            self._write(self.id)

    def __enter__(self) -> Entry:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        if error is not None:
            told_spent(error)

    def __reduce__(self) -> NoReturn:
        raise LedgerFailure(f"entry={self.id}: cannot be copied or pickled, reserve in the process that releases")

    def __repr__(self) -> str:
        return f"Entry(id={self.id}, event={self.event!r}, open={self.open})"


def check_text(**named: str) -> str:
    """A short printable line: it is stored and shown, and must not be able to carry data along."""
    ((name, value),) = named.items()
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or not value.isprintable():
        raise InvalidInput(f"{name}: must be one printable line of at most {LONGEST_TEXT} characters")
    return value


def charged_family(
    event_for: Callable[[int], Event], planned: Neighbours, account: Neighbours
) -> Callable[[int], Event]:
    """The same family of events as an account about other neighbours counts them."""

    def charged(count: int) -> Event:
        event = event_for(count)
        to_dict(event)  # an event that could not be written down is refused here as by `reserve`
        return as_charged(event, planned, account)

    return charged


def check_entry(event: Event, label: str) -> None:
    """Refuse what could not be written down, before anything is."""
    to_dict(event)
    check_text(label=label)


def admitted(event: Event, label: str, planned: Neighbours, account: Neighbours) -> Event:
    """What an account counts for it; what cannot be written down or charged there is refused, and costs nothing."""
    try:
        check_entry(event, label)
        return as_charged(event, planned, account)
    except EquipoiseError as problem:
        refusal = problem
    raise told_free(refusal)
