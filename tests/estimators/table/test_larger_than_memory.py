"""A table read block by block gives the model that it gives in memory; a folder that is not what it was gives none."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import compute as pc
from pyarrow import dataset, parquet

import equipoise as eq
from equipoise.errors import InvalidInput, MechanismRefused, UnreadableFile
from equipoise.inside import parted
from equipoise.schema.encoding import Encoding

ROWS = 3_000
AS_LONG: dict[str, Any] = {"row_group_size": 100, "compression": "none", "use_dictionary": False}
"""A file that is as long whatever its numbers are."""


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a small table has many."""
    monkeypatch.setattr(parted, "TALLEST", 512)


def columns() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4, ROWS)).astype(np.float32)
    score = X[0] - X[1] + rng.logistic(size=ROWS)
    X[2, ::7] = np.nan
    words = np.array(["a", "b", None, "unknown"], dtype=object)[rng.integers(0, 4, ROWS)]
    kind = np.digitize(score, [-1.0, 1.0])
    return {
        **{f"x{j}": X[j] for j in range(4)},
        "word": words,
        "ill": np.where(score > 0, "yes", "no"),
        "kind": kind.astype(np.int16),
        "size": score.astype(np.float64),
    }


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return pa.table(columns())


@pytest.fixture
def folder(table: pa.Table, tmp_path: Path) -> Path:
    """Uneven files, one without rows, one of tiny row groups."""
    made = tmp_path / "parts"
    (made / "more").mkdir(parents=True)
    parquet.write_table(table.slice(0, 900), made / "a.parquet", **AS_LONG)
    parquet.write_table(table.slice(900, 0), made / "b.parquet")
    parquet.write_table(table.slice(900), made / "more" / "c.parquet", row_group_size=1500)
    return made


def schema(target: str = "ill", **more: Any) -> eq.Schema:
    targets: dict[str, dict[str, Any]] = {
        "ill": {"column": "ill", "classes": ["no", "yes"]},
        "kind": {"column": "kind", "classes": [0, 1, 2]},
        "size": {"column": "size", "bounds": [-6, 6]},
    }
    numbers: dict[str, Any] = {f"x{j}": {"kind": "number", "bounds": [-3, 3]} for j in range(4)}
    words = {"word": {"kind": "category", "values": ["a", "b"]}}
    return eq.Schema.from_dict({"target": targets[target], "columns": numbers | words, **more})


def numbers_of(model: Any) -> Any:
    return np.concatenate([np.ravel(model.model.coef_), np.ravel(model.model.intercept_)])


CASES: dict[str, tuple[str, float, dict[str, Any]]] = {
    "usual, pure": ("ill", 0.0, {}),
    "noisy gradients": ("ill", 1e-6, {"estimator": eq.LogisticRegression(mechanism="noisy-gradient")}),
    "output": ("ill", 0.0, {"estimator": eq.LogisticRegression(mechanism="output")}),
    "output in a ball": ("ill", 0.0, {"estimator": eq.LogisticRegression(mechanism="output", coef_norm=0.5)}),
    "objective": ("ill", 1e-6, {"estimator": eq.LogisticRegression(mechanism="objective")}),
    "constant": ("ill", 0.0, {"estimator": eq.LogisticRegression(mechanism="constant")}),
    "three classes": ("kind", 1e-6, {"estimator": eq.LogisticRegression(mechanism="output")}),
    "hinge": ("ill", 0.0, {"estimator": eq.LinearSVC()}),
    "statistics": ("size", 1e-6, {"estimator": eq.LinearRegression(mechanism="sufficient-statistics")}),
    "functional": ("size", 0.0, {"estimator": eq.LinearRegression(mechanism="functional")}),
    "momentum": ("size", 1e-6, {"estimator": eq.LinearRegression(mechanism="momentum")}),
    "huber": ("size", 0.0, {"estimator": eq.HuberRegressor()}),
    "elastic net": ("size", 0.0, {"estimator": eq.ElasticNet()}),
    "products": ("ill", 0.0, {"interactions": [("x0", "word")]}),
    "shapes": ("size", 0.0, {"model": "additive"}),
    "size unknown": ("ill", 0.0, {"estimator": eq.LogisticRegression(adjacency="add-remove", public_n=3_000)}),
    "too many": ("ill", 0.0, {"estimator": eq.LogisticRegression(adjacency="add-remove", public_n=300)}),
}


