"""What a predictor has learnt, kept inside, and the public facts of one of its answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.gate import Bits
from equipoise.ledger import Entry
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.prediction.advice import total_variation

Array = npt.NDArray[np.float64]


class Answerer(Protocol):
    """What a predictor has learnt, kept inside: it answers under an open entry and otherwise shows only its price."""

    @property
    def guarantee(self) -> Guarantee:
        """Of one answer."""
        ...

    def event(self, count: int) -> Event:
        """What `count` new answers cost together, however the queries depend on earlier answers."""
        ...

    def answer(self, queries: Array, entry: Entry, bits: Bits) -> Array:
        """One raw number per query, in doubles; fresh noise for each."""
        ...


Kind = TypeVar("Kind")


def own(answerer: Answerer, kind: type[Kind]) -> Kind:
    """The same, known to be of the kind that its predictor learns; any other is an error."""
    if isinstance(answerer, kind):
        return answerer
    raise InvalidInput(f"{type(answerer).__name__}: another predictor learnt it, {kind.__name__} was expected")


@dataclass(frozen=True, slots=True)
class OneAnswer:
    """The public facts of one answer: its event, and what one training record can change in a chance."""

    event: Event
    moved: float


def one_answer(event: Event) -> OneAnswer:
    """Any chance is moved by the event's total variation at most."""
    return OneAnswer(event, total_variation(event))
