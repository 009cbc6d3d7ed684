"""Neighbours that are bad on purpose: tables in which nothing holds one record back, and ways to exchange it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[Any]
Data = tuple[Array, Labels]

SIDES = (-0.6, -0.2, 0.3, 0.7)
"""How far a mirrored pair leans along the axis it is mirrored across."""

LENGTHS = (1.0, 0.3, 0.05)


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two tables that differ in their first record, and how they were made."""

    case: str
    left: Data
    right: Data


def corner_pairs(n: int, d: int, labels: tuple[Any, Any], row_norm: float) -> Iterator[Pair]:
    """Every common table with every exchange, likeliest worst first."""
    for where, common in _common(n - 1, d, labels, row_norm):
        for how, here, there in _exchanges(d, labels, row_norm):
            yield Pair(f"{where}; {how}", _table(here, common), _table(there, common))


def _table(first: tuple[Array, Any], rest: Data) -> Data:
    return np.vstack([first[0], rest[0]]), np.concatenate([np.asarray([first[1]]), rest[1]])


def _common(count: int, d: int, labels: tuple[Any, Any], row_norm: float) -> Iterator[tuple[str, Data]]:
    """Nothing but the one record; heavy rows that pull along one axis; rows that cancel out."""
    same = np.full(count, labels[0])
    yield "others zero", (np.zeros((count, d)), same)
    for length in LENGTHS:
        rows = np.zeros((count, d))
        rows[:, 0] = length * row_norm
        yield f"others along one axis at {length:g}", (rows, same)
    balanced = np.where(np.arange(count) % 2 == 0, labels[0], labels[1])
    rows = np.zeros((count, d))
    rows[:, 0] = row_norm
    yield "others balanced", (rows, balanced)
    yield "others zero and balanced", (np.zeros((count, d)), balanced)
    few = np.where(np.arange(count) % 5 == 0, labels[1], labels[0])
    yield "others zero, one in five differs", (np.zeros((count, d)), few)


def _exchanges(
    d: int, labels: tuple[Any, Any], row_norm: float
) -> Iterator[tuple[str, tuple[Array, Any], tuple[Array, Any]]]:
    one, other = labels
    along = row_norm * np.eye(d)[0]
    yield "label flips", (along, one), (along, other)
    yield "record changes sign", (along, one), (-along, one)
    yield "record becomes zero", (along, one), (0 * along, one)
    yield "record and label change", (along, one), (-along, other)
    if d == 1:
        return
    across = row_norm * np.eye(d)[1]
    yield "record turns", (along, one), (across, one)
    yield "label flips beside the axis", (across, one), (across, other)
    for side in SIDES:
        height = math.sqrt(1 - side * side)
        for label in labels:
            here, there = side * along + height * across, side * along - height * across
            yield f"mirrored at {side:g}, label {label}", (here, label), (there, label)
