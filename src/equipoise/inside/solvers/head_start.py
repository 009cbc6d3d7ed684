"""Where to begin: the minimiser of the same problem on a few of the records, found roughly.

With many records a few of them tell nearly all, for a small part of the passes.  Nothing rests on it: whatever is found
from there is believed by its certificate alone (docs/proofs/certificates.md, section 4).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.solvers.chord import Chord
from equipoise.inside.solvers.descent import descend

FEWEST, PER_COEFFICIENT = 2**13, 80
"""Records that are enough to begin with."""

WORTH = 6
"""How many times as many there must be."""

ROUGHLY = 1e-3
"""The part of the first gradient that may be left."""


def rough_start(objective: Objective) -> Array:
    """The centre, where records are few.  Which ones are taken is told by their number alone, wherever they lie."""
    records, start = objective.records, objective.centre
    enough = max(FEWEST, PER_COEFFICIENT * objective.size)
    if records.design.rows < WORTH * enough:
        return start
    part = records.every(records.design.rows // enough)
    small = replace(objective, records=part, divisor=objective.divisor * part.design.rows / records.design.rows)
    steep = float(np.linalg.norm(small.gradient(start)))
    return descend(small, lambda here: here.steepness <= ROUGHLY * steep, Chord(), start).w
