"""Options in words: which estimator, with which settings."""

from __future__ import annotations

import ast
from typing import Any

from equipoise._checks import shown
from equipoise.errors import InvalidInput

OURS = (
    *("epsilon", "delta", "ledger", "random_state", "classes", "label_bounds"),
    *("column_bounds", "categories", "pairs", "rows_per_person"),
)
"""Settings that other options or the schema state."""


def settings(words: tuple[str, ...]) -> dict[str, Any]:
    """`--set alpha=0.01` and the like, as Python values."""
    found = dict(pair(word, "set") for word in words)
    for name in found:
        if name in OURS:
            raise InvalidInput(f"set={name}: is stated by an option of its own or by the schema")
    return {name: value(text) for name, text in found.items()}


def pair(text: str, option: str) -> tuple[str, str]:
    """`name=value` in two."""
    name, mark, said = text.partition("=")
    if not mark or not name:
        raise InvalidInput(f"{option}={shown(text)}: must be name=value")
    return name, said


def value(text: str) -> Any:
    """A Python literal, or text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def grid(words: tuple[str, ...]) -> dict[str, list[Any]]:
    """`--try alpha=0.001,0.01` as candidates."""
    found = {name: [value(each) for each in text.split(",")] for name, text in (pair(word, "try") for word in words)}
    if not found:
        raise InvalidInput("try: give at least one setting with its candidates, such as --try alpha=0.001,0.01,0.1")
    return found
