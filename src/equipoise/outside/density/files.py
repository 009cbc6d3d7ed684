"""Densities as JSON with a format and a schema number: exact floats, atomic writes, never pickle."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import Any

from equipoise._writing import file_at
from equipoise.errors import InvalidInput, UnreadableFile
from equipoise.outside import fields as _fields
from equipoise.outside import reading as read
from equipoise.outside.density.released_density import Density
from equipoise.outside.files import _no_constant, _no_twins, write_whole
from equipoise.outside.reading import Damaged, unparsed
from equipoise.theory.tables.density import Box, cells_of

FORMAT = "equipoise-density"
SCHEMA = 2
"""1: the first.  2: `origin`, where the density comes from."""


def save_density(density: Density, path: str | os.PathLike[str]) -> None:
    """Write the density.  The old file stays whole until the new one is safely on the disk."""
    written = {
        "format": FORMAT,
        "schema": SCHEMA,
        "low": list(density.box.low),
        "high": list(density.box.high),
        "bins": list(density.mass.shape),
        "mass": density.mass.ravel().tolist(),
        "guarantee": _fields._guarantee_to_fields(density.guarantee),
        "origin": None if density.origin is None else asdict(density.origin),
    }
    lines = [f"  {json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in written.items()]
    write_whole(path, "{\n" + ",\n".join(lines) + "\n}\n")


def load_density(path: str | os.PathLike[str]) -> Density:
    """The density in the file, or `UnreadableFile` saying what is wrong with it."""
    name = os.fspath(file := file_at(path))
    try:
        return _density(*_parse(file.read_bytes()))
    except FileNotFoundError:
        raise UnreadableFile(f"{name}: no such file, check the path") from None
    except OSError as problem:
        raise UnreadableFile(f"{name}: cannot be read ({problem.strerror or 'input error'})") from None
    except (Damaged, InvalidInput) as problem:
        raise UnreadableFile(f"{name}: not a usable density: {problem}") from None


def _parse(raw: bytes) -> tuple[dict[str, Any], int]:
    try:
        fields = json.loads(raw.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_no_twins)
    except (ValueError, RecursionError):
        raise unparsed(raw, "density") from None
    if not isinstance(fields, dict) or fields.pop("format", None) != FORMAT:
        raise Damaged("it is some other file")
    schema = fields.pop("schema", None)
    if type(schema) is not int or schema < 1:
        raise Damaged("schema: must be a whole number >= 1")
    if schema > SCHEMA:
        raise Damaged(f"schema={schema}: written by a newer version (this one reads up to {SCHEMA}), update equipoise")
    return fields, schema


def _density(fields: dict[str, Any], schema: int) -> Density:
    wanted: dict[str, read.Reader[Any]] = {
        "low": read.tuple_of(read.number),
        "high": read.tuple_of(read.number),
        "bins": read.tuple_of(_whole),
        "mass": read.vector,
        "guarantee": _fields._guarantee_from_fields,
    }
    if schema >= 2:
        wanted["origin"] = read.maybe(_fields._origin)
    found = read.read_fields(fields, wanted, "")
    if cells_of(found["bins"]) != found["mass"].size:
        raise Damaged("mass: must have one number for each cell of bins")
    box, mass = Box(found["low"], found["high"]), found["mass"].reshape(found["bins"])
    return Density(box, mass, found["guarantee"], found.get("origin"))


def _whole(value: Any, name: str) -> int:
    if type(value) is not int or value < 1:
        raise Damaged(f"{name}: must be whole numbers >= 1")
    return value
