"""A model as plain fields and back.  Reading trusts nothing: every field is asked for by name and by type."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.outside import packed
from equipoise.outside.additive.shapes import Shapes
from equipoise.outside.lifts import lift_from_fields, lift_to_fields, rows_from_fields, rows_to_fields
from equipoise.outside.model import LinearModel
from equipoise.outside.older import loss_of_older
from equipoise.outside.origin import Account, Origin
from equipoise.outside.reading import (
    Damaged,
    Fields,
    Reader,
    amount,
    bound,
    constants,
    flag,
    label,
    maybe,
    number,
    read_fields,
    share,
    text,
    tuple_of,
    vector,
    written,
)
from equipoise.outside.uncertainty import Uncertainty
from equipoise.theory.additive import Basis, Categories, Column, Numbers, Pair
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.losses import Loss
from equipoise.theory.losses.written import read_loss, write_loss
from equipoise.theory.noise import Law

MOST = 2**62
"""Of a place: as many columns as no table has."""


def model_to_fields(model: LinearModel) -> Fields:
    """Everything a model file stores, as JSON types; `model_from_fields` gives the same model back."""
    return {
        "kind": str(model.kind),
        "estimator": model.estimator,
        "link": str(model.link),
        "loss": None if model.loss is None else write_loss(model.loss),
        "classes": None if model.classes is None else list(model.classes),
        "feature_names": None if model.feature_names is None else list(model.feature_names),
        "intercept": model.intercept.tolist(),
        "coef": packed.rows_to_fields(model.coef),
        "why": list(model.why),
        "guarantee": _guarantee_to_fields(model.guarantee),
        "uncertainty": None if model.uncertainty is None else _uncertainty_to_fields(model.uncertainty),
        "row_bounds": None if model.row_bounds is None else rows_to_fields(model.row_bounds),
        "shapes": None if model.shapes is None else _shapes_to_fields(model.shapes),
        "origin": None if model.origin is None else model.origin.fields(),
        "lift": None if model.lift is None else lift_to_fields(model.lift),
    }


def model_from_fields(fields: Fields, schema: int) -> LinearModel:
    """The model that these fields of a file store; `Damaged` where one is missing, unknown or of a wrong type."""
    wanted: dict[str, Reader[Any]] = {
        "kind": text,
        "estimator": text,
        "link": text,
        "classes": maybe(tuple_of(label)),
        "feature_names": maybe(tuple_of(text)),
        "intercept": vector,
        "coef": packed.rows,
        "why": tuple_of(text),
        "guarantee": _guarantee_from_fields,
    }
    if schema >= 2:
        wanted["uncertainty"] = maybe(_uncertainty_from_fields)
    if schema >= 3:
        wanted["loss"] = maybe(_loss)
    if schema >= 4:
        wanted["row_bounds"] = maybe(rows_from_fields)
    if schema >= 5:
        wanted["shapes"] = maybe(_shapes_from_fields)
        wanted["origin"] = maybe(_origin)
    if schema >= 6:
        wanted["lift"] = maybe(lift_from_fields)
    found = read_fields(fields, wanted, "")
    if schema < 3:
        found["loss"] = loss_of_older(found)
    return LinearModel(**found)


def _guarantee_to_fields(guarantee: Guarantee) -> Fields:
    constants = {name: written(value) for name, value in guarantee.constants.items()}
    return asdict(guarantee) | {
        "epsilon": written(guarantee.epsilon),
        "adjacency": str(guarantee.adjacency),
        "sensitivity": written(guarantee.sensitivity),
        "noise_scale": written(guarantee.noise_scale),
        "constants": constants,
        "notes": list(guarantee.notes),
    }


def _guarantee_from_fields(value: Any, name: str) -> Guarantee:
    wanted: dict[str, Reader[Any]] = {
        "epsilon": bound,
        "delta": share,
        "delta_numeric": share,
        "adjacency": _adjacency,
        "mechanism": text,
        "theorem": text,
        "sensitivity": bound,
        "noise_scale": bound,
        "seeded": flag,
        "unit": text,
        "constants": constants,
        "notes": tuple_of(text),
    }
    return Guarantee(**read_fields(value, wanted, f"{name}."))


def _uncertainty_to_fields(known: Uncertainty) -> Fields:
    return {
        "law": known.law.value,
        "covers": known.covers,
        "slack": known.slack,
        "estimate": packed.rows_to_fields(known.estimate),
        "covariance": _covariance_to_fields(known.covariance),
    }


def _covariance_to_fields(covariance: npt.NDArray[np.float64]) -> Any:
    return packed.row_to_fields(covariance) if covariance.ndim == 1 else covariance.tolist()


def _uncertainty_from_fields(value: Any, name: str) -> Uncertainty:
    wanted: dict[str, Reader[Any]] = {
        "law": _law,
        "covers": text,
        "slack": amount,
        "estimate": packed.rows,
        "covariance": packed.variances_or_rows,
    }
    return Uncertainty(**read_fields(value, wanted, f"{name}."))


def _origin(value: Any, name: str) -> Origin:
    wanted: dict[str, Reader[Any]] = {
        "date": text,
        "version": text,
        "data": maybe(text),
        "account": maybe(_account),
    }
    return Origin(**read_fields(value, wanted, f"{name}."))


def _account(value: Any, name: str) -> Account:
    wanted: dict[str, Reader[Any]] = {
        "name": text,
        "epsilon": bound,
        "delta": share,
        "limit_epsilon": maybe(bound),
        "limit_delta": maybe(share),
    }
    return Account(**read_fields(value, wanted, f"{name}."))


def _shapes_to_fields(shapes: Shapes) -> Fields:
    basis = shapes.basis
    return {
        "columns": [_column_to_fields(column) for column in basis.columns],
        "pairs": [
            {"places": list(pair.places), "columns": [_column_to_fields(column) for column in pair.columns]}
            for pair in basis.pairs
        ],
        "noise": None if shapes.noise is None else shapes.noise.tolist(),
    }


def _shapes_from_fields(value: Any, name: str) -> Shapes:
    wanted: dict[str, Reader[Any]] = {
        "columns": tuple_of(_column),
        "pairs": tuple_of(_pair_of_columns),
        "noise": maybe(vector),
    }
    found = read_fields(value, wanted, f"{name}.")
    return Shapes(Basis(found["columns"], found["pairs"]), found["noise"])


def _column_to_fields(column: Column) -> Fields:
    if isinstance(column, Numbers):
        return {"knots": list(column.knots)}
    return {"categories": list(column.values)}


def _column(value: Any, name: str) -> Column:
    if isinstance(value, dict) and "knots" in value:
        return Numbers(read_fields(value, {"knots": tuple_of(number)}, f"{name}.")["knots"])
    return Categories(read_fields(value, {"categories": tuple_of(label)}, f"{name}.")["categories"])


def _pair_of_columns(value: Any, name: str) -> Pair:
    found = read_fields(value, {"places": tuple_of(_place), "columns": tuple_of(_column)}, f"{name}.")
    if len(found["places"]) != 2 or len(found["columns"]) != 2:
        raise Damaged(f"{name}: must be two columns")
    return Pair(found["places"], found["columns"])


def _place(value: Any, name: str) -> int:
    if type(value) is not int or not 0 <= value < MOST:
        raise Damaged(f"{name}: must be a whole number >= 0")
    return value


def _adjacency(value: Any, name: str) -> Adjacency:
    if value not in list(Adjacency):
        raise Damaged(f"{name}: not known to this version, update equipoise")
    return Adjacency(value)


def _law(value: Any, name: str) -> Law:
    try:
        return Law(value)
    except ValueError:
        raise Damaged(f"{name}: not known to this version, update equipoise") from None


def _loss(value: Any, name: str) -> Loss:
    if not isinstance(value, dict):
        raise Damaged(f"{name}: must be an object")
    return read_loss({key: text(part, name) if key == "name" else number(part, name) for key, part in value.items()})
