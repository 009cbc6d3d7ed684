"""A table on many machines gives the model that it gives in memory, for the same seed, to 1e-9."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pytest
from distributed import Client
from pyarrow import parquet
from scipy import sparse

import equipoise as eq
from equipoise.inside.cluster import crew
from equipoise.inside.solvers import head_start

ROWS, COLUMNS = 2_400, 4
CUTS = (700, 1, 0, 1_199, 500)
"""Rows of the parts: uneven, one of a single row, one of none."""

NAMES = [f"x{place}" for place in range(COLUMNS)]
CLOSE = 1e-9


def rows() -> npt.NDArray[np.float64]:
    X = np.random.default_rng(1).normal(size=(ROWS, COLUMNS))
    X[::9, 2] = np.nan
    X[5, 1] = np.inf
    return X


def score() -> npt.NDArray[np.float64]:
    X = np.nan_to_num(rows(), posinf=3.0)
    return np.asarray(X[:, 0] - X[:, 1] + np.random.default_rng(2).logistic(size=ROWS))


def in_parts(table: npt.NDArray[Any]) -> Any:
    ends = np.cumsum(CUTS)[:-1]
    pieces = [da.from_array(part, chunks=(max(1, len(part)), *table.shape[1:])) for part in np.split(table, ends)]
    return da.concatenate(pieces)


def numbers_of(model: Any) -> npt.NDArray[np.float64]:
    return np.concatenate([np.ravel(model.coef_), np.ravel(model.intercept_)])


def both(estimator: Any, X: Any, y: Any, far_X: Any, far_y: Any) -> tuple[Any, Any]:
    here = estimator.fit(X, y)
    kept = numbers_of(here), here.guarantee_
    far = estimator.fit(far_X, far_y)
    assert far.guarantee_ == kept[1]
    return kept[0], numbers_of(far)


SEED: dict[str, Any] = {"random_state": 7}
LABELS: dict[str, npt.NDArray[Any]] = {
    "two": (score() > 0).astype(int),
    "three": np.digitize(score(), [-1.0, 1.0]),
    "words": np.where(score() > 0, "yes", "no"),
    "size": score(),
}
SIZE: dict[str, Any] = {"label_bounds": (-6.0, 6.0)}
SECRET: dict[str, Any] = {"adjacency": "add-remove"}
CASES: dict[str, tuple[str, Any]] = {
    "usual, pure": ("two", eq.LogisticRegression(1.0, **SEED)),
    "usual": ("two", eq.LogisticRegression(1.0, 1e-6, **SEED)),
    "output": ("two", eq.LogisticRegression(1.0, mechanism="output", **SEED)),
    "output in a ball": ("two", eq.LogisticRegression(1.0, mechanism="output", coef_norm=0.5, **SEED)),
    "objective": ("two", eq.LogisticRegression(1.0, 1e-6, mechanism="objective", **SEED)),
    "constant": ("two", eq.LogisticRegression(1.0, mechanism="constant", **SEED)),
    "columns": ("two", eq.LogisticRegression(1.0, column_bounds=[(-2, 2)] * COLUMNS, **SEED)),
    "usual length, pure": ("two", eq.LogisticRegression(1.0, row_norm=50.0, **SEED)),
    "usual length": ("size", eq.LinearRegression(1.0, 1e-6, row_norm=50.0, **SIZE, **SEED)),
    "three classes": ("three", eq.LogisticRegression(1.0, 1e-6, classes=[0, 1, 2], mechanism="output", **SEED)),
    "words": ("words", eq.LogisticRegression(1.0, classes=["no", "yes"], **SEED)),
    "hinge": ("two", eq.LinearSVC(1.0, **SEED)),
    "elastic net of classes": ("two", eq.ElasticNetClassifier(1.0, **SEED)),
    "statistics": ("size", eq.LinearRegression(1.0, 1e-6, mechanism="sufficient-statistics", **SIZE, **SEED)),
    "functional": ("size", eq.LinearRegression(1.0, mechanism="functional", **SIZE, **SEED)),
    "huber": ("size", eq.HuberRegressor(1.0, **SIZE, **SEED)),
    "elastic net": ("size", eq.ElasticNet(1.0, **SIZE, **SEED)),
    "shapes": ("size", eq.AdditiveRegressor(1.0, column_bounds=[(-3, 3)] * COLUMNS, **SIZE, **SEED)),
    "size unknown": ("two", eq.LogisticRegression(1.0, **SECRET, public_n=2_000, **SEED)),
    "first rows": ("two", eq.LogisticRegression(1.0, 1e-6, mechanism="objective", **SECRET, public_n=100, **SEED)),
    "far too many": ("two", eq.LogisticRegression(1.0, mechanism="output", **SECRET, public_n=30, **SEED)),
}


@pytest.mark.parametrize("case", CASES)
def test_dask_arrays_give_the_model_of_the_table_in_memory(client: Client, case: str) -> None:
    labels, estimator = CASES[case]
    X, y = rows(), LABELS[labels]
    here, far = both(estimator, X, y, in_parts(X), in_parts(y))
    assert np.abs(here - far).max() <= CLOSE
    assert np.abs(here).max() > 0
    if case.startswith("usual length"):
        assert estimator.guarantee_.constants["row bound over the usual length"] > 2.5


def test_gradient_steps_are_the_same_round_after_round(client: Client) -> None:
    X, y = rows()[:900], LABELS["two"][:900]
    estimator = eq.LogisticRegression(1.0, 1e-6, mechanism="noisy-gradient", **SEED)
    here, far = both(estimator, X, y, da.from_array(X, chunks=(450, 2)), da.from_array(y, chunks=300))
    assert np.abs(here - far).max() <= CLOSE


@pytest.mark.parametrize("estimator", ["two", "size"])
def test_rows_are_seen_from_the_same_middle(client: Client, estimator: str) -> None:
    """A part is seen where it lies, anew for every sum."""
    X = np.random.default_rng(3).normal(0.3, 0.4, size=(ROWS, 17))
    X[::9, 2], X[5, 1] = np.nan, np.inf
    near: dict[str, Any] = {"middle": "auto", **SEED}
    given = {"two": eq.LogisticRegression(1.0, 1e-3, **near), "size": eq.LinearRegression(0.2, 1e-2, **SIZE, **near)}
    model, y = given[estimator], LABELS[estimator]
    here, far = both(model, X, y, in_parts(X), in_parts(y))
    assert "steps' worth of the middle" in model.guarantee_.constants
    assert np.abs(here - far).max() <= CLOSE


def test_a_rough_start_leads_to_the_same_model(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many rows, a few say where to begin.  From elsewhere a fit ends elsewhere, within its radius."""
    monkeypatch.setattr(head_start, "FEWEST", 200)
    monkeypatch.setattr(head_start, "PER_COEFFICIENT", 1)
    X, y = rows(), LABELS["two"]
    here, far = both(eq.LogisticRegression(1.0, mechanism="output", **SEED), X, y, in_parts(X), in_parts(y))
    assert np.abs(here - far).max() <= CLOSE


