"""How often each value of a column occurs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from equipoise.inside.private import Private

Named = tuple[str, str]
"""A column and one of its values."""


def enter_words(columns: Mapping[str, Sequence[str | None]]) -> Private[dict[str, list[str | None]]]:
    """One word for each record and column, None where there is none, wrapped."""
    return Private({name: list(words) for name, words in columns.items()})


def word_counts(columns: Private[dict[str, list[str | None]]]) -> Private[dict[Named, int]]:
    """Of every column and value that occurs; a record counts once in each column at most."""
    return columns.map(_counts)


def _counts(columns: dict[str, list[str | None]]) -> dict[Named, int]:
    return dict(Counter((name, word) for name, words in columns.items() for word in words if word is not None))
