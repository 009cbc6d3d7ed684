"""Following the regularised leader: in each round one expert is drawn by what all have cost so far.

Guarantee.  Every draw is an exponential mechanism of bounded range; a horizon of them is ε-DP or (ε, δ)-DP together.
Assumes.    Every entry of a cost vector within its bound; costs may depend on earlier decisions.
Adjacency.  Replace-one: one cost vector becomes another.
Numerics.   Costs are whole steps, sums exact; whole-number weights are part of the range: δ_numeric is 0.
Reference.  docs/proofs/simplex.md, section 6; Jain, Thakurta 2014, section 5.2 (constants ours).
"""

from __future__ import annotations

from equipoise.gate import door
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.inside.simplex.costs import Totals, leaning
from equipoise.ledger import Entry
from equipoise.theory.simplex.rounds import RoundsPlan


def decide(totals: Private[Totals], plan: RoundsPlan, entry: Entry, bits: Bits) -> int:
    """One draw."""
    (chosen,) = door.sample(leaning(totals, plan.rate), plan.draws, plan.event, entry, bits)
    return int(chosen)
