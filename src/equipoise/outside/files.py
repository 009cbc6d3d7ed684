"""Models as JSON with a schema number: exact floats, atomic writes, never pickle; a bad file is one clear line."""

from __future__ import annotations

import json
import os
from typing import Any, NoReturn

from equipoise._docs import documented
from equipoise._writing import file_at
from equipoise._writing import write_whole as write_whole
from equipoise.errors import InvalidInput, UnreadableFile
from equipoise.outside.fields import model_from_fields, model_to_fields
from equipoise.outside.model import LinearModel
from equipoise.outside.reading import Damaged, unparsed

FORMAT = "equipoise-model"
SCHEMA = 8
"""1: the first.  2: `uncertainty`, the error of the released numbers.  3: `loss`, what was minimised.
4: `row_bounds`, what rows are brought within before they are scored.
5: `shapes`, of an additive model, and `origin`, where the model comes from.
6: `lift`, what rows are made into before they are scored.
7: rows of very many numbers are packed (`packed.py`).
8: `row_bounds` may have a `view`, from where rows are seen."""


def save(model: LinearModel, path: str | os.PathLike[str]) -> None:
    """Write the model.  The old file stays whole until the new one is safely on the disk."""
    fields = {"format": FORMAT, "schema": SCHEMA, **model_to_fields(model)}
    lines = [f"  {json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in fields.items()]
    write_whole(path, "{\n" + ",\n".join(lines) + "\n}\n")


@documented(returns="LinearModel: Released values only.")
def load(path: str | os.PathLike[str]) -> LinearModel:
    """The model in the file, or `UnreadableFile` saying what is wrong with it."""
    try:
        return model_from_fields(*_checked(read_fields(path)))
    except (Damaged, InvalidInput) as problem:
        raise UnreadableFile(f"{os.fspath(path)}: not a usable model: {problem}") from None


def read_fields(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The fields of a JSON file of any format of ours."""
    name = os.fspath(file := file_at(path))
    try:
        return _parse(file.read_bytes())
    except FileNotFoundError:
        raise UnreadableFile(f"{name}: no such file, check the path") from None
    except OSError as problem:
        raise UnreadableFile(f"{name}: cannot be read ({problem.strerror or 'input error'})") from None
    except Damaged as problem:
        raise UnreadableFile(f"{name}: not a usable model: {problem}") from None


def _parse(raw: bytes) -> dict[str, Any]:
    """An object with every field once, and no number that is not finite."""
    try:
        fields = json.loads(raw.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_no_twins)
    except (ValueError, RecursionError):
        raise unparsed(raw, "model") from None
    if not isinstance(fields, dict):
        raise Damaged("it is some other file")
    return fields


def _checked(fields: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """The fields of a model, and their schema."""
    if fields.pop("format", None) != FORMAT:
        raise Damaged("it is some other file")
    schema = fields.pop("schema", None)
    if type(schema) is not int or schema < 1:
        raise Damaged("schema: must be a whole number >= 1")
    if schema > SCHEMA:
        raise Damaged(f"schema={schema}: written by a newer version (this one reads up to {SCHEMA}), update equipoise")
    return fields, schema


def _no_constant(_word: str) -> NoReturn:
    raise Damaged("it holds NaN or infinity, but a released number is always finite")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Damaged("a field is written twice")
    return fields
