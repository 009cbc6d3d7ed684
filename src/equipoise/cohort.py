"""A simulated clinic of warfarin patients.  No real record was used: every number is published or said to be assumed.

The dose follows the published equation, plus noise, for patients drawn from published shares and averages.

- [Klein] International Warfarin Pharmacogenetics Consortium, N Engl J Med 2009;360:753-764: the dosing equation.
- [Limdi10] Limdi et al., Blood 2010;115:3827-3834: the consortium's patients by race (1,103 Asian, 670 Black,
  3,113 White), the mean dose the equation predicts for each (24.0, 40.1 and 32.7 mg a week) and its R².
- [Limdi15] Limdi et al., Blood 2015;126:539-545, table 1: age, height, weight, amiodarone use and carriers of the
  CYP2C9 and VKORC1 variants among 762 European and 595 African American patients.
- [Shendre] Shendre et al., Pharmacogenomics 2018;19:1357-1371, table 1: allele frequencies in East Asia.
- [KORAF] Korean atrial fibrillation study, Korean Circ J 2012;42:113: 5,616 patients aged 63.6 ± 12.2 years.
- [COMBINE] COMBINE AF, pooled anticoagulation trials: Asian patients 20 kg lighter than others on average.

Genotypes are drawn in Hardy-Weinberg proportions from the allele frequencies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise._checks import whole
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]

INTERCEPT = 5.6044
EFFECTS = {  # [Klein]: on the square root of the weekly dose in mg
    "age (decades)": -0.2614,
    "height (cm)": 0.0087,
    "weight (kg)": 0.0128,
    "VKORC1 A/G": -0.8677,
    "VKORC1 A/A": -1.6974,
    "VKORC1 unknown": -0.4854,
    "CYP2C9 *1/*2": -0.5211,
    "CYP2C9 *1/*3": -0.9357,
    "CYP2C9 *2/*2": -1.0616,
    "CYP2C9 *2/*3": -1.9206,
    "CYP2C9 *3/*3": -2.3312,
    "CYP2C9 unknown": -0.2188,
    "Asian": -0.1092,
    "Black": -0.2760,
    "race unknown": -0.1032,
    "enzyme inducer": 1.1816,
    "amiodarone": -0.5503,
}
FEATURES = tuple(EFFECTS)

UNEXPLAINED = 1.0
"""Assumed standard deviation of what the equation misses: it then explains a little under half of the variance."""

UNTESTED = 0.05
"""Assumed share of patients whose gene was not tested, and (each drawn apart) of those who state no race."""

INDUCERS = 0.01
"""Assumed share taking carbamazepine, phenytoin or rifampicin."""

USUAL_DOSE = 35.0
"""mg a week: the 5 mg a day that patients start on when nothing is known about them [Klein]."""

LABEL_BOUNDS = (2.0, 9.0)
"""Public bounds on the square root of the dose: 4 to 81 mg a week.  What lies beyond is clipped."""

AGES, HEIGHTS, WEIGHTS = (20.0, 90.0), (140.0, 200.0), (40.0, 130.0)
"""Public ranges in years, cm and kg; the clinic's records are cut to them."""

SPREAD = 1.8
"""Divides encoded rows: nine in ten then have norm at most 1, and half of them 0.8 or more."""

COEF_NORM = 8.0
"""Public bound on the coefficients of encoded rows: the published equation's own have norm 7.7 in that scale."""


@dataclass(frozen=True, slots=True)
class Group:
    """Patients of one race: their share, mean and standard deviation of body measures, and allele frequencies."""

    share: float
    age: tuple[float, float]
    height: tuple[float, float]
    weight: tuple[float, float]
    amiodarone: float
    vkorc1_a: float
    cyp2c9_2: float
    cyp2c9_3: float


def _frequency(carriers: float) -> float:
    """Allele frequency when this share of people carries at least one copy."""
    return 1 - math.sqrt(1 - carriers)


WHITE = Group(  # [Limdi10] share, [Limdi15] the rest, inches and pounds converted
    share=0.637,
    age=(64.1, 15.2),
    height=(172.5, 10.2),
    weight=(87.5, 22.7),
    amiodarone=0.129,
    vkorc1_a=_frequency(0.602),
    cyp2c9_2=_frequency(0.256),
    cyp2c9_3=_frequency(0.126),
)
BLACK = Group(  # as above; the printed spread of heights, 16.8 cm, looks like a misprint, so White's is used
    share=0.137,
    age=(57.0, 15.7),
    height=(171.2, 10.2),
    weight=(91.0, 23.2),
    amiodarone=0.071,
    vkorc1_a=_frequency(0.185),
    cyp2c9_2=_frequency(0.049),
    cyp2c9_3=_frequency(0.023),
)
ASIAN = Group(  # [Limdi10] share, [KORAF] age, [COMBINE] weight, [Shendre] alleles; height and spreads are assumed
    share=0.226,
    age=(63.6, 12.2),
    height=(164.0, 9.0),
    weight=(67.5, 13.0),
    amiodarone=0.071,
    vkorc1_a=0.885,
    cyp2c9_2=0.001,
    cyp2c9_3=0.034,
)
GROUPS = {"": WHITE, "Black": BLACK, "Asian": ASIAN}
"""By the column that marks them; White patients are the equation's reference and have none."""

