"""The target of a table as labels, by its schema: each cell by itself, no cell is an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.errors import BoundsRequired
from equipoise.outside.model import label_array
from equipoise.rows.unseen import unseen
from equipoise.schema import Classes, Schema, Target, cells
from equipoise.schema.tables import Table

NO_TARGET = "target: the schema names none, state its column with classes or bounds"


def target_of(schema: Schema) -> Target:
    """What the schema says is learnt."""
    if schema.target is None:
        raise BoundsRequired(NO_TARGET)
    return schema.target


def labels_of(table: Table, schema: Schema) -> npt.NDArray[Any]:
    """One of the classes for each row, the first where a cell is none of them; or numbers, NaN where missing."""
    target = target_of(schema)
    held = table[target.column]
    with unseen():  # a cell may be an object with words of its own
        if not isinstance(target, Classes):
            return cells.numbers(held, schema.missing_words)
        places = cells.places(held, target.classes, schema.missing_words)
    return np.take(label_array(target.classes), np.maximum(places, 0))
