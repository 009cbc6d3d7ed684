"""Whatever enters becomes a table of our own: short rows, one place once, each row by itself, shared with nobody."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from equipoise.errors import InvalidInput
from equipoise.inside import enter
from equipoise.inside.design import design_from
from equipoise.rows import owned
from equipoise.rows.owned import own_csr
from equipoise.theory.bounds import Bounds, clip_margin

Array = npt.NDArray[np.float64]

FORMATS = ["csr", "csc", "coo", "dok", "lil", "bsr", "dia"]
KINDS = [*(f"{name}_matrix" for name in FORMATS), *(f"{name}_array" for name in FORMATS)]


def stale(cells: int) -> Any:
    """The first row holds 0.01 in so many columns, all folded into one after the flag was read, as hashing does."""
    table = sparse.csr_matrix((np.full(cells, 0.01), np.arange(cells), np.r_[0, np.full(100, cells)]), (100, cells))
    assert table.has_canonical_format
    table.indices %= 1
    return table


def rows_of(X: Any, bound: float) -> Array:
    return design_from(X, bound, 0.0).matvec(np.eye(X.shape[1]))


def exact_norm(row: Array) -> Fraction:
    """Squared, without rounding."""
    return sum((Fraction(float(cell)) ** 2 for cell in row), Fraction(0))


def test_a_flag_from_before_an_edit_does_not_defeat_clipping() -> None:
    design = design_from(stale(3000), 1.0, 0.0)
    assert 1 - 1e-9 < float(design.matvec(np.eye(3000, 1)[:, 0])[0]) <= 1


def test_such_a_table_moves_the_minimiser_no_further_than_stated() -> None:
    """Row 0 adds up to 100; replaced by its opposite the moments may differ by two rows of length one."""
    inner = enter(stale(3000), np.ones(100), Bounds(1.0, classes=(0, 1))).reveal().design
    other = stale(3000)
    other.data *= -1
    outer = enter(other, np.ones(100), Bounds(1.0, classes=(0, 1))).reveal().design
    assert float(np.linalg.norm(inner.rmatvec(np.ones(100)) - outer.rmatvec(np.ones(100)))) <= 2


@pytest.mark.parametrize("kind", KINDS)
def test_every_sparse_format_gives_the_same_rows_and_shares_nothing(kind: str) -> None:
    rng = np.random.default_rng(0)
    dense = np.where(rng.random((30, 8)) < 0.3, rng.normal(size=(30, 8)) * 10.0 ** rng.integers(-3, 3, (30, 1)), 0.0)
    given = getattr(sparse, kind)(dense)
    made = own_csr(given)
    np.testing.assert_array_equal(made.toarray(), dense)
    assert type(made) is sparse.csr_array
    assert made.has_canonical_format
    for name in ("data", "indices", "indptr"):
        theirs = getattr(given, name, None)
        assert theirs is None or not np.shares_memory(getattr(made, name), theirs)
    rows = rows_of(given, 1.0)
    np.testing.assert_array_equal(rows, rows_of(sparse.csr_array(dense), 1.0))
    np.testing.assert_allclose(rows, rows_of(dense, 1.0), rtol=1e-14)


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_matrix", "coo_array"])
def test_pieces_strangers_and_unordered_entries_are_put_right(kind: str) -> None:
    """Entries in pieces, out of order, out of the table, missing, explicit zeros: what is left is what counts."""
    rows, columns = np.array([1, 0, 1, 1, 0, 1, 0]), np.array([2, 1, 0, 2, 9, 1, 1])
    data = np.array([0.25, 0.5, 0.0, 0.5, 7.0, np.nan, -0.5])
    if kind == "coo_array":
        kept = columns < 3
        table: Any = sparse.coo_array((data[kept], (rows[kept], columns[kept])), (2, 3))
    else:
        table = getattr(sparse, kind)((2, 3))
        first, second = (rows, columns) if kind == "csr_matrix" else (columns, rows)
        kept = first < (2 if kind == "csr_matrix" else 3)
        order = np.argsort(first[kept], kind="stable")
        lines = 2 if kind == "csr_matrix" else 3
        table.data, table.indices = data[kept][order], second[kept][order].astype(np.int32)
        table.indptr = np.concatenate([[0], np.cumsum(np.bincount(first[kept], minlength=lines))]).astype(np.int32)
    made = own_csr(table)
    assert made.indices.tolist() == [2], "before a product reads beyond the columns"
    np.testing.assert_array_equal(made.toarray(), [[0, 0, 0], [0, 0, 0.75]])


@pytest.mark.parametrize("entries", [1, 5, 64, 2**18])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_rows_are_put_in_order_block_by_block_as_if_at_once(
    entries: int, index: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows without entries, with very many, with zeros, gaps and pieces; a row does not depend on its block."""
    monkeypatch.setattr(owned, "BLOCK_ENTRIES", entries)
    rng = np.random.default_rng(0)
    counts = np.array([0, 3, 0, 40, 1, 7, 0, 0, 12, 0])
    data = rng.choice([0.0, np.nan, 0.5, -0.5, 2.0, 0.25], size=counts.sum())
    table = sparse.csr_array((len(counts), 9))
    table.data, table.indices = data, rng.integers(-1, 10, size=counts.sum()).astype(index)
    table.indptr = np.append(0, np.cumsum(counts)).astype(index)
    slow = np.zeros(table.shape)
    for row, start in enumerate(table.indptr[:-1]):
        for place, cell in zip(table.indices[start:], data[start : start + counts[row]], strict=False):
            if 0 <= place < 9 and not np.isnan(cell):
                slow[row, place] += cell
    made = own_csr(table)
    np.testing.assert_array_equal(made.toarray(), slow)
    assert made.has_canonical_format
    assert made.data.all()
    assert len(made.data) == len(made.indices) == made.indptr[-1]


