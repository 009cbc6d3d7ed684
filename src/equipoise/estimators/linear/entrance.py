"""What lets records in, once they are paid for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy.typing as npt

from equipoise.inside import Private, Records, enter
from equipoise.ledger import Entry
from equipoise.theory.bounds import Bounds


class LetsIn(Protocol):
    """What lets records in once they are paid for; `bounds` are then those within which they were brought."""

    bounds: Bounds

    def __call__(self, entry: Entry) -> Private[Records]: ...


@dataclass(slots=True)
class Entrance:
    """Records at the door, and the bounds within which they are brought when it opens, once and in place."""

    rows: Any
    labels: npt.NDArray[Any]
    bounds: Bounds

    def __call__(self, entry: Entry) -> Private[Records]:
        return enter(self.rows, self.labels, self.bounds, ours=True)
