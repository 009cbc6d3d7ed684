"""The door: the one place where a private value is opened, and never without noise.

Read this file to audit what leaves.  An open ledger entry must be shown; the planned noise is added; the value goes
out on the grid.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.errors import LedgerFailure
from equipoise.gate.laws import draw
from equipoise.gate.noise import Bits, Grid
from equipoise.inside import Private
from equipoise.ledger import Entry
from equipoise.theory.events import Event
from equipoise.theory.noise import Noise
from equipoise.theory.plan import Plan

Vector = npt.NDArray[np.float64]


def check_paid(entry: Entry, event: Event) -> None:
    """The open entry must have paid for this very event."""
    if not entry.open or entry.event != event:
        raise LedgerFailure("release: the ledger entry is closed or was made for something else, nothing was released")


def check_plan(plan: Plan, entry: Entry) -> None:
    """The same for a plan."""
    check_paid(entry, plan.event)


def let_out(value: Private[Vector], noise: Noise, entry: Entry, bits: Bits) -> Vector:
    """The value, rounded to the grid, plus noise of the planned law."""
    if not entry.open:
        raise LedgerFailure("release: the ledger entry is closed, nothing was released")
    grid = Grid(noise.step)
    return grid.restore(grid.quantise(value.reveal()) + draw(noise, bits))


def draw_tilt(noise: Noise, entry: Entry, bits: Bits) -> Private[Vector]:
    """Noise that goes into a private computation; it never leaves by itself."""
    if not entry.open:
        raise LedgerFailure("release: the ledger entry is closed, nothing was released")
    return Private(Grid(noise.step).restore(draw(noise, bits)))
