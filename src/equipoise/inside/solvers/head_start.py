"""Where to begin, and by which Hessian: both from some of the records, few first and then more.

With many records some of them tell nearly all, for a small part of the passes.  The Hessian of m of them is that of all
to a part √(size/m), which is what each step from there leaves of the gradient.  Nothing rests on either: whatever is
found is believed by its certificate alone (docs/proofs/certificates.md, section 4).
"""

from __future__ import annotations

import math
from dataclasses import replace

from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.records import Records
from equipoise.inside.solvers import truncated_newton
from equipoise.inside.solvers.chord import PASSES_PER_COLUMN, Chord
from equipoise.inside.solvers.descent import Place, descend, place

FEWEST, PER_COEFFICIENT = 2**13, 40
"""Records that are enough to begin with."""

WORTH = 3
"""How many times as many there must be."""

SHARE = 8
"""One in so many gives the Hessian for all."""

SPARSE_SHARE = 16
"""One in so many tells where to begin, where no Hessian is built."""

NARROW = 100
"""Coefficients of a quadratic problem up to which its own Hessian costs less than the passes that others take."""

DEPTH = 14.0
"""By how many powers of e the first gradient over all records has to fall, about."""

MOST_ENTRIES = 3 * 2**22
"""Of these, numbers at most: more are not worth their memory where the table itself is not held."""

ROUGHLY = 1.0
"""The part of the first gradient that may be left, times the root of the number of records: well below what records
that were not looked at change."""


def rough_start(objective: Objective, chord: Chord) -> Array | Place:
    """The centre, where records are few, some are too many to be held, or one Hessian settles all.  The chord learns.

    Which ones are taken is told by their number alone: records in files and on many machines begin where those in
    memory do."""
    rows, start = objective.records.design.rows, objective.centre
    enough = max(FEWEST, PER_COEFFICIENT * objective.size)
    exact = objective.loss.traits.quadratic and objective.size <= NARROW  # then one Hessian of all is the last
    if exact or rows < WORTH * enough:
        return start
    more = max(enough, min(rows // SHARE, MOST_ENTRIES // objective.records.design.columns))
    whole = objective.loss.traits.pieces and _worth_all(objective.size, more, rows)
    more = enough if whole else more
    first: list[float] = []
    part: Objective | None = None
    for few in objective.records.thinned([rows // wanted for wanted in sorted({enough, more})]):
        part, root = _of(objective, few), math.sqrt(few.design.rows)

        def rough(here: Place, root: float = root) -> bool:
            first.append(here.steepness)
            return here.steepness <= ROUGHLY * first[0] / root

        start = descend(part, rough, chord, start).w
    if part is None:
        return start
    if whole:
        gradient, hessian = objective.bent_at(start)
        chord.keep(objective, hessian)
        return Place(objective, start, gradient)
    chord.learn(part, start)
    return start


def start_by_products(objective: Objective) -> Array:
    """The same by products with a few of the records alone, where a Hessian of sparse rows is dear.  For capped losses:
    at the centre half of their records are at the corner, and steps from there lead astray."""
    rows, centre = objective.records.design.rows, objective.centre
    wanted = max(FEWEST, rows // SPARSE_SHARE)
    pays = objective.loss.traits.cap < 1 and rows >= WORTH * wanted
    few = objective.records.every(rows // wanted) if pays else None
    if few is None:
        return centre
    part = _of(objective, few)
    begin = place(part, centre)
    enough = ROUGHLY * begin.steepness / math.sqrt(few.design.rows)
    return descend(part, lambda here: here.steepness <= enough, truncated_newton.step, begin).w


def _worth_all(size: int, some: int, rows: int) -> bool:
    """Whether the Hessian of all records, after which two steps are enough where it hardly changes, takes fewer passes
    than the steps that one of `some` leaves to be taken."""
    steps = DEPTH / math.log(some / size) * 2
    return steps - 2 > (1 + PASSES_PER_COLUMN * size) * (1 - some / rows)


def _of(objective: Objective, few: Records) -> Objective:
    """The same problem on some of its records."""
    share = few.design.rows / objective.records.design.rows
    return replace(objective, records=few, divisor=objective.divisor * share)
