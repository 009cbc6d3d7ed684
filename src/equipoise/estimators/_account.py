"""What was given as `ledger`, checked before anything is done with it."""

from __future__ import annotations

import os

from equipoise._checks import quoted
from equipoise.errors import InvalidInput
from equipoise.ledger import LedgerLike


def checked_ledger(ledger: LedgerLike | None) -> LedgerLike | None:
    """A path, or the class for one of its kind, is the likely slip."""
    if ledger is None or (not isinstance(ledger, type) and callable(getattr(ledger, "reserve", None))):
        return ledger
    path = isinstance(ledger, str | os.PathLike)
    what = f"={quoted(str(ledger))}" if path else f" of type {type(ledger).__name__}"
    raise InvalidInput(f'ledger{what}: must be a ledger, such as SQLLedger("privacy.db", epsilon=1.0)')
