"""From the rows of a table to vectors no longer than a public norm, by a schema and nothing else.

Nothing is fitted, so a row becomes the same vector in a fit, in a prediction and alone.  The guarantee of a release
does not rest on this file: whoever learns from the vectors clips them once more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from equipoise._checks import is_word, moderate, shown
from equipoise.errors import InvalidInput
from equipoise.rows.unseen import unseen
from equipoise.schema.encoding.block import Array, Block, Rows, told_apart
from equipoise.schema.encoding.blocks import block_of
from equipoise.schema.schema import Schema
from equipoise.schema.tables import Table

ROUNDING = 1e-12
"""Rows stay within the norm in doubles too."""

DENSE_CELLS = 1000
"""Encoded tables wider than this are sparse unless told otherwise."""


@dataclass(frozen=True)
class Encoding:
    """A schema, the norm that rows keep to, and pairs of columns whose products are columns too."""

    schema: Schema
    norm: float = 1.0
    interactions: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.schema, Schema):
            raise InvalidInput("schema: must be an equipoise.Schema, such as Schema.load(path)")
        moderate(norm=self.norm)
        object.__setattr__(self, "interactions", _pairs(self.interactions, self.schema.features))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """One for each column to learn from, then one for each interaction."""
        words = self.schema.missing_words
        single = {name: block_of(name, self.schema.columns[name], words) for name in self.schema.features}
        return tuple(single.values())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the encoded columns, each its own."""
        single = {block.column: block.names for block in self.blocks}
        both = (f"{a} × {b}" for left, right in self.interactions for a in single[left] for b in single[right])
        return told_apart((*(name for block in self.blocks for name in block.names), *both))

    @property
    def weight(self) -> float:
        """What every encoded number is multiplied by: norm/√columns, the same for all, so that no row need be shortened
        and what is learnt has a meaning in the columns' own units (docs/decisions/0028-encoding.md)."""
        return self.norm * (1.0 - ROUNDING) / math.sqrt(len(self.blocks) + len(self.interactions))

    def rows(self, table: Table, wide: bool | None = None) -> Rows:
        """(rows, len(names)), sparse if `wide`; without a word, where there are more than a thousand columns."""
        table.require(block.column for block in self.blocks)
        with unseen():
            if len(self.names) <= DENSE_CELLS if wide is None else not wide:
                return self._dense(table)
            found = self._parts(table, frozenset())
        joined = sparse.csr_array(sparse.hstack([sparse.csr_array(part) for part in found], format="csr"))
        joined.data *= self.weight
        return joined

    def _parts(self, table: Table, left_out: frozenset[str]) -> list[Rows]:
        """One for each column that is not left out, and for each interaction."""
        kept = [block for block in self.blocks if block.column not in left_out]
        parts = {block.column: block.encode(table[block.column]) for block in kept}
        return [*parts.values(), *(_products(parts[left], parts[right]) for left, right in self.interactions)]

    def _dense(self, table: Table) -> Array:
        """Each encoded column in one piece: tables come in columns, and so do the sums over them."""
        turned, first, weight = np.empty((len(self.names), len(table))), 0, self.weight
        paired = {name for pair in self.interactions for name in pair}
        direct = frozenset(block.column for block in self.blocks if block.into and block.column not in paired)
        others = iter(self._parts(table, direct))
        for block in (*self.blocks, *self.interactions):
            if isinstance(block, Block) and block.column in direct and block.into:
                block.into(table[block.column], turned[first], weight)
                first += 1
                continue
            part = next(others)
            dense = part.toarray() if isinstance(part, sparse.csr_array) else part
            np.multiply(dense.T, weight, out=turned[first : first + dense.shape[1]])
            first += dense.shape[1]
        return turned.T

    def check_types(self, types: dict[str, str], *, target: bool = False, person: bool = False) -> None:
        """Names and types of a table that can be encoded, with its target where that is read as well; what cannot is
        refused before a cell is."""
        from equipoise.schema.check import by_type

        fatal = [found for found in by_type(self.schema, types, target=target, person=person) if found.fatal]
        if fatal:
            raise InvalidInput(f"data: {fatal[0]}")


def _products(left: Rows, right: Rows) -> Rows:
    """Every number of the one times every number of the other; lengths multiply, so none exceeds 1."""
    one, other = sparse.csr_array(left), sparse.csr_array(right)
    columns = [other.multiply(one[:, [place]].toarray()) for place in range(one.shape[1])]
    return sparse.csr_array(sparse.hstack(columns, format="csr"))


def _pairs(given: Any, features: Sequence[str]) -> tuple[tuple[str, str], ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidInput("interactions: must be a list of pairs of column names")
    pairs = []
    for pair in given:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise InvalidInput("interactions: must be a list of pairs of column names")
        lacking = [name for name in pair if not is_word(name, *features)]
        if lacking or pair[0] == pair[1]:
            raise InvalidInput(f"interactions: {shown(list(pair))} must be two different columns of the schema")
        pairs.append((str(pair[0]), str(pair[1])))
    return tuple(dict.fromkeys(pairs))