def test_singles_and_sparse_parts_are_read_as_in_memory(client: Client) -> None:
    y = LABELS["two"]
    far_y = da.from_array(y, chunks=800)
    singles = np.nan_to_num(rows(), posinf=3.0).astype(np.float32)
    estimator = eq.LogisticRegression(1.0, **SEED)
    here, far = both(estimator, singles, y, da.from_array(singles, chunks=(800, 4)), far_y)
    assert np.abs(here - far).max() <= CLOSE
    thin = sparse.csr_array(np.where(np.abs(singles) > 1, singles, 0).astype(np.float64))
    far_thin = da.from_array(thin.toarray(), chunks=(800, 4)).map_blocks(sparse.csr_array)
    here, far = both(estimator, thin, y, far_thin, far_y)
    assert np.abs(here - far).max() <= CLOSE


def frame() -> Any:
    words = np.array(["a", "b", None, "unknown"], dtype=object)[np.random.default_rng(3).integers(0, 4, ROWS)]
    told = {"ill": LABELS["words"], "kind": LABELS["three"], "size": LABELS["size"]}
    return pd.DataFrame({**dict(zip(NAMES, rows().T, strict=True)), "word": pd.Series(words, dtype="str"), **told})


def test_data_frames_and_unknown_chunk_sizes(client: Client) -> None:
    """Of an array from a data frame nobody knows how long its parts are: they are counted before the debit."""
    table = frame()
    far = dd.from_pandas(table, npartitions=3)
    estimator = eq.LogisticRegression(1.0, classes=["no", "yes"], **SEED)
    here, there = both(estimator, table[NAMES], table["ill"], far[NAMES], far["ill"])
    assert np.abs(here - there).max() <= CLOSE
    assert list(estimator.feature_names_in_) == NAMES
    _, there = both(estimator, table[NAMES].to_numpy(), table["ill"], far[NAMES].values, far["ill"])
    assert np.abs(here - there).max() <= CLOSE


