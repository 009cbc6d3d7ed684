"""The runs of the warfarin study: every (method, ε, training share, seed) once, kept in a file, resumed from there."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import train_test_split

from equipoise.audit.attacks.model_inversion import model_inversion
from equipoise.cohort import FEATURES, LABEL_BOUNDS
from equipoise.errors import InvalidInput
from equipoise.studies.common import resumable
from equipoise.studies.warfarin import data as data
from equipoise.studies.warfarin.clinical_risk import clinical_risk
from equipoise.studies.warfarin.methods import BY_KEY, CHUNKS, fit, refusal

Array = npt.NDArray[np.float64]

HELD_OUT = 0.2
CACHE = resumable.CACHE
ROWS_IN_A_CHUNK = 2
SIZE_METHOD = "tuned"
RISKY = ("functional", "tuned", "free", "free-printed", "oracle", "auto-pure", "auto", "mean", "open")
"""Methods whose doses are simulated in patients, which takes longer than fitting."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is run."""

    epsilons: tuple[float, ...]
    runs: int
    shares: tuple[float, ...]
    """Parts of the training rows for the curve against training size."""
    size_epsilons: tuple[float, ...]
    methods: tuple[str, ...] = tuple(BY_KEY)


QUICK_METHODS = tuple(key for key in BY_KEY if key != "oracle-lucky")
FULL = Settings((0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0), 24, (0.1, 0.2, 0.4, 0.7, 1.0), (1.0, 10.0))
QUICK = Settings((0.1, 0.2, 0.3, 1.0, 10.0), 4, (0.2, 0.5, 1.0), (1.0, 10.0), QUICK_METHODS)


@dataclass(frozen=True, slots=True)
class Task:
    """One fit and all that is measured of it.  ε = 0 stands for methods that know none."""

    method: str
    epsilon: float
    share: float
    seed: int

    @property
    def noise_seed(self) -> int:
        """Its own for every task; splits depend on `seed` alone, so methods are compared on the same patients."""
        return zlib.crc32(f"{self.method} {self.epsilon:g} {self.share:g} {self.seed}".encode())


