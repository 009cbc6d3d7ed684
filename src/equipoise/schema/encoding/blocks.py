"""The block of each kind of column."""

from __future__ import annotations

from equipoise.schema.columns import Boolean, Category, Column, Date, Ignored, Number, Ordinal, Text
from equipoise.schema.encoding.block import Block
from equipoise.schema.encoding.dates_and_text import date_block, text_block
from equipoise.schema.encoding.numbers import number_block
from equipoise.schema.encoding.words import boolean_block, category_block, ordinal_block


def block_of(name: str, column: Column, missing_words: tuple[str, ...]) -> Block:
    """What this column becomes."""
    match column:
        case Number():
            return number_block(name, column, missing_words)
        case Category():
            return category_block(name, column, missing_words)
        case Ordinal():
            return ordinal_block(name, column, missing_words)
        case Boolean():
            return boolean_block(name, column, missing_words)
        case Date():
            return date_block(name, column, missing_words)
        case Text():
            return text_block(name, column, missing_words)
        case Ignored():
            raise TypeError("an ignored column has no block")
