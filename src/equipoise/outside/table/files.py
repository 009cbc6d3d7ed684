"""Models with their schema as one JSON file, and the reader for every kind of model file."""

from __future__ import annotations

import json
import os
from typing import Any

from equipoise._docs import documented
from equipoise._writing import write_whole
from equipoise.errors import EquipoiseError, UnreadableFile
from equipoise.outside import files
from equipoise.outside.fields import model_from_fields, model_to_fields
from equipoise.outside.reading import Damaged
from equipoise.outside.simplex.files import FORMAT as SIMPLEX
from equipoise.outside.simplex.files import simplex_from_fields
from equipoise.outside.table.model import TableModel
from equipoise.schema import Schema
from equipoise.schema.encoding import AdditiveEncoding, Encoding

FORMAT = "equipoise-table-model"
VERSION = 1
FIELDS = {"version", "table", "norm", "interactions", "model"}


def save_table_model(model: TableModel, path: str | os.PathLike[str]) -> None:
    """Write it, all or nothing."""
    encoding = model.encoding
    fields = {
        "format": FORMAT,
        "version": VERSION,
        "table": encoding.schema.to_dict(),
        "norm": encoding.norm,
        "interactions": [list(pair) for pair in encoding.interactions],
        "model": {"schema": files.SCHEMA, **model_to_fields(model.model)},
    }
    lines = [f"  {json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in fields.items()]
    write_whole(path, "{\n" + ",\n".join(lines) + "\n}\n")


@documented(returns="LinearModel or TableModel: As it was saved.")
def load(path: str | os.PathLike[str]) -> Any:
    """The released model in a file: a `LinearModel`, a `SimplexModel`, or a `TableModel` with its schema.

    `UnreadableFile` says what is wrong with a file that cannot be read.
    """
    fields = files.read_fields(path)
    if fields.get("format") == SIMPLEX:
        return simplex_from_fields(fields, path)
    if fields.get("format") != FORMAT:
        return files.load(path)
    try:
        return _from_fields(fields)
    except (Damaged, EquipoiseError) as problem:
        raise UnreadableFile(f"{os.fspath(path)}: not a usable model: {problem}") from None


def _from_fields(fields: dict[str, Any]) -> TableModel:
    known = {name: value for name, value in fields.items() if name != "format"}
    version = known.get("version")
    if type(version) is int and version > VERSION:
        raise Damaged(f"version={version}: written by a newer version of equipoise, update it")
    if set(known) != FIELDS or version != VERSION:
        raise Damaged("fields are missing or not known to this version, update equipoise")
    inner, pairs = known["model"], known["interactions"]
    if not isinstance(inner, dict) or not isinstance(pairs, list):
        raise Damaged("model, interactions: must be an object and a list")
    schema = inner.pop("schema", None)
    if type(schema) is not int or not 1 <= schema <= files.SCHEMA:
        raise Damaged("model.schema: not known to this version, update equipoise")
    model, facts = model_from_fields(inner, schema), Schema.from_dict(known["table"])
    if model.shapes is not None:
        return TableModel(AdditiveEncoding(facts, tuple(pairs)), model)
    return TableModel(Encoding(facts, known["norm"], tuple(pairs)), model)
