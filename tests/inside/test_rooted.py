"""Weights on slots are the rows that the encoding writes out: as long, as exact, and each of one record alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import InvalidInput
from equipoise.inside import compiled, enter
from equipoise.inside.compiled.slopes import TIMES
from equipoise.inside.compiled.sweep import Sweep
from equipoise.inside.design import coupled, in_full, may_be_rooted, rows_of, sums_in_groups, with_constant
from equipoise.inside.design.coupled import Coupled
from equipoise.inside.design.dense import DenseDesign
from equipoise.inside.design.rooted import LARGEST_TERM, Rooted, rooted
from equipoise.inside.objective import data_gradient
from equipoise.inside.records import Records, brought_in
from equipoise.inside.threads import at_most
from equipoise.theory.additive import Basis, Categories, Encoding, Numbers, Pair
from equipoise.theory.bounds import Bounds
from equipoise.theory.evening import Evening, weights
from equipoise.theory.losses import Logistic, Squared
from equipoise.theory.runs import runs_depth

Array = npt.NDArray[np.float64]

UNIT = 2.0**-53
COLUMNS = (Numbers((0.0, 1.0, 2.0, 5.0)), Categories(("a", "b")), Numbers((-1.0, 1.0)))
PAIRS = (Pair((0, 2), (Numbers((0.0, 5.0)), COLUMNS[2])), Pair((1, 0), (COLUMNS[1], Numbers((0.0, 2.0, 5.0)))))
CELLS = [0.0, 1.0, 2.0, 5.0, -1.0, -0.0, 0.3, 1e-300, 5e-324, 1e300, -1e300, np.nan, np.inf, -np.inf]
CELL = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.floats(-2, 6), st.sampled_from(CELLS))
ROW = st.tuples(CELL, CELL, CELL)
KINDS = [None, 0, 3, "opening"]
ENCODINGS = pytest.mark.parametrize("pairs", [False, True], ids=["columns", "with pairs"])
BENDS = pytest.mark.parametrize("bends", KINDS)


def encoding(pairs: bool, bends: Any) -> Encoding:
    basis = Basis(COLUMNS, PAIRS if pairs else ())
    told = 200.0 if bends == "opening" else None
    return Encoding(basis, 0.4, 0.2, None if told else bends, told)


def table(rows: int, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    cells = rng.uniform(-2, 6, (rows, 3))
    odd = rng.random(cells.shape) < 0.3
    cells[odd] = rng.choice(CELLS, odd.sum())
    return cells


def weights_of(design: Rooted) -> Array:
    """C in full."""
    held = design.weights
    return np.asarray((held.written if isinstance(held, Coupled) else held).matrix.toarray())


def exact_rows(design: Rooted) -> list[list[Fraction]]:
    """Rᵀc of the doubles that are held, without any rounding."""
    found: list[list[Fraction]] = []
    for row in weights_of(design):
        numbers, at = list[Fraction](), 0
        for root in design.roots:
            own = [(Fraction(c), root[slot]) for slot, c in enumerate(row[at : at + len(root)].tolist()) if c]
            numbers += [
                sum((c * Fraction(float(of[number])) for c, of in own), Fraction(0)) for number in range(root.shape[1])
            ]
            at += len(root)
        found.append(numbers)
    return found


def length(numbers: list[Fraction]) -> Fraction:
    """Squared."""
    return sum((each * each for each in numbers), Fraction(0))


@ENCODINGS
@BENDS
@pytest.mark.parametrize("constant", [0.0, 0.5])
@pytest.mark.parametrize("outputs", [(), (3,)])
def test_products_are_those_of_the_rows_written_out(
    pairs: bool, bends: Any, constant: float, outputs: tuple[int, ...]
) -> None:
    own, cells = encoding(pairs, bends), table(700)
    design = with_constant(rooted(cells, own, 1.0), constant)
    plain = with_constant(DenseDesign(own.rows(cells)), constant)
    rng = np.random.default_rng(1)
    w, r = rng.normal(size=(design.columns, *outputs)), rng.normal(size=(700, *outputs))
    assert design.columns == plain.columns
    np.testing.assert_allclose(design.matvec(w), plain.matvec(w), atol=1e-13)
    np.testing.assert_allclose(design.rmatvec(r), plain.rmatvec(r), atol=1e-11)

    def squared(scores: Array, part: slice) -> Array:
        return np.asarray(scores**2)

    np.testing.assert_allclose(design.pulled(w, squared), plain.pulled(w, squared), atol=1e-11)
    np.testing.assert_allclose(design.row_norms(), plain.row_norms(), atol=1e-7)
    np.testing.assert_allclose(design.row_norms() ** 2, plain.row_norms() ** 2, atol=1e-14)
    for c in (np.ones(700), rng.uniform(size=700), rng.normal(size=700)):
        np.testing.assert_allclose(design.weighted_gram(c), plain.weighted_gram(c), atol=1e-11)
    np.testing.assert_allclose(design.gram_of_rows(), plain.gram_of_rows(), atol=1e-13)
    some = rng.integers(0, 700, 50)
    np.testing.assert_allclose(design.take(some).matvec(w), plain.take(some).matvec(w), atol=1e-13)


@ENCODINGS
@BENDS
def test_written_out_they_are_the_encodings_rows_to_the_last_digit(pairs: bool, bends: Any) -> None:
    own, cells = encoding(pairs, bends), table(300)
    design = rooted(cells, own, 1.0)
    np.testing.assert_array_equal(rows_of(design), own.rows(cells))
    np.testing.assert_array_equal(rows_of(in_full(with_constant(design, 0.5))), own.rows(cells))


@ENCODINGS
@BENDS
@pytest.mark.parametrize("constant", [0.0, 0.5])
@pytest.mark.parametrize("evened", [None, Evening(1.2)])
def test_passes_are_numpys_sums(
    pairs: bool, bends: Any, constant: float, evened: Evening | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, rng = encoding(pairs, bends), np.random.default_rng(2)
    records = Records(with_constant(rooted(table(900), own, 1.0), constant), rng.choice([-1.0, 1.0], 900))
    plain = replace(records, design=in_full(records.design))
    w = rng.normal(size=records.design.columns)
    if compiled.PASSES is not None:
        assert records.design.swept(Sweep(w, TIMES, records.labels)) is not None
    for loss in (Logistic(), Squared()):
        found, expected = (data_gradient(loss, each, 3.0, w, evened) for each in (records, plain))
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
    monkeypatch.setattr(compiled, "PASSES", None)
    assert records.design.swept(Sweep(w, TIMES, records.labels)) is None
    np.testing.assert_allclose(data_gradient(Squared(), records, 3.0, w, evened), expected, rtol=1e-11, atol=1e-12)


# Rounding


Product = Callable[[Rooted, Array, Array], Array]


def by_pass(design: Rooted, w: Array, given_: Array) -> Array:
    found = design.swept(Sweep(w, TIMES, given_))
    return design.rmatvec(given_ * design.matvec(w)) if found is None else found


def by_numpy(design: Rooted, w: Array, given_: Array) -> Array:
    return design.pulled(w, lambda scores, part: scores * given_[part])


@settings(max_examples=15, deadline=None)
@given(st.booleans(), st.sampled_from(KINDS), st.integers(1, 40), st.integers(0, 10**6))
def test_products_are_exact_to_their_depth(pairs: bool, bends: Any, rows: int, seed: int) -> None:
    """In units of the bound, not of a row's own length: between two slots a row can be far shorter than either."""
    rng, cells = np.random.default_rng(seed), table(rows, seed)
    cells[:, 2] = rng.choice([0.0, 1e-9, -1.0], rows)
    design = rooted(cells, encoding(pairs, bends), 1.0)
    w, r = rng.normal(size=design.columns), rng.normal(size=rows)
    exact = exact_rows(design)
    norm, total = float(np.linalg.norm(w)), float(np.abs(r).sum())
    scores = [sum((x * Fraction(v) for x, v in zip(row, w.tolist(), strict=True)), Fraction(0)) for row in exact]
    for found, score in zip(design.matvec(w).tolist(), scores, strict=True):
        assert abs(float(Fraction(found) - score)) <= (design.row_depth + 2) * UNIT * design.longest_row * norm
    sums = [sum((row[j] * Fraction(v) for row, v in zip(exact, r.tolist(), strict=True)), Fraction(0))
            for j in range(design.columns)]  # fmt: skip
    missed = [Fraction(found) - true for found, true in zip(design.rmatvec(r).tolist(), sums, strict=True)]
    assert math.sqrt(length(missed)) <= (design.column_depth + 2) * UNIT * design.longest_row * total
    both = (design.row_depth + design.column_depth + 6) * UNIT * total * norm
    for product in (by_pass, by_numpy):
        pulled = product(design, w, r).tolist()
        for j, found in enumerate(pulled):
            true = sum(
                (row[j] * s * Fraction(v) for row, s, v in zip(exact, scores, r.tolist(), strict=True)), Fraction(0)
            )
            assert abs(float(Fraction(found) - true)) <= both