@pytest.mark.parametrize("case", CASES)
def test_block_by_block_is_the_fit_in_memory(folder: Path, case: str) -> None:
    target, delta, how = CASES[case]
    source = folder / "a.parquet" if case == "noisy gradients" else folder  # which takes hundreds of passes
    in_memory, streamed = (
        eq.fit(source, schema(target), 2.0, delta, random_state=7, stream=stream, **how) for stream in (False, True)
    )
    assert streamed.guarantee_ == in_memory.guarantee_
    assert np.abs(numbers_of(streamed) - numbers_of(in_memory)).max() <= 1e-9
    assert np.abs(numbers_of(streamed)).max() > 0


def test_every_road_to_the_same_rows_ends_at_the_same_model(folder: Path, table: pa.Table, tmp_path: Path) -> None:
    parquet.write_table(table, tmp_path / "whole.parquet", row_group_size=1000)
    sources: list[tuple[Any, bool | None]] = [
        (table, None),
        (table.to_pandas(), None),
        (tmp_path / "whole.parquet", None),
        (tmp_path / "whole.parquet", True),
        (folder, True),
        (dataset.dataset(folder), True),
        (dataset.dataset(tmp_path / "whole.parquet"), False),
    ]
    found = [numbers_of(eq.fit(source, schema(), 1.0, random_state=3, stream=stream)) for source, stream in sources]
    assert np.ptp(found, axis=0).max() <= 1e-9


def test_dense_and_sparse_blocks_agree(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from equipoise.schema.encoding import encoding

    dense = numbers_of(eq.fit(folder, schema(), 1.0, random_state=3, stream=True))
    monkeypatch.setattr(encoding, "DENSE_CELLS", 1)
    sparse = numbers_of(eq.fit(folder, schema(), 1.0, random_state=3, stream=True))
    assert np.abs(dense - sparse).max() <= 1e-9


def test_a_large_table_is_streamed_without_being_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from equipoise.estimators.table import stream

    passes: list[int] = []
    summed = parted.Streamed.summed

    def counted(self: parted.Streamed, of: Any) -> Any:
        passes.append(1)
        return summed(self, of)

    monkeypatch.setattr(parted.Streamed, "summed", counted)
    eq.fit(folder, schema(), 1.0, random_state=3)
    assert not passes
    monkeypatch.setattr(stream, "IN_MEMORY", 1000)
    eq.fit(folder, schema(), 1.0, random_state=3)
    assert 1 < len(passes) < 40


def add_file(folder: Path) -> None:
    parquet.write_table(parquet.read_table(folder / "a.parquet").slice(0, 10), folder / "d.parquet")


def rewrite(folder: Path) -> None:
    """The same size, name and time, and other rows: a whole file that its footer alone tells from the first."""
    path = folder / "a.parquet"
    before, held = os.stat(path), parquet.read_table(path)
    turned = held.set_column(0, "x0", pc.negate(held["x0"]))
    parquet.write_table(turned, path, **AS_LONG)
    assert os.stat(path).st_size == before.st_size
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def touch(folder: Path) -> None:
    os.utime(folder / "a.parquet", ns=(1, 1))


def cut(folder: Path) -> None:
    path = folder / "more" / "c.parquet"
    path.write_bytes(path.read_bytes()[:-100])


def remove(folder: Path) -> None:
    (folder / "more" / "c.parquet").unlink()


@pytest.mark.parametrize("change", [add_file, rewrite, touch, cut, remove])
@pytest.mark.parametrize("after", [0, 2])
def test_a_folder_that_changes_ends_the_fit(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], after: int
) -> None:
    """Between the debit and the first pass, or later: the entry is spent and nothing is released."""
    ledger = eq.Ledger(5.0)
    passes: list[int] = []
    summed = parted.Streamed.summed

    def counted(self: parted.Streamed, of: Any) -> Any:
        if len(passes) == after:
            change(folder)
        passes.append(1)
        return summed(self, of)

    monkeypatch.setattr(parted.Streamed, "summed", counted)
    with pytest.raises(UnreadableFile, match="epsilon was spent, nothing was released"):
        eq.fit(folder, schema(), 1.0, ledger=ledger, random_state=3, stream=True)
    assert len(passes) == after + 1
    assert len(ledger.entries()) == 1


