"""What was found out first, in a saved model: what each choice cost and what it left for the fit, from public facts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from equipoise.audit.verdict import Attempt
from equipoise.gate.models.usual_length import added
from equipoise.theory import usual_labels, usual_length
from equipoise.theory.accounting import total_delta
from equipoise.theory.guarantees import Budget, Gaussian, Guarantee, Pure
from equipoise.theory.noise import Law
from equipoise.theory.plan import MOST_RECORDS, Plan
from equipoise.theory.tuning.stability import plan_within, what_is_left
from equipoise.theory.usual_labels import LOWER, UPPER, UsualLabels
from equipoise.theory.usual_length import LENGTHS, UsualLength

CLOSE = 1e-9
PAID, BEYOND, TIMES = UsualLength(1.0, 1.0).constants(1.0)
"""What a guarantee says of a usual length."""

LABELS = LABELS_PAID, LABELS_BEYOND = tuple(UsualLabels(1.0, 1.0).constants(None))
"""What it says of a usual range of labels; its ends as well, where it is not the bounds."""

CHOSEN = PAID, BEYOND, TIMES, *LABELS, LOWER, UPPER


def chosen_first(guarantee: Guarantee) -> Iterator[Attempt]:
    """One check for each choice that was made."""
    known = guarantee.constants
    labels, length = _offered(guarantee, guarantee.delta) if math.isfinite(guarantee.epsilon) else (None, None)
    if any(each in known for each in (*LABELS, LOWER, UPPER)):
        name, narrowed = "the usual labels against the claim", LOWER in known or UPPER in known
        needed = (*LABELS, LOWER, UPPER) if narrowed else LABELS
        stated = None if labels is None else labels.constants(None)
        yield _held(name, known, needed, stated, not narrowed or _is_public(known), "The range")
    if any(each in known for each in (PAID, BEYOND, TIMES)):
        times = known.get(TIMES, 0.0)
        listed = any(math.isclose(times * each, 1.0, rel_tol=CLOSE) for each in LENGTHS)
        stated = None if length is None else length.constants(times)
        yield _held("the usual length against the claim", known, (PAID, BEYOND, TIMES), stated, listed, "The length")


def _held(
    name: str,
    known: Mapping[str, float],
    needed: tuple[str, ...],
    stated: dict[str, float] | None,
    listed: bool,
    what: str,
) -> Attempt:
    missing = [each for each in needed if each not in known]
    if missing:
        return Attempt(name, False, f"Constants the guarantee rests on are missing: {', '.join(missing)}.")
    if stated is None:
        return Attempt(name, False, f"{what} is not chosen with so few rows at this ε.")
    held = listed and all(math.isclose(known[each], stated[each], rel_tol=CLOSE) for each in stated)
    told = f"The choice is said to cost ε = {known[needed[0]]:.6g}; here it costs {stated[needed[0]]:.6g}."
    return Attempt(name, held, told if listed else f"{told} {what} is none of those that it is among.")


def _is_public(known: Mapping[str, float]) -> bool:
    """Whether it is one of the ranges within the label bounds; up to rounding, which is large where these are close
    together and far from nought."""
    low, high = known.get("label lower bound", 0.0), known.get("label upper bound", 0.0)
    if not low < high:
        return False
    coded = [(2 * known.get(end, math.nan) - low - high) / (high - low) for end in (LOWER, UPPER)]
    widened = UsualLabels(1.0, known.get(LABELS_BEYOND, 0.0)).widened
    offered = [usual_labels.ends(each, widened) for each in usual_labels.ranges(usual_labels.WIDEST)]
    room = CLOSE + 2.0**-48 * max(abs(low), abs(high)) / (high - low)
    return any(each is not None and max(abs(np.subtract(coded, each))) < room for each in offered)


def beside_choices(guarantee: Guarantee, shift: float, pure: float) -> bool:
    """Whether noise that shows so much, as Gaussian or as pure, and the choices stay within the claim together."""
    spent = added(*(guarantee.constants.get(name, 0.0) for name in (LABELS_PAID, PAID)))
    if spent == 0:
        return True
    if Law.GAUSSIAN not in guarantee.laws:
        return pure + spent <= guarantee.epsilon * (1 + CLOSE)
    if not (0 < spent < math.inf and math.isfinite(shift)):
        return False
    together = total_delta([Pure(spent), Gaussian(shift)], guarantee.epsilon * (1 + CLOSE))
    return together <= guarantee.delta * (1 + CLOSE)


def fit_beside(plan_at: Callable[[Budget], Plan], guarantee: Guarantee, delta: float) -> Plan:
    """The plan of the fit within what the choices left."""
    choices = [each.epsilon for each in _offered(guarantee, delta) if each is not None]
    budget = Budget(guarantee.epsilon, delta)
    return plan_within(plan_at, budget, added(*choices)) if choices else plan_at(budget)


def _offered(guarantee: Guarantee, delta: float) -> tuple[UsualLabels | None, UsualLength | None]:
    """The choices that it says were made, labels first, as they would be made here."""
    records = round(min(max(1.0, guarantee.constants.get("records", 1.0)), MOST_RECORDS))
    budget, known = Budget(guarantee.epsilon, delta), guarantee.constants
    labels = usual_labels.offer(records, budget) if LABELS_PAID in known else None
    left = budget if labels is None else what_is_left(budget, labels.epsilon)
    return labels, usual_length.offer(records, left) if PAID in known else None