def test_rounding_is_that_of_the_slots_where_a_row_between_them_is_nearly_nothing() -> None:
    own = Encoding(Basis((Numbers((-1.0, 1.0)),) * 4), 0.4, 0.2, told=200.0)
    rng = np.random.default_rng(0)
    design = rooted(rng.uniform(-1e-9, 1e-9, (50, 4)), own, 1.0)
    exact, w = exact_rows(design), rng.normal(size=design.columns)
    assert max(map(length, exact)) < 1e-16
    for found, row in zip(design.matvec(w).tolist(), exact, strict=True):
        score = sum((x * Fraction(v) for x, v in zip(row, w.tolist(), strict=True)), Fraction(0))
        allowed = (design.row_depth + 2) * UNIT * design.longest_row * float(np.linalg.norm(w))
        assert abs(float(Fraction(found) - score)) <= allowed


@pytest.mark.parametrize("held", ["couples", "listed"])
def test_long_sums_of_equal_weights_stay_within_their_depth(held: str) -> None:
    """Where rounding piles up in one direction."""
    rows = 150_000
    own = encoding(held == "listed", None)
    design = rooted(np.tile([[0.3, 0.0, 0.7]], (rows, 1)), own, 1.0)
    (row,) = exact_rows(design.take(np.arange(1)))
    allowed = (design.column_depth + 2) * UNIT * rows * 0.1
    found = design.swept(Sweep(np.zeros(design.columns), (1, 1.0, math.inf, 0.0), np.full(rows, -0.1)))
    for sums in (design.rmatvec(np.full(rows, 0.1)), *(() if found is None else (found,))):
        missed = [Fraction(one) - rows * Fraction(0.1) * x for one, x in zip(sums.tolist(), row, strict=True)]
        assert math.sqrt(length(missed)) <= allowed


