"""The ledger of one process, kept in memory."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from equipoise._docs import documented
from equipoise.errors import LedgerFailure
from equipoise.ledger import limits
from equipoise.ledger.ledger import Entry, Record, Remaining, admitted, charged_family, check_entry
from equipoise.ledger.tally import Tally
from equipoise.ledger.terms import Terms, terms
from equipoise.theory.accounting.compose import Spent
from equipoise.theory.accounting.neighbours import as_charged
from equipoise.theory.adjacency import ONE_ROW_REPLACED, Neighbours
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
    adjacency, unit : whom the account protects: "replace-one" or "add-remove" of one "row" or "person".  A release
        planned for other neighbours is charged what it is worth here, or refused where no theorem says what that is.
    prices : "adaptive": the limit holds even if prices are chosen after seeing releases.  "sums": the same, with all of
        δ for (ε, δ) releases.  "fixed": your word that every price was settled before the first release; then the
        exact curve is used, which lets more through and does not hold otherwise.

    Copies are the ledger itself: scikit-learn's `clone` and a pickle round trip keep spending from the same
    budget, as do threads.  Another process cannot see this memory, so there it refuses to spend: use `SQLLedger`.
    """

    def __init__(
        self,
        epsilon: float | None = None,
        delta: float = 0.0,
        *,
        adjacency: str = "replace-one",
        unit: str = "row",
        prices: str = "adaptive",
    ) -> None:
        self._terms = terms(epsilon, delta, adjacency, unit, prices)
        self._key = uuid4().hex
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._records: list[Record] = []
        self._tally = Tally()

    @property
    def limit(self) -> Budget | None:
        """The most that all releases together may cost; None if the account has no limit."""
        return self._terms.limit

    @property
    def neighbours(self) -> Neighbours:
        """Between which tables what is spent is counted."""
        return self._terms.neighbours

    @documented(returns="Entry: The right to make one release.")
    def reserve(self, event: Event, label: str = "", neighbours: Neighbours = ONE_ROW_REPLACED) -> Entry:
        """Count `event` as spent from now on, or raise BudgetExhausted and record nothing."""
        self._refuse_elsewhere()
        charged = admitted(event, label, neighbours, self.neighbours)
        with self._lock:
            limits.refuse_over(self._terms, self._tally, charged)
            record = Record(len(self._records) + 1, label, event, "reserved", datetime.now(UTC), neighbours)
            self._records.append(record)
            self._tally = self._tally.plus([charged])
        return Entry(record, self._commit)

    @documented(returns="bool: Whether it fits now.")
    def fits(self, event: Event, neighbours: Neighbours = ONE_ROW_REPLACED) -> bool:
        """True if `reserve` would accept `event` now.  Nothing is reserved: another thread may be first."""
        check_entry(event, "")
        return limits.fits(self._terms, self._so_far(), as_charged(event, neighbours, self.neighbours))

    @documented(returns="int: How many.")
    def most(self, event_for: Callable[[int], Event], at_most: int, neighbours: Neighbours = ONE_ROW_REPLACED) -> int:
        """The largest count up to `at_most` whose event fits now, 0 if none; more must never cost less."""
        charged = charged_family(event_for, neighbours, self.neighbours)
        return limits.most(self._terms, self._so_far(), charged, at_most)

    @documented(returns="tuple of Record: Oldest first.")
    def entries(self) -> tuple[Record, ...]:
        """Every record, oldest first."""
        self._refuse_elsewhere()
        with self._lock:
            return tuple(self._records)

    @documented(returns="Spent: ε and δ of everything together.")
    def spent(
        self, delta: float | None = None, also: Event | None = None, neighbours: Neighbours = ONE_ROW_REPLACED
    ) -> Spent:
        """What all entries cost together, at the limit's δ unless another is given; `also` as if it were reserved.

        Under a limit: the smallest limit that would have let them all through.  The promise itself is the limit.
        """
        more = [] if also is None else [as_charged(also, neighbours, self.neighbours)]
        return limits.spent(self._terms, self._so_far().plus(more), delta)

    @documented(returns="Remaining or None: None without a limit.")
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
        return _unpickle, (self._key, self._terms)

    def __repr__(self) -> str:
        return f"Ledger({self._terms.words()})"


def _unpickle(key: str, opened_with: Terms) -> Ledger:
    """The same ledger if it lives here; otherwise a stranger that shows its terms and refuses the rest.

    Refusing only on use lets a model that carries a ledger be loaded elsewhere to predict.
    """
    if key in _PICKLED:
        return _PICKLED[key]
    stranger = Ledger()
    stranger._terms = opened_with
    stranger._key = key
    stranger._process = _NO_PROCESS
    return stranger
