"""However many threads there are, a sum over records is the same to the last digit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.inside.test_threads import LONGEST
from tests.lists.losses import ONE_EACH, classes_of, labels_of, name_of

import equipoise as eq
from equipoise.errors import InvalidInput
from equipoise.estimators.linear import entrance
from equipoise.inside import borrowed, enter, threads
from equipoise.inside.borrowed import Borrowed, enter_borrowed
from equipoise.inside.design import dense, design_from
from equipoise.inside.design.contract import Array
from equipoise.inside.parted import enter_streamed
from equipoise.inside.records import Records, nobody
from equipoise.inside.sums import Gradient, GradientAndHessian, Hessian, HessianTimes, SlopeAlong, ValueAndGradient
from equipoise.theory.bounds import Bounds
from equipoise.theory.evening import Evening
from equipoise.theory.losses import Coding, Logistic, Loss

ROWS, COLUMNS = 1500, 5
COUNTS = [1, 2, 3]


@pytest.fixture(autouse=True)
def _blocks_are_small_and_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "WORTH", 1)
    monkeypatch.setattr(dense, "BLOCK_ENTRIES", 700)
    monkeypatch.setattr(borrowed, "AT_HAND", 350)


def bounds_for(loss: Loss, intercept: float) -> Bounds:
    if loss.traits.labels is Coding.NUMBERS:
        return Bounds(1.0, intercept, label_range=(-1.0, 1.0))
    return Bounds(1.0, intercept, classes=tuple(range(classes_of(loss))))


def raw_labels(loss: Loss, rng: np.random.Generator, rows: int) -> Any:
    if loss.traits.labels is Coding.NUMBERS:
        return labels_of(loss, rng, rows)
    return rng.integers(0, classes_of(loss), rows)


def rows_of(rng: np.random.Generator, rows: int) -> Array:
    return np.asarray(rng.normal(size=(rows, COLUMNS)) * rng.choice([0.1, 1.0, 9.0], size=(rows, 1)))


def of_memory(X: Any, y: Any, bounds: Bounds) -> Any:
    return enter(X, y, bounds).reveal()


def of_streams(X: Array, y: Any, bounds: Bounds) -> Any:
    def blocks(order: Sequence[int] | None = None) -> Iterator[tuple[Array, Any]]:
        for start in range(0, len(X), 128):
            yield X[start : start + 128].copy(), y[start : start + 128]

    return enter_streamed(blocks, len(X), COLUMNS, bounds.features(COLUMNS), 128, bounds).reveal()


KINDS: dict[str, Callable[[Array, Any, Bounds], Any]] = {
    "dense": of_memory,
    "singles": lambda X, y, bounds: of_memory(X.astype(np.float32), y, bounds),
    "sparse": lambda X, y, bounds: of_memory(sparse.csr_array(X), y, bounds),
    "borrowed": lambda X, y, bounds: enter_borrowed(X, y, bounds, nobody).reveal(),
    "borrowed singles": lambda X, y, bounds: enter_borrowed(X.astype(np.float32), y, bounds, nobody).reveal(),
    "streamed": of_streams,
}


def sums_of(loss: Loss, records: Any, rng: np.random.Generator) -> list[Array]:
    size = loss.outputs * records.design.columns
    w, v = rng.normal(size=size), rng.normal(size=size)
    asked: list[Any] = [
        Gradient(loss, w),
        ValueAndGradient(loss, w),
        HessianTimes(loss, w, v),
        SlopeAlong(loss, w, v, 0.3),
    ]
    return [records.summed(of) for of in (*asked, Hessian(loss, w), GradientAndHessian(loss, w))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", [loss.stand_in() for loss in ONE_EACH], ids=name_of)
def test_sums_of_every_kind_are_the_same(loss: Loss, kind: str) -> None:
    """With a constant and without in turns: every loss and every kind meets both."""
    turn = list(KINDS).index(kind) + [each.stand_in() for each in ONE_EACH].index(loss)
    rng = np.random.default_rng(7)
    X, y, bounds = rows_of(rng, ROWS), raw_labels(loss, rng, ROWS), bounds_for(loss, (0.0, 0.5)[turn % 2])
    found = []
    for count in COUNTS:
        with threads.at_most(count):
            found.append(sums_of(loss, KINDS[kind](X, y, bounds), np.random.default_rng(3)))
    for others in found[1:]:
        for first, other in zip(found[0], others, strict=True):
            np.testing.assert_array_equal(first, other)


@given(st.integers(1, 700), st.integers(1, 4), st.sampled_from([0.0, 0.5]), st.integers(0, 10**6))
def test_sums_are_the_same_however_many_rows_there_are(rows: int, count: int, intercept: float, seed: int) -> None:
    rng, loss = np.random.default_rng(seed), Logistic()
    X, y, bounds = rows_of(rng, rows), rng.integers(0, 2, rows), bounds_for(loss, intercept)
    w = rng.normal(size=bounds.features(COLUMNS))
    for kind in ("dense", "borrowed", "streamed"):
        found = []
        for threads_used in (1, count):
            with threads.at_most(threads_used):
                found.append(KINDS[kind](X, y, bounds).summed(ValueAndGradient(loss, w)))
        np.testing.assert_array_equal(found[0], found[1])


def test_every_thread_has_a_buffer_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two blocks are at hand at the same time, and neither holds the other's rows."""
    monkeypatch.setattr(borrowed, "SEVERAL", 1)
    X = np.repeat(np.arange(1.0, 5.0) / 10, 64)[:, None] * np.ones(COLUMNS)
    records = enter_borrowed(X, np.zeros(len(X)), Bounds(1.0, classes=(0, 1)), nobody).reveal()
    both = threading.Barrier(2)

    def total(part: Records) -> Array:
        part.design.matvec(np.ones(COLUMNS))
        both.wait(LONGEST)  # both have copied their rows
        found = part.design.rmatvec(np.ones(part.design.rows))
        both.wait(LONGEST)
        return found

    with threads.at_most(2):
        np.testing.assert_allclose(records.summed(total), X.sum(axis=0), rtol=1e-12)


