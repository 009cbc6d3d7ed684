"""A usual length in a saved model: what its choice cost, and what that left for the fit, from public facts."""

from __future__ import annotations

import math
from collections.abc import Iterator

from equipoise.audit.verdict import Attempt
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.plan import MOST_RECORDS
from equipoise.theory.usual_length import LENGTHS, UsualLength, offer

CLOSE = 1e-9
PAID, BEYOND, TIMES = UsualLength(1.0, 1.0, Budget(1.0)).constants(1.0)
"""What a guarantee says of it."""


def chosen_length(guarantee: Guarantee) -> Iterator[Attempt]:
    """One check, where a length was chosen."""
    known, name = guarantee.constants, "the usual length against the claim"
    if not any(each in known for each in (PAID, BEYOND, TIMES)):
        return
    missing = [each for each in (PAID, BEYOND, TIMES) if each not in known]
    if missing:
        yield Attempt(name, False, f"Constants the guarantee rests on are missing: {', '.join(missing)}.")
        return
    found = _offered(guarantee, guarantee.delta)
    if found is None:
        yield Attempt(name, False, "No length is chosen with so few rows at this ε.")
        return
    stated = found.constants(known[TIMES])
    listed = any(math.isclose(known[TIMES] * length, 1.0, rel_tol=CLOSE) for length in LENGTHS)
    held = listed and all(math.isclose(known[each], stated[each], rel_tol=CLOSE) for each in stated)
    told = f"The choice is said to cost ε = {known[PAID]:.6g}; here it costs {found.epsilon:.6g}."
    yield Attempt(name, held, told if listed else f"{told} The length is none of those that it is among.")


def left_for_the_fit(guarantee: Guarantee, delta: float) -> Budget:
    """What the fit was planned with."""
    found = _offered(guarantee, delta) if PAID in guarantee.constants else None
    return Budget(guarantee.epsilon, delta) if found is None else found.main


def _offered(guarantee: Guarantee, delta: float) -> UsualLength | None:
    records = min(max(1.0, guarantee.constants.get("records", 1.0)), MOST_RECORDS)
    return offer(round(records), Budget(guarantee.epsilon, delta))
