"""Compiled passes of several scores a row: softmax in its three forms, in every storage that is read row after row."""

from __future__ import annotations

import shutil
import threading
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from equipoise.inside import compiled
from equipoise.inside.compiled import passes_are_there
from equipoise.inside.compiled.slopes import MOST_CLASSES, Several, several_of
from equipoise.inside.compiled.sweep import Outcome, Sweep, lengths, over_lent
from equipoise.inside.design import design_from
from equipoise.inside.design.contract import Array
from equipoise.inside.design.dense import DenseDesign
from equipoise.inside.design.lent import Lent, Met
from equipoise.inside.marks import words_for
from equipoise.inside.objective import data_gradient
from equipoise.inside.records import Records
from equipoise.rows.clip import shortening
from equipoise.theory.evening import Evening
from equipoise.theory.losses import Loss
from equipoise.theory.losses.capped_softmax import CappedSoftmax
from equipoise.theory.losses.clipped_softmax import ClippedSoftmax
from equipoise.theory.losses.softmax import Softmax, zero_sum_basis

UNIT = 2.0**-53
KINDS: dict[str, Any] = {
    "softmax": Softmax,
    "clipped": lambda classes: ClippedSoftmax(classes, 0.5),
    "clipped less": lambda classes: ClippedSoftmax(classes, 0.65),
    "capped": lambda classes: CappedSoftmax(classes, 0.5),
    "capped less": lambda classes: CappedSoftmax(classes, 0.65),
}

pytestmark = pytest.mark.skipif(
    not passes_are_there() and shutil.which("cc") is None, reason="no C compiler was here at install"
)


def law(loss: Loss) -> Several:
    found = several_of(loss)
    assert found is not None
    return found


def slopes_by_pass(loss: Loss, scores: Array, labels: Array) -> Array:
    """(n, K − 1), slope by slope: a row of one number, whose coefficients are its scores."""
    found = [
        DenseDesign(np.ones((1, 1))).swept(Sweep(each, law(loss), np.array([label])))
        for each, label in zip(scores, labels, strict=True)
    ]
    return np.array(found)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 3, 5, MOST_CLASSES])
def test_slopes_are_the_losses(kind: str, classes: int) -> None:
    rng = np.random.default_rng(classes)
    loss: Loss = KINDS[kind](classes)
    scores = rng.normal(size=(300, classes - 1)) * rng.choice([0.0, 1e-9, 1.0, 10.0, 300.0, 2000.0], size=(300, 1))
    labels = rng.integers(0, classes, 300).astype(float)
    expected = loss.slope(scores, labels).reshape(scores.shape)
    np.testing.assert_allclose(slopes_by_pass(loss, scores, labels), expected, rtol=0, atol=(16 + classes) * 4 * UNIT)


@pytest.mark.parametrize("kind", ["clipped", "clipped less", "capped", "capped less"])
@given(st.integers(2, MOST_CLASSES), st.integers(0, 10**6), st.sampled_from([0.1, 3.0, 50.0, 1e4]))
def test_no_slope_is_longer_than_its_loss_allows(kind: str, classes: int, seed: int, size: float) -> None:
    """What noise is made for, whatever the scores."""
    rng = np.random.default_rng(seed)
    loss: Loss = KINDS[kind](classes)
    scores, labels = rng.normal(size=(20, classes - 1)) * size, rng.integers(0, classes, 20).astype(float)
    found = slopes_by_pass(loss, scores, labels)
    assert np.all(np.linalg.norm(found, axis=1) <= loss.facts(np.inf).slope)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("which", [0, 1, 2])
def test_scores_that_are_no_numbers_have_slopes_that_are_none(kind: str, which: int) -> None:
    """Whoever has gone astray must be told so, and not that the ground is flat."""
    scores = np.zeros((1, 3))
    scores[0, which] = np.nan
    assert np.all(np.isnan(slopes_by_pass(KINDS[kind](4), scores, np.ones(1))))


STORED: dict[str, Any] = {
    "doubles": lambda X: DenseDesign(X),
    "singles": lambda X: DenseDesign(X.astype(np.float32)),
    "every third row": lambda X: DenseDesign(np.repeat(X, 3, axis=0)[::3]),
    "some columns": lambda X: DenseDesign(np.hstack([X, X])[:, : X.shape[1]]),
}


def table(rng: np.random.Generator, rows: int, columns: int) -> Array:
    """In numbers that singles hold."""
    return rng.normal(size=(rows, columns)).astype(np.float32).astype(float)


