"""The tables of the tuning study: UCI Adult and MAGIC telescope, or simulated ones of the same shape.

Every range below is general knowledge about the column and not read off the file.  Adult uses all of its attributes
but `fnlwgt`, which is the census's weight of a row and says nothing of the person; MAGIC uses all ten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats
from sklearn.datasets import make_classification

from equipoise.studies.common import local_data

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int_]

FILES = {"Adult": "adult.parquet", "Magic": "magic04.parquet"}
HOW_TO_GET = (
    "Both tables are free at the UCI repository, Adult (train and test part together) and MAGIC Gamma Telescope; save"
    " them with their own column names as adult.parquet and magic04.parquet and name their folder by --data or"
    " EQUIPOISE_DATA."
)
SIMULATED_SHAPES = {"Adult": (20_000, 60), "Magic": (10_000, 10)}

ADULT_RANGES = {"age": (17, 90), "education-num": (1, 16), "hours-per-week": (1, 99)}
ADULT_ATTRIBUTES = (
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "native-country",
)
ADULT_NEEDED = (*ADULT_RANGES, *ADULT_ATTRIBUTES, "capital-gain", "capital-loss", "income")
MAGIC_MIDDLES = {
    "fLength": (50.0, 75.0),
    "fWidth": (20.0, 25.0),
    "fSize": (2.8, 2.0),
    "fConc": (0.4, 0.5),
    "fConc1": (0.2, 0.5),
    "fAsym": (0.0, 100.0),
    "fM3Long": (0.0, 100.0),
    "fM3Trans": (0.0, 75.0),
    "fAlpha": (25.0, 45.0),
    "fDist": (190.0, 150.0),
}
"""Middle and spread of each column, from the instrument's usual ranges."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A column for the histogram study: its public range, and the cells of the fine reference."""

    table: str
    column: str
    low: float
    high: float
    cells: int

    @property
    def name(self) -> str:
        return f"{self.table} {self.column}"


COLUMNS = (
    Measure("Adult", "age", 17, 91, 74),
    Measure("Adult", "hours-per-week", 1, 100, 99),
    Measure("Magic", "fLength", 0, 350, 100),
    Measure("Magic", "fConc", 0, 1, 100),
    Measure("Magic", "fAlpha", 0, 90, 90),
    Measure("Magic", "fDist", 0, 500, 100),
)
"""A whole number stands for all ages or hours up to the next: rows are spread over it, for a density to exist."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Features scaled so that rows have norm about one, labels 0 and 1, and some columns in their own units."""

    name: str
    X: Array
    y: Labels
    columns: dict[str, Array]
    real: bool


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Both tables."""

    tables: dict[str, Table]

    @property
    def real(self) -> bool:
        return all(table.real for table in self.tables.values())

    @property
    def source(self) -> str:
        told = [
            f"{len(table.X):,} {'real' if table.real else 'simulated'} rows of {name}"
            for name, table in self.tables.items()
        ]
        return " and ".join(told)


def load(folder: Path | None, simulated_only: bool = False) -> Tables:
    """Each table if its file is there, else one that is simulated."""
    found = {}
    for name, file in FILES.items():
        path = None if simulated_only else local_data.find(folder, file)
        found[name] = simulated(name) if path is None else ENCODERS[name](local_data.read_parquet(path))
    return Tables(found)


def adult(table: Any) -> Table:
    """Five numbers scaled to [−1, 1], eight attributes one-hot; nine ones or so make a row."""
    local_data.refuse_missing(table, ADULT_NEEDED, FILES["Adult"])
    numbers = {name: table[name].to_numpy(dtype=np.float64) for name in ADULT_RANGES}
    columns = [2 * (numbers[name] - low) / (high - low) - 1 for name, (low, high) in ADULT_RANGES.items()]
    for name, largest in (("capital-gain", 99999), ("capital-loss", 4356)):
        columns.append(np.log1p(table[name].to_numpy(dtype=np.float64)) / np.log1p(largest))
    X = np.hstack([np.column_stack(columns), *(_one_hot(table[name].to_numpy()) for name in ADULT_ATTRIBUTES)]) / 3.0
    inside = {name: values + _spread(len(X)) for name, values in numbers.items()}
    return Table("Adult", X, (table["income"] == ">50K").to_numpy().astype(int), inside, real=True)


def _one_hot(values: npt.NDArray[Any]) -> Array:
    """A column for each level, in the order of their names; the census publishes the list of levels."""
    levels, places = np.unique(values.astype(str), return_inverse=True)
    return np.asarray(np.eye(len(levels))[places])


def magic(table: Any) -> Table:
    """Ten numbers centred and scaled by the instrument's usual ranges."""
    table = table.rename(columns={"fM3long": "fM3Long"})
    local_data.refuse_missing(table, (*MAGIC_MIDDLES, "class"), FILES["Magic"])
    raw = {name: table[name].to_numpy(dtype=np.float64) for name in MAGIC_MIDDLES}
    scaled = [(raw[name] - middle) / spread for name, (middle, spread) in MAGIC_MIDDLES.items()]
    X = np.column_stack(scaled) / np.sqrt(len(scaled))
    return Table("Magic", X, (table["class"] == "g").to_numpy().astype(int), raw, real=True)


ENCODERS: dict[str, Callable[[Any], Table]] = {"Adult": adult, "Magic": magic}


def simulated(name: str, seed: int = 0) -> Table:
    """Two classes that overlap, and columns with two humps, over the same public ranges."""
    rows, features = SIMULATED_SHAPES[name]
    X, y = make_classification(
        rows, features, n_informative=max(2, features // 2), n_redundant=0, flip_y=0.1, random_state=seed
    )
    places = _spread(rows)
    columns = {}
    for column in (each for each in COLUMNS if each.table == name):
        humps = np.where(np.arange(rows) % 5 < 3, stats.beta.ppf(places, 2, 8), stats.beta.ppf(places, 9, 6))
        columns[column.column] = column.low + (column.high - column.low) * humps
    return Table(name, X / (2 * np.sqrt(features)), y, columns, real=False)


def _spread(rows: int) -> Array:
    """Numbers that fill [0, 1) evenly: multiples of the golden ratio, by the place of the row."""
    return np.asarray(np.modf(np.arange(rows) * (np.sqrt(5) - 1) / 2)[0])
