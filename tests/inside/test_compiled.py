"""Compiled passes are numpy's sums: of every loss and storage, to the depths that certificates count on."""

from __future__ import annotations

import importlib.util
import math
import operator
import shutil
import subprocess
import sys
import sysconfig
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.lists.losses import ONE_EACH, labels_of, name_of

from equipoise.errors import InvalidInput
from equipoise.estimators.answer.asked import fingerprints
from equipoise.inside import compiled
from equipoise.inside.compiled import passes_are_there, slopes, wanted
from equipoise.inside.compiled.slopes import TIMES, Law, law_of
from equipoise.inside.compiled.sweep import Sweep, serves
from equipoise.inside.design import design_from
from equipoise.inside.design.contract import Array
from equipoise.inside.design.dense import DenseDesign
from equipoise.inside.design.sparse import SparseDesign
from equipoise.inside.objective import data_gradient
from equipoise.inside.records import Records
from equipoise.rows.clip import HUGE
from equipoise.theory.evening import Evening
from equipoise.theory.losses import Logistic, Loss
from equipoise.theory.losses.capped_softmax import CappedSoftmax
from equipoise.theory.losses.clipped_softmax import ClippedSoftmax
from equipoise.theory.losses.softmax import Softmax

UNIT = 2.0**-53
SERVED = [loss.stand_in() for loss in ONE_EACH if law_of(loss.stand_in()) is not None]
CURVE: Law = (slopes.CURVE, 0.5, 0.0, 0.0)
OF_CLASSES = [slopes.several_of(kind(5)) for kind in (Softmax, ClippedSoftmax, CappedSoftmax)]

pytestmark = pytest.mark.skipif(
    not passes_are_there() and shutil.which("cc") is None, reason="no C compiler was here at install"
)


def test_a_machine_with_a_compiler_has_them() -> None:
    assert passes_are_there()


def slopes_by_pass(law: Law, scores: Array, labels: Array) -> Array:
    """Slope by slope: rows of a table that is its own coefficient's score."""
    found = []
    for score, label in zip(scores, labels, strict=True):
        sweep = Sweep(np.array([score]), law, np.array([label]))
        found.append(DenseDesign(np.ones((1, 1))).swept(sweep))
    return np.concatenate([each for each in found if each is not None])


@pytest.mark.parametrize("loss", SERVED, ids=name_of)
def test_slopes_are_the_losses(loss: Loss) -> None:
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.normal(size=200) * 3, [0.0, -0.0, 5e-324, 30, -40, 709, -710, 800, -1e4, 1e15]])
    labels, law = labels_of(loss, rng, len(scores)), law_of(loss)
    assert law is not None
    np.testing.assert_allclose(
        slopes_by_pass(law, scores, labels), loss.slope(scores, labels), rtol=8 * 2.0**-52, atol=1e-300
    )


@pytest.mark.parametrize("loss", SERVED, ids=name_of)
def test_a_score_that_is_no_number_has_a_slope_that_is_none(loss: Loss) -> None:
    """Whoever has gone astray must be told so, and not that the ground is flat."""
    law = law_of(loss)
    assert law is not None
    assert np.all(np.isnan(slopes_by_pass(law, np.full(3, np.nan), labels_of(loss, np.random.default_rng(0), 3))))


@given(st.lists(st.floats(-708, 708), min_size=1, max_size=60), st.floats(0.5, 1.0))
def test_logistic_slopes_are_right_to_a_few_units_whatever_the_margins(margins: list[float], cap: float) -> None:
    """Many at a time: lanes do not mix."""
    X, count = np.array(margins).reshape(-1, 1), len(margins)
    for row in range(count):
        chosen = np.zeros(count)
        chosen[row] = 1.0
        design = DenseDesign(X)
        sums = design.swept(Sweep(np.ones(1), (slopes.CURVE, cap, 0.0, 0.0), np.ones(count), chosen))
        assert sums is not None
        exact = -min(cap, 1 / (1 + math.exp(margins[row]))) * margins[row]
        assert abs(sums[0] - exact) <= 12 * UNIT * abs(exact) + 1e-300