def test_constants_are_added_in_the_order_of_the_rows() -> None:
    """The first part is turned after two others, and the sum does not show it."""
    rng = np.random.default_rng(0)
    design = design_from(rng.normal(size=(ROWS, COLUMNS)), 1.0, 0.5)
    turned = np.zeros(ROWS)
    turned[[0, 256, 512]] = 1e16, 1.0, 1.0  # the sum is 1e16, and in another order two more
    w = np.ones(COLUMNS + 1)
    alone = design.pulled(w, lambda scores, part: turned[part])
    before = threading.Semaphore(0)

    def late(scores: Array, part: slice) -> Array:
        if part.start == 0:
            assert before.acquire(timeout=LONGEST)
            assert before.acquire(timeout=LONGEST)
            time.sleep(0.05)  # until the second of them has been noted
        before.release()
        return turned[part]

    with threads.at_most(2):
        np.testing.assert_array_equal(design.pulled(w, late), alone)


def test_an_error_in_a_block_is_that_of_the_pass() -> None:
    X = np.ones((ROWS, COLUMNS))
    for kind in ("borrowed", "streamed"):
        records = KINDS[kind](X, np.zeros(ROWS), Bounds(1.0, classes=(0, 1)))

        def odd(part: Records) -> Array:
            raise InvalidInput("a block")

        for count in COUNTS:
            with threads.at_most(count), pytest.raises(InvalidInput, match=r"^a block$"):
                records.summed(odd)


ASKED: list[Callable[[Records], Array]] = [
    Gradient(Logistic(), np.ones(COLUMNS)),
    Hessian(Logistic(), np.ones(COLUMNS)),
    ValueAndGradient(Logistic(), np.ones(COLUMNS), evened=Evening(1.0)),
]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("row", [0, 700, ROWS - 1])
@pytest.mark.parametrize("written", [1e-3, np.nan, np.inf, 1e200])
def test_rows_that_are_written_to_are_noticed_whichever_thread_meets_them(written: float, row: int, count: int) -> None:
    """Whatever was asked when they were met, and whatever is asked then."""
    for before in ASKED:
        for after in ASKED:
            X = np.random.default_rng(1).normal(size=(ROWS, COLUMNS))
            records = KINDS["borrowed"](X, np.zeros(ROWS), Bounds(1.0, classes=(0, 1)))
            with threads.at_most(count):
                records.summed(before)
                X[row, 0] += written
                with pytest.raises(InvalidInput, match="was written to during the fit"):
                    records.summed(after)


def test_a_fit_notices_writing_with_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "LARGE", 1)
    rng = np.random.default_rng(0)
    X, ledger, usual = rng.normal(size=(ROWS, COLUMNS)), eq.Ledger(5.0), Borrowed.summed

    def writing(self: Any, of: Any) -> Any:
        X[1] *= 1.01
        return usual(self, of)

    monkeypatch.setattr(Borrowed, "summed", writing)
    with threads.at_most(2), pytest.raises(InvalidInput, match="epsilon was spent, nothing was released"):
        eq.LogisticRegression(mechanism="output", alpha=0.01, ledger=ledger).fit(X, (X[:, 0] > 0).astype(int))
    assert len(ledger.entries()) == 1


MODELS: dict[str, Any] = {
    "objective": eq.LogisticRegression(1.0, 1e-6, mechanism="objective", alpha=0.01, random_state=3),
    "output": eq.LogisticRegression(mechanism="output", alpha=0.01, random_state=3),
    "noisy gradients": eq.LogisticRegression(1.0, 1e-6, mechanism="noisy-gradient", random_state=3),
    "hinge": eq.LinearSVC(mechanism="output", alpha=0.01, random_state=3),
    "numbers": eq.LinearRegression(1.0, 1e-6, alpha=0.01, label_bounds=(0, 1), random_state=3),
    "bounded columns": eq.LogisticRegression(column_bounds=[(-2, 2)] * COLUMNS, random_state=3),
}


@pytest.mark.parametrize("large", [1, 2**60], ids=["borrowed", "copied"])
@pytest.mark.parametrize("name", MODELS)
def test_what_is_released_does_not_tell_how_many_threads_there_were(
    name: str, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entrance, "LARGE", large)
    X = rows_of(np.random.default_rng(2), ROWS)
    y = (X[:, 0] > 0).astype(int)
    found = []
    for count in COUNTS:
        with threads.at_most(count):
            model = MODELS[name].fit(X, y)
            found.append(np.append(model.coef_, model.intercept_))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
