"""The ledger of one process, kept in memory."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from equipoise.errors import LedgerFailure
from equipoise.ledger import limits
from equipoise.ledger.ledger import Entry, Record, Remaining, check_entry
from equipoise.ledger.tally import Tally
from equipoise.theory.accounting.compose import Spent
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget

# Ledgers that were pickled, by key: unpickling in the same process finds the very same ledger again.
_PICKLED: dict[str, Ledger] = {}

_NO_PROCESS = 0


class Ledger:
    """A budget and what was spent of it, for one process.

    Parameters
    ----------
    epsilon : the limit on ε; None records without limiting.
    delta : the limit on δ, and the δ at which ε is computed.

    Copies are the ledger itself: scikit-learn's `clone` and a pickle round trip keep spending from the same
    budget, as do threads.  Another process cannot see this memory, so there it refuses to spend: use `SQLLedger`.
    """

    def __init__(self, epsilon: float | None = None, delta: float = 0.0) -> None:
        self._terms = limits.Terms(epsilon, delta)
        self._key = uuid4().hex
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._records: list[Record] = []
        self._tally = Tally()

    @property
    def limit(self) -> Budget | None:
        return self._terms.limit

    def reserve(self, event: Event, label: str = "") -> Entry:
        """Count `event` as spent from now on, or raise BudgetExhausted and record nothing."""
        check_entry(event, label)
        self._refuse_elsewhere()
        with self._lock:
            limits.refuse_over(self._terms, self._tally, event)
            record = Record(len(self._records) + 1, label, event, "reserved", datetime.now(UTC))
            self._records.append(record)
            self._tally = self._tally.plus([event])
        return Entry(record, self._commit)

    def fits(self, event: Event) -> bool:
        """True if `reserve` would accept `event` now.  Nothing is reserved: another thread may be first."""
        check_entry(event, "")
        return limits.fits(self._terms, self._so_far(), event)

    def most(self, event_for: Callable[[int], Event], at_most: int) -> int:
        """The largest count up to `at_most` whose event fits now, 0 if none; more must never cost less."""
        return limits.most(self._terms, self._so_far(), event_for, at_most)

    def entries(self) -> tuple[Record, ...]:
        """Every record, oldest first."""
        self._refuse_elsewhere()
        with self._lock:
            return tuple(self._records)

    def spent(self, delta: float | None = None) -> Spent:
        """What all entries cost together, at the limit's δ unless another is given."""
        return limits.spent(self._terms, self._so_far(), delta)

    def remaining(self) -> Remaining | None:
        """What is left, rounded down; None without a limit."""
        return limits.remaining(self._terms, self._so_far())

    def _so_far(self) -> Tally:
        self._refuse_elsewhere()
        with self._lock:
            return self._tally

    def _commit(self, number: int) -> None:
        with self._lock:
            self._records[number - 1] = replace(self._records[number - 1], state="committed")

    def _refuse_elsewhere(self) -> None:
        if self._process != os.getpid():
            raise LedgerFailure(
                "ledger: one kept in memory cannot be shared between processes, use SQLLedger(path) instead"
            )

    def __copy__(self) -> Ledger:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Ledger:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if self._process == os.getpid():
            _PICKLED[self._key] = self
        return _unpickle, (self._key, self._terms.epsilon, self._terms.delta)

    def __repr__(self) -> str:
        return f"Ledger(epsilon={self._terms.epsilon!r}, delta={self._terms.delta!r})"


def _unpickle(key: str, epsilon: float | None, delta: float) -> Ledger:
    """The same ledger if it lives here; otherwise a stranger that shows its terms and refuses the rest.

    Refusing only on use lets a model that carries a ledger be loaded elsewhere to predict.
    """
    if key in _PICKLED:
        return _PICKLED[key]
    stranger = Ledger(epsilon, delta)
    stranger._key = key
    stranger._process = _NO_PROCESS
    return stranger
