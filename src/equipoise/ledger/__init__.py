"""What was spent, and how much may be: released facts only."""

from equipoise.ledger.ledger import Entry, LedgerLike, Record, Remaining
from equipoise.ledger.memory import Ledger
from equipoise.ledger.sql import SQLLedger
from equipoise.theory.accounting.compose import Spent

__all__ = ["Entry", "Ledger", "LedgerLike", "Record", "Remaining", "SQLLedger", "Spent"]
