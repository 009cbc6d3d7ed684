"""A usual range of labels, chosen before anything else.

Guarantee.  ε′-DP, δ = 0: one choice by rank among public ranges.
Assumes.    Labels within public bounds, coded as numbers from −1 to 1.
Adjacency.  Replace-one, rows.
Numerics.   Counts are whole numbers.
Reference.  docs/proofs/usual_labels.md; docs/decisions/0083-usual-labels.md.

Noise is made for labels as far apart as their bounds, and a model starts from the middle of them.  Whatever comes after
the choice is planned in units of the range that was chosen; the few labels beyond it are clipped to it.
"""

from __future__ import annotations

import math
from dataclasses import replace

from equipoise.errors import InvalidInput
from equipoise.gate.choices.select import permute_and_flip
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records, labelled
from equipoise.inside.design.contract import Array
from equipoise.ledger import Entry
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Huber, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import L2, Elastic
from equipoise.theory.usual_labels import MOVED, UsualLabels, ends, offer, ranges


def offered(facts: Facts, budget: Budget, *, loss_is_given: bool) -> UsualLabels | None:
    """The choice, where it may be made: nothing is said in units of the labels but their bounds, and a constant column
    can carry where they lie."""
    bounds, penalty = facts.bounds, facts.penalty
    residuals = isinstance(facts.loss, Squared | Huber) and not loss_is_given
    numbers = bounds.label_range is not None and bounds.intercept > 0 and residuals
    free = math.isinf(bounds.coef_norm) and isinstance(penalty, L2 | Elastic) and penalty.centre is None
    counted = facts.adjacency is Adjacency.REPLACE_ONE and facts.person_rows is None and facts.partners is None
    if not (numbers and free and counted) or bounds.lift is not None or facts.descent is not None:
        return None
    return offer(facts.n, budget)


def within(bounds: Bounds, chosen: tuple[int, int, int], widened: float) -> Bounds:
    """The same, with this of the public ranges, widened by so much of its width; as they are where it is too narrow for
    doubles."""
    found = ends(chosen, widened)
    if found is None:
        return bounds
    low, high = (bounds.label_centre + bounds.label_scale * end for end in found)
    given = bounds.label_range or (low, high)
    try:
        return replace(bounds, usual_labels=(max(low, given[0]), min(high, given[1])))
    except InvalidInput:
        return bounds


def chosen(
    records: Private[Records], bounds: Bounds, choice: UsualLabels, scores: Private[Array], entry: Entry, bits: Bits
) -> tuple[Private[Records], Bounds]:
    """The records as they are fitted, and bounds with the range that was chosen."""
    place = permute_and_flip(scores, MOVED, choice.epsilon, entry, bits)
    after = within(bounds, ranges(choice.widest)[place], choice.widened)
    return (records if after is bounds else labelled(records, bounds, after)), after
