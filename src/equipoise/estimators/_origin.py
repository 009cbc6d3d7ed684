"""The public facts about the making of a release, taken down when it is made."""

from __future__ import annotations

from datetime import UTC, datetime

from equipoise import __version__
from equipoise.ledger import LedgerLike
from equipoise.outside.origin import Account, Origin

IN_MEMORY = "in memory"


def origin_now(ledger: LedgerLike | None) -> Origin:
    """After the release.  It is paid for, so this must not fail: an account that cannot be read is left out."""
    return Origin(datetime.now(UTC).date().isoformat(), __version__, account=_account(ledger))


def _account(ledger: LedgerLike | None) -> Account | None:
    if ledger is None:
        return None
    try:
        total, limit = ledger.spent(), ledger.limit
    except Exception:  # noqa: BLE001 - an account of a stranger's may raise anything
        return None
    name = str(getattr(ledger, "name", IN_MEMORY))
    ends = (None, None) if limit is None else (limit.epsilon, limit.delta)
    return Account(name, total.epsilon, total.delta, *ends)
