"""What an account was opened with: its limit, whom it protects, and how it adds up."""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise._checks import fraction, one_of, positive
from equipoise.errors import InvalidInput
from equipoise.theory.accounting.filters import Prices
from equipoise.theory.adjacency import ONE_ROW_REPLACED, Adjacency, Neighbours, Unit
from equipoise.theory.guarantees import Budget


@dataclass(frozen=True, slots=True)
class Terms:
    """Without an ε there is no limit; δ is then the one reports are made at."""

    epsilon: float | None
    delta: float
    neighbours: Neighbours = ONE_ROW_REPLACED
    prices: Prices = Prices.ADAPTIVE

    def __post_init__(self) -> None:
        if self.epsilon is not None:
            object.__setattr__(self, "epsilon", positive(epsilon=self.epsilon))
        object.__setattr__(self, "delta", fraction(delta=self.delta))

    @property
    def limit(self) -> Budget | None:
        return None if self.epsilon is None else Budget(self.epsilon, self.delta)

    def words(self) -> str:
        """For messages and `repr`, as the constructor takes them."""
        about = f"adjacency={str(self.neighbours.adjacency)!r}, unit={str(self.neighbours.unit)!r}"
        return f"epsilon={self.epsilon!r}, delta={self.delta!r}, {about}, prices={str(self.prices)!r}"


def terms(epsilon: float | None, delta: float, adjacency: str, unit: str, prices: str) -> Terms:
    """From what a caller writes, checked."""
    about = Neighbours(Adjacency(one_of(tuple(Adjacency), adjacency=adjacency)), Unit(one_of(tuple(Unit), unit=unit)))
    return Terms(epsilon, delta, about, Prices(one_of(tuple(Prices), prices=prices)))


@dataclass(frozen=True, slots=True)
class Asked:
    """What the caller of a SQL ledger wrote; None where nothing was written.

    Who states ε makes the account if it is missing.  Everything stated must agree with an account that exists.
    """

    epsilon: float | None
    delta: float | None
    adjacency: str | None
    unit: str | None
    prices: str | None

    def __post_init__(self) -> None:
        self.terms()  # what is impossible is refused before anything is opened

    @property
    def creates(self) -> bool:
        return self.epsilon is not None

    def terms(self) -> Terms:
        """As an account would be made; an infinite ε is no limit."""
        epsilon = None if isinstance(self.epsilon, float) and self.epsilon == math.inf else self.epsilon
        return terms(
            epsilon,
            0.0 if self.delta is None else self.delta,
            Adjacency.REPLACE_ONE if self.adjacency is None else self.adjacency,
            Unit.ROW if self.unit is None else self.unit,
            Prices.ADAPTIVE if self.prices is None else self.prices,
        )

    def refuse_other(self, stored: Terms) -> None:
        """Nobody widens a limit, or changes whom it protects, by accident."""
        mine = self.terms()
        said = (
            (self.epsilon is not None, mine.epsilon, stored.epsilon),
            (self.delta is not None or self.creates, mine.delta, stored.delta),
            (self.adjacency is not None, mine.neighbours.adjacency, stored.neighbours.adjacency),
            (self.unit is not None, mine.neighbours.unit, stored.neighbours.unit),
            (self.prices is not None, mine.prices, stored.prices),
        )
        if any(stated and here != there for stated, here, there in said):
            raise InvalidInput(
                f"{mine.words()}: the account was made with {stored.words()}, leave the terms out or give another name"
            )
