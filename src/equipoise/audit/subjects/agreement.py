"""A guarantee against itself: what it says twice must be the same both times, and what a person is must be counted.

No plan is needed for this, so it holds for every kind of file; a number that is told once is for `derived`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from equipoise.audit.verdict import Attempt
from equipoise.theory.guarantees import ONE_ROW, Guarantee
from equipoise.theory.plan import person_unit

CLOSE = 1e-9
NAME = "the file against itself"
ROWS = "rows per person"
ALL_ROWS = "one person, however many rows"
"""The unit of what is dealt to shards with all rows of a person together."""

GROUPS = re.compile(r"one group of at most [1-9]\d* rows")
"""The unit of a search over parts, with all rows of a group together."""

WHOLE = "records", "released numbers", ROWS, "steps", "pairs", "partners"
"""What is counted."""


def agrees_with_itself(guarantee: Guarantee) -> Attempt:
    """Broken where the file contradicts itself."""
    wrong = [*_told_twice(guarantee), *_unit(guarantee), *_counted(guarantee)]
    if wrong:
        return Attempt(NAME, False, f"It contradicts itself: {'; '.join(wrong)}.")
    return Attempt(
        NAME, True, "What it says twice is the same both times, and whom it protects goes with its constants."
    )


def _told_twice(guarantee: Guarantee) -> Iterator[str]:
    """Of noise in two places the first one counts, which tilts the objective."""
    known = guarantee.constants
    noise = next((name for name in ("tilt noise scale", "noise scale") if name in known), "")
    for field, value, name in (
        ("sensitivity", guarantee.sensitivity, "sensitivity"),
        ("noise scale", guarantee.noise_scale, noise),
    ):
        if name in known and not math.isclose(value, known[name], rel_tol=CLOSE):
            yield f"the promise's {field} is {value:.6g}, its constant {known[name]:.6g}"
    if {"row norm", "intercept column", "row norm with intercept"} <= known.keys():
        norm = math.hypot(known.get("reach around the middle", known["row norm"]), known["intercept column"])
        if not math.isclose(norm, known["row norm with intercept"], rel_tol=CLOSE):
            stated = known["row norm with intercept"]
            yield f"rows with their constant column are {norm:.6g} long, said to be {stated:.6g}"


def _unit(guarantee: Guarantee) -> Iterator[str]:
    """A person's cap must be among the constants, and be the one in words; of groups a search says how large they are,
    and the fits in it know nothing of them."""
    cap = guarantee.constants.get(ROWS)
    if guarantee.unit in (ONE_ROW, ALL_ROWS) or GROUPS.fullmatch(guarantee.unit):
        if cap is not None:
            yield f"the unit is {guarantee.unit}, and a person's rows are capped"
    elif cap is None:
        yield f"the unit is {guarantee.unit}, and no constant says so"
    elif not (cap >= 1 and cap == round(cap) and guarantee.unit == person_unit(round(cap))):
        yield f"the unit is {guarantee.unit}, and the constant is {cap:.6g}"


def _counted(guarantee: Guarantee) -> Iterator[str]:
    """Nobody has half a row."""
    for name in WHOLE:
        value = guarantee.constants.get(name)
        if value is not None and not (math.isfinite(value) and value >= 0 and value == round(value)):
            yield f"{name} are {value:.6g}, which is no count"
