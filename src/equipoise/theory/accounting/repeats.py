"""How often a private fit can come out the same on two neighbours, again and again, and yet differently on the two.

docs/proofs/selection.md, section 7: a fit that does so is not independent from one time to the next.
"""

from __future__ import annotations

import math

from equipoise.theory.guarantees import Concentrated, Pure, Renyi
from equipoise.theory.rounding import FORMULA, up

FALSE_ALARM = 1e-6
MOST = 40
"""Fits on either side that are tried at most."""


def repeats_to_refuse(stated: Pure | Concentrated | Renyi) -> int | None:
    """Repetitions after which chance is no excuse; None where that would take too many."""
    chance = chance_of_repeat(stated)
    needed = math.ceil(math.log(FALSE_ALARM) / math.log(chance)) if 0 < chance < 1 else 1
    return needed if chance < 1 and needed <= MOST else None


def chance_of_repeat(stated: Pure | Concentrated | Renyi) -> float:
    """At least max P(a)·Q(b) over outcomes a ≠ b, for laws P and Q of neighbours that the guarantee allows."""
    if isinstance(stated, Pure):
        return _largest(math.exp(-stated.epsilon), 1.0)
    if isinstance(stated, Concentrated):
        pairs = [(order, stated.rho * order) for order in (1.5, 2.0, 4.0, 16.0)]
    else:
        pairs = list(zip(stated.orders, stated.epsilons, strict=True))
    usable = [(order, epsilon) for order, epsilon in pairs if order > 1]
    return min((_largest(math.exp(-epsilon), order / (order - 1)) for order, epsilon in usable), default=1.0)


def _largest(floor: float, power: float) -> float:
    """The maximum of p·(1 − floor·p^power) over p in [0, 1]."""
    p = min(1.0, (1 / (floor * (1 + power))) ** (1 / power)) if floor > 0 else 1.0
    return min(1.0, up(float(p * (1 - floor * p**power)), FORMULA))
