"""Every problem of the comparison, set by set."""

from __future__ import annotations

from functools import lru_cache

from benchmarks.utility import simulated
from benchmarks.utility.problem import Problem, Spec
from benchmarks.utility.tables import (
    alternatives,
    amounts,
    bundled,
    choices,
    events,
    fates,
    folder,
    keel,
    keel_again,
    kinds,
    measures,
    offices,
    outcomes,
    r_packages,
    readings,
    several,
    sums,
    surveys,
    textbooks,
    textbooks_again,
    worth,
)
from equipoise.errors import InvalidInput

FILES = (
    folder,
    bundled,
    keel,
    textbooks,
    keel_again,
    textbooks_again,
    r_packages,
    surveys,
    choices,
    offices,
    outcomes,
    several,
    amounts,
    measures,
    events,
    alternatives,
    readings,
    worth,
    fates,
    kinds,
    sums,
    simulated,
)
SPECS: dict[str, Spec] = {spec.name: spec for file in FILES for spec in file.SPECS}


@lru_cache(maxsize=2)
def load(name: str) -> Problem:
    """The problem; the last two stay in memory, as cells come problem by problem."""
    if name not in SPECS:
        raise InvalidInput(f"problems={name!r}: must be one of {', '.join(SPECS)}")
    return SPECS[name].load()
