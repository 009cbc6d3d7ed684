"""Reading fields of a file: trusts nothing, every field is asked for by name and by type."""

from __future__ import annotations

import codecs
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
Fields = dict[str, Any]
Reader = Callable[[Any, str], T]


class Damaged(Exception):
    """What is wrong with a file, in words that name a field and never quote its value."""


def unparsed(raw: bytes, what: str) -> Damaged:
    """Of what JSON's parser refused.  What does not even start as an object or a list, as a table, was never any, and
    nobody has it to save again."""
    start = raw.removeprefix(codecs.BOM_UTF8).lstrip()
    if start and not start.startswith((b"{", b"[")):
        return Damaged(f"it is no JSON, give the file of a saved {what}")
    return Damaged(f"the JSON is cut short or damaged, save the {what} again")


def pair(value: Any, name: str) -> tuple[float, float]:
    """Two numbers."""
    numbers = [number(item, name) for item in listed(value, name)]
    if len(numbers) != 2:
        raise Damaged(f"{name}: must be pairs of numbers")
    return numbers[0], numbers[1]


def read_fields(fields: Any, wanted: dict[str, Reader[Any]], prefix: str) -> Fields:
    """Exactly the wanted fields, each of its type: a missing one cannot be guessed, an unknown one may matter."""
    if not isinstance(fields, dict):
        raise Damaged(f"{prefix.rstrip('.')}: must be an object")
    for name in wanted:
        if name not in fields:
            raise Damaged(f"{prefix}{name}: is missing")
    if len(fields) > len(wanted):
        raise Damaged(f"{prefix or 'the model '}has fields this version does not know, update equipoise")
    return {name: read(fields[name], prefix + name) for name, read in wanted.items()}


def written(value: float) -> float | str:
    """JSON has no infinity; where a constant means "no bound", the word is written."""
    return "inf" if value == math.inf else float(value)


def text(value: Any, name: str) -> str:
    """Any string."""
    if not isinstance(value, str):
        raise Damaged(f"{name}: must be text")
    return value


def flag(value: Any, name: str) -> bool:
    """True or false, nothing else."""
    if not isinstance(value, bool):
        raise Damaged(f"{name}: must be true or false")
    return value


def number(value: Any, name: str) -> float:
    """A finite number."""
    if type(value) not in (int, float):  # a boolean is an int to Python
        raise Damaged(f"{name}: must be a number")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise Damaged(f"{name}: must be finite")
    return found


def amount(value: Any, name: str) -> float:
    """A number that is not negative."""
    found = number(value, name)
    if found < 0:
        raise Damaged(f"{name}: must be >= 0")
    return found


def share(value: Any, name: str) -> float:
    """A number in [0, 1)."""
    found = amount(value, name)
    if found >= 1:
        raise Damaged(f"{name}: must be in [0, 1)")
    return found


def bound(value: Any, name: str) -> float:
    """A number that is not negative, or the word for none."""
    return math.inf if value == "inf" else amount(value, name)


def constant(value: Any, name: str) -> float:
    """A number, or the word for no bound."""
    return math.inf if value == "inf" else number(value, name)


def constants(value: Any, name: str) -> dict[str, float]:
    """Numbers by their names."""
    if not isinstance(value, dict):
        raise Damaged(f"{name}: must be an object")
    return {key: constant(number, name) for key, number in value.items()}


def label(value: Any, name: str) -> str | int | bool | float:
    """A name or a number, of its own type."""
    if isinstance(value, str | bool):
        return value
    return value if isinstance(value, int) else number(value, name)


def maybe(read: Reader[T]) -> Reader[T | None]:
    """Null, or what the other reads."""
    return lambda value, name: None if value is None else read(value, name)


def tuple_of(read: Reader[T]) -> Reader[tuple[T, ...]]:
    """A list of what the other reads."""
    return lambda value, name: tuple(read(item, name) for item in listed(value, name))


def listed(value: Any, name: str) -> list[Any]:
    """A list of anything."""
    if not isinstance(value, list):
        raise Damaged(f"{name}: must be a list")
    return value


def vector(value: Any, name: str) -> npt.NDArray[np.float64]:
    """A list of numbers."""
    return np.array([number(item, name) for item in listed(value, name)], dtype=np.float64)
