"""What a release gave, made comparable: for each draw a kind (its shape and every part that is no number) and numbers.

A draw that raised is a kind of its own, named after the exception, and so is one that came with warnings; what they
said is told apart by a fingerprint, the words are not kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.audit.witness import Raised, Warned
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]
Kinds = npt.NDArray[np.object_]
Draws = list[Any] | npt.NDArray[Any]

LARGEST = 1e100
"""Numbers beyond are as good as equal; their squares must stay finite."""

SHOWN = 40
"""Letters of a kind that are kept for a reader; longer ones are told apart in full."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """One kind and one row of numbers for each draw; short rows are filled up with zeros.

    `said` is a fingerprint of the words that came with a draw, as an exception or as warnings; empty for none.
    """

    kinds: Kinds
    numbers: Array
    said: Kinds

    def __len__(self) -> int:
        return len(self.kinds)

    def part(self, start: int, stop: int) -> Outputs:
        return Outputs(self.kinds[start:stop], self.numbers[start:stop], self.said[start:stop])


def described(left: Draws, right: Draws) -> tuple[Outputs, Outputs]:
    """Both samples in the same terms, with equally long rows of numbers."""
    here, there = _plain(left), _plain(right)
    if here is None or there is None or here.shape[1] != there.shape[1]:
        return _taken_apart(left, right)
    return _of_one_kind(here), _of_one_kind(there)


def _of_one_kind(numbers: Array) -> Outputs:
    return Outputs(np.full(len(numbers), "numbers", dtype=object), numbers, silent(len(numbers)))


def silent(count: int) -> Kinds:
    """Nothing was said with any of so many draws."""
    return np.full(count, "", dtype=object)


def _taken_apart(left: Draws, right: Draws) -> tuple[Outputs, Outputs]:
    kinds: list[str] = []
    rows: list[list[float]] = []
    for draw in [*left, *right]:
        words: list[str] = []
        numbers: list[float] = []
        _walk(draw, words, numbers)
        kinds.append(" ".join([*words, "numbers"] if numbers else words))
        rows.append(numbers)
    table = np.zeros((len(rows), max(map(len, rows))))
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    said = np.array([_said(draw) for draw in [*left, *right]], dtype=object)
    both = Outputs(np.array(kinds, dtype=object), np.clip(table, -LARGEST, LARGEST), said)
    return both.part(0, len(left)), both.part(len(left), len(rows))


def _plain(draws: Draws) -> Array | None:
    """All draws as finite numbers of one shape, if that is what they are: the fast path."""
    if isinstance(draws, list) and any(isinstance(draw, Raised | Warned) for draw in draws):
        return None
    if any(isinstance(draw, str | bytes | Mapping | Set) for draw in draws[:1]):
        return None
    try:
        table = np.asarray(draws)
    except ValueError:  # rows of different lengths
        return None
    if table.dtype.kind not in "fiub" or not np.isfinite(table).all():
        return None
    return np.clip(np.asarray(table.reshape(len(table), -1), dtype=np.float64), -LARGEST, LARGEST)


def _said(draw: object) -> str:
    return f"{draw} #{draw.words}" if isinstance(draw, Raised | Warned) else ""


def _walk(value: object, words: list[str], numbers: list[float]) -> None:
    """Take a value apart: finite numbers to `numbers`, everything else to `words`."""
    match value:
        case Raised():
            words.append(str(value))
        case Warned():
            words.append(str(value))
            _walk(value.output, words, numbers)
        case None | str() | bytes():
            words.append(repr(value))
        case bool() | np.bool_():
            words.append(str(bool(value)))
        case Real():
            number = float(value)
            (numbers.append(number) if np.isfinite(number) else words.append(str(number)))
        case Mapping():
            for key in sorted(value, key=repr):
                words.append(f"{key!r}:")
                _walk(value[key], words, numbers)
        case Set():
            words.append(f"{{{', '.join(sorted(map(repr, value)))}}}")
        case list() | tuple():
            words.append(f"{len(value)} parts:")
            for item in value:
                _walk(item, words, numbers)
        case _:
            _walk_array(value, words, numbers)


def _walk_array(value: object, words: list[str], numbers: list[float]) -> None:
    array = np.asarray(value)
    if array.ndim == 0 and array.dtype.kind == "O":
        raise InvalidInput(
            f"release: gave an output of type {type(value).__name__}, must be numbers, text, or lists of them"
        )
    if array.ndim > 0:
        words.append(f"shape {array.shape}:")
    for item in array.ravel().tolist():
        _walk(item, words, numbers)


def shown(kind: str) -> str:
    """A kind for a reader."""
    return kind if len(kind) <= SHOWN else kind[: SHOWN - 1] + "…"