@dataclass(frozen=True, slots=True)
class Point:
    """What one task gave: numbers by name, or the reason for refusing."""

    task: Task
    rows: int
    measures: dict[str, float]
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The whole study: its points, and the methods that could not be run with the reason."""

    settings: Settings
    patients: str
    real: bool
    points: tuple[Point, ...]
    unavailable: dict[str, str]
    computed: int


def check(patients: data.Patients, settings: Settings) -> None:
    """Refuse before anything is fitted."""
    smallest = int(len(patients.X) * (1 - HELD_OUT) * min(settings.shares))
    if smallest < CHUNKS * ROWS_IN_A_CHUNK:
        raise InvalidInput(
            f"data: the smallest training part has {smallest} rows, tuning needs {CHUNKS} chunks of at least"
            f" {ROWS_IN_A_CHUNK}: give more patients"
        )


def tasks(settings: Settings, available: list[str]) -> list[Task]:
    """Every fit of the study, once."""
    found: dict[Task, None] = {}
    for seed in range(settings.runs):
        for key in available:
            levels = settings.epsilons if BY_KEY[key].private else (0.0,)
            found |= {Task(key, epsilon, 1.0, seed): None for epsilon in levels}
        if SIZE_METHOD in available:
            sizes = [(epsilon, share) for epsilon in settings.size_epsilons for share in settings.shares]
            found |= {Task(SIZE_METHOD, epsilon, share, seed): None for epsilon, share in sizes}
    return list(found)


def run(
    patients: data.Patients, settings: Settings, out: Path, jobs: int, progress: Callable[[int, int], None]
) -> Outcome:
    """Compute what the file in `out` lacks.  `progress` hears how many points are done, of how many."""
    check(patients, settings)
    columns = patients.X.shape[1]
    reasons = {key: refusal(BY_KEY[key], int(len(patients.X) * (1 - HELD_OUT)), columns) for key in settings.methods}
    wanted = tasks(settings, [key for key, reason in reasons.items() if reason is None])
    mark = fingerprint(patients)
    known = read_points(out / CACHE, mark)
    points, computed = resumable.complete(wanted, known, measure, patients, out / CACHE, mark, jobs, progress)
    unavailable = {key: reason for key, reason in reasons.items() if reason is not None}
    return Outcome(settings, patients.source, patients.real, points, unavailable, computed)


IDLE = (
    "common/look.py",
    "common/claims.py",
    "tuning/*.py",
    *(f"warfarin/{name}.py" for name in ("claims", "plots", "report", "summary")),
)
"""Files that no measured number depends on."""


def fingerprint(patients: data.Patients) -> str:
    """Changes with the patients and with the library."""
    return resumable.fingerprint((patients.X.tobytes(), patients.root_dose.tobytes()), IDLE)


def read_points(path: Path, mark: str) -> dict[Task, Point]:
    """Points of this very study."""
    return resumable.read_points(path, mark, _decoded)


def _decoded(record: dict[str, Any]) -> Point:
    return Point(Task(**record["task"]), record["rows"], record["measures"], record["refused"])


def measure(task: Task, patients: data.Patients) -> Point:
    """Fit on four fifths, or a part of them; measure on the last fifth."""
    train, test = train_test_split(np.arange(len(patients.X)), test_size=HELD_OUT, random_state=task.seed)
    train = train[: max(2, round(task.share * len(train)))]
    X, y = patients.X, patients.root_dose
    predict = fit(BY_KEY[task.method], task.epsilon, data.rows(X[train]), y[train], task.noise_seed)
    if isinstance(predict, str):
        return Point(task, len(train), {}, predict)
    found = predict(data.rows(X[test]))
    same_for_all = float(np.clip(y[train], *LABEL_BOUNDS).mean())
    measures = {"mse": float(np.mean((found - y[test]) ** 2))}
    measures["gain over the mean"] = float(np.mean((same_for_all - y[test]) ** 2)) - measures["mse"]
    spread = math.sqrt(measures["mse"])
    prior = shares(X[train])
    measures["inversion"] = inversion(predict, X[train], y[train], prior, spread)
    measures["inversion, strangers"] = inversion(predict, X[test], y[test], prior, spread)
    if task.method in RISKY:
        measures |= risk(found, X[test], y[test])
    return Point(task, len(train), measures)


def shares(X: Array) -> Array:
    """How frequent each genotype is: known to the attacker, as in the paper."""
    known = X[data.genotype_known(X)][:, list(data.GENOTYPE_COLUMNS)]
    counts = np.array([np.sum((known == value).all(axis=1)) for value in data.GENOTYPE_VALUES], dtype=np.float64)
    return np.asarray((counts + 1) / (counts + 1).sum())


def inversion(predict: Callable[[Array], Array], X: Array, y: Array, prior: Array, spread: float) -> float:
    """Per cent of VKORC1 genotypes that the attacker gets right, of those that are known."""
    known = data.genotype_known(X)
    found = model_inversion(
        lambda rows: predict(data.rows(rows)),
        X[known],
        y[known],
        columns=data.GENOTYPE_COLUMNS,
        values=data.GENOTYPE_VALUES,
        prior=prior,
        residual_sd=spread,
    )
    return 100 * found.accuracy


def risk(root_dose: Array, X: Array, y: Array) -> dict[str, float]:
    """Events on the predicted doses relative to those on the stable ones.  Doses are kept within the public bounds."""
    doses = np.clip(root_dose, *LABEL_BOUNDS) ** 2
    years = 10 * X[:, FEATURES.index("age (decades)")] + 5
    names = [_names(X, "VKORC1 ", "G/G"), _names(X, "CYP2C9 ", "*1/*1")]
    found: Any = clinical_risk(doses, y**2, names[1], names[0], np.clip(years, 20, 95), start="stable")
    return {
        "stroke": found.stroke.ratio,
        "bleeding": found.bleeding.ratio,
        "death": found.death.ratio,
        "time in range": 100 * found.time_in_range,
    }


def _names(X: Array, start: str, usual: str) -> npt.NDArray[np.str_]:
    """Genotypes as words again; the usual one has no column."""
    names = np.full(len(X), usual, dtype="<U8")
    for place, name in enumerate(FEATURES):
        if name.startswith(start):
            names[X[:, place] == 1] = name.removeprefix(start)
    return names
