"""The ledger of many processes, kept in a SQLite file or on a database server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise._checks import quoted
from equipoise._docs import documented
from equipoise.errors import InvalidInput, LedgerFailure
from equipoise.ledger import limits
from equipoise.ledger.ledger import Entry, Record, Remaining, admitted, charged_family, check_entry, check_text
from equipoise.ledger.tally import Tally
from equipoise.ledger.terms import Asked
from equipoise.theory.accounting.compose import Spent
from equipoise.theory.accounting.neighbours import as_charged
from equipoise.theory.adjacency import ONE_ROW_REPLACED, Neighbours
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget

if TYPE_CHECKING:  # SQLAlchemy takes a while to import: who keeps no ledger must not wait for it
    from sqlalchemy import Connection

    from equipoise.ledger.database import Database
    from equipoise.ledger.place import Place
    from equipoise.ledger.rows import Account

_ATTEMPTS = 100


class SQLLedger:
    """A budget and what was spent of it, shared by any number of threads, processes and machines.

    Parameters
    ----------
    path_or_url : a path names a SQLite file; `postgresql+psycopg://…` or any other SQLAlchemy URL names a server.
    epsilon, delta : the limit.  With `epsilon` the account is made if it does not exist, and must have this limit if it
        does.  Without, an existing account is opened and nothing is ever made: a slip in a path or a name is an
        error, not an account without limit.  `epsilon=math.inf` asks for an account that records without limiting.
    name : the account; one database may hold several.
    adjacency, unit, prices : as for `Ledger`; fixed when the account is made, repeated or left out afterwards.

    A pickled handle carries the URL, with its password if it has one, so that workers can connect.
    """

    def __init__(
        self,
        path_or_url: str | Path,
        epsilon: float | None = None,
        delta: float | None = None,
        name: str = "default",
        *,
        adjacency: str | None = None,
        unit: str | None = None,
        prices: str | None = None,
    ) -> None:
        asked = Asked(epsilon, delta, adjacency, unit, prices)
        if not check_text(name=name):
            raise InvalidInput("name: must not be empty")
        self.name = name
        self._place = _find_place(path_or_url)
        self._database = _open(self._place)
        self._database.prepare(create=asked.creates)
        self._account = _find_or_make_account(self._database, name, asked)
        self._known = Tally()

    @property
    def limit(self) -> Budget | None:
        """The most that all releases together may cost; None if the account has no limit."""
        return self._account.terms.limit

    @property
    def neighbours(self) -> Neighbours:
        """Between which tables what is spent is counted."""
        return self._account.terms.neighbours

    @documented(returns="Entry: The right to make one release.")
    def reserve(self, event: Event, label: str = "", neighbours: Neighbours = ONE_ROW_REPLACED) -> Entry:
        """Count `event` as spent, on disk, from now on; or raise BudgetExhausted and record nothing."""
        from equipoise.ledger.database import NumberTaken

        charged = admitted(event, label, neighbours, self.neighbours)
        for _ in range(_ATTEMPTS):
            try:
                return Entry(self._write_reservation(event, charged, label, neighbours), self._commit)
            except NumberTaken:
                continue
        raise LedgerFailure(f"ledger {self._place}: too many writers at once, nothing was spent, try again")

    @documented(returns="bool: Whether it fits now.")
    def fits(self, event: Event, neighbours: Neighbours = ONE_ROW_REPLACED) -> bool:
        """True if `reserve` would accept `event` now.  Nothing is reserved: another writer may be first."""
        check_entry(event, "")
        return limits.fits(self._account.terms, self._so_far(), as_charged(event, neighbours, self.neighbours))

    @documented(returns="int: How many.")
    def most(self, event_for: Callable[[int], Event], at_most: int, neighbours: Neighbours = ONE_ROW_REPLACED) -> int:
        """The largest count up to `at_most` whose event fits now, 0 if none; more must never cost less."""
        charged = charged_family(event_for, neighbours, self.neighbours)
        return limits.most(self._account.terms, self._so_far(), charged, at_most)

    @documented(returns="tuple of Record: Oldest first.")
    def entries(self) -> tuple[Record, ...]:
        """Every record of this account, oldest first."""
        from equipoise.ledger import rows

        with self._transaction(writes=False) as connection:
            return rows.read_records(connection, self._account.key)

    @documented(returns="Spent: ε and δ of everything together.")
    def spent(
        self, delta: float | None = None, also: Event | None = None, neighbours: Neighbours = ONE_ROW_REPLACED
    ) -> Spent:
        """What all entries cost together, at the limit's δ unless another is given; `also` as if it were reserved.

        Under a limit: the smallest limit that would have let them all through.  The promise itself is the limit.
        """
        more = [] if also is None else [as_charged(also, neighbours, self.neighbours)]
        return limits.spent(self._account.terms, self._so_far().plus(more), delta)

    @documented(returns="Remaining or None: None without a limit.")
    def remaining(self) -> Remaining | None:
        """What is left, rounded down; None without a limit."""
        return limits.remaining(self._account.terms, self._so_far())

    @contextmanager
    def _transaction(self, *, writes: bool) -> Iterator[Connection]:
        """On our account, which must still be there, with the tables this version knows."""
        from equipoise.ledger import migrations, rows

        with self._database.transaction(writes=writes) as connection:
            migrations.refuse_other(connection)
            rows.check_account(connection, self._account, lock=writes)
            yield connection

    def _write_reservation(self, event: Event, charged: Event, label: str, neighbours: Neighbours) -> Record:
        """One transaction: lock, read what others wrote, check, write.  It is on disk when this returns."""
        from equipoise.ledger import rows

        with self._transaction(writes=True) as connection:
            known = rows.newer_events(connection, self._account, self._known)
            limits.refuse_over(self._account.terms, known, charged)
            record = Record(known.entries + 1, label, event, "reserved", datetime.now(UTC), neighbours)
            rows.insert_record(connection, self._account.key, record)
        self._known = known.plus([charged])  # another thread may put back an older one: then more is read next time
        return record

    def _so_far(self) -> Tally:
        from equipoise.ledger import rows

        with self._transaction(writes=False) as connection:
            self._known = known = rows.newer_events(connection, self._account, self._known)
        return known

    def _commit(self, number: int) -> None:
        from equipoise.ledger import rows

        with self._transaction(writes=True) as connection:
            rows.mark_committed(connection, self._account.key, number)

    def __copy__(self) -> SQLLedger:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> SQLLedger:
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "place": self._place, "account": self._account}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Same account, own connections.  A ledger that has vanished is missed on first use, never made anew."""
        self.name = state["name"]
        self._place = state["place"]
        self._account = state["account"]
        self._database = _open(self._place)
        self._known = Tally()

    def __repr__(self) -> str:
        return f"SQLLedger({str(self._place)!r}, {self._account.terms.words()}, name={self.name!r})"


def _find_place(path_or_url: str | Path) -> Place:
    from equipoise.ledger.place import find_place

    return find_place(path_or_url)


def _open(place: Place) -> Database:
    from equipoise.ledger.database import Database

    return Database(place)


def _find_or_make_account(database: Database, name: str, asked: Asked) -> Account:
    """Opening and making are different acts: only who states a limit, or asks for none by name, makes an account."""
    from equipoise.ledger import rows
    from equipoise.ledger.database import NumberTaken

    with database.transaction(writes=False) as connection:
        account = rows.find_account(connection, name)
    if account is not None:
        asked.refuse_other(account.terms)
        return account
    if not asked.creates:
        raise InvalidInput(
            f"name={quoted(name)}: ledger {database.place} has no such account; check name, path and folder, "
            "or give epsilon to make it (epsilon=math.inf for one without limit)"
        )
    try:
        with database.transaction(writes=True) as connection:
            return rows.insert_account(connection, name, asked.terms())
    except NumberTaken:  # another process made it in between
        return _find_or_make_account(database, name, asked)
