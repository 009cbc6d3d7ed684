"""Which accounts a ledger holds."""

from __future__ import annotations

from pathlib import Path


def account_names(path_or_url: str | Path) -> tuple[str, ...]:
    """Their names, oldest first.  Opens; makes nothing."""
    from equipoise.ledger import rows
    from equipoise.ledger.database import Database
    from equipoise.ledger.place import find_place

    database = Database(find_place(path_or_url))
    database.prepare(create=False)
    with database.transaction(writes=False) as connection:
        return tuple(rows.read_accounts(connection))