STORED: dict[str, Any] = {
    "doubles": lambda X: DenseDesign(X),
    "singles": lambda X: DenseDesign(X.astype(np.float32)),
    "every third row": lambda X: DenseDesign(np.repeat(X, 3, axis=0)[::3]),
    "some columns": lambda X: DenseDesign(np.hstack([X, X])[:, : X.shape[1]]),
    "compressed": lambda X: SparseDesign(sparse.csr_array(X)),
    "compressed, wide places": lambda X: SparseDesign(_wide(sparse.csr_array(X))),
}


def _wide(matrix: sparse.csr_array) -> sparse.csr_array:
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


def table(rng: np.random.Generator, rows: int, columns: int) -> Array:
    """In numbers that singles hold, with zeros."""
    held = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.8)
    return held.astype(np.float32).astype(float)


GRID = 200
"""Singles, and few of them times small whole numbers, are whole multiples of two to minus this."""


def exactly(X: Array, turned: Array) -> list[Fraction]:
    """In whole numbers: sums of fractions look for common divisors at every term."""
    others = _whole(turned)
    sums = [sum(map(operator.mul, _whole(column), others)) for column in X.T]
    return [Fraction(total, 4**GRID) for total in sums]


def _whole(numbers: Array) -> list[int]:
    scaled = [number * 2.0**GRID for number in numbers.tolist()]
    assert all(map(float.is_integer, scaled))
    return [int(number) for number in scaled]


@pytest.mark.parametrize("stored", STORED)
@given(st.integers(1, 600), st.integers(1, 40), st.sampled_from([0.0, 0.5]), st.integers(0, 10**6))
def test_sums_are_exact_to_their_depth(stored: str, rows: int, columns: int, constant: float, seed: int) -> None:
    """Given multipliers, so that a score's error is known: rows of one score."""
    rng = np.random.default_rng(seed)
    X, w = table(rng, rows, columns), np.zeros(columns + (constant > 0))
    w[:columns] = rng.integers(-2, 3, columns)  # whole numbers times singles: scores are exact
    scores = X @ w[:columns]
    given_ = rng.choice([-1.0, 0.5, 1.0], rows)
    design = STORED[stored](X)
    found = design.swept(Sweep(w, TIMES, given_, None, constant))
    if found is None:  # groups of a sparse table with more columns than entries
        assert "compressed" in stored
        return
    whole = np.column_stack([X, np.full(rows, constant)]) if constant else X
    for column, one, exact in zip(whole.T, found, exactly(whole, given_ * scores), strict=True):
        size = float(np.sum(np.abs(column * given_ * scores)))
        allowed = (design.column_depth + design.row_depth + 4) * UNIT * size
        assert abs(float(Fraction(float(one)) - exact)) <= allowed


