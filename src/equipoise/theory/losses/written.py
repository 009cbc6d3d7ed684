"""A loss as plain fields, as a released model keeps it, and back.  A name that is not in the list is refused."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from equipoise._checks import shown
from equipoise.errors import InvalidInput
from equipoise.theory.losses import LOSSES, Loss

Written = dict[str, str | float]

ALWAYS = ("classes", "cap")
"""Fields that every file of a loss that has them tells: a default would make another loss of it."""

MOST_CLASSES = 2**31


def write_loss(loss: Loss) -> Written:
    """Its name, and every number that it was made with."""
    found: Any = loss
    return {"name": loss.name, **asdict(found)}


def read_loss(written: Written) -> Loss:
    """The loss of that name with those numbers; never another."""
    kinds: dict[object, Any] = {kind.name: kind for kind in LOSSES}
    numbers: dict[str, Any] = {field: value for field, value in written.items() if field != "name"}
    try:
        kind = kinds[written.get("name")]
        missing = [field.name for field in fields(kind) if field.name in ALWAYS and field.name not in numbers]
        if "classes" in numbers:
            numbers["classes"] = _whole(numbers["classes"])
        loss: Loss | None = None if missing else kind(**numbers)
    except (KeyError, TypeError):
        raise InvalidInput("loss: not known to this version, update equipoise") from None
    if loss is None:
        raise InvalidInput(f"loss: {', '.join(missing)} missing, without which it would be another")
    return loss


def _whole(classes: float) -> int:
    """Numbers of a file are doubles."""
    if not (2 <= classes <= MOST_CLASSES and classes == int(classes)):
        raise InvalidInput(f"loss: classes={shown(classes)}, must be a whole number from 2 on")
    return int(classes)
