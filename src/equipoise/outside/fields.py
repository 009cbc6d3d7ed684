"""A model as plain fields and back.  Reading trusts nothing: every field is asked for by name and by type."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from equipoise.outside.additive.shapes import Shapes
from equipoise.outside.model import Label, LinearModel
from equipoise.outside.older import loss_of_older
from equipoise.outside.uncertainty import Uncertainty
from equipoise.rows import RowBounds
from equipoise.theory.additive import Basis, Categories, Column, Numbers, Pair
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.losses import Loss
from equipoise.theory.losses.written import read_loss, write_loss
from equipoise.theory.noise import Law

T = TypeVar("T")
Fields = dict[str, Any]
Reader = Callable[[Any, str], T]


class Damaged(Exception):
    """What is wrong with a file, in words that name a field and never quote its value."""


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
        "coef": model.coef.tolist(),
        "why": list(model.why),
        "guarantee": _guarantee_to_fields(model.guarantee),
        "uncertainty": None if model.uncertainty is None else _uncertainty_to_fields(model.uncertainty),
        "row_bounds": None if model.row_bounds is None else _rows_to_fields(model.row_bounds),
        "shapes": None if model.shapes is None else _shapes_to_fields(model.shapes),
    }


def model_from_fields(fields: Fields, schema: int) -> LinearModel:
    """The model that these fields of a file store; `Damaged` where one is missing, unknown or of a wrong type."""
    wanted: dict[str, Reader[Any]] = {
        "kind": _text,
        "estimator": _text,
        "link": _text,
        "classes": _maybe(_tuple_of(_label)),
        "feature_names": _maybe(_tuple_of(_text)),
        "intercept": _vector,
        "coef": _matrix,
        "why": _tuple_of(_text),
        "guarantee": _guarantee_from_fields,
    }
    if schema >= 2:
        wanted["uncertainty"] = _maybe(_uncertainty_from_fields)
    if schema >= 3:
        wanted["loss"] = _maybe(_loss)
    if schema >= 4:
        wanted["row_bounds"] = _maybe(_rows_from_fields)
    if schema >= 5:
        wanted["shapes"] = _maybe(_shapes_from_fields)
    found = _read(fields, wanted, "")
    if schema < 3:
        found["loss"] = loss_of_older(found)
    return LinearModel(**found)


def _guarantee_to_fields(guarantee: Guarantee) -> Fields:
    constants = {name: _written(value) for name, value in guarantee.constants.items()}
    return asdict(guarantee) | {
        "epsilon": _written(guarantee.epsilon),
        "adjacency": str(guarantee.adjacency),
        "sensitivity": _written(guarantee.sensitivity),
        "noise_scale": _written(guarantee.noise_scale),
        "constants": constants,
        "notes": list(guarantee.notes),
    }


def _guarantee_from_fields(value: Any, name: str) -> Guarantee:
    wanted: dict[str, Reader[Any]] = {
        "epsilon": _bound,
        "delta": _share,
        "delta_numeric": _share,
        "adjacency": _adjacency,
        "mechanism": _text,
        "theorem": _text,
        "sensitivity": _bound,
        "noise_scale": _bound,
        "seeded": _flag,
        "unit": _text,
        "constants": _constants,
        "notes": _tuple_of(_text),
    }
    return Guarantee(**_read(value, wanted, f"{name}."))


def _uncertainty_to_fields(known: Uncertainty) -> Fields:
    return {
        "law": known.law.value,
        "covers": known.covers,
        "slack": known.slack,
        "estimate": known.estimate.tolist(),
        "covariance": known.covariance.tolist(),
    }


def _uncertainty_from_fields(value: Any, name: str) -> Uncertainty:
    wanted: dict[str, Reader[Any]] = {
        "law": _law,
        "covers": _text,
        "slack": _amount,
        "estimate": _matrix,
        "covariance": _spread,
    }
    return Uncertainty(**_read(value, wanted, f"{name}."))


def _rows_to_fields(bounds: RowBounds) -> Fields:
    columns = None if bounds.columns is None else [list(pair) for pair in bounds.columns]
    return {"row_norm": bounds.row_norm, "columns": columns}


def _rows_from_fields(value: Any, name: str) -> RowBounds:
    wanted: dict[str, Reader[Any]] = {"row_norm": _number, "columns": _maybe(_tuple_of(_pair))}
    return RowBounds(**_read(value, wanted, f"{name}."))


def _pair(value: Any, name: str) -> tuple[float, float]:
    numbers = [_number(item, name) for item in _list(value, name)]
    if len(numbers) != 2:
        raise Damaged(f"{name}: must be pairs of numbers")
    return numbers[0], numbers[1]


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
        "columns": _tuple_of(_column),
        "pairs": _tuple_of(_pair_of_columns),
        "noise": _maybe(_vector),
    }
    found = _read(value, wanted, f"{name}.")
    return Shapes(Basis(found["columns"], found["pairs"]), found["noise"])


def _column_to_fields(column: Column) -> Fields:
    if isinstance(column, Numbers):
        return {"knots": list(column.knots)}
    return {"categories": list(column.values)}


def _column(value: Any, name: str) -> Column:
    if isinstance(value, dict) and "knots" in value:
        return Numbers(_read(value, {"knots": _tuple_of(_number)}, f"{name}.")["knots"])
    return Categories(_read(value, {"categories": _tuple_of(_label)}, f"{name}.")["categories"])


def _pair_of_columns(value: Any, name: str) -> Pair:
    found = _read(value, {"places": _tuple_of(_place), "columns": _tuple_of(_column)}, f"{name}.")
    if len(found["places"]) != 2 or len(found["columns"]) != 2:
        raise Damaged(f"{name}: must be two columns")
    return Pair(found["places"], found["columns"])


def _place(value: Any, name: str) -> int:
    if type(value) is not int or value < 0:
        raise Damaged(f"{name}: must be a whole number >= 0")
    return value


def _read(fields: Any, wanted: dict[str, Reader[Any]], prefix: str) -> Fields:
    """Exactly the wanted fields, each of its type: a missing one cannot be guessed, an unknown one may matter."""
    if not isinstance(fields, dict):
        raise Damaged(f"{prefix.rstrip('.')}: must be an object")
    for name in wanted:
        if name not in fields:
            raise Damaged(f"{prefix}{name}: is missing")
    if len(fields) > len(wanted):
        raise Damaged(f"{prefix or 'the model '}has fields this version does not know, update equipoise")
    return {name: read(fields[name], prefix + name) for name, read in wanted.items()}


def _written(value: float) -> float | str:
    """JSON has no infinity; where a constant means "no bound", the word is written."""
    return "inf" if value == math.inf else float(value)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise Damaged(f"{name}: must be text")
    return value


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise Damaged(f"{name}: must be true or false")
    return value


def _number(value: Any, name: str) -> float:
    if type(value) not in (int, float):  # a boolean is an int to Python
        raise Damaged(f"{name}: must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Damaged(f"{name}: must be finite")
    return number


def _amount(value: Any, name: str) -> float:
    number = _number(value, name)
    if number < 0:
        raise Damaged(f"{name}: must be >= 0")
    return number


def _share(value: Any, name: str) -> float:
    number = _amount(value, name)
    if number >= 1:
        raise Damaged(f"{name}: must be in [0, 1)")
    return number


def _bound(value: Any, name: str) -> float:
    return math.inf if value == "inf" else _amount(value, name)


def _constant(value: Any, name: str) -> float:
    return math.inf if value == "inf" else _number(value, name)


def _constants(value: Any, name: str) -> dict[str, float]:
    if not isinstance(value, dict):
        raise Damaged(f"{name}: must be an object")
    return {key: _constant(number, name) for key, number in value.items()}


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
    return read_loss({key: _text(part, name) if key == "name" else _number(part, name) for key, part in value.items()})


def _label(value: Any, name: str) -> Label:
    if isinstance(value, str | bool):
        return value
    return value if isinstance(value, int) else _number(value, name)


def _maybe(read: Reader[T]) -> Reader[T | None]:
    return lambda value, name: None if value is None else read(value, name)


def _tuple_of(read: Reader[T]) -> Reader[tuple[T, ...]]:
    return lambda value, name: tuple(read(item, name) for item in _list(value, name))


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise Damaged(f"{name}: must be a list")
    return value


def _vector(value: Any, name: str) -> npt.NDArray[np.float64]:
    return np.array([_number(item, name) for item in _list(value, name)], dtype=np.float64)


def _matrix(value: Any, name: str) -> npt.NDArray[np.float64]:
    rows = [_vector(row, name) for row in _list(value, name)]
    if len({len(row) for row in rows}) != 1:
        raise Damaged(f"{name}: must be a list of rows of equal length")
    return np.array(rows, dtype=np.float64)


def _spread(value: Any, name: str) -> npt.NDArray[np.float64]:
    """A covariance matrix, or the variances alone."""
    flat = not any(isinstance(item, list) for item in _list(value, name))
    return _vector(value, name) if flat else _matrix(value, name)
