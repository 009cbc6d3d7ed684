"""The tables of the prediction study: Adult, MAGIC telescope, Cod-RNA and warfarin doses, or simulated stand-ins.

Encodings are those of the tuning and the warfarin study.  Cod-RNA is scaled by the usual ranges of a folding energy, of
a length and of base frequencies, none of them read off the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import make_classification

from equipoise.cohort import LABEL_BOUNDS, encode
from equipoise.studies.common import local_data
from equipoise.studies.tuning import data as tuning_data
from equipoise.studies.warfarin import data as warfarin_data

Array = npt.NDArray[np.float64]

COD_RNA = "cod_rna.parquet"
COD_RNA_NEEDED = ("label", *(str(place) for place in range(1, 9)))
COD_RNA_SIMULATED = (20_000, 8)
HOW_TO_GET = (
    f"{tuning_data.HOW_TO_GET} {warfarin_data.HOW_TO_GET} Cod-RNA is in the LIBSVM collection; save its columns as"
    f" label, 1, …, 8 (and split, if you have it) in {COD_RNA}."
)

SINGLE = {"Adult": "education-num", "Magic": "fAlpha", "Cod-RNA": "1"}
"""The one column a walk takes, by what it means and not by what it tells: schooling, angle, folding energy."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows of norm about one; labels 0 and 1, or numbers within `label_bounds`; `single` is one column by itself."""

    name: str
    X: Array
    y: Array
    single: Array | None
    label_bounds: tuple[float, float] | None
    real: bool

    @property
    def classifies(self) -> bool:
        return self.label_bounds is None


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """All four."""

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
        return ", ".join(told[:-1]) + " and " + told[-1]


def load(folder: Path | None, simulated_only: bool = False) -> Tables:
    """Each table if its file is there, else one that is simulated."""
    census = {name: classified(table) for name, table in tuning_data.load(folder, simulated_only).tables.items()}
    path = None if simulated_only else local_data.find(folder, COD_RNA)
    rna = simulated_rna() if path is None else cod_rna(local_data.read_parquet(path))
    return Tables(census | {rna.name: rna, "Warfarin": warfarin(warfarin_data.load(folder, simulated_only))})


def classified(table: tuning_data.Table) -> Table:
    """A table of the tuning study."""
    single = table.columns.get(SINGLE[table.name]) if table.real else table.X[:, 0]
    return Table(table.name, table.X, table.y.astype(np.float64), single, None, table.real)


def cod_rna(table: Any) -> Table:
    """Eight numbers; where the file marks a training part, as LIBSVM's does, that part only."""
    local_data.refuse_missing(table, COD_RNA_NEEDED, COD_RNA)
    if "split" in table.columns:
        table = table[table["split"] == "train"]
    raw = table[list(COD_RNA_NEEDED[1:])].to_numpy(dtype=np.float64)
    scaled = [(raw[:, 0] + 600) / 300, (raw[:, 1] - 100) / 35, (raw[:, 2:] - 0.25) / 0.12]
    X = np.column_stack(scaled) / np.sqrt(8)
    y = (table["label"] > 0).to_numpy().astype(np.float64)
    return Table("Cod-RNA", X, y, raw[:, 0] + _spread(len(raw)), None, real=True)


def simulated_rna(seed: int = 0) -> Table:
    """Rows that stand in for Cod-RNA where the file is not there; marked as not real."""
    rows, features = COD_RNA_SIMULATED
    X, y = make_classification(rows, features, n_informative=4, n_redundant=0, flip_y=0.05, random_state=seed)
    X = X / (2 * np.sqrt(features))
    return Table("Cod-RNA", X, y.astype(np.float64), X[:, 0], None, real=False)


def warfarin(patients: warfarin_data.Patients) -> Table:
    """√(mg a week), clipped to its public bounds."""
    return Table(
        "Warfarin", encode(patients.X), np.clip(patients.root_dose, *LABEL_BOUNDS), None, LABEL_BOUNDS, patients.real
    )


def _spread(rows: int) -> Array:
    """Energies are whole numbers: each is spread up to the next by the row's place, for ties tell no order."""
    return np.asarray(np.modf(np.arange(rows) * (np.sqrt(5) - 1) / 2)[0])
