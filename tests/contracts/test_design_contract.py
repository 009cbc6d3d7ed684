"""Every design obeys the same laws.  A new storage adds one line to STORAGES."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse

from equipoise.inside.design import Design, Matrix, dense, design_from, design_of_own, with_constant
from equipoise.inside.design.constant import WithConstant
from equipoise.inside.design.rooted import Rooted
from equipoise.inside.design.shortened import Shortened
from equipoise.inside.design.sparse import SparseDesign
from equipoise.rows import RowBounds
from equipoise.rows.clip import shortening, squares_of
from equipoise.theory.runs import LONGEST_RUN

Array = npt.NDArray[np.float64]

ROW_NORM = 1.5
CONSTANT = 0.7
SINGLE = 1e-6
DOUBLE = 1e-12
BY_COLUMNS = "blocks by columns"
LET_GO = "sparse, its rows let go"
BORROWED = "rows with their factors"
ROOTED = "weights on slots"


def _sparse_in_pieces(X: Array) -> sparse.csr_array:
    """The same matrix with every entry stored as two halves, in reverse order of columns."""
    whole = sparse.csr_array(X)
    indices = np.concatenate([np.tile(whole.indices[a:b][::-1], 2) for a, b in _row_spans(whole)])
    data = np.concatenate([np.tile(whole.data[a:b][::-1] / 2, 2) for a, b in _row_spans(whole)])
    return sparse.csr_array((data, indices, 2 * whole.indptr), shape=X.shape)


def _row_spans(matrix: sparse.csr_array) -> list[tuple[int, int]]:
    return list(zip(matrix.indptr[:-1].tolist(), matrix.indptr[1:].tolist(), strict=True))


STORAGES: dict[str, tuple[Callable[[Array], Matrix], float]] = {
    "dense double": (lambda X: X, DOUBLE),
    "dense double, column order": (np.asfortranarray, DOUBLE),
    "dense single": (lambda X: X.astype(np.float32), SINGLE),
    "sparse array": (sparse.csr_array, DOUBLE),
    "sparse matrix": (sparse.csr_matrix, DOUBLE),
    "sparse single": (lambda X: sparse.csr_array(X.astype(np.float32)), SINGLE),
    "sparse in pieces": (_sparse_in_pieces, DOUBLE),
    BY_COLUMNS: (lambda X: X, DOUBLE),
    LET_GO: (sparse.csr_array, DOUBLE),
    BORROWED: (lambda X: X, DOUBLE),
    ROOTED: (lambda X: X, DOUBLE),
}


def _design(storage: str, X: Array, row_norm: float, intercept: float) -> Design:
    if storage == BY_COLUMNS:
        return design_of_own(np.array(X.T, order="C").T, row_norm, intercept)
    if storage == BORROWED:
        return with_constant(Shortened(X.copy(), shortening(squares_of(X), row_norm, X.shape[1])), intercept)
    if storage == ROOTED:
        return with_constant(_by_slots(X, row_norm), intercept)
    if storage == LET_GO:
        return _without_rows(X, row_norm, intercept)
    return design_from(STORAGES[storage][0](X), row_norm, intercept)


def _by_slots(X: Array, row_norm: float) -> Rooted:
    """Terms of a few slots, whose roots move every number to another place and turn its sign, which rounds nothing."""
    rows, width = RowBounds(row_norm).brought_within(X), X.shape[1]
    sizes = [min(6, width - start) for start in range(0, width, 6)]
    roots = tuple(-np.roll(np.eye(size), 1, axis=0) for size in sizes)
    starts = np.cumsum([0, *sizes[:-1]])
    on_slots = [rows[:, start : start + len(root)] @ root.T for start, root in zip(starts, roots, strict=True)]
    places, ends = np.tile(np.arange(width), len(X)), width * np.arange(len(X) + 1)
    held = sparse.csr_array((np.hstack(on_slots).reshape(-1), places, ends), shape=X.shape)
    return Rooted(SparseDesign(held), roots, tuple(sizes), row_norm)


def _without_rows(X: Array, row_norm: float, intercept: float) -> Design:
    """As if it were wide, and after the first product with the transpose."""
    clipped = RowBounds(row_norm).brought_within(sparse.csr_array(X))
    design = SparseDesign(clipped, wide=0)
    design.rmatvec(np.zeros(len(X)))
    return WithConstant(design, intercept) if intercept else design


def _raw(crowded: bool) -> Array:
    """Rows shorter and longer than the bound, an empty one, many zeros unless crowded."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(700, 12)) * rng.uniform(0, 1, size=(700, 1))
    X = X if crowded else np.where(rng.random(X.shape) < 0.06, X, 0.0)
    X[5] = 0.0
    return np.asarray(X, dtype=np.float64)


