"""Categories, ordinals and truths."""

from __future__ import annotations

import numpy as np

from equipoise.schema import cells
from equipoise.schema.columns import INDICATOR, Boolean, Category, Ordinal
from equipoise.schema.encoding.block import MISSING, NAMED_SO, OTHER, Array, Block, Rows, ones_at, with_indicator
from equipoise.schema.rules import canonical
from equipoise.schema.tables.table import Cells

NOT_LISTED, GONE = -1, -2


def category_block(name: str, column: Category, missing_words: tuple[str, ...]) -> Block:
    """One 1 in a slot for each value, then "other", then "missing" where the schema gives it a slot of its own."""
    listed, marked = len(column.values), column.missing == INDICATOR
    slots = [canonical(value) for value in column.values]
    slots += [NAMED_SO[slot] if slot in slots else slot for slot in (OTHER, *([MISSING] if marked else []))]
    gone = listed + 1 if marked else listed if column.missing == OTHER else _place(column.missing, column.values)

    def encode(held: Cells) -> Rows:
        place = cells.places(held, column.values, missing_words)
        return ones_at(np.where(place == NOT_LISTED, listed, np.where(place == GONE, gone, place)), len(slots))

    return Block(name, tuple(f"{name}={slot}" for slot in slots), encode)


def ordinal_block(name: str, column: Ordinal, missing_words: tuple[str, ...]) -> Block:
    """The place in the list, −1 for the first and 1 for the last."""
    marked, last = column.missing == INDICATOR, len(column.values) - 1
    fixed = column.missing not in ("middle", INDICATOR)
    fill = 2.0 * _place(column.missing, column.values) / last - 1.0 if fixed else 0.0

    def encode(held: Cells) -> Array:
        place = cells.places(held, column.values, missing_words)
        gone = place < 0
        found = np.where(gone, fill, 2.0 * place / last - 1.0)
        return with_indicator(found, gone) if marked else found[:, None]

    return Block(name, (name, f"{name}: {MISSING}") if marked else (name,), encode, 2.0 / last, last / 2.0, "step")


def boolean_block(name: str, column: Boolean, missing_words: tuple[str, ...]) -> Block:
    """1 for true, −1 for false."""
    marked = column.missing == INDICATOR
    fill = 2.0 * column.missing - 1.0 if isinstance(column.missing, bool) else 0.0

    def encode(held: Cells) -> Array:
        truth = cells.truths(held, column.yes, column.no, missing_words)
        gone = np.isnan(truth)
        found = np.where(gone, fill, 2.0 * truth - 1.0)
        return with_indicator(found, gone) if marked else found[:, None]

    return Block(name, (name, f"{name}: {MISSING}") if marked else (name,), encode, 2.0, 0.5, "true")


def _place(value: object, values: tuple[object, ...]) -> int:
    """Of a value that the schema has checked to be listed."""
    return [canonical(each) for each in values].index(canonical(value))  # type: ignore[arg-type]
