"""What cannot be fitted on many machines is refused by name and for free: by types, names, sizes, never by a cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from distributed import Client, LocalCluster
from pyarrow import parquet
from sklearn.naive_bayes import GaussianNB

import equipoise as eq
from equipoise.answering import VotingPredictor
from equipoise.errors import BoundsRequired, EquipoiseError, InvalidInput, MechanismRefused, WorkerFailure
from equipoise.estimators.cluster.collections import ByType
from equipoise.inside.records import coded_labels
from equipoise.theory.bounds import Bounds

ROWS = 600
LISTS = pd.ArrowDtype(pa.list_(pa.int64()))
CANARY = "918273645"


def frame() -> Any:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 2))
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "ill": (X[:, 0] > 0).astype(np.int64)})


def arrays() -> tuple[Any, Any]:
    table = frame()
    X = da.from_array(table[["a", "b"]].to_numpy(), chunks=(200, 2))
    return X, da.from_array(table["ill"].to_numpy(), chunks=200)


def parts_of(pieces: list[Any]) -> Any:
    """A Dask data frame whose parts are these, said to be like the first."""
    return dd.from_map(lambda piece: piece, pieces, meta=pieces[0].iloc[:0])


def schema() -> eq.Schema:
    numbers = {name: {"kind": "number", "bounds": [-3, 3]} for name in "ab"}
    return eq.Schema.from_dict({"target": {"column": "ill", "classes": [0, 1]}, "columns": numbers})


def refused(told: str, job: Any, kind: type[Exception] = InvalidInput) -> None:
    """In these words, with nothing spent."""
    ledger = eq.Ledger(5.0)
    with pytest.raises(kind, match=f"{told}.*nothing was spent") as caught:
        job(ledger)
    assert "\n" not in str(caught.value)
    assert CANARY not in str(caught.value)
    assert not ledger.entries()


def usual(ledger: Any, **more: Any) -> Any:
    return eq.LogisticRegression(1.0, ledger=ledger, **more)


def test_without_a_client_there_is_nobody_to_ask() -> None:
    X, y = arrays()
    refused("no client of dask.distributed is in force", lambda ledger: usual(ledger).fit(X, y))
    far = dd.from_pandas(frame(), npartitions=2)
    refused("no client of dask.distributed", lambda ledger: eq.fit(far, schema(), 1.0, ledger=ledger))


def test_an_engine_is_a_connected_client_with_workers(
    client: Client, cluster: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far, path = dd.from_pandas(frame(), npartitions=2), tmp_path / "table.parquet"
    parquet.write_table(pa.Table.from_pandas(frame()), path)
    refused("engine of type str: must be a", lambda own: eq.fit(far, schema(), 1.0, engine="here", ledger=own))
    closed = Client(cluster, set_as_default=False)
    closed.close()
    refused("must be connected", lambda ledger: eq.fit(path, schema(), 1.0, engine=closed, ledger=ledger))
    with monkeypatch.context() as alone:
        alone.setattr(Client, "nthreads", lambda self: {})
        refused("has no workers", lambda ledger: eq.fit(path, schema(), 1.0, engine=client, ledger=ledger))
    here: dict[str, Any] = {"schema": schema(), "epsilon": 1.0, "engine": client}
    refused("workers read Dask data frames, or Parquet", lambda own: eq.fit(frame(), ledger=own, **here))
    refused("stream: says how one machine", lambda own: eq.fit(path, stream=True, ledger=own, **here))
    refused("workers read Dask data frames", lambda own: eq.fit(arrays()[0], ledger=own, **here))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda part: part.rename(columns={"b": "c"}),
        lambda part: part.assign(b=np.where(part.index == 400, CANARY, "1")),
        lambda part: part.drop(columns="b"),
    ],
    ids=["another name", "words for numbers", "a column less"],
)
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_a_part_with_other_columns_or_types_is_refused_before_the_debit(
    client: Client, spoil: Any, adjacency: str
) -> None:
    whole = frame()
    far, told = parts_of([whole.iloc[:300], spoil(whole.iloc[300:])]), "other columns or types"
    how: dict[str, Any] = {"adjacency": adjacency, "public_n": ROWS}
    learner = eq.LogisticRegression(**how)
    refused(told, lambda ledger: eq.fit(far, schema(), 1.0, estimator=learner, ledger=ledger))
    # a column that is chosen from a part without it fails before we see that part
    refused(f"{told}|cannot be computed", lambda ledger: usual(ledger, **how).fit(far[["a", "b"]], far["ill"]))
    assert CANARY not in str(client.get_worker_logs())


def test_a_gap_does_not_change_the_labels_beside_it() -> None:
    """Whole labels beyond doubles: a part with a gap has doubles, so all parts are read as such."""
    near, far = 2**53, 2**53 + 1
    labels = pd.Series(np.where(np.arange(ROWS) % 3 == 0, near, far))
    holed = labels.where(labels.index != 400)
    bounds = Bounds(row_norm=1.0, classes=(near, far))
    rows = frame()[["a", "b"]]
    whole, odd = (coded_labels(ByType()(bounds, rows, part)[1], bounds) for part in (labels, holed))
    others = np.arange(ROWS) != 400
    assert np.array_equal(whole[others], odd[others])


def test_a_gap_among_whole_numbers_is_no_other_type(client: Client) -> None:
    """pandas makes floats of them where one is missing: a record's doing, and no reason to refuse."""
    whole = frame().assign(a=np.arange(ROWS))
    second = whole.iloc[300:].assign(a=whole["a"].iloc[300:].where(whole.index[300:] != 400))
    far = parts_of([whole.iloc[:300], second])
    together = pd.concat([whole.iloc[:300], second])
    estimator = eq.LogisticRegression(1.0, random_state=1)
    here = np.array(estimator.fit(together[["a", "b"]], together["ill"]).coef_)
    assert np.abs(estimator.fit(far[["a", "b"]], far["ill"]).coef_ - here).max() <= 1e-9