def test_public_depths_cover_those_of_every_encoding_that_is_served() -> None:
    """As theory/sensitivity.py and docs/proofs/certificates.md count them, parts of a cluster included."""
    columns = tuple(Numbers(tuple(np.linspace(0, 1, knots))) for knots in (2, 16, 100, LARGEST_TERM - 1))
    for chosen in (columns[1:2] * 2, columns[1:2] * 30, columns[1:3], columns[:3] * 9, columns):
        own = Encoding(Basis(chosen), 0.4, 0.2)
        if not may_be_rooted(own):
            continue
        for rows in (1, 250, 256**2 - 1, 256**2, 10**6 + 1):
            held = Coupled(np.empty((rows, 1), dtype=np.uint16), np.empty((rows, 1)), own.basis.features)
            design = Rooted(held, own.roots, (2,) * len(chosen), 1.0)
            assert design.row_depth <= runs_depth(own.width)
            assert design.column_depth + 126 <= 2 * math.sqrt(rows) + 512
    assert may_be_rooted(Encoding(Basis(columns[1:2] * 2), 0.4, 0.2))


# Lengths


@settings(max_examples=60, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=4), st.booleans(), st.sampled_from(KINDS))
def test_no_row_is_longer_than_its_bound_nor_measured_shorter_than_evening_allows(
    rows: list[tuple[float, float, float]], pairs: bool, bends: Any
) -> None:
    """By exact arithmetic on what is held, whatever the cells; B over its length makes no row longer than B."""
    design = rooted(np.array(rows), encoding(pairs, bends), 1.0)
    squares = [length(row) for row in exact_rows(design)]
    assert all(square <= Fraction(1 - 1e-7) ** 2 for square in squares)
    assert design.row_norms().max() <= design.longest_row == 1.0
    for norm, constant in ((1.0, 0.0), (math.hypot(1.0, 0.5), 0.5)):
        measured = np.hypot(design.row_norms(), constant)
        for counts, square in zip(weights(measured, Evening(norm), design.columns).tolist(), squares, strict=True):
            assert Fraction(counts) ** 2 * (square + Fraction(constant) ** 2) <= Fraction(norm) ** 2


