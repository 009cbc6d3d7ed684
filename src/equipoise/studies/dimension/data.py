"""The tables of the dimension study: Cod-RNA, Farm Ads, pages of Facebook, streamers of Twitch and a part of the URL
reputation set, or simulated ones; and a made-up one whose labels hang on three columns.

Ranges are round numbers from what a column means; those of Cod-RNA were narrowed after a look at training rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.utils import check_random_state

from equipoise.errors import InvalidInput
from equipoise.studies.common import local_data

Labels = npt.NDArray[np.int_]

FILES = {
    "Cod-RNA": "cod_rna.parquet",
    "Farm Ads": "farm_ads.npz",
    "Facebook": "facebook_page_page.npz",
    "Twitch": "twitch_de.npz",
    "URL": "url_reputation_sample.npz",
}
PLANTED = "Planted"
"""Made up, whatever files there are."""

HOW_TO_GET = (
    "Cod-RNA is in the LIBSVM collection, Farm Ads and URL Reputation at the UCI repository, features of pages and of"
    " streamers beside the MUSAE paper; name the folder with"
    f" {', '.join(FILES.values())} by --data or EQUIPOISE_DATA."
)
SIMULATED_SHAPES = {
    "Cod-RNA": (12_000, 8),
    "Farm Ads": (4000, 5000),
    "Facebook": (10_000, 2000),
    "Twitch": (5000, 2000),
    "URL": (1200, 100_000),
    PLANTED: (12_000, 8),
}
MOST_ROWS = 12_000
"""Of Cod-RNA, which has 331,152: drawn once, with a fixed seed."""

ENERGY, LENGTH, FREQUENCY = (-1000.0, -200.0), (60.0, 140.0), (0.1, 0.4)
"""Ten times the free energy of folding in kcal/mol, the length of the sequences, and the share of a base in one: where
structured RNA of about a hundred bases usually lies.  What lies beyond is clipped."""

FLIPPED = 0.1
"""Labels of the planted table that are the other one."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Sparse rows whose entries lie within one, labels 0 and 1."""

    name: str
    X: sparse.csr_array
    y: Labels
    real: bool


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """All of them, by name."""

    tables: dict[str, Table]

    @property
    def real(self) -> bool:
        return all(self.tables[name].real for name in FILES)

    @property
    def source(self) -> str:
        told = [
            f"{table.X.shape[0]:,} {'real' if table.real else 'simulated'} rows of {name}"
            for name, table in self.tables.items()
            if name in FILES
        ]
        return ", ".join(told)


def load(folder: Path | None, simulated_only: bool = False) -> Tables:
    """Each table if its file is there, else one that is simulated."""
    found = {}
    for name, file in FILES.items():
        path = None if simulated_only else local_data.find(folder, file)
        found[name] = simulated(name) if path is None else READERS[name](path)
    return Tables({**found, PLANTED: planted()})


def simulated(name: str) -> Table:
    """Of the same kind: few dense columns, or many of which a row uses some."""
    rows, columns = SIMULATED_SHAPES[name]
    if name == "Cod-RNA":
        X, y = make_classification(rows, columns, n_informative=5, n_redundant=2, class_sep=1.2, random_state=0)
        return Table(name, sparse.csr_array(np.clip(X / 4, -1, 1)), y.astype(np.int_), real=False)
    places, chosen = make_classification(rows, 30, n_informative=20, class_sep=2.0, random_state=1)
    frequent = sparse.csr_array((places > 0.5).astype(np.float64))
    rare = sparse.csr_array(sparse.random_array((rows, columns - 30), density=20 / columns, rng=2))
    rare.data[:] = 1.0
    return Table(name, sparse.csr_array(sparse.hstack([frequent, rare])), chosen.astype(np.int_), real=False)


def planted() -> Table:
    """Columns of signs; a label is the sign of the sum of the first three, or the other one."""
    rng = check_random_state(3)
    rows, columns = SIMULATED_SHAPES[PLANTED]
    X = np.sign(rng.normal(size=(rows, columns)))
    y = (X[:, :3].sum(axis=1) > 0) ^ (rng.uniform(size=rows) < FLIPPED)
    return Table(PLANTED, sparse.csr_array(X), y.astype(np.int_), real=False)


def _cod_rna(path: Path) -> Table:
    """Every column scaled to [−1, 1] by its usual range."""
    frame = local_data.read_parquet(path)
    names = tuple(str(place) for place in range(1, 9))
    local_data.refuse_missing(frame, ("label", *names), path.name)
    kept = frame.sample(min(MOST_ROWS, len(frame)), random_state=0)
    X = kept[list(names)].to_numpy(dtype=np.float64)
    for place, (low, high) in enumerate((ENERGY, LENGTH, *(FREQUENCY for _ in names[2:]))):
        X[:, place] = (2 * X[:, place] - low - high) / (high - low)
    return Table("Cod-RNA", sparse.csr_array(np.clip(X, -1, 1)), (kept["label"].to_numpy() > 0).astype(np.int_), True)


def _sparse(name: str, second: str | None = None) -> Callable[[Path], Table]:
    """Of the second class are positive labels, or those with this name."""

    def read(path: Path) -> Table:
        try:
            X = sparse.csr_array(sparse.load_npz(path)).astype(np.float64)
            y = np.load(path)["y"]
        except (ValueError, KeyError, OSError):
            raise InvalidInput(f"{path.name}: is no sparse table with labels y, fetch it again") from None
        np.clip(X.data, -1.0, 1.0, out=X.data)
        return Table(name, X, (y > 0 if second is None else y == second).astype(np.int_), True)

    return read


READERS: dict[str, Callable[[Path], Table]] = {
    "Cod-RNA": _cod_rna,
    "Farm Ads": _sparse("Farm Ads"),
    "Facebook": _sparse("Facebook", "government"),
    "Twitch": _sparse("Twitch"),
    "URL": _sparse("URL"),
}


def widened(X: sparse.csr_array, columns: int) -> sparse.csr_array:
    """The same rows with zeros appended."""
    return sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], max(columns, X.shape[1])))
