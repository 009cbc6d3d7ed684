"""A search up to its debit: what it would refuse for free, and what it would charge, before anybody is asked."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NoReturn

from equipoise.estimators._spent import before_the_debit
from equipoise.theory.adjacency import Neighbours
from equipoise.theory.events import Event


class _Reached(Exception):
    """The debit, with what would be charged."""

    def __init__(self, event: Event, neighbours: Neighbours) -> None:
        self.charge = event, neighbours


class _Nobody:
    """Stands in the ledger's place.  No record is looked at before it is asked."""

    def reserve(self, event: Event, label: str, neighbours: Neighbours) -> NoReturn:
        raise _Reached(event, neighbours)


def rehearsed(search: Callable[[Any], Any], *table: Any, **named: Any) -> tuple[Event, Neighbours]:
    """What the search that is made for a ledger would charge for this table."""
    try:
        with before_the_debit(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said by the search itself, or by its plan
            search(_Nobody()).fit(*table, **named)
    except _Reached as reached:
        return reached.charge
    raise AssertionError("a search ended without a debit")
