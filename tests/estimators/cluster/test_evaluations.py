"""A released model is judged on a table on many machines as on one in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from distributed import Client
from pyarrow import parquet

import equipoise as eq
from equipoise.errors import InvalidInput, WorkerFailure

ROWS = 900


def frame() -> Any:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 2))
    told = {
        "ill": np.where(X[:, 0] + rng.logistic(size=ROWS) > 0, "yes", "no"),
        "size": X[:, 0] + rng.normal(size=ROWS),
    }
    made = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "who": rng.integers(0, 200, ROWS), **told})
    made.loc[5, "size"] = np.nan
    return made


def model(target: str, person: bool) -> Any:
    targets: dict[str, Any] = {
        "ill": {"column": "ill", "classes": ["no", "yes"]},
        "size": {"column": "size", "bounds": [-4, 4], "unit": "mm"},
    }
    facts: dict[str, Any] = {
        "target": targets[target],
        "columns": {name: {"kind": "number", "bounds": [-3, 3]} for name in "ab"},
    }
    if person:
        facts["person"] = {"column": "who", "rows_per_person": 2}
    return eq.fit(frame(), eq.Schema.from_dict(facts), 5.0, random_state=1)


@pytest.mark.parametrize("person", [False, True], ids=["rows", "persons"])
@pytest.mark.parametrize("target", ["ill", "size"])
@pytest.mark.parametrize("how", [{"epsilon": 1.0, "random_state": 3}, {"public": True}], ids=["private", "public"])
def test_the_value_is_that_of_the_table_in_memory(
    client: Client, tmp_path: Path, target: str, person: bool, how: dict[str, Any]
) -> None:
    made, path = model(target, person), tmp_path / "table.parquet"
    parquet.write_table(pa.Table.from_pandas(frame(), preserve_index=False), path, row_group_size=170)
    here = eq.evaluate(made, frame(), **how)
    roads: list[tuple[Any, dict[str, Any]]] = [
        (dd.from_pandas(frame(), npartitions=4), {}),
        (dd.from_pandas(frame(), npartitions=3), {"engine": client}),
        (path, {"engine": client}),
    ]
    for table, road in roads:
        there = eq.evaluate(made, table, **how, **road)
        assert np.ptp([here.value, there.value]) <= 1e-9
        assert np.ptp([here.low, there.low]) <= 1e-9
        assert here.guarantee == there.guarantee
        assert here.records == there.records


def test_it_is_charged_once_and_refused_for_free(client: Client) -> None:
    ledger, made = eq.Ledger(5.0), model("ill", False)
    far = dd.from_pandas(frame(), npartitions=2)
    eq.evaluate(made, far, epsilon=1.0, ledger=ledger)
    assert len(ledger.entries()) == 1
    none = dd.from_pandas(frame().iloc[:0], npartitions=1)
    with pytest.raises(InvalidInput, match="no rows; nothing was spent"):
        eq.evaluate(made, none, epsilon=1.0, ledger=ledger)
    with pytest.raises(InvalidInput, match="Dask data frames, or Parquet"):
        eq.evaluate(made, da.zeros((10, 2)), epsilon=1.0, ledger=ledger)
    with pytest.raises(InvalidInput, match="Dask data frames, or Parquet"):
        eq.evaluate(made, frame(), epsilon=1.0, ledger=ledger, engine=client)
    other = dd.from_pandas(frame().rename(columns={"b": "c"}), npartitions=1)
    with pytest.raises(InvalidInput, match=r"'b'.*nothing was spent"):
        eq.evaluate(made, other, epsilon=1.0, ledger=ledger)
    assert len(ledger.entries()) == 1


def test_a_table_that_changes_after_it_was_counted_ends_in_one_sentence(client: Client, tmp_path: Path) -> None:
    path, made, ledger = str(tmp_path / "count"), model("ill", False), eq.Ledger(5.0)

    def grown(part: Any) -> Any:
        import pathlib

        import pandas

        mark = pathlib.Path(path)
        found = pandas.concat([part, part]) if mark.exists() else part
        mark.touch()
        return found

    whole = frame()
    changing = dd.from_map(grown, [whole], meta=whole.iloc[:0])
    with pytest.raises(WorkerFailure, match=r"not what it was.*epsilon was spent"):
        eq.evaluate(made, changing, epsilon=1.0, ledger=ledger)
    assert len(ledger.entries()) == 1
    Path(path).unlink()
    with pytest.raises(InvalidInput, match=r"cannot be computed by the workers.*nothing was spent"):
        eq.evaluate(made, changing, public=True)
