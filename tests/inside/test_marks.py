"""Marks of rows: what is made anew and otherwise is told from the first, the same with and without a compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.inside import compiled
from equipoise.inside.borrowed import Borrowed, borrowed, height_at_hand
from equipoise.inside.marks import SOME, join, mark_of_arrays, mark_of_words, words_for
from equipoise.inside.sums import Gradient, GradientAndHessian, Hessian
from equipoise.inside.tables.labels import LabelSums
from equipoise.inside.view import RowSum
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic

Rows = npt.NDArray[Any]
ROWS, COLUMNS = 20_000, 50
"""More than a block, which is of 8,192 rows."""


def table(kind: Any = np.float64) -> Rows:
    return np.random.default_rng(5).normal(size=(ROWS, COLUMNS)).astype(kind)


def lent(X: Rows) -> Borrowed:
    return borrowed(X, np.zeros(len(X), dtype=int), Bounds(1.0, 0.5, classes=(0, 1)), marked=True)


def met(X: Rows) -> int:
    records = lent(X)
    records.measure()
    assert records.mark is not None
    return records.mark


def mark_of_rows(X: Rows) -> int:
    words = words_for(X.shape[1])
    join(X, words)
    return mark_of_words(words)


ASKED: list[Any] = [
    Gradient(Logistic(), np.ones(COLUMNS + 1)),
    Hessian(Logistic(), np.ones(COLUMNS + 1)),
    GradientAndHessian(Logistic(), np.ones(COLUMNS + 1)),
    RowSum(),
]


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("odd", [None, np.nan, np.inf, 1e300])
def test_whatever_is_asked_first_leaves_the_same_mark(odd: float | None, kind: Any) -> None:
    X = table(kind)
    if odd is not None:
        with np.errstate(over="ignore"):
            X[9_000, 3] = np.asarray(odd).astype(kind)
    marks: set[int | None] = set()
    for of in ASKED:
        records = lent(X)
        assert records.mark is None
        records.summed(of)
        marks.add(records.mark)
        records.summed(of)
        marks.add(records.mark)
    assert marks == {met(X)}
    assert None not in marks


@pytest.mark.skipif(compiled.PASSES is None, reason="some rows are copied where nothing is compiled")
def test_a_sum_over_some_rows_or_over_labels_alone_marks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.inside.borrowed.FEW_NUMBERS", 1)
    records = lent(table())
    some = records.every(2)
    assert isinstance(some, Borrowed)
    some.summed(ASKED[0])
    records.summed(LabelSums(0))
    assert records.mark is None
    assert some.mark is None


def test_rows_of_a_fit_in_memory_are_not_marked() -> None:
    X = table()
    records = borrowed(X, np.zeros(len(X), dtype=int), Bounds(1.0, 0.5, classes=(0, 1)))
    records.measure()
    assert records.mark is None


def test_numpy_leaves_the_same_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    X = table()
    X[7, 1] = np.nan
    shapes = [(1, 1), (5, 3), (4_096, 1), (300, SOME + 5), (2_000, 7)]
    tables = [np.random.default_rng(1).normal(size=shape) for shape in shapes]
    arrays: list[Any] = [np.arange(size, dtype=np.int8) for size in (0, 1, 511, 512, 5_000)]
    here = met(X), [mark_of_rows(one) for one in tables], [mark_of_arrays([one]) for one in arrays]
    monkeypatch.setattr(compiled, "PASSES", None)
    assert here == (met(X), [mark_of_rows(one) for one in tables], [mark_of_arrays([one]) for one in arrays])
    assert len({here[0], *here[1], *here[2]}) == 1 + len(tables) + len(arrays)


def turned(row: int, other: int) -> Callable[[Rows], None]:
    def turn(X: Rows) -> None:
        X[[row, other]] = X[[other, row]]

    return turn


HEIGHT = height_at_hand(COLUMNS)
TURN = SOME // COLUMNS
"""Rows after which words are joined again."""

CHANGES: dict[str, Callable[[Rows], Any]] = {
    "all signs": lambda X: np.negative(X, out=X),
    "the signs of a column": lambda X: np.negative(X[:, 3], out=X[:, 3]),
    "the signs of two rows": lambda X: X.__setitem__([0, TURN], -X[[0, TURN]]),
    "two columns": lambda X: X.__setitem__((slice(None), [1, 2]), X[:, [2, 1]]),
    "neighbours": turned(4, 5),
    "rows that join the same words": turned(4, 4 + TURN),
    "rows of two blocks": turned(4, 4 + HEIGHT),
    "blocks": lambda X: X.__setitem__(slice(0, 2 * HEIGHT), np.roll(X[: 2 * HEIGHT], HEIGHT, axis=0)),
    "the last bit of the last number": lambda X: X.__setitem__((-1, -1), np.nextafter(X[-1, -1], 9)),
    "one taken from one row and given to another": lambda X: (
        X[:, 0].__setitem__(3, X[3, 0] - 1.0),
        X[:, 0].__setitem__(3 + TURN, X[3 + TURN, 0] + 1.0),
    ),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("whole_numbers", [False, True])
def test_changes_that_a_sum_would_miss_are_noticed(name: str, whole_numbers: bool) -> None:
    """Whole numbers are doubles whose lower half is empty."""
    X = np.round(table() * 9) if whole_numbers else table()
    before, arrays = met(X), mark_of_arrays([X])
    kept = X.copy()
    CHANGES[name](X)
    assert not np.array_equal(X, kept)
    assert met(X) != before
    assert mark_of_arrays([X]) != arrays


@given(st.integers(1, 300), st.integers(1, 70), st.data())
def test_one_number_that_is_another_always_changes_a_word(rows: int, columns: int, data: Any) -> None:
    """Which a CRC then tells for certain: of words that differ in 32 bits at most."""
    X = np.random.default_rng(rows).normal(size=(rows, columns))
    row, column = data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1))
    before, after = words_for(columns), words_for(columns)
    join(X, before)
    X[row, column] = data.draw(st.floats(allow_nan=False).filter(lambda one: one != X[row, column]))
    join(X, after)
    assert np.sum(before != after) == 1


def test_steps_that_change_together_seldom_meet() -> None:
    """A walk of few bits: every pair of small changes in two neighbours of one word leaves words of its own."""
    numbers = np.arange(-64.0, 64.0)
    one, other = (each.reshape(-1) for each in np.meshgrid(numbers, numbers))
    for between in range(3):
        steps = [one, *[np.ones_like(one)] * between, other]
        left = np.full(one.size, words_for(1)[0])
        for step in steps:
            words = np.array(left)
            join(np.ascontiguousarray(step.reshape(1, -1)), words)
            left = words
        assert len(np.unique(left)) == one.size
