"""All that the fit of a predictor leaves behind, kept in the process that fitted it."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field

from equipoise.estimators.answer.answerer import Answerer
from equipoise.estimators.answer.asked import Asked
from equipoise.estimators.answer.cost import price_of
from equipoise.gate import Bits
from equipoise.ledger import LedgerLike
from equipoise.theory.adjacency import Neighbours, Unit
from equipoise.theory.guarantees import ONE_ROW


def standing_lock(old: State | None) -> threading.Lock:
    """Of the state that is about to be replaced, so that no answer straddles two fits."""
    return old.lock if old is not None and old.process == os.getpid() else threading.Lock()


@dataclass(eq=False, repr=False)
class State:
    """All that fitting leaves behind.  The lock makes two threads with the same new query pay once."""

    answerer: Answerer
    ledger: LedgerLike
    bits: Bits
    asked: Asked
    lock: threading.Lock = field(default_factory=threading.Lock)
    process: int = field(default_factory=os.getpid)
    last: tuple[int, int] = (0, 0)

    @property
    def neighbours(self) -> Neighbours:
        """What an answer was planned for."""
        promised = self.answerer.guarantee
        return Neighbours(promised.adjacency, Unit.ROW if promised.unit == ONE_ROW else Unit.PERSON)

    def too_dear(self, count: int, delta: float) -> str:
        """What was asked, what one answer needs, what is left."""
        one, asked = (price_of(self.answerer.event(size), delta).epsilon for size in (1, count))
        left = self.ledger.remaining()
        rest = "" if left is None else f", and epsilon={left.epsilon:.6g} is left at delta={delta:.6g}"
        fit = int(self.ledger.most(self.answerer.event, count, self.neighbours))
        way = f"ask at most {fit} new queries" if fit else "raise the ledger's limit or lower epsilon"
        return (
            f"queries={count}: answering them costs epsilon={asked:.6g}, one answer alone needs epsilon={one:.6g}"
            f"{rest}; nothing was computed or spent, {way}"
        )