def test_an_empty_part_and_a_table_without_rows(client: Client) -> None:
    whole = frame()
    far = parts_of([whole.iloc[:300], whole.iloc[:0], whole.iloc[300:]])
    estimator = eq.LogisticRegression(1.0, random_state=1)
    here = np.array(estimator.fit(whole[["a", "b"]], whole["ill"]).coef_)
    assert np.abs(estimator.fit(far[["a", "b"]], far["ill"]).coef_ - here).max() <= 1e-9
    none = parts_of([whole.iloc[:0], whole.iloc[:0]])
    refused("at least 2 are needed", lambda ledger: usual(ledger).fit(none[["a", "b"]], none["ill"]))
    secret: dict[str, Any] = {"adjacency": "add-remove", "public_n": 100}
    nobody = eq.LogisticRegression(1.0, random_state=1, **secret).fit(none[["a", "b"]], none["ill"])
    alone = eq.LogisticRegression(1.0, random_state=1, **secret).fit(whole[["a", "b"]].iloc[:0], whole["ill"].iloc[:0])
    assert np.abs(nobody.coef_ - alone.coef_).max() <= 1e-9


def test_the_number_of_rows_is_not_told_where_it_is_secret(client: Client) -> None:
    """Under add-remove one row, or none, is refused by nobody."""
    secret: dict[str, Any] = {"adjacency": "add-remove", "public_n": 100}
    X, y = arrays()
    for rows in (0, 1, 2):
        eq.LogisticRegression(1.0, **secret).fit(X[:rows], y[:rows])


def test_labels_in_other_parts_are_refused(client: Client) -> None:
    whole = frame()
    far, other = dd.from_pandas(whole, npartitions=2), dd.from_pandas(whole, npartitions=3)
    X, y = arrays()
    same = "y: must be a Dask array or series in the same parts as X"
    refused(same, lambda ledger: usual(ledger).fit(far[["a", "b"]], other["ill"]))
    refused(same, lambda ledger: usual(ledger).fit(X, whole["ill"]))
    refused("inconsistent numbers of samples", lambda ledger: usual(ledger).fit(X, y[:-1]))
    uneven = parts_of([whole.iloc[:200], whole.iloc[200:]])
    values = far[["a", "b"]].values, uneven["ill"].values
    refused("one label per row in every part", lambda ledger: usual(ledger).fit(*values))
    refused("one flat list", lambda ledger: usual(ledger).fit(X, X))
    refused("Expected 2D", lambda ledger: usual(ledger).fit(y, y))
    refused("number of its columns is unknown", lambda ledger: usual(ledger).fit(X[:, X[0] > 9.0], y))


