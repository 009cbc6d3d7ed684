"""Which of the values that a schema lists a word is: the same word, or another spelling of the same number or truth.

A table with types holds no spellings, and whoever writes it as text chooses one: 1 beside a gap becomes 1.0, true
becomes True.  A schema means the same by both, whether its author put quotes around a value or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from equipoise.schema.rules import canonical

T = TypeVar("T")

EXACT = 2**53
"""Below this a double is one whole number and no other."""

TRUTHS = ("true", "false")


class Listed(Generic[T]):
    """What each listed word stands for; `find` gives it for a cell's word."""

    __slots__ = ("by_meaning", "by_word")

    def __init__(self, known: Mapping[str, T]) -> None:
        """Words as `canonical` writes them.

        Where several of them mean the same, as "01" and "1" do, each is itself, and any other spelling is the plain one
        if that is among them, else none.
        """
        self.by_word = known
        spellings: dict[str, list[str]] = {}
        for word in known:
            spellings.setdefault(meaning(word) or word, []).append(word)
        self.by_meaning = {
            each: known[words[0] if len(words) == 1 else each]
            for each, words in spellings.items()
            if len(words) == 1 or each in known
        }

    def __contains__(self, word: str) -> bool:
        return word in self.by_word or meaning(word) in self.by_meaning

    def find(self, word: str, otherwise: Callable[[], T]) -> T:
        """The same word first."""
        if word in self.by_word:
            return self.by_word[word]
        meant = meaning(word)
        return self.by_meaning[meant] if meant in self.by_meaning else otherwise()


def meaning(word: str) -> str | None:
    """The plain spelling of the number or truth that a word says; None of what is neither."""
    if word.lower() in TRUTHS:
        return word.lower()
    number = number_in(word)
    if not math.isfinite(number):
        return None
    if abs(number) < EXACT:
        return canonical(number)
    try:
        return str(int(word))  # by its digits: as doubles, neighbours are one
    except ValueError:
        return canonical(number)


def number_in(word: str) -> float:
    """The number that a word says; NaN where it says none."""
    if "_" in word:  # Python reads 1_000 as a number, nobody else does
        return math.nan
    try:
        return float(word)
    except ValueError:
        return math.nan