@pytest.mark.parametrize("loss", SERVED, ids=name_of)
@pytest.mark.parametrize("kind", ["dense", "singles", "sparse"])
@pytest.mark.parametrize("intercept", [0.0, 0.5])
@pytest.mark.parametrize("evened", [None, Evening(1.2)])
def test_gradients_are_numpys(
    loss: Loss, kind: str, intercept: float, evened: Evening | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    X: Any = table(rng, 900, 7)
    X = sparse.csr_array(X) if kind == "sparse" else X.astype(np.float32) if kind == "singles" else X
    records = Records(design_from(X, 1.0, intercept), labels_of(loss, rng, 900))
    w = rng.normal(size=7 + (intercept > 0))
    assert records.design.swept(Sweep(w, CURVE, records.labels)) is not None
    found = data_gradient(loss, records, 3.0, w, evened)
    monkeypatch.setattr(compiled, "PASSES", None)
    np.testing.assert_allclose(found, data_gradient(loss, records, 3.0, w, evened), rtol=1e-11, atol=1e-13)


def _at_any_byte(numbers: Any) -> Any:
    """As numbers may lie that came over a network."""
    held = np.frombuffer(b"\0" + np.ascontiguousarray(numbers).tobytes(), dtype=np.uint8)[1:]
    found = held.view(numbers.dtype).reshape(numbers.shape)
    assert not found.flags.aligned
    return found


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_arrays_that_lie_at_any_byte_are_summed_as_well(kind: str) -> None:
    rng = np.random.default_rng(3)
    X, labels, w = table(rng, 600, 5), rng.choice([-1.0, 1.0], 600), rng.normal(size=5)
    thin = sparse.csr_array(X)
    moved = sparse.csr_array(X)
    moved.data, moved.indices, moved.indptr = map(_at_any_byte, (thin.data, thin.indices, thin.indptr))
    designs: list[Any] = [DenseDesign(X), DenseDesign(_at_any_byte(X))]
    if kind == "sparse":
        designs = [SparseDesign(thin), SparseDesign(moved)]
    expected = data_gradient(Logistic(), Records(designs[0], labels), 1.0, w)
    for design in designs:
        found = data_gradient(Logistic(), Records(design, _at_any_byte(labels)), 1.0, _at_any_byte(w))
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_scores_of_long_rows_are_summed_in_runs() -> None:
    """A row of equal entries, where one running sum would be off by far more."""
    columns = 3_000_000
    for X in (np.full((1, columns), 0.1), sparse.csr_array(np.full((1, columns), 0.1))):
        design: Any = DenseDesign(X) if isinstance(X, np.ndarray) else SparseDesign(X)
        found = design.swept(Sweep(np.full(columns, 0.1), TIMES, np.ones(1)))
        score = Fraction(0.1) * Fraction(0.1) * columns
        exact = float(score * Fraction(0.1))
        assert found is not None
        assert np.all(np.abs(found - exact) <= (design.row_depth + 2) * UNIT * exact)
        assert design.row_depth < columns / 20


def test_long_columns_are_summed_in_groups() -> None:
    rows = 200_000
    design = DenseDesign(np.full((rows, 1), 0.1))
    found = design.swept(Sweep(np.ones(1), TIMES, np.ones(rows)))
    exact = float(Fraction(0.1) ** 2 * rows)
    assert found is not None
    assert abs(found[0] - exact) <= (design.column_depth + 2) * UNIT * exact
    assert design.column_depth < rows / 100


# What is handed over


@pytest.mark.parametrize(
    ("pointers", "places"),
    [
        ([0, 2, 4], [0, 1, 2, 3]),
        ([0, 2, 9], [0, 1, 0, 1]),
        ([0, 3, 1], [0, 1, 0, 1]),
        ([-1, 2, 4], [0, 1, 0, 1]),
        ([0, 2, 4], [0, 1, -1, 1]),
        ([0, 2, 4], [0, 1, 0, 2**31 - 1]),
    ],
)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_nothing_outside_a_sparse_table_is_touched(pointers: list[int], places: list[int], index: Any) -> None:
    passes: Any = compiled.PASSES
    args = np.array(pointers, index), np.array(places, index), np.ones(4)
    with pytest.raises(ValueError, match="outside"):
        passes.compressed(*args, np.ones(3), np.ones(2), None, TIMES, 0.0, 256, np.empty(4))


@pytest.mark.parametrize("place", [2, 3, 2**16 - 1])
def test_nothing_beyond_the_last_slot_is_touched(place: int) -> None:
    """The last place of a couple is the one before the last slot."""
    passes: Any = compiled.PASSES
    places = np.array([0, 1, 1, place], dtype=np.uint16)
    with pytest.raises(ValueError, match="outside"):
        passes.coupled(places, np.ones(4), 2, np.ones(3), np.ones(2), None, TIMES, 0.0, 256, 256, np.empty(4))


def test_couples_of_other_kinds_and_lengths_are_refused() -> None:
    passes: Any = compiled.PASSES
    held, w, y, out = (np.zeros(4, dtype=np.uint16), np.ones(4)), np.ones(3), np.ones(2), np.empty(4)
    passes.coupled(*held, 2, w, y, None, TIMES, 0.0, 2, 2, out)
    wrong: list[tuple[Any, ...]] = [
        (held[0].astype(np.int64), held[1], 2, w, y, None, TIMES, 0.0, 2, 2, out),
        (held[0], np.ones(3), 2, w, y, None, TIMES, 0.0, 2, 2, out),
        (*held, 3, w, y, None, TIMES, 0.0, 2, 2, out),
        (*held, 0, w, y, None, TIMES, 0.0, 2, 2, out),
        (*held, 2, np.ones(4), y, None, TIMES, 0.0, 2, 2, out),
        (*held, 2, w, y, None, TIMES, 0.5, 2, 2, out),
        (*held, 2, w, np.ones(4), None, TIMES, 0.0, 2, 2, out),
        (*held, 2, w, y, np.ones(3), TIMES, 0.0, 2, 2, out),
        (*held, 2, w, y, None, TIMES, 0.0, 0, 2, out),
        (*held, 2, w, y, None, TIMES, 0.0, 2, 0, out),
        (*held, 2, w, y, None, TIMES, 0.0, 2, 2, np.empty(1)),
    ]
    for args in wrong:
        with pytest.raises((TypeError, ValueError)):
            passes.coupled(*args)


def test_arrays_of_other_kinds_and_lengths_are_refused() -> None:
    passes: Any = compiled.PASSES
    X, w, y, out, lent = np.ones((4, 3)), np.ones(3), np.ones(4), np.empty(4), (None, False, 0.0, 0.0, 0.0)
    passes.dense(X, w, y, None, TIMES, 0.0, 2, out, *lent)
    wrong: list[tuple[Any, ...]] = [
        (X, np.ones(4), y, None, TIMES, 0.0, 2, out),
        (X, w, np.ones(3), None, TIMES, 0.0, 2, out),
        (X, w, y, np.ones(5), TIMES, 0.0, 2, out),
        (X, w, y, None, TIMES, 0.0, 0, out),
        (X, w, y, None, TIMES, 0.5, 2, out),
        (X, w, y, None, TIMES, 0.0, 2, np.empty(3)),
        (X.astype(int), w, y, None, TIMES, 0.0, 2, out),
        (np.asfortranarray(X), w, y, None, TIMES, 0.0, 2, out),
        (X[:, ::2], np.ones(2), y, None, TIMES, 0.0, 2, np.empty(3)),
        (X[::-1], w, y, None, TIMES, 0.0, 2, out),
        (X.astype(">f8"), w, y, None, TIMES, 0.0, 2, out),
        (X, w.astype(np.float32), y, None, TIMES, 0.0, 2, out),
        (X, w, y[::-1], None, TIMES, 0.0, 2, out),
    ]
    frozen = np.empty(4)
    frozen.setflags(write=False)
    for args in [*wrong, (X, w, y, None, TIMES, 0.0, 2, frozen)]:
        with pytest.raises((TypeError, ValueError, BufferError)):
            passes.dense(*args, *lent)
    for matrix in (np.asfortranarray(X), X[:, ::2], X[::-1], X.astype(">f8"), X.astype(int)):
        assert not serves(matrix)


@given(st.integers(0, 50), st.integers(0, 20), st.integers(0, 10**6))
def test_fingerprints_are_numpys(rows: int, columns: int, seed: int) -> None:
    """Whole numbers modulo 2⁶⁴: the same ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) * rng.choice([0.0, -0.0, 1.0, 1e300], size=(rows, columns))
    weights = rng.integers(0, 2**64, size=(columns, 2), dtype=np.uint64)
    found = fingerprints(X, weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "PASSES", None)
        np.testing.assert_array_equal(found, fingerprints(X, weights))


def test_arrays_that_name_this_machines_order_are_served() -> None:
    """As those that came over a wire do: their kind is the same, its name is not."""
    passes: Any = compiled.PASSES
    rng = np.random.default_rng(0)
    X, w, y = rng.normal(size=(40, 3)), rng.normal(size=3), rng.normal(size=40)
    lent, out, again = (None, False, 0.0, 0.0, 0.0), np.empty(4), np.empty(4)
    named = [array.view(array.dtype.newbyteorder("<" if sys.byteorder == "little" else ">")) for array in (X, w, y)]
    assert named[0].data.format != X.data.format
    passes.dense(X, w, y, None, TIMES, 0.0, 256, out, *lent)
    passes.dense(*named, None, TIMES, 0.0, 256, again, *lent)
    np.testing.assert_array_equal(out, again)


def test_a_setting_does_without_them() -> None:
    assert wanted({})
    assert wanted({compiled.NAME: "1"})
    assert not wanted({compiled.NAME: "0"})
    with pytest.raises(InvalidInput, match=r"^EQUIPOISE_COMPILED='no': must be 0 or 1$"):
        wanted({compiled.NAME: "no"})


@pytest.mark.parametrize("width", [2, 4, 8])
def test_digits_are_the_same_for_a_plain_processor_and_vectors_of_any_width(tmp_path: Path, width: int) -> None:
    """Built without a word about processors, and not optimised."""
    cc = shutil.which("cc")
    if cc is None:
        pytest.skip("no C compiler")
    source = Path(compiled.__file__).with_name("passes.c")
    target = tmp_path / "_passes.so"
    words = ["-std=gnu11", "-O0", "-ffp-contract=off", "-w", "-DONE_PROCESSOR", "-shared", "-fPIC"]
    words = [*words, f"-DWIDTH={width}", f"-I{sysconfig.get_path('include')}"]
    subprocess.run([cc, *words, str(source), "-o", str(target), "-lm"], check=True)
    spec = importlib.util.spec_from_file_location("_passes", target)
    assert spec is not None
    plain: Any = importlib.util.module_from_spec(spec)
    rng = np.random.default_rng(0)
    X, y = table(rng, 3000, 37), rng.choice([-1.0, 1.0], 3000)
    thin = sparse.csr_array(X * (rng.random(X.shape) < 0.2))
    couples = rng.integers(0, 36, 27_000).astype(np.uint16), rng.random(27_000)
    for kind in (np.float64, np.float32):
        both = []
        passes: Any
        for passes in (plain, compiled.PASSES):
            out, squares, few = np.empty(38), np.empty(3000), np.empty(38)
            args = np.random.default_rng(5).normal(size=38), y, y * y
            passes.dense(X.astype(kind), *args, CURVE, 0.5, 256, out, squares, True, 1.0, 1.0, HUGE)
            passes.compressed(thin.indptr, thin.indices, thin.data, *args, CURVE, 0.5, 256, few)
            coupled = np.empty(38)
            passes.coupled(*couples, 9, *args, CURVE, 0.5, 256, 1000, coupled)
            crowd, again, counts = np.empty(4 * 38), np.empty(3000), np.abs(y) / 2
            for softmax in OF_CLASSES:
                held = np.random.default_rng(6).normal(size=4 * 38), (y > 0) * 3.0, counts, softmax, 0.5, 256, crowd
                passes.several(X.astype(kind), *held, again, True, 1.0, 1.0, HUGE)
                both.append(np.concatenate([crowd, again]))
            both.append(np.concatenate([out, squares, few, coupled]))
        half = len(both) // 2
        for one, other in zip(both[:half], both[half:], strict=True):
            np.testing.assert_array_equal(one, other)
