"""A schema as plain data and back.  Reading guesses nothing: unknown fields are named, missing ones asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from equipoise._checks import quoted, shown
from equipoise.errors import BoundsRequired, InvalidInput
from equipoise.schema import rules
from equipoise.schema.columns import KINDS, Column
from equipoise.schema.people import Classes, Person, Range, Target
from equipoise.schema.schema import MISSING_WORDS, Schema

VERSION = 1
FIELDS = ("equipoise-schema", "about", "target", "person", "columns", "missing_words")


def from_plain(given: Mapping[str, Any]) -> Schema:
    """The schema that this data describes."""
    data = _mapping(given, "schema")
    _known(data, FIELDS, "schema")
    version = data.get("equipoise-schema", VERSION)
    if type(version) is not int or version != VERSION:
        raise InvalidInput(f"equipoise-schema={shown(version)}: this version reads {VERSION}, update equipoise")
    said = _mapping(data.get("columns"), "columns")
    _refuse_unfilled(said)
    columns = {name: _column(name, what) for name, what in said.items()}
    target, person = data.get("target"), data.get("person")
    return Schema(
        columns,
        None if target is None else _target(_mapping(target, "target")),
        None if person is None else _made(Person, _mapping(person, "person"), "person"),
        data.get("missing_words", MISSING_WORDS),
        about=data.get("about", ""),
    )


def to_plain(schema: Schema) -> dict[str, Any]:
    """What `from_plain` reads."""
    found: dict[str, Any] = {"equipoise-schema": VERSION}
    if schema.about:
        found["about"] = schema.about
    if schema.target is not None:
        found["target"] = _said(schema.target)
    if schema.person is not None:
        found["person"] = _said(schema.person)
    if schema.missing_words != MISSING_WORDS:
        found["missing_words"] = list(schema.missing_words)
    found["columns"] = {name: {"kind": each.kind, **_said(each)} for name, each in schema.columns.items()}
    return found


def _refuse_unfilled(columns: dict[str, Any]) -> None:
    """All at once: a form has as many blanks as the table has columns."""
    kinds = {name: _mapping(what, f"column {quoted(name)}").get("kind") for name, what in columns.items()}
    blank = [name for name, kind in kinds.items() if kind is None or rules.unfilled(kind)]
    if not blank:
        return
    more = f" ({len(blank)} columns are not filled in yet)" if len(blank) > 1 else ""
    raise BoundsRequired(f"column {quoted(blank[0])}: kind: say which of {', '.join(KINDS)} it is{more}")


def _column(name: Any, what: Any) -> Column:
    where = f"column {quoted(name)}"
    said = _mapping(what, where)
    kind = said.pop("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidInput(f"{where}: kind={shown(kind)}: must be one of {', '.join(KINDS)}")
    made: Column = _made(KINDS[kind], said, where)
    return made


def _target(said: dict[str, Any]) -> Target:
    if "classes" in said and "bounds" in said:
        raise InvalidInput("target: give classes, or bounds for a number, not both")
    if "classes" not in said and "bounds" not in said:
        raise BoundsRequired("target: give classes, or bounds for a number, from public knowledge")
    made: Target = _made(Classes if "classes" in said else Range, said, "target")
    return made


def _made(cls: Any, said: dict[str, Any], where: str) -> Any:
    """An object of this class; whatever it complains of is told with the place."""
    own = fields(cls)
    _known(said, tuple(each.name for each in own), where)
    lacking = [each.name for each in own if each.default is MISSING and said.get(each.name) is None]
    if lacking:
        raise BoundsRequired(f"{where}: {lacking[0]}: is missing, state it from public knowledge")
    try:
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in said.items()})
    except (BoundsRequired, InvalidInput) as problem:
        raise type(problem)(f"{where}: {problem}") from None


def _said(what: Any) -> dict[str, Any]:
    """The fields that are not as usual, lists for tuples."""
    pairs = ((each, getattr(what, each.name)) for each in fields(what))
    return {
        each.name: list(value) if isinstance(value, tuple) else value
        for each, value in pairs
        if each.default is MISSING or value != each.default
    }


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{where}: must be a mapping of names to values")
    return dict(value)


def _known(said: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for name in said:
        if name not in known:
            raise InvalidInput(f"{where}: unknown field {quoted(name)}, known are {', '.join(known)}")