@pytest.mark.parametrize(
    ("place", "left"), [(3, [0, 1]), (-1, [0, 1]), (2, [0, 1, 2]), (1, [0, 1])], ids=["beyond", "before", "ok", "twice"]
)
def test_ordered_rows_are_taken_as_they_are_only_if_nothing_is_to_be_put_right(place: int, left: list[int]) -> None:
    table = sparse.csr_array(np.array([[0.1, 0.0, 0.0], [0.0, 0.5, 0.3]]))
    table.indices[-1] = place
    assert own_csr(table).indices.tolist() == left


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("indptr", np.array([0, 5, 2, 6])),
        ("indptr", np.array([1, 2, 3, 6])),
        ("indptr", np.array([0, 2, 99, 99])),
        ("indptr", np.array([0, 6])),
        ("indices", np.zeros((2, 3), dtype=int)),
        ("indices", np.array([0.5] * 6)),
        ("indices", np.zeros(3, dtype=int)),
    ],
)
def test_damaged_pointers_are_refused_without_a_look_beyond(name: str, wrong: npt.NDArray[Any]) -> None:
    table = sparse.csr_matrix(np.ones((3, 2)))
    setattr(table, name, wrong)
    with pytest.raises(InvalidInput, match="damaged"):
        own_csr(table)


class Liar(sparse.csr_matrix):
    """Overrides what one might rely on."""

    has_canonical_format = property(lambda self: True, lambda self, value: None)
    has_sorted_indices = property(lambda self: True, lambda self, value: None)

    def sum_duplicates(self) -> None:
        return

    def __abs__(self) -> Any:
        return self * 0


def test_a_subclass_that_lies_is_measured_by_its_entries() -> None:
    lie = Liar((np.full(50, 0.5), np.zeros(50, dtype=int), np.array([0, 50])), shape=(1, 2))
    assert exact_norm(rows_of(lie, 1.0)[0]) <= 1