def _reference(X: Array, intercept: float) -> Array:
    """The slow way, row by row."""
    rows = [row * min(1.0, ROW_NORM / max(float(np.linalg.norm(row)), 1e-300)) for row in X]
    return np.column_stack([np.array(rows), np.full(len(X), intercept)]) if intercept else np.array(rows)


@pytest.fixture(params=STORAGES)
def storage(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[0.0, CONSTANT], ids=["bare", "with constant"])
def intercept(request: pytest.FixtureRequest) -> float:
    return float(request.param)


@pytest.fixture(params=[True, False], ids=["crowded", "thin"])
def case(request: pytest.FixtureRequest, storage: str, intercept: float) -> tuple[Design, Array, float]:
    raw = _raw(bool(request.param))
    return _design(storage, raw, ROW_NORM, intercept), _reference(raw, intercept), STORAGES[storage][1]


Case = tuple[Design, Array, float]


def test_shape_counts_the_constant_column(case: Case) -> None:
    design, X, _ = case
    assert (design.rows, design.columns) == X.shape


@pytest.mark.parametrize("trailing", [(), (3,), (1,)])
def test_products_match_the_slow_way(case: Case, trailing: tuple[int, ...]) -> None:
    design, X, tolerance = case
    rng = np.random.default_rng(0)
    w, r = rng.normal(size=(X.shape[1], *trailing)), rng.normal(size=(X.shape[0], *trailing))
    np.testing.assert_allclose(design.matvec(w), X @ w, atol=10 * tolerance)
    np.testing.assert_allclose(design.rmatvec(r), X.T @ r, atol=500 * tolerance)


@pytest.mark.parametrize("kind", ["positive", "signed", "mostly zero"])
def test_weighted_gram_matches_the_slow_way(case: Case, kind: str) -> None:
    design, X, tolerance = case
    rng = np.random.default_rng(1)
    c = rng.uniform(size=len(X)) if kind == "positive" else rng.normal(size=len(X))
    c = c * (rng.random(len(X)) < 0.1) if kind == "mostly zero" else c
    np.testing.assert_allclose(design.weighted_gram(c), X.T @ (c[:, None] * X), atol=1000 * tolerance)


