"""The tables of the stability study: Adult, three graphs and two sets of gene expression, or simulated ones.

Every row is brought to length one by itself, so that no table is looked at for that.  Classes are put into two groups
by what they mean, not by what does well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse, stats
from sklearn.datasets import make_classification

from equipoise.errors import InvalidInput
from equipoise.studies.common import local_data
from equipoise.studies.tuning import data as tuning_data

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int_]

ADULT, PLANTED = "Adult", "planted"
FILES = {
    ADULT: "adult.parquet",
    "Facebook": "facebook_page_page.npz",
    "LastFM": "lastfm_asia_graph_only.npz",
    "Twitch": "twitch_de.npz",
    "Leukaemia": "all_leukemia_expression.npz",
    "Myoblasts": "hsmm_rnaseq.npz",
}
HOW_TO_GET = (
    "Adult is at the UCI repository, the graphs are at SNAP (MUSAE, FEATHER), the genes in Bioconductor (ALL,"
    f" HSMMSingleCell); name the folder with {', '.join(FILES.values())} by --data or EQUIPOISE_DATA."
)
SIMULATED_SHAPES = {
    ADULT: (8000, 60),
    "Facebook": (4000, 500),
    "LastFM": (3000, 500),
    "Twitch": (3000, 400),
    "Leukaemia": (128, 1000),
    "Myoblasts": (271, 1000),
}
PLANTED_SHAPE = (20_000, 32)
PLANTED_FEATURES = 8


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows of length at most one, sparse or dense, and labels 0 and 1; `task` says what 1 means."""

    name: str
    X: Any
    y: Labels
    task: str
    real: bool

    @property
    def narrow(self) -> bool:
        """Whether it is used as it is; the others are brought to a few columns first."""
        return self.name in (ADULT, PLANTED)


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """All of them, by name."""

    tables: dict[str, Table]

    @property
    def real(self) -> bool:
        return all(table.real for table in self.tables.values())

    @property
    def source(self) -> str:
        told = [
            f"{table.X.shape[0]:,} {'real' if table.real else 'simulated'} rows of {name}"
            for name, table in self.tables.items()
        ]
        return ", ".join(told)


def load(folder: Path | None, simulated_only: bool = False) -> Tables:
    """Each table if its file is there, else one that is simulated."""
    found = {}
    for name, file in FILES.items():
        path = None if simulated_only else local_data.find(folder, file)
        found[name] = simulated(name) if path is None else READERS[name](path)
    return Tables(found)


def simulated(name: str) -> Table:
    """Two classes that overlap, in as many columns as usual for the table."""
    rows, columns = SIMULATED_SHAPES[name]
    X, y = make_classification(rows, columns, n_informative=20, n_redundant=0, class_sep=2.0, random_state=len(name))
    return Table(name, unit_rows(X), y.astype(np.int_), "simulated classes", real=False)


def planted(repeat: int) -> tuple[Array, Labels, npt.NDArray[np.bool_]]:
    """Rows of which a known few features matter: what a choice of features is judged by.  Simulated, by design."""
    rows, columns = PLANTED_SHAPE
    X = stats.norm.rvs(size=(rows, columns), random_state=repeat)
    matters = np.arange(columns) < PLANTED_FEATURES
    weights = np.where(matters, np.where(np.arange(columns) % 2 == 0, 1.0, -1.0), 0.0)
    chances = 1 / (1 + np.exp(-X @ weights))
    y = stats.uniform.rvs(size=rows, random_state=repeat + 1000) < chances
    return unit_rows(X), y.astype(np.int_), matters


def unit_rows(X: Any) -> Any:
    """Each row over its own length; rows of zeros stay."""
    if isinstance(X, sparse.csr_array):
        lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel())
        return sparse.csr_array(X.multiply((1 / np.where(lengths > 0, lengths, 1.0))[:, None]))
    lengths = np.sqrt((X * X).sum(axis=1, keepdims=True))
    return X / np.where(lengths > 0, lengths, 1.0)


def _adult(path: Path) -> Table:
    table = tuning_data.adult(local_data.read_parquet(path))
    return Table(ADULT, unit_rows(table.X), table.y, "income above 50,000", True)


def _arrays(path: Path, *names: str) -> list[npt.NDArray[Any]]:
    try:
        held = np.load(path)
        return [np.asarray(held[name]) for name in names]
    except (ValueError, KeyError, OSError):
        raise InvalidInput(f"{path.name}: lacks {', '.join(names)}, fetch it again") from None


def _sparse(path: Path) -> sparse.csr_array:
    try:
        return sparse.csr_array(sparse.load_npz(path)).astype(np.float64)
    except (ValueError, KeyError, OSError):
        raise InvalidInput(f"{path.name}: is no sparse table, fetch it again") from None


def _graph(name: str, one: Callable[[npt.NDArray[Any]], npt.NDArray[Any]], task: str) -> Callable[[Path], Table]:
    def read(path: Path) -> Table:
        (y,) = _arrays(path, "y")
        return Table(name, unit_rows(_sparse(path)), one(y).astype(np.int_), task, True)

    return read


def most_frequent(y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The largest class against all others."""
    classes, counts = np.unique(y, return_counts=True)
    return np.asarray(y == classes[np.argmax(counts)])


def _leukaemia(path: Path) -> Table:
    X, y = _arrays(path, "X", "y")
    return Table("Leukaemia", _centred(X.astype(np.float64)), (np.char.startswith(y, "T")).astype(np.int_), "T", True)


def _myoblasts(path: Path) -> Table:
    y, kind = _arrays(path, "y", "biotype")
    X = np.log1p(_sparse(path)[:, np.flatnonzero(kind == "protein_coding")].toarray())
    return Table("Myoblasts", _centred(X), (y.astype(float) >= 48).astype(np.int_), "48 hours or later", True)


def _centred(X: Array) -> Array:
    """Each row less its own mean: levels of expression mean something only beside each other."""
    return np.asarray(unit_rows(X - X.mean(axis=1, keepdims=True)))


READERS: dict[str, Callable[[Path], Table]] = {
    ADULT: _adult,
    "Facebook": _graph("Facebook", most_frequent, "the most frequent kind of page"),
    "LastFM": _graph("LastFM", most_frequent, "the most frequent country"),
    "Twitch": _graph("Twitch", lambda y: y.astype(bool), "mature content"),
    "Leukaemia": _leukaemia,
    "Myoblasts": _myoblasts,
}
