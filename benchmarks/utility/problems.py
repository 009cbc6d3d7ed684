"""Every problem of the comparison, set by set."""

from __future__ import annotations

from functools import lru_cache

from benchmarks.utility import simulated
from benchmarks.utility.problem import Problem, Spec
from benchmarks.utility.tables import (
    amounts,
    bundled,
    choices,
    folder,
    keel,
    keel_again,
    measures,
    offices,
    outcomes,
    r_packages,
    several,
    surveys,
    textbooks,
    textbooks_again,
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
    simulated,
)
SPECS: dict[str, Spec] = {spec.name: spec for file in FILES for spec in file.SPECS}


@lru_cache(maxsize=2)
def load(name: str) -> Problem:
    """The problem; the last two stay in memory, as cells come problem by problem."""
    if name not in SPECS:
        raise InvalidInput(f"problems={name!r}: must be one of {', '.join(SPECS)}")
    return SPECS[name].load()
