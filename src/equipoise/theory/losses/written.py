"""A loss as plain fields, as a released model keeps it, and back.  A name that is not in the list is refused."""

from __future__ import annotations

from dataclasses import asdict
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
    numbers = {field: value for field, value in written.items() if field != "name"}
    try:
        loss: Loss = kinds[written.get("name")](**numbers)
    except (KeyError, TypeError):
        raise InvalidInput("loss: not known to this version, update equipoise") from None
    return loss