@given(st.lists(ROW, min_size=2, max_size=30), ROW, st.booleans(), st.sampled_from(KINDS), st.data())
def test_no_record_changes_what_another_weighs(
    rows: list[tuple[float, float, float]], other: tuple[float, float, float], pairs: bool, bends: Any, data: Any
) -> None:
    """To the last digit, one replaced and one left out."""
    own, place = encoding(pairs, bends), data.draw(st.integers(0, len(rows) - 1))
    before = rooted(np.array(rows), own, 1.0)
    after = rooted(np.array([*rows[:place], other, *rows[place + 1 :]]), own, 1.0)
    fewer = rooted(np.array(rows[:place] + rows[place + 1 :]), own, 1.0)
    for of in (weights_of, Rooted.row_norms):
        np.testing.assert_array_equal(np.delete(of(before), place, axis=0), np.delete(of(after), place, axis=0))
        np.testing.assert_array_equal(np.delete(of(before), place, axis=0), of(fewer))


def test_every_row_has_as_many_weights_each_slot_once() -> None:
    """A column of the table then has no more entries than rows, which its depth counts on."""
    for pairs in (False, True):
        design = rooted(table(200), encoding(pairs, "opening"), 1.0)
        held = design.weights.written if isinstance(design.weights, Coupled) else design.weights
        matrix = held.matrix
        assert np.all(np.diff(matrix.indptr) == sum(design.touched))
        assert np.all(np.diff(matrix.indices.reshape(200, -1), axis=1) > 0)


# The entrance


WIDE = Basis((Numbers(tuple(np.linspace(-1, 1, 16))), Categories(tuple(range(9))), Numbers(tuple(range(12)))))


def entered(bounds: Bounds, cells: Array) -> Any:
    private: Any = enter(cells, np.zeros(len(cells)), bounds)
    return private._Private__value.design


def test_which_rows_are_written_out_is_public() -> None:
    bounds = Bounds(1.0, 0.5, classes=(0, 1), encoding=Encoding(WIDE, 0.4, 0.2, told=500.0))
    few = replace(bounds, encoding=Encoding(WIDE, 0.4, 0.2, 0))
    for cells in (table(3), np.zeros((1, 3)), np.full((2, 3), np.nan), np.empty((0, 3))):
        assert isinstance(entered(bounds, cells).inner, Rooted)
        assert isinstance(entered(few, cells).inner, DenseDesign)
        assert isinstance(brought_in(cells, np.zeros(len(cells)), bounds).design.inner, DenseDesign)  # type: ignore[attr-defined]


def test_terms_with_large_roots_are_written_out() -> None:
    assert may_be_rooted(Encoding(WIDE, 0.4, 0.2))
    long = Basis((Numbers(tuple(range(LARGEST_TERM))), *WIDE.columns))
    assert not may_be_rooted(Encoding(long, 0.4, 0.2, told=500.0))


def test_two_bytes_tell_all_slots_of_a_basis_apart() -> None:
    column = Numbers(tuple(float(knot) for knot in range(16)))
    with pytest.raises(InvalidInput, match="at most 65536"):
        Basis((column,) * (2**16 // 17 + 1))
    largest = Basis((column,) * (2**16 // 17))
    cells = np.full((1, len(largest.columns)), np.nan)  # in the last slot of each column
    design = rooted(cells, Encoding(largest, 0.4, 0.2, told=500.0), 1.0)
    assert isinstance(design.weights, Coupled)
    assert design.weights.places[0, -1] == largest.features - 2


def test_sums_are_the_same_however_many_threads_there_are() -> None:
    rng = np.random.default_rng(0)
    design = rooted(rng.uniform(-1, 6, (200_000, 3)), Encoding(WIDE, 0.4, 0.2, told=500.0), 1.0)
    sweep = Sweep(rng.normal(size=design.columns), TIMES, rng.normal(size=design.rows))
    with at_most(1):
        one = design.swept(sweep)
    with at_most(3):
        three = design.swept(sweep)
    if one is not None and three is not None:
        np.testing.assert_array_equal(one, three)


def test_products_of_slots_are_summed_in_groups_of_rows_unless_zeros_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With zeros or without them, they are the same."""
    design, by = rooted(table(700), encoding(False, "opening"), 1.0), np.random.default_rng(1).uniform(-1, 1, 700)
    assert sums_in_groups(design)
    assert not sums_in_groups(rooted(table(5), encoding(True, "opening"), 1.0))
    found = [design.weighted_gram(given_) for given_ in (by, np.abs(by), np.maximum(by, 0.9))]
    monkeypatch.setattr(coupled, "SPREAD", 0)
    assert not sums_in_groups(design)
    for given_, one in zip((by, np.abs(by), np.maximum(by, 0.9)), found, strict=True):
        np.testing.assert_allclose(design.weighted_gram(given_), one, rtol=1e-12, atol=1e-13)
