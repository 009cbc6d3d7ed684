"""Where a release comes from: when, by which version, from what data, and which account paid."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

from equipoise.outside.pages import Row, at_most, readable

NO_LEDGER = "none: nothing adds this release up with others from the same rows; give ledger= to keep an account"


@dataclass(frozen=True, slots=True)
class Account:
    """The account that paid, as it stood when the release was made."""

    name: str
    epsilon: float
    """What all of its entries cost together, this release included."""
    delta: float
    limit_epsilon: float | None = None
    """None where the account has no limit."""
    limit_delta: float | None = None

    def rows(self) -> tuple[Row, ...]:
        """For a card."""
        limit = "no limit"
        if self.limit_epsilon is not None:
            limit = f"limit epsilon {readable(self.limit_epsilon)}, delta {readable(self.limit_delta or 0.0)}"
        total = f"epsilon {at_most(self.epsilon)} at delta {readable(self.delta)}"
        return ("ledger account", self.name, limit), ("account's total", total, "this release included, at that time")


def named(origin: Origin | None, data: str | None) -> Origin | None:
    """The same, with the data set's name where one is given."""
    return origin if data is None else replace(origin or Origin("not known", "of an older version"), data=data)


@dataclass(frozen=True, slots=True)
class Origin:
    """Public facts about the making of a release."""

    date: str
    """The day, in universal time, as 2026-01-31."""
    version: str
    """Of this library."""
    data: str | None = None
    """The data set's name, where somebody gave one."""
    account: Account | None = None
    """None where no ledger was given."""

    def fields(self) -> dict[str, Any]:
        """As JSON has it, which knows no infinity: an account without a limit may have spent without bound."""
        found = asdict(self)
        if self.account is not None:
            for name in ("epsilon", "limit_epsilon"):
                if found["account"][name] == math.inf:
                    found["account"][name] = "inf"
        return found

    def rows(self) -> tuple[Row, ...]:
        """For a card."""
        paid: tuple[Row, ...] = (("ledger account", NO_LEDGER, ""),) if self.account is None else self.account.rows()
        return (
            ("data set", self.data or "not named", ""),
            ("date", self.date, ""),
            ("made by", f"equipoise {self.version}", ""),
            *paid,
        )
