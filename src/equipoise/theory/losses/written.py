"""A loss as plain fields, as a released model keeps it, and back.  A name that is not in the list is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any

from equipoise.errors import InvalidInput
from equipoise.theory.losses import LOSSES, Loss

Written = dict[str, str | float]


def write_loss(loss: Loss) -> Written:
    """Its name, and every number that it was made with."""
    found: Any = loss
    return {"name": loss.name, **asdict(found)}


def read_loss(written: Written) -> Loss:
    """The loss of that name with those numbers; never another."""
    kinds: dict[object, Any] = {kind.name: kind for kind in LOSSES}
    try:
        kind = kinds[written.get("name")]
        numbers = {field: value for field, value in written.items() if field != "name"}
        for field in fields(kind):
            if field.name in ALWAYS:
                numbers[field.name] = ALWAYS[field.name](written[field.name])
        loss: Loss = kind(**numbers)
    except (KeyError, TypeError):
        raise InvalidInput("loss: not known to this version, update equipoise") from None
    return loss


def _classes(value: object) -> int:
    """A whole number of them."""
    if not (isinstance(value, int | float) and value == int(value) and 2 <= value <= MOST_CLASSES):
        raise InvalidInput(f"loss: classes={value!r}, must be a whole number from 2 on")
    return int(value)


MOST_CLASSES = 2**31
ALWAYS: dict[str, Callable[[Any], Any]] = {"classes": _classes, "cap": lambda value: value}
"""Fields that every file of such a loss has: without them it would be read as another."""