def test_estimators_that_need_more_than_sums_are_refused_by_name(client: Client) -> None:
    X, y = arrays()
    memory = "in memory, not on many"
    boxes = eq.LinearRegression(1.0, mechanism="projected-histogram", label_bounds=(0, 1))
    refused(f"needs the records {memory}", lambda own: boxes.set_params(ledger=own).fit(X, y), MechanismRefused)
    kernel = eq.KernelClassifier(1.0)
    refused(f"needs them {memory}", lambda own: kernel.set_params(ledger=own).fit(X, y), MechanismRefused)
    refused("classes: list them", lambda own: usual(own, classes="observed").fit(X, y))


def test_persons_are_named_in_the_same_parts_with_a_cap(client: Client) -> None:
    X, y = arrays()
    far = dd.from_pandas(frame(), npartitions=2)
    refused("groups= to fit", lambda own: usual(own, rows_per_person=2).fit(X, y))
    refused("needs a public cap", lambda own: usual(own).fit(X, y, groups=y), BoundsRequired)
    same = "groups: must be a Dask array or series in the same parts as X"
    refused(same, lambda own: usual(own, rows_per_person=2).fit(X, y, groups=np.zeros(ROWS)))
    refused(same, lambda own: usual(own, rows_per_person=2).fit(X, y, groups=X))
    refused(same, lambda own: usual(own, rows_per_person=2).fit(X, y, groups=far["a"]))
    each = "groups: must have one id for each row of X"
    refused(each, lambda own: usual(own, rows_per_person=2).fit(X, y, groups=y[:-1]))
    lists = far["a"].map_partitions(lambda part: part.astype(LISTS), meta=pd.Series([], dtype=LISTS))
    refused(
        "groups: its type is nested",
        lambda own: usual(own, rows_per_person=2).fit(far[["b"]], far["ill"], groups=lists),
    )
    whole = frame()
    uneven = parts_of([whole.iloc[:200], whole.iloc[200:]])
    for adjacency in ("replace-one", "add-remove"):
        how: dict[str, Any] = {"adjacency": adjacency, "public_n": ROWS, "rows_per_person": 2}
        values = far[["a", "b"]].values, far["ill"].values
        refused(each, lambda own: usual(own, **how).fit(*values, groups=uneven["ill"].values))  # noqa: B023 - at once


@pytest.mark.parametrize(
    "job",
    [
        lambda X, y, own: eq.HistogramDensity(1.0, bounds=[(-1, 1)] * 2, ledger=own).fit(X),
        lambda X, y, own: eq.SimplexRegressor(1.0, label_bounds=(0, 1), ledger=own).fit(X, y),
        lambda X, y, own: VotingPredictor(GaussianNB(), ledger=own).fit(X, y),
        lambda X, y, own: eq.PairwiseRanker(1.0, ledger=own).fit(X, y),
    ],
    ids=["density", "simplex", "votes", "ranking"],
)
def test_what_reads_tables_into_memory_does_not_fetch_them(client: Client, job: Any) -> None:
    X, y = arrays()
    ledger = eq.Ledger(5.0)
    with pytest.raises(EquipoiseError, match="many machines"):
        job(X, y, ledger)
    assert not ledger.entries()


def test_predictions_are_made_part_by_part(client: Client) -> None:
    X, y = arrays()
    model = usual(None).fit(X, y)
    with pytest.raises(InvalidInput, match="map_blocks"):
        model.predict(X)
    far = X.map_blocks(model.predict, drop_axis=1, dtype=np.int64).compute()
    np.testing.assert_array_equal(far, model.predict(X.compute()))


def test_a_damaged_file_costs_and_says_so(client: Client, tmp_path: Path) -> None:
    path, ledger = tmp_path / "table.parquet", eq.Ledger(5.0)
    parquet.write_table(pa.Table.from_pandas(frame()), path, compression="zstd", use_dictionary=False)
    held = bytearray(path.read_bytes())
    held[100 : len(held) * 2 // 3] = b"\xff" * (len(held) * 2 // 3 - 100)
    path.write_bytes(held)
    with pytest.raises(WorkerFailure, match=r"a file changed, is damaged or cannot be read.*epsilon was spent"):
        eq.fit(path, schema(), 1.0, engine=client, ledger=ledger)
    assert len(ledger.entries()) == 1
