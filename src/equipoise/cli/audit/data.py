"""People's records from a CSV or Parquet file, for attacks that need them: columns of numbers, one is the label."""

from __future__ import annotations

import csv
import importlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._checks import quoted
from equipoise.errors import InvalidInput

People = tuple[npt.NDArray[np.float64], npt.NDArray[Any]]


def read_people(path: Path, label: str | None, features: tuple[str, ...] | None = None) -> People:
    """Rows and labels.  The label is the last column unless named; `features` puts columns in a model's order."""
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise InvalidInput(f"{path}: must be a .csv or .parquet file")
    if not path.is_file():
        raise InvalidInput(f"{path}: no such file, check the path")
    names, columns = _csv(path) if path.suffix.lower() == ".csv" else _parquet(path)
    chosen = names[-1] if label is None else label
    if chosen not in names:
        raise InvalidInput(f"label={quoted(chosen)}: no such column in {path}, name one with --label")
    wanted = [name for name in names if name != chosen] if features is None else list(features)
    missing = [name for name in wanted if name not in names]
    if missing:
        raise InvalidInput(f"{path}: has no column {quoted(missing[0])}, which the model was fitted with")
    if not wanted:
        raise InvalidInput(f"{path}: must have at least one column beside the label")
    rows = np.column_stack([_numbers(columns[names.index(name)], name, path) for name in wanted])
    return rows, _labels(columns[names.index(chosen)])


def _csv(path: Path) -> tuple[list[str], list[list[Any]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [line for line in csv.reader(file) if line]
    except (UnicodeDecodeError, csv.Error):
        raise InvalidInput(f"{path}: cannot be read as CSV in UTF-8") from None
    if len(lines) < 2 or any(len(line) != len(lines[0]) for line in lines):
        raise InvalidInput(f"{path}: must have a line of names, then rows of as many values")
    return lines[0], [list(column) for column in zip(*lines[1:], strict=True)]


def _parquet(path: Path) -> tuple[list[str], list[list[Any]]]:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise InvalidInput(f"{path}: Parquet needs an extra, pip install 'equipoise[tables]', or give CSV") from None
    try:
        table = parquet.read_table(path)
    except (OSError, ValueError):
        raise InvalidInput(f"{path}: cannot be read as Parquet") from None
    return list(table.column_names), [column.to_pylist() for column in table.columns]


def _numbers(values: list[Any], name: str, path: Path) -> npt.NDArray[np.float64]:
    try:
        numbers = np.array([float(value) for value in values])
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise InvalidInput(
            f"{path}: column {quoted(name)} must hold finite numbers only, encode it as the model was trained"
        )
    return numbers


def _labels(values: list[Any]) -> npt.NDArray[Any]:
    """Whole numbers, numbers, or text: whichever fits all."""
    for kind in (int, float):
        try:
            return np.array([kind(value) for value in values])
        except (TypeError, ValueError):
            continue
    return np.array([str(value) for value in values])