def test_a_file_damaged_in_the_middle_costs_and_says_so(folder: Path) -> None:
    path, ledger = folder / "more" / "c.parquet", eq.Ledger(5.0)
    held = bytearray(path.read_bytes())
    held[len(held) // 3 : len(held) // 3 + 4000] = b"\xff" * 4000
    path.write_bytes(held)
    with pytest.raises(UnreadableFile, match=r"c\.parquet: the Parquet file is damaged; epsilon was spent") as caught:
        eq.fit(folder, schema(), 1.0, ledger=ledger, random_state=3, stream=True)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or isinstance(caught.value.__context__, UnreadableFile)
    assert len(ledger.entries()) == 1


def test_a_file_without_its_end_is_refused_for_free(folder: Path) -> None:
    cut(folder)
    ledger = eq.Ledger(5.0)
    with pytest.raises(UnreadableFile, match="no Parquet file, or damaged; nothing was spent"):
        eq.fit(folder, schema(), 1.0, ledger=ledger, stream=True)
    assert not ledger.entries()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda held: held.drop_columns(["x1"]), "has no column 'x1'"),
        (lambda held: held.set_column(1, "x1", pc.cast(held["x1"], pa.string())), "column 'x1' is text, in .* number"),
    ],
)
def test_a_file_with_other_columns_or_types_is_refused_for_free(
    folder: Path, change: Callable[[pa.Table], pa.Table], told: str
) -> None:
    parquet.write_table(change(parquet.read_table(folder / "a.parquet")), folder / "d.parquet")
    ledger = eq.Ledger(5.0)
    with pytest.raises(InvalidInput, match=f"{told}.*nothing was spent"):
        eq.fit(folder, schema(), 1.0, ledger=ledger, stream=True)
    assert not ledger.entries()


def test_what_cannot_be_streamed_is_refused_by_name_and_for_free(folder: Path, table: pa.Table) -> None:
    ledger = eq.Ledger(5.0)
    cells = eq.LinearRegression(mechanism="projected-histogram")
    late = TypeError  # what a mechanism meets that was let through
    with pytest.raises((MechanismRefused, late), match=r"-histogram': needs the records in memory.*nothing was spent"):
        eq.fit(folder, schema("size"), 1.0, estimator=cells, ledger=ledger, stream=True)
    with pytest.raises((MechanismRefused, late), match=r"lifts rows, which needs them in memory.*nothing was spent"):
        eq.fit(folder, schema(), 1.0, model="kernel", ledger=ledger, stream=True)
    persons = schema(person={"column": "kind", "rows_per_person": 2})
    with pytest.raises(InvalidInput, match=r"person 'kind': .*nothing was spent"):
        eq.fit(folder, persons, 1.0, ledger=ledger, stream=True)
    with pytest.raises(InvalidInput, match=r"filter.*nothing was spent"):
        eq.fit(dataset.dataset(folder).filter(pc.field("x0") > 0), schema(), 1.0, ledger=ledger)
    with pytest.raises(InvalidInput, match=r"only Parquet is read in blocks.*nothing was spent"):
        eq.fit(table, schema(), 1.0, ledger=ledger, stream=True)
    with pytest.raises(InvalidInput, match="stream='yes'"):
        eq.fit(folder, schema(), 1.0, ledger=ledger, stream="yes")  # type: ignore[arg-type]
    assert not ledger.entries()


def test_no_cell_is_an_error(table: pa.Table, tmp_path: Path) -> None:
    """Bytes that are no text, days beyond the calendar, infinity: each is what a missing or long value is."""
    bad = pa.array([b"\xff\xfe"] * 50 + [b"a"] * 50, pa.binary()).view(pa.string())
    held = {
        "word": bad,
        "day": pa.array([2**31 - 1, 0] * 50, pa.int32()).view(pa.date32()),
        "x": np.array([np.inf, -1e38] * 50, dtype=np.float32),
        "ill": ["no", "yes"] * 50,
    }
    parquet.write_table(pa.table(held), tmp_path / "odd.parquet")
    facts = eq.Schema.from_dict(
        {
            "target": {"column": "ill", "classes": ["no", "yes"]},
            "columns": {
                "word": {"kind": "category", "values": ["a"]},
                "day": {"kind": "date", "bounds": ["2000-01-01", "2020-01-01"]},
                "x": {"kind": "number", "bounds": [0, 1]},
            },
        }
    )
    whole, parts = (
        np.asarray(eq.fit(tmp_path / "odd.parquet", facts, 1.0, random_state=1, stream=way).model.coef)
        for way in (False, True)
    )
    assert np.isfinite(whole).all()
    np.testing.assert_allclose(whole, parts, atol=1e-9)


def test_under_add_remove_the_nominal_size_decides_what_is_streamed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal of what cannot be streamed would tell the number of rows, which is secret: there are 3,000 here."""
    from equipoise.estimators.table import stream

    width = len(Encoding(schema()).names)
    monkeypatch.setattr(stream, "IN_MEMORY", 8 * 2000 * width)
    near = eq.KernelClassifier(adjacency="add-remove", public_n=2000, frequencies=4)
    eq.fit(folder, schema(), 1.0, estimator=near, random_state=3)
    monkeypatch.setattr(stream, "IN_MEMORY", 8 * 4000 * width)
    with pytest.raises(MechanismRefused, match="lifts rows"):
        eq.fit(folder, schema(), 1.0, estimator=near.set_params(public_n=4001), random_state=3)