class Small(np.ndarray):
    """Says of everything that it is nought."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **settings: Any) -> Any:
        return np.zeros(np.shape(np.asarray(inputs[0])))


DENSE: dict[str, Callable[[Array], Any]] = {
    "plain": lambda X: X,
    "columns first": np.asfortranarray,
    "every second": lambda X: np.repeat(X, 2, axis=0)[::2],
    "backwards": lambda X: np.ascontiguousarray(X[::-1])[::-1],
    "other bytes first": lambda X: X.astype(">f8"),
    "read-only": lambda X: np.broadcast_to(X, X.shape),
    "matrix": lambda X: np.asmatrix(X),
    "masked": np.ma.masked_invalid,
    "subclass": lambda X: X.view(Small),
    "long double": lambda X: X.astype(np.longdouble),
    "single": lambda X: X.astype(np.float32),
    "half": lambda X: X.astype(np.float16),
    "whole": lambda X: X.astype(np.int16),
    "truth": lambda X: X.astype(bool),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("columns", [None, ((-1.0, 1.0), (0.0, 4.0), (-8.0, 8.0))], ids=["no bounds", "column bounds"])
@pytest.mark.parametrize("kind", DENSE)
def test_every_dense_kind_enters_as_the_same_numbers_in_doubles(kind: str, columns: Any) -> None:
    X = np.random.default_rng(1).integers(-9, 9, size=(40, 3)).astype(np.float64)
    given = DENSE[kind](X)
    numbers: Array = np.array(given, dtype=np.float64, subok=False)
    bounds = Bounds(2.0, columns=columns, label_range=(0, 1))
    made, same = (enter(table, np.zeros(40), bounds).reveal().design for table in (given, numbers))
    assert type(made.matrix) is np.ndarray  # type: ignore[attr-defined]
    assert made.matrix.dtype == np.float64  # type: ignore[attr-defined]
    assert not np.shares_memory(made.matrix, np.asarray(given))  # type: ignore[attr-defined]
    np.testing.assert_array_equal(made.matrix, same.matrix)  # type: ignore[attr-defined]
    assert max(map(exact_norm, made.matrix)) <= 4  # type: ignore[attr-defined]
    if columns is not None:
        each = np.abs(made.matrix).max(axis=0)  # type: ignore[attr-defined]
        assert np.all(each <= 2 / math.sqrt(3) * (1 + 1e-15))


ANY = arrays.arrays(
    np.float64, st.tuples(st.integers(2, 6), st.integers(1, 5)), elements=st.floats(width=64, allow_subnormal=True)
)


@given(X=ANY, bound=st.floats(1e-30, 1e30), columns=st.booleans(), thin=st.booleans(), data=st.data())
@settings(max_examples=200, deadline=None)
def test_a_replaced_row_changes_no_other_and_none_is_longer_than_its_bound(
    X: Array, bound: float, columns: bool, thin: bool, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(X) - 1))
    other = X.copy()
    other[place] = data.draw(arrays.arrays(np.float64, X.shape[1], elements=st.floats(width=64)))
    ranges = ((-3.0, 5.0),) * X.shape[1] if columns and not thin else None
    bounds = Bounds(bound, columns=ranges, label_range=(0, 1))
    store = sparse.csr_array if thin else np.asarray
    made = [
        enter(store(table), np.zeros(len(X)), bounds).reveal().design.matvec(np.eye(X.shape[1])) for table in (X, other)
    ]
    assert max(map(exact_norm, made[0])) <= Fraction(bound) ** 2
    np.testing.assert_array_equal(np.delete(made[0], place, axis=0), np.delete(made[1], place, axis=0))
    assert np.isfinite(made[0]).all()


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("cell", [0.7, 1 / 3, 0.01])
def test_a_row_of_millions_of_cells_stays_below_its_bound(store: Any, cell: float) -> None:
    """Summed one by one, so many equal terms lose digits all in the same direction."""
    row = np.full((1, 3_000_000), cell)
    row[0, 0] = 1.0
    design = design_from(store(row), 1.0, 0.0)
    stored: Any = design.matrix  # type: ignore[attr-defined]
    cells = (stored[0] if isinstance(stored, np.ndarray) else stored.data).astype(np.longdouble)
    assert 0 < 1 - np.sqrt(np.sum(cells * cells)) < 1e-8


@pytest.mark.parametrize("columns", [1, 100, 10_000, 3_000_000, 2**31])
def test_the_margin_covers_a_sum_in_any_order(columns: int) -> None:
    """How far a sum of squares is off hangs on the processor: some add so evenly that millions of cells show nothing.
    In any order it is off by at most so many roundings, and its root by half of that."""
    assert clip_margin(columns) >= (columns + 4) * 2.0**-53


@pytest.mark.slow
def test_a_sparse_row_of_ten_million_cells_stays_below_its_bound() -> None:
    count = 10_000_000
    data = np.random.default_rng(0).choice([0.3, 0.9, 1.0], size=count)
    design = design_from(sparse.csr_array((data, np.arange(count), np.array([0, count])), shape=(1, count)), 1.0, 0.0)
    cells = design.matrix.data.astype(np.longdouble)  # type: ignore[attr-defined]
    assert 0 < 1 - np.sqrt(np.sum(cells * cells)) < 1e-7


@pytest.mark.parametrize("columns", [None, ((-1.0, 3.0), (-2.0, 2.0), (0.0, 1.0))])
def test_a_table_that_is_ours_is_changed_in_place_and_no_other(columns: tuple[tuple[float, float], ...] | None) -> None:
    """Both enter as the same numbers, missing cells, infinities and huge ones included."""
    rng, bounds = np.random.default_rng(0), Bounds(1.0, classes=(0, 1), columns=columns)
    X = rng.normal(size=(40, 3))
    X[3, 1], X[5, 0], X[7, 2], X[8, 0] = np.nan, np.inf, 1e300, 1e-310
    theirs, ours = X.copy(), X.copy()
    labels = np.zeros(40, dtype=int)
    copied = enter(theirs, labels, bounds).reveal().design
    inside = enter(ours, labels, bounds, ours=True).reveal().design
    np.testing.assert_array_equal(theirs, X)
    np.testing.assert_array_equal(inside.matvec(np.eye(3)), copied.matvec(np.eye(3)))
    np.testing.assert_array_equal(inside.matvec(np.eye(3)), ours)


@pytest.mark.parametrize("intercept", [0.0, 0.5])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_longest_row_is_that_of_the_rows_as_they_are_stored_or_the_bound(
    kind: Callable[[Array], Any], intercept: float
) -> None:
    X = np.random.default_rng(1).normal(size=(50, 4)) * np.array([0.01] * 30 + [1e200] * 10 + [2.0] * 10)[:, None]
    for rows in (X, X[:30], X[40:], X[:0]):
        design = design_from(kind(rows), 1.0, intercept)
        longest = np.linalg.norm(design.matvec(np.eye(design.columns)), axis=1).max(initial=0.0)
        assert longest * (1 - 1e-14) <= design.longest_row <= longest * (1 + 1e-11)
        part = design.take(np.arange(len(rows) // 2))
        assert part.longest_row == pytest.approx(part.row_norms().max(initial=0.0), rel=1e-14)
