"""The bounds and the lift of a model's rows as plain fields and back."""

from __future__ import annotations

from typing import Any

from equipoise.outside.reading import (
    Damaged,
    Fields,
    Reader,
    amount,
    label,
    maybe,
    number,
    pair,
    read_fields,
    text,
    tuple_of,
)
from equipoise.rows import RowBounds
from equipoise.rows.lifts import AnyLift, Fourier, Tasks
from equipoise.theory.bounds import View

FOURIER, TASKS = "fourier", "tasks"


def rows_to_fields(bounds: RowBounds) -> Fields:
    """As JSON types."""
    columns = None if bounds.columns is None else [list(pair) for pair in bounds.columns]
    fields: Fields = {"row_norm": bounds.row_norm, "columns": columns}
    if bounds.view is not None:
        fields["view"] = {"reach": bounds.view.reach, "middle": list(bounds.view.middle or ())}
    return fields


def rows_from_fields(value: Any, name: str) -> RowBounds:
    """And back."""
    wanted: dict[str, Reader[Any]] = {"row_norm": number, "columns": maybe(tuple_of(pair))}
    if isinstance(value, dict) and "view" in value:
        wanted["view"] = _view
    return RowBounds(**read_fields(value, wanted, f"{name}."))


def _view(value: Any, name: str) -> View:
    return View(**read_fields(value, {"reach": number, "middle": tuple_of(number)}, f"{name}."))


def lift_to_fields(lift: AnyLift) -> Fields:
    """Its kind, and the numbers that make it."""
    common = {"bounds": rows_to_fields(lift.bounds), "width": lift.width}
    if isinstance(lift, Tasks):
        own = {"column": lift.column, "tasks": list(lift.tasks), "coupling": lift.coupling, "intercept": lift.intercept}
        return {"kind": TASKS, **common, **own}
    return {
        "kind": FOURIER,
        **common,
        "kernel": lift.kernel,
        "bandwidth": lift.bandwidth,
        "frequencies": lift.frequencies,
        "seed": f"{lift.seed:032x}",  # text: others read whole numbers as doubles
    }


def lift_from_fields(value: Any, name: str) -> AnyLift:
    """And back; a kind that this version does not know is refused."""
    kind = value.get("kind") if isinstance(value, dict) else None
    common: dict[str, Reader[Any]] = {"kind": text, "bounds": rows_from_fields, "width": _count}
    if kind == FOURIER:
        waves: dict[str, Reader[Any]] = {"kernel": text, "bandwidth": number, "frequencies": _count, "seed": _seed}
        return Fourier(**_without_kind(read_fields(value, common | waves, f"{name}.")))
    if kind == TASKS:
        tasks: dict[str, Reader[Any]] = {
            "column": _place,
            "tasks": tuple_of(label),
            "coupling": amount,
            "intercept": amount,
        }
        return Tasks(**_without_kind(read_fields(value, common | tasks, f"{name}.")))
    raise Damaged(f"{name}.kind: not known to this version, update equipoise")


def _without_kind(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if name != "kind"}


def _count(value: Any, name: str) -> int:
    if type(value) is not int or value < 1:
        raise Damaged(f"{name}: must be a whole number >= 1")
    return value


def _place(value: Any, name: str) -> int:
    if type(value) is not int or value < 0:
        raise Damaged(f"{name}: must be a whole number >= 0")
    return value


def _seed(value: Any, name: str) -> int:
    try:
        return int(text(value, name), 16)
    except ValueError:
        raise Damaged(f"{name}: must be a number in hexadecimal digits") from None