def test_words_of_an_additive_model_have_their_codes(client: Client) -> None:
    table = frame()[["x0", "word", "size"]]
    far = dd.from_pandas(table, npartitions=3)
    shapes = eq.AdditiveRegressor(1.0, column_bounds={"x0": (-3, 3)}, categories={"word": ["a", "b"]}, **SIZE, **SEED)
    here, there = both(shapes, table[["x0", "word"]], table["size"], far[["x0", "word"]], far["size"])
    assert np.abs(here - there).max() <= CLOSE


def schema(target: str = "ill") -> eq.Schema:
    targets: dict[str, dict[str, Any]] = {
        "ill": {"column": "ill", "classes": ["no", "yes"]},
        "kind": {"column": "kind", "classes": [0, 1, 2]},
        "size": {"column": "size", "bounds": [-6, 6]},
    }
    columns: dict[str, Any] = {name: {"kind": "number", "bounds": [-3, 3]} for name in NAMES}
    columns["word"] = {"kind": "category", "values": ["a", "b"]}
    return eq.Schema.from_dict({"target": targets[target], "columns": columns})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Uneven files of several row groups, one without rows."""
    made = tmp_path / "parts"
    made.mkdir()
    table = pa.Table.from_pandas(frame(), preserve_index=False)
    parquet.write_table(table.slice(0, 900), made / "a.parquet", row_group_size=100)
    parquet.write_table(table.slice(900, 0), made / "b.parquet")
    parquet.write_table(table.slice(900), made / "c.parquet", row_group_size=700)
    return made


@pytest.mark.parametrize(
    ("target", "how"),
    [("ill", {}), ("kind", {}), ("size", {"model": "additive"})],
    ids=["two", "three", "shapes"],
)
def test_every_road_to_the_same_rows_ends_at_the_same_model(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch, target: str, how: dict[str, Any]
) -> None:
    from equipoise.estimators.table import spread

    monkeypatch.setattr(spread, "MOST_ENTRIES", 3_000)  # so that the files are several parts each
    roads: list[tuple[Any, dict[str, Any]]] = [
        (frame(), {}),
        (folder, {"stream": False}),
        (folder, {"stream": True}),
        (folder, {"engine": client}),
        (dd.from_pandas(frame(), npartitions=4), {}),
        (dd.from_pandas(frame(), npartitions=2), {"engine": client}),
    ]
    models = [eq.fit(table, schema(target), 1.0, random_state=3, **how, **road) for table, road in roads]
    found = [numbers_of(model.model) for model in models]
    assert np.ptp(found, axis=0).max() <= CLOSE
    assert all(model.guarantee_ == models[0].guarantee_ for model in models)


def test_parts_of_files_are_the_rows_in_their_order(folder: Path) -> None:
    from equipoise.schema.tables.parquet import open_parquet
    from equipoise.schema.tables.parquet_parts import parts_of_files

    files = open_parquet(folder)
    for most in (1, 100, 250, 10**6):
        parts = parts_of_files(files, most)
        assert sum(len(part) for part in parts) == len(files) == ROWS
        assert all(len(part) <= max(most, 700) for part in parts if most < 10**6)
        together = np.concatenate([part.table(["x0"])["x0"] for part in parts])
        np.testing.assert_array_equal(together, files.table(["x0"])["x0"])
    assert len(parts_of_files(files, 10**6)) == 2


def test_a_large_question_is_sent_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = np.nan_to_num(rows()), LABELS["two"]
    far_X, far_y = da.from_array(X, chunks=(800, 4)), da.from_array(y, chunks=800)
    monkeypatch.setattr(crew, "LARGE", 1)
    here, far = both(eq.LogisticRegression(1.0, mechanism="output", **SEED), X, y, far_X, far_y)
    assert np.abs(here - far).max() <= CLOSE