@pytest.mark.parametrize("stored", STORED)
@settings(max_examples=20)
@given(st.integers(1, 300), st.integers(1, 40), st.integers(2, 7), st.integers(0, 10**6))
def test_sums_are_exact_to_their_depth(stored: str, rows: int, columns: int, classes: int, seed: int) -> None:
    """Coefficients of zero, so that slopes are known: a half and so on, of the label alone."""
    rng = np.random.default_rng(seed)
    X, labels = table(rng, rows, columns), rng.integers(0, classes, rows).astype(float)
    counts = rng.choice([0.5, 1.0, 2.0], rows)
    design, loss = STORED[stored](X), Softmax(classes)
    found = design.swept(Sweep(np.zeros((classes - 1) * columns), law(loss), labels, counts))
    slopes = loss.slope(np.zeros((rows, classes - 1)), labels) * counts[:, None]
    assert found is not None
    for output, sums in enumerate(found.reshape(classes - 1, columns)):
        for column, one in ((X[:, 0], sums[0]), (X[:, -1], sums[-1])):
            exact = sum((Fraction(x) * Fraction(s) for x, s in zip(column, slopes[:, output], strict=True)), Fraction())
            size = float(np.sum(np.abs(column) * counts)) * 2
            allowed = (design.column_depth + 16 + classes) * UNIT * size
            assert abs(float(Fraction(float(one)) - exact)) <= allowed


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stored", ["dense", "singles"])
@pytest.mark.parametrize("intercept", [0.0, 0.5])
@pytest.mark.parametrize("evened", [None, Evening(1.2)])
@pytest.mark.parametrize("rows", [1, 7, 900, 30_000])
def test_gradients_are_numpys(
    kind: str, stored: str, intercept: float, evened: Evening | None, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    X: Any = table(rng, rows, 21)
    X = X.astype(np.float32) if stored == "singles" else X
    loss: Loss = KINDS[kind](6)
    records = Records(design_from(X, 1.0, intercept), rng.integers(0, 6, rows).astype(float))
    w = rng.normal(size=5 * (21 + (intercept > 0))) * 2
    assert records.design.swept(Sweep(w, law(loss), records.labels)) is not None
    found = data_gradient(loss, records, rows, w, evened)
    monkeypatch.setattr(compiled, "PASSES", None)
    np.testing.assert_allclose(found, data_gradient(loss, records, rows, w, evened), rtol=1e-11, atol=1e-14)


def test_long_rows_and_long_columns_are_summed_in_runs_and_groups() -> None:
    """Equal entries, where one running sum would be off by far more."""
    wide = DenseDesign(np.full((1, 300_000), 0.1))
    tenth = Fraction(0.1)
    score = np.float64(float(tenth * tenth * 300_000))
    found = wide.swept(Sweep(np.full(2 * 300_000, 0.1), law(Softmax(3)), np.zeros(1)))
    assert found is not None
    expected = Softmax(3).slope(np.full((1, 2), score), np.zeros(1))[0] * 0.1
    moved = (wide.row_depth + 64) * UNIT * score
    np.testing.assert_allclose(found.reshape(2, -1)[:, 0], expected, rtol=0, atol=moved)
    assert wide.row_depth < 300_000 / 20
    tall = DenseDesign(np.full((200_000, 1), 0.1))
    sums = tall.swept(Sweep(np.zeros(2), law(Softmax(3)), np.zeros(200_000)))
    slopes = Softmax(3).slope(np.zeros((1, 2)), np.zeros(1))[0]
    assert sums is not None
    exact = np.array([float(tenth * Fraction(one) * 200_000) for one in slopes])
    assert np.all(np.abs(sums - exact) <= (tall.column_depth + 32) * UNIT * 0.1 * 200_000)
    assert tall.column_depth < 200_000 / 100


# Rows of somebody else's


@given(
    st.integers(1, 40),
    st.integers(1, 40),
    st.sampled_from([1e-30, 0.3, 1.0, 7.0, 1e30]),
    st.sampled_from([np.float64, np.float32]),
    st.integers(0, 10**6),
)
def test_lent_rows_are_shortened(rows: int, columns: int, norm: float, kind: Any, seed: int) -> None:
    """Each by its factor, in its scores and in what it adds."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(rows, columns)) * rng.choice([0.0, 0.1, 1.0, 1e3], size=(rows, 1)) * norm).astype(kind)
    factors = shortening(lengths(X), norm, columns)
    loss, labels = ClippedSoftmax(4, 0.5), rng.integers(0, 4, rows).astype(float)
    w = rng.normal(size=(3, columns)) / norm
    met = np.empty(rows)
    sweep = Sweep(w.reshape(-1), law(loss), labels)
    first = over_lent(X, norm, met, True, sweep, 256)
    assert isinstance(first, np.ndarray)
    np.testing.assert_array_equal(met, lengths(X))
    np.testing.assert_array_equal(first, over_lent(X, norm, met, False, sweep, 256))
    short = X.astype(float) * factors[:, None]
    expected = loss.slope(short @ w.T, labels).reshape(rows, 3).T @ short
    np.testing.assert_allclose(first.reshape(3, columns), expected, rtol=0, atol=1e-12 * rows * norm)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_lent_rows_join_the_mark_that_they_join_otherwise(kind: Any) -> None:
    """Whoever asks first: rows are known again by the same mark, whether a pass had one score or several."""
    X = np.random.default_rng(0).normal(size=(70, 5)).astype(kind)
    joined = [words_for(5) for _ in range(2)]
    lengths(X, joined[0])
    over_lent(X, 1.0, np.empty(70), True, Sweep(np.ones(15), law(Softmax(4)), np.zeros(70)), 256, joined[1])
    np.testing.assert_array_equal(joined[0], joined[1])
    assert not np.array_equal(joined[0], words_for(5))


@given(st.integers(1, 100), st.integers(1, 30), st.data())
def test_a_row_of_another_length_is_noticed(rows: int, columns: int, data: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    squares = lengths(X)
    X[data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1))] += data.draw(
        st.sampled_from([1e-3, 1.0, -5.0, 1e200, np.inf, np.nan])
    )
    sweep = Sweep(rng.normal(size=2 * columns), law(Softmax(3)), np.zeros(rows))
    assert over_lent(X, 1.0, squares, False, sweep, 256) is Outcome.OTHERS


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e101, 1e300])
def test_rows_that_no_factor_serves_are_told_and_summed_by_a_copy(odd: float) -> None:
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(50, 3)), rng.integers(0, 3, 50).astype(float)
    X[17, 1] = odd
    sweep = Sweep(np.ones(6), law(Softmax(3)), labels)
    assert over_lent(X, 1.0, np.empty(50), True, sweep, 256) is Outcome.ODD
    known, room = Met(), np.empty((64, 3))
    lent = data_gradient(Softmax(3), Records(Lent(X, 1.0, known, lambda: room), labels), 1.0, np.ones(6))
    whole = data_gradient(Softmax(3), Records(design_from(X, 1.0, 0.0), labels), 1.0, np.ones(6))
    np.testing.assert_allclose(lent, whole, atol=1e-12)
    assert known.odd


def test_what_is_summed_is_what_was_measured() -> None:
    """Somebody turns the rows around all the while, of one length.  Along the one way the own class has all chances, so
    that no slope is left: a row that adds anything lies the other way, or nobody measured it."""
    rows = 20_000
    ways = [np.tile(way, (rows, 1)) for way in ([1.0, 0.0], [0.0, 1.0])]
    X, over = ways[0].copy(), threading.Event()

    def turn() -> None:
        while not over.is_set():
            for way in ways:
                np.copyto(X, way)

    w = np.zeros((2, 2))
    w[:, 0] = 1e4 * zero_sum_basis(3)[:, 2]  # along the first column the own class has all chances
    sweep, squares = Sweep(w.reshape(-1), law(Softmax(3)), np.full(rows, 2.0)), np.ones(rows)
    somebody = threading.Thread(target=turn)
    somebody.start()
    try:
        found = [over_lent(X, 1.0, squares, False, sweep, 256) for _ in range(600)]
    finally:
        over.set()
        somebody.join()
    sums = [one.reshape(2, 2) for one in found if isinstance(one, np.ndarray)]
    assert any(np.abs(one[:, 1]).max() > 1 for one in sums)
    assert all(np.abs(one[:, 0]).max() < 0.1 for one in sums)


# What is handed over


def test_arrays_of_other_kinds_and_lengths_are_refused() -> None:
    passes: Any = compiled.PASSES
    X, w, y, out, lent = np.ones((4, 3)), np.ones(6), np.ones(4), np.empty(8), (None, False, 0.0, 0.0, 0.0)
    kind = law(Softmax(3))
    passes.several(X, w, y, None, kind, 0.0, 2, out, *lent)
    wrong: list[tuple[Any, ...]] = [
        (X, np.ones(3), y, None, kind, 0.0, 2, out),
        (X, w, np.ones(3), None, kind, 0.0, 2, out),
        (X, w, y, np.ones(5), kind, 0.0, 2, out),
        (X, w, y, None, kind, 0.0, 0, out),
        (X, w, y, None, kind, 0.5, 2, out),
        (X, w, y, None, kind, 0.0, 2, np.empty(6)),
        (X, w, y, None, kind._replace(classes=4), 0.0, 2, out),
        (X, w, y, None, kind._replace(classes=1), 0.0, 2, out),
        (X, w, y, None, kind._replace(classes=2**62), 0.0, 2, out),
        (X, w, y, None, kind._replace(basis=np.ones(5)), 0.0, 2, out),
        (np.asfortranarray(X), w, y, None, kind, 0.0, 2, out),
    ]
    for args in wrong:
        with pytest.raises((TypeError, ValueError, BufferError)):
            passes.several(*args, *lent)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_rows_that_are_not_dense_are_summed_by_numpy(kind: str, classes: int) -> None:
    """Two classes have one score, and a law of several all the same."""
    rng = np.random.default_rng(0)
    X, labels, loss = table(rng, 60, 4), rng.integers(0, classes, 60).astype(float), KINDS[kind](classes)
    w = rng.normal(size=(classes - 1) * 5)
    thin = Records(design_from(sparse.csr_array(X), 1.0, 0.5), labels)
    assert thin.design.swept(Sweep(w, law(loss), labels)) is None
    expected = data_gradient(loss, Records(design_from(X, 1.0, 0.5), labels), 60.0, w)
    np.testing.assert_allclose(data_gradient(loss, thin, 60.0, w), expected, rtol=1e-11, atol=1e-14)


def test_many_classes_are_left_to_linear_algebra() -> None:
    assert several_of(Softmax(MOST_CLASSES)) is not None
    assert several_of(Softmax(MOST_CLASSES + 1)) is None
