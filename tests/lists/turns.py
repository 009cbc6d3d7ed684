"""Products of two lists are met in turns in `make test`, and in full in `make test-slow`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")


def in_turns(values: Sequence[T], turn: int, turns: int) -> list[T]:
    """Every so many of the values, another one first at each turn: so many turns in a row meet all of them."""
    if settings.get_current_profile_name() == "fresh":
        return list(values)
    return list(values[turn % turns :: turns])
