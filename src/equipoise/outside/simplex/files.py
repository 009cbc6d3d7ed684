"""Mixtures as JSON with a format and a schema number: exact floats, atomic writes; bad weights are refused."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import Any

import numpy as np

from equipoise.errors import InvalidInput, UnreadableFile
from equipoise.outside import fields as shared
from equipoise.outside import reading as read
from equipoise.outside.files import write_whole
from equipoise.outside.reading import Damaged
from equipoise.outside.simplex.mixture import Mixture
from equipoise.outside.simplex.model import SimplexModel
from equipoise.theory.losses.written import write_loss
from equipoise.theory.simplex.corners import Corners

FORMAT = "equipoise-simplex"
SCHEMA = 1


def save_simplex(model: SimplexModel, path: str | os.PathLike[str]) -> None:
    """Write the model.  The old file stays whole until the new one is safely on the disk."""
    mixture = model.mixture
    written = {
        "format": FORMAT,
        "schema": SCHEMA,
        "estimator": model.estimator,
        "corners": asdict(mixture.corners),
        "places": mixture.places.tolist(),
        "weights": mixture.weights.tolist(),
        "coef_norm": model.coef_norm,
        "row_norm": model.row_norm,
        "centre": model.centre,
        "classes": None if model.classes is None else list(model.classes),
        "loss": write_loss(model.loss),
        "feature_names": None if model.feature_names is None else list(model.feature_names),
        "guarantee": shared._guarantee_to_fields(model.guarantee),
        "origin": None if model.origin is None else asdict(model.origin),
    }
    lines = [f"  {json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in written.items()]
    write_whole(path, "{\n" + ",\n".join(lines) + "\n}\n")


def simplex_from_fields(fields: dict[str, Any], path: str | os.PathLike[str]) -> SimplexModel:
    """The model in the fields of a file, or `UnreadableFile` saying what is wrong with it."""
    try:
        return _model({name: value for name, value in fields.items() if name != "format"})
    except (Damaged, InvalidInput) as problem:
        raise UnreadableFile(f"{os.fspath(path)}: not a usable model: {problem}") from None


def _model(fields: dict[str, Any]) -> SimplexModel:
    schema = fields.pop("schema", None)
    if type(schema) is not int or not 1 <= schema <= SCHEMA:
        raise Damaged(f"schema: this version reads up to {SCHEMA}, update equipoise")
    wanted: dict[str, read.Reader[Any]] = {
        "estimator": read.text,
        "corners": _corners,
        "places": read.tuple_of(shared._place),
        "weights": read.vector,
        "coef_norm": read.number,
        "row_norm": read.number,
        "centre": read.number,
        "classes": read.maybe(read.tuple_of(read.label)),
        "loss": shared._loss,
        "feature_names": read.maybe(read.tuple_of(read.text)),
        "guarantee": shared._guarantee_from_fields,
        "origin": read.maybe(shared._origin),
    }
    found = read.read_fields(fields, wanted, "")
    places = np.array(found.pop("places"), dtype=np.intp)
    return SimplexModel(mixture=Mixture(found.pop("corners"), places, found.pop("weights")), **found)


def _corners(value: Any, name: str) -> Corners:
    wanted: dict[str, read.Reader[Any]] = {"columns": shared._place, "signed": read.flag, "constant": read.flag}
    return Corners(**read.read_fields(value, wanted, f"{name}."))