STATURE = 0.5
"""Assumed correlation of height and weight within a group."""


@dataclass(frozen=True, slots=True, eq=False)
class Cohort:
    """Simulated patients: `X` in natural units, columns as in `FEATURES`, and the weekly dose each one needs."""

    X: Array
    dose: Array
    feature_names: tuple[str, ...] = FEATURES

    @property
    def root_dose(self) -> Array:
        """√(mg a week): what the published equation, and so a linear model, predicts."""
        return np.sqrt(self.dose)

    @property
    def high_dose(self) -> npt.NDArray[np.int64]:
        """1 for a patient who needs more than `USUAL_DOSE`."""
        return (self.dose > USUAL_DOSE).astype(np.int64)


def simulated_clinic(patients: int = 4000, seed: int = 0) -> Cohort:
    """The same clinic for the same seed.  The seed has nothing to do with the noise that protects anybody."""
    count = whole(patients=patients)
    draw = np.random.default_rng(seed)
    X = np.zeros((count, len(FEATURES)))
    marks = list(GROUPS)
    groups = draw.choice(len(marks), size=count, p=[group.share for group in GROUPS.values()])
    for index, mark in enumerate(marks):
        members = groups == index
        X[members] = _patients(GROUPS[mark], mark, int(members.sum()), draw)
    root = INTERCEPT + X @ np.array(list(EFFECTS.values())) + UNEXPLAINED * draw.standard_normal(count)
    return Cohort(X=X, dose=np.maximum(root, 1.0) ** 2)


def _patients(group: Group, mark: str, count: int, draw: np.random.Generator) -> Array:
    """Rows of one group, in the order of `FEATURES`."""
    columns = dict.fromkeys(FEATURES, np.zeros(count)) | _body(group, count, draw)
    columns |= _hide(_vkorc1(group, count, draw), "VKORC1 unknown", count, draw)
    columns |= _hide(_cyp2c9(group, count, draw), "CYP2C9 unknown", count, draw)
    columns |= _hide({mark: np.ones(count)} if mark else {}, "race unknown", count, draw)
    columns["enzyme inducer"] = (draw.random(count) < INDUCERS).astype(np.float64)
    columns["amiodarone"] = (draw.random(count) < group.amiodarone).astype(np.float64)
    return np.column_stack([columns[name] for name in FEATURES])


def _body(group: Group, count: int, draw: np.random.Generator) -> dict[str, Array]:
    tall, heavy = draw.standard_normal((2, count))
    heavy = STATURE * tall + math.sqrt(1 - STATURE**2) * heavy
    age = np.clip(group.age[0] + group.age[1] * draw.standard_normal(count), *AGES)
    return {
        "age (decades)": np.floor(age / 10),
        "height (cm)": np.clip(group.height[0] + group.height[1] * tall, *HEIGHTS).round(),
        "weight (kg)": np.clip(group.weight[0] + group.weight[1] * heavy, *WEIGHTS).round(),
    }


def _vkorc1(group: Group, count: int, draw: np.random.Generator) -> dict[str, Array]:
    copies = draw.binomial(2, group.vkorc1_a, size=count)
    return {name: (copies == n).astype(np.float64) for n, name in ((1, "VKORC1 A/G"), (2, "VKORC1 A/A"))}


def _cyp2c9(group: Group, count: int, draw: np.random.Generator) -> dict[str, Array]:
    shares = [1 - group.cyp2c9_2 - group.cyp2c9_3, group.cyp2c9_2, group.cyp2c9_3]
    pair = np.sort(draw.choice([1, 2, 3], size=(count, 2), p=shares), axis=1)
    kinds = [(1, 2), (1, 3), (2, 2), (2, 3), (3, 3)]
    return {f"CYP2C9 *{a}/*{b}": ((pair == (a, b)).all(axis=1)).astype(np.float64) for a, b in kinds}


def _hide(known: dict[str, Array], unknown: str, count: int, draw: np.random.Generator) -> dict[str, Array]:
    """Some answers are missing: their columns become zero and the `unknown` column one."""
    missing = (draw.random(count) < UNTESTED).astype(np.float64)
    return {name: values * (1 - missing) for name, values in known.items()} | {unknown: missing}


def encode(X: Array) -> Array:
    """Rows of L2 norm at most 1, by public facts alone: ranges to [−1, 1], all over `SPREAD`, long rows clipped."""
    rows = np.array(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != len(FEATURES):
        raise InvalidInput(f"X: must have the {len(FEATURES)} columns of FEATURES")
    for column, (low, high) in enumerate(((AGES[0] / 10, AGES[1] / 10), HEIGHTS, WEIGHTS)):
        rows[:, column] = (rows[:, column] - (low + high) / 2) / ((high - low) / 2)
    rows /= SPREAD
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1.0), dtype=np.float64)