@pytest.mark.parametrize("outputs", [1, 3])
def test_one_pass_is_both_products(case: Case, outputs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In blocks of one group of rows, of several, and with rows left over; every row comes once, in order."""
    design, X, tolerance = case
    design, X = design.take(np.resize(np.arange(len(X)), 1000)), np.resize(X, (1000, X.shape[1]))
    w = np.random.default_rng(4).normal(size=(X.shape[1], outputs)[: 1 + (outputs > 1)])
    for entries in (1, 2**13, 2**20):
        monkeypatch.setattr(dense, "BLOCK_ENTRIES", entries)
        met: list[Array] = []

        def squared(scores: Array, part: slice, met: list[Array] = met) -> Array:
            met.append(np.arange(1000.0)[part])
            return np.asarray(scores**2)

        found = design.pulled(w, squared)
        np.testing.assert_array_equal(np.concatenate(met), np.arange(1000))
        np.testing.assert_allclose(found, X.T @ (X @ w) ** 2, rtol=1e-12, atol=1e5 * tolerance)


def test_row_norms_and_row_gram_match_the_slow_way(case: Case) -> None:
    design, X, tolerance = case
    np.testing.assert_allclose(design.row_norms(), np.linalg.norm(X, axis=1), atol=10 * tolerance)
    np.testing.assert_allclose(design.gram_of_rows(), X @ X.T, atol=10 * tolerance)


def test_taking_rows_keeps_their_products(case: Case) -> None:
    design, X, tolerance = case
    rows = np.array([7, 3, 5, 3])
    part = design.take(rows)
    w = np.random.default_rng(2).normal(size=(X.shape[1],))
    assert part.rows == 4
    np.testing.assert_allclose(part.matvec(w), X[rows] @ w, atol=10 * tolerance)


def test_taking_no_rows_leaves_an_empty_design(case: Case) -> None:
    design, X, _ = case
    part = design.take(np.array([], dtype=np.intp))
    np.testing.assert_array_equal(part.rmatvec(np.zeros(0)), np.zeros(X.shape[1]))


def test_no_row_is_longer_than_its_bound(case: Case, intercept: float) -> None:
    design, _, _ = case
    assert design.row_norms().max() <= np.hypot(ROW_NORM, intercept)


def test_depths_bound_the_rounding_of_products(case: Case) -> None:
    """Identical terms make the rounding pile up in one direction: the worst honest case."""
    design, _, _ = case
    design = design.take(np.full(20_000, 6))
    w = np.full(design.columns, 0.1)
    score = design.matvec(w)[:1].astype(np.longdouble)
    total = design.rmatvec(np.full(design.rows, 0.1))
    row = design.take(np.array([6])).rmatvec(np.ones(1)).astype(np.longdouble)
    size = float(np.sqrt(row @ row))
    unit = 2.0**-53
    assert abs(float(score[0] - row @ w)) <= (design.row_depth + 1) * unit * size * float(np.linalg.norm(w))
    missed = np.abs(total - np.longdouble(design.rows) * np.longdouble(0.1) * row)
    assert np.all(missed <= (design.column_depth + 1) * unit * design.rows * 0.1 * np.abs(row))


def test_the_callers_matrix_is_left_alone(storage: str) -> None:
    given = STORAGES[storage][0](_raw(True))
    before = given.copy()
    design_from(given, 0.1, 0.0)
    assert float(np.abs(given @ np.eye(12) - before @ np.eye(12)).max()) == 0


@cache
def _losing(count: int) -> list[tuple[Array, float, float]]:
    """Terms that lose digits when they are added one after another: a large one first, one that is taken away last,
    and signs that come in blocks; with their sum and that of their sizes, rounded once."""
    small, steps = 1.5 * 2.0**-54, np.arange(count)
    first, last = np.full(count, small), np.full(count, small)
    first[0], last[0], last[-1] = 1.0, 1.0, -1.0
    terms = [first, last, np.where(steps < count // 2, 0.1, -0.1), 1.0 / (steps + 1.0), np.full(count, 0.1)]
    return [(each, math.fsum(each.tolist()), math.fsum(np.abs(each).tolist())) for each in terms]


@pytest.mark.parametrize("count", [250, 60_000])
@pytest.mark.parametrize("trailing", [False, True], ids=["one", "two at once"])
def test_no_sum_over_rows_loses_more_than_its_depth_allows(
    storage: str, intercept: float, trailing: bool, count: int
) -> None:
    """On rows of one number, against sums that are rounded once."""
    design = _design(storage, np.full((count, 1), 0.5), ROW_NORM, intercept)
    rows = [0.5, intercept][: design.columns]
    for weights, whole, sizes in _losing(count):
        given = np.column_stack([weights, -weights]) if trailing else weights
        at = np.zeros((design.columns, 2) if trailing else design.columns)

        def known(scores: Array, part: slice, given: Array = given) -> Array:
            return given[part]

        for total in (design.rmatvec(given), design.pulled(at, known)):
            found = total[:, 0] if trailing else total
            for row, each in zip(rows, found.tolist(), strict=True):
                exact, size = row * whole, row * sizes
                assert abs(each - exact) <= (design.column_depth + 4) * 2.0**-53 * size


@pytest.mark.parametrize("trailing", [False, True], ids=["one", "two at once"])
@pytest.mark.parametrize("count", [250, 20_000])
def test_no_score_loses_more_than_its_depth_allows(storage: str, trailing: bool, count: int) -> None:
    """The same for a row of many numbers; behind a score stand fewer additions than columns."""
    row = np.full((3, count), 2.0**-8)
    design = _design(storage, row, ROW_NORM, 0.0)
    assert design.row_depth <= min(count, 4200) + 8  # a factor, or the few numbers of a term, may come on top
    for weights, whole, sizes in _losing(count):
        given = np.column_stack([weights, -weights]) if trailing else weights
        seen = [design.matvec(given)]

        def kept(scores: Array, _: slice, seen: list[Array] = seen) -> Array:
            seen.append(scores.copy())
            return scores

        design.pulled(given, kept)
        exact, size = 2.0**-8 * whole, 2.0**-8 * sizes
        for each in (float(score) for found in seen for score in np.reshape(found, (len(found), -1))[:, 0]):
            assert abs(each - exact) <= (design.row_depth + 4) * 2.0**-53 * size


@pytest.mark.parametrize("storage", ["dense double", BY_COLUMNS])
def test_scores_of_a_pass_are_summed_in_the_same_runs_of_columns(storage: str) -> None:
    """Their depth is that of the product's, bit for bit: one long run would exceed what is allowed for."""
    rng, columns = np.random.default_rng(5), 3 * LONGEST_RUN + 17
    design, w = _design(storage, rng.normal(size=(9, columns)), ROW_NORM, 0.0), rng.normal(size=columns)
    met: list[Array] = []

    def keep(scores: Array, part: slice) -> Array:
        met.append(scores)
        return scores

    design.pulled(w, keep)
    np.testing.assert_array_equal(np.concatenate(met), design.matvec(w))
