"""The patients of the warfarin study: the consortium's real table, or simulated ones where it is missing.

Cleaning, by public rules alone:

- Kept are patients with a known stable dose, age, height and weight.  Everything else may be missing.
- VKORC1 −1639 (rs9923231) is the consensus genotype.  Where it is missing, the rules of the consortium [Klein, in
  `equipoise.cohort`] read it from a neighbour: rs2359612 (C is G, T is A) unless the race is Black or unknown, then
  rs9934438 (C is G, T is A) for everyone, then rs8050894 (G is G, C is A) unless the race is Black or unknown.
  Where that fails too, "unknown" is a category of its own.
- CYP2C9 genotypes other than the six of the consortium's equation count as unknown.
- A drug not mentioned counts as not taken.  An age of "60 - 69" is 6 decades.
- Heights and weights are cut to the public ranges of `equipoise.cohort`, and rows are encoded as there; √dose is
  clipped to `LABEL_BOUNDS` for learning, by the estimator.  What is clipped is not counted: a count would leak.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cohort import FEATURES, HEIGHTS, LABEL_BOUNDS, WEIGHTS, encode, simulated_clinic
from equipoise.estimators.linear.base import INTERCEPT_SHARE
from equipoise.studies.common import local_data

Array = npt.NDArray[np.float64]

FILE = "warfarin_iwpc.parquet"
HOW_TO_GET = (
    f"The consortium's table is free: PharmGKB (ClinPGx), accession PS206767; save it as {FILE} with its own column"
    " names and name its folder by --data or EQUIPOISE_DATA."
)
SIMULATED_PATIENTS = 4386
"""As many as the real table keeps."""

ROW_NORM = float(1 / np.hypot(1.0, INTERCEPT_SHARE))
"""Rows with their constant column then have norm at most 1, the paper's B."""

LABEL_SCALE = (LABEL_BOUNDS[1] - LABEL_BOUNDS[0]) / 2
"""√dose per unit of the label inside the fit: R = 1 of the paper is coef_norm = LABEL_SCALE here."""

DOSE, AGE, HEIGHT, WEIGHT = "Therapeutic Dose of Warfarin", "Age", "Height (cm)", "Weight (kg)"
VKORC1, CYP2C9 = "VKORC1 -1639 consensus", "CYP2C9 consensus"
NEIGHBOURS = (
    ("VKORC1 2255 consensus", {"C/C": "G/G", "C/T": "A/G", "T/T": "A/A"}, False),
    ("VKORC1 1173 consensus", {"C/C": "G/G", "C/T": "A/G", "T/T": "A/A"}, True),
    ("VKORC1 1542 consensus", {"G/G": "G/G", "C/G": "A/G", "C/C": "A/A"}, False),
)
"""Column, what its genotypes say of −1639, and whether the rule holds for every race."""

INDUCERS = ("Carbamazepine (Tegretol)", "Phenytoin (Dilantin)", "Rifampin or Rifampicin")
AMIODARONE = "Amiodarone (Cordarone)"
NEEDED = (
    DOSE,
    AGE,
    HEIGHT,
    WEIGHT,
    "Race",
    VKORC1,
    CYP2C9,
    *(name for name, _, _ in NEIGHBOURS),
    *INDUCERS,
    AMIODARONE,
)

GENOTYPES = ("G/G", "A/G", "A/A")
GENOTYPE_COLUMNS = (FEATURES.index("VKORC1 A/G"), FEATURES.index("VKORC1 A/A"))
GENOTYPE_VALUES = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
"""What the two columns hold for each of `GENOTYPES`."""


@dataclass(frozen=True, slots=True, eq=False)
class Patients:
    """Rows in natural units, columns as `equipoise.cohort.FEATURES`, and √(mg a week)."""

    X: Array
    root_dose: Array
    real: bool

    @property
    def source(self) -> str:
        kind = "real patients of the consortium" if self.real else "simulated patients"
        return f"{len(self.X):,} {kind}"


def rows(X: Array) -> Array:
    """Encoded for the estimators: norm at most `ROW_NORM`."""
    return encode(X) * ROW_NORM


def genotype_known(X: Array) -> npt.NDArray[np.bool_]:
    """For each patient, whether the VKORC1 genotype was recorded."""
    return np.asarray(X[:, FEATURES.index("VKORC1 unknown")] == 0)


def load(folder: Path | None, simulated_only: bool = False) -> Patients:
    """The real table when its folder is given or found, otherwise simulated patients."""
    path = None if simulated_only else local_data.find(folder, FILE)
    return simulated(SIMULATED_PATIENTS) if path is None else clean(local_data.read_parquet(path))


def simulated(patients: int, seed: int = 0) -> Patients:
    """Patients of a simulated clinic, the same for the same seed; marked as not real."""
    clinic = simulated_clinic(patients, seed)
    return Patients(clinic.X, clinic.root_dose, real=False)


def clean(table: Any) -> Patients:
    """Complete cases in the columns of `FEATURES`; see the top of this file."""
    local_data.refuse_missing(table, NEEDED, FILE)
    kept = table.dropna(subset=[DOSE, AGE, HEIGHT, WEIGHT])
    columns = _body(kept) | _genes(kept) | _race_and_drugs(kept)
    X = np.column_stack([np.asarray(columns[name], dtype=np.float64) for name in FEATURES])
    return Patients(X, np.sqrt(kept[DOSE].to_numpy(dtype=np.float64)), real=True)


def _body(table: Any) -> dict[str, Any]:
    return {
        "age (decades)": table[AGE].str[0].astype(float),
        "height (cm)": table[HEIGHT].astype(float).clip(*HEIGHTS),
        "weight (kg)": table[WEIGHT].astype(float).clip(*WEIGHTS),
    }


def vkorc1(table: Any) -> Any:
    """The −1639 genotype, read from its neighbours where it is missing."""
    found = table[VKORC1]
    usual = ~table["Race"].isin(["Black or African American", "Unknown"])
    for name, meaning, any_race in NEIGHBOURS:
        fills = found.isna() & (usual | any_race)
        found = found.where(~fills, table[name].map(meaning))
    return found


def _genes(table: Any) -> dict[str, Any]:
    first, second = vkorc1(table), table[CYP2C9]
    names = [name.removeprefix("CYP2C9 ") for name in FEATURES if name.startswith("CYP2C9 *")]
    columns = {f"VKORC1 {name}": first == name for name in GENOTYPES[1:]}
    columns |= {f"CYP2C9 {name}": second == name for name in names}
    return columns | {
        "VKORC1 unknown": ~first.isin(GENOTYPES),
        "CYP2C9 unknown": ~second.isin(["*1/*1", *names]),
    }


def _race_and_drugs(table: Any) -> dict[str, Any]:
    race = table["Race"]
    return {
        "Asian": race == "Asian",
        "Black": race == "Black or African American",
        "race unknown": ~race.isin(["Asian", "Black or African American", "White"]),
        "enzyme inducer": (table[list(INDUCERS)] == 1).any(axis=1),
        "amiodarone": table[AMIODARONE] == 1,
    }
