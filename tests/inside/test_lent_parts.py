"""A part that is read where it lies, as a worker keeps it: its sums, and when it is no longer what it was."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from equipoise.estimators.cluster.collections import ByType
from equipoise.inside.borrowed import Borrowed
from equipoise.inside.cluster.parts import NONE_LENT, Answer, Part, Seen, added, chosen, entered, told, version
from equipoise.inside.cluster.quiet import Failure
from equipoise.inside.records import Records
from equipoise.inside.sums import Gradient, Hessian
from equipoise.inside.tables.labels import LabelSums
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic

ROWS, COLUMNS = 9_000, 50
BOUNDS = Bounds(1.0, 0.5, classes=(0, 1))
GRADIENT = Gradient(Logistic(), np.ones(COLUMNS + 1))
SOME = slice(0, ROWS, 30)


def table(seed: int = 0) -> tuple[Any, Any]:
    X = np.random.default_rng(seed).normal(size=(ROWS, COLUMNS))
    return X, (X[:, 0] > 0).astype(np.int64)


def part_of(X: Any, y: Any, lent: bool = True) -> Part:
    reader = ByType(lent=lent)
    found = entered(reader, reader.seen(X, y), BOUNDS, version(), None, None, X, y)
    assert isinstance(found, Part)
    return found


def ask(part: Part, lent: int | None, of: Any = GRADIENT, rows: Any = None, own: int | None = None) -> Any:
    return told(of, [(part.records.design.rows, part.own if own is None else own, lent, rows)], [(0, 0)], part)


def test_rows_stay_where_they_came() -> None:
    X, y = table()
    before, part = X.copy(), part_of(X, y)
    assert isinstance(part.records, Borrowed)
    assert part.records.matrix is X
    ask(part, None)
    ask(part, None, of=Hessian(Logistic(), np.ones(COLUMNS + 1)), rows=SOME)
    np.testing.assert_array_equal(X, before)
    assert part.__sizeof__() > X.nbytes  # a scheduler that thought it small would move it about


def at_odd_bytes(X: Any) -> Any:
    room = np.empty(X.nbytes + 1, dtype=np.uint8)
    found = room[1:].view(np.float64).reshape(X.shape)
    found[:] = X
    return found


LIES: list[Any] = [
    np.asfortranarray,
    lambda X: X[:, ::-1],
    lambda X: X.astype(">f8"),
    lambda X: X.view(np.recarray),
    at_odd_bytes,
]


@pytest.mark.parametrize("given", LIES)
def test_a_part_that_lies_otherwise_is_copied_and_gives_the_same_sums(given: Any) -> None:
    """How a worker has it is nobody's word: the same rows are summed in the same blocks, and have the same mark."""
    X, y = table()
    other = given(X)
    plain = np.ascontiguousarray(other, dtype=np.float64).view(np.ndarray)
    one, two = part_of(plain, y), part_of(other, y)
    assert not np.shares_memory(two.records.matrix, X)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(ask(one, None).sums, ask(two, None).sums)
    assert (one.own, one.lent) == (two.own, two.lent)


def test_an_empty_part_is_not_lent() -> None:
    X, y = table()
    part = part_of(X[:0], y[:0])
    assert part.lent == NONE_LENT
    assert ask(part, NONE_LENT).sums[0].shape == (COLUMNS + 1,)


def test_the_first_sum_over_all_rows_says_the_mark_and_later_ones_want_it() -> None:
    X, y = table()
    part = part_of(X, y)
    assert part.lent is None
    assert ask(part, None, rows=SOME).lent == [None]
    answer = ask(part, None)
    assert isinstance(answer, Answer)
    (mark,) = answer.lent
    assert mark is not None
    np.testing.assert_array_equal(ask(part, mark).sums, answer.sums)
    assert ask(part, mark + 1) is Failure.OTHER
    assert ask(part, mark, own=part.own + 1) is Failure.OTHER


@pytest.mark.parametrize("of", [GRADIENT, Hessian(Logistic(), np.ones(COLUMNS + 1)), LabelSums(0)])
@pytest.mark.parametrize("rows", [None, SOME, np.arange(7)], ids=["all", "some", "a few"])
def test_a_part_that_is_made_anew_is_compared_whatever_is_asked_first(of: Any, rows: Any) -> None:
    """Also where that looks at some rows, or at none: the others are met for it."""
    X, y = table()
    mark = part_of(X, y).met()
    assert isinstance(ask(part_of(X, y), mark, of, rows), Answer)
    X[ROWS - 1] *= -1.0  # as long as it was
    assert ask(part_of(X, y), mark, of, rows) is Failure.OTHER


def test_other_labels_are_another_part() -> None:
    X, y = table()
    part = part_of(X, y)
    assert ask(part_of(X, 1 - y), None, own=part.own) is Failure.OTHER
    assert ask(part_of(X[:-1], y[:-1]), None, own=part.own) is Failure.OTHER


@pytest.mark.parametrize("after", [9.0, np.nan, np.inf])
def test_rows_that_are_written_to_are_another_part(after: float) -> None:
    X, y = table()
    part = part_of(X, y)
    mark = ask(part, None).lent[0]
    X[17, 3] = after
    assert ask(part, mark) is Failure.OTHER
    assert ask(part, mark, of=Hessian(Logistic(), np.ones(COLUMNS + 1))) is Failure.OTHER


def test_a_question_that_fails_is_no_word_about_the_part() -> None:
    def wrong(part: Records) -> Any:
        raise ValueError("a record")

    assert ask(part_of(*table()), None, of=wrong) is Failure.FAILED


def test_a_part_that_is_sent_to_another_worker_remembers_what_it_met() -> None:
    X, y = table()
    part = part_of(X, y)
    answer = ask(part, None)
    ask(part, None, rows=SOME)
    sent = pickle.loads(pickle.dumps(part))  # noqa: S301 - as Dask does
    np.testing.assert_array_equal(ask(sent, answer.lent[0]).sums, answer.sums)


@pytest.mark.parametrize("rows", [0, 1, ROWS])
@pytest.mark.parametrize("lent", [False, True])
def test_a_part_that_is_sent_lies_at_even_bytes(rows: int, lent: bool) -> None:
    """Dask puts what it receives one after the other, wherever the last ended."""
    X, y = table()
    part = part_of(X[:rows].copy(), y[:rows], lent)
    buffers: list[Any] = []
    packed = pickle.dumps(part, protocol=5, buffer_callback=buffers.append)
    shifted = []
    for each in buffers:
        room = bytearray(each.raw().nbytes + 1)
        room[1:] = each.raw()
        shifted.append(memoryview(room)[1:])
    sent = pickle.loads(packed, buffers=shifted)  # noqa: S301 - as Dask does
    np.testing.assert_array_equal(ask(sent, None).sums, ask(part, None).sums)
    assert sent.met() == part.met()


def test_added_answers_keep_their_marks_in_order() -> None:
    answers = [Answer([np.array([float(number)])], [number]) for number in range(4)]
    found = added(*answers)
    assert isinstance(found, Answer)
    assert found.lent == [0, 1, 2, 3]
    assert found.sums[0] == 6.0


def test_some_rows_of_a_lent_part_are_not_kept_beside_it() -> None:
    """Nobody asks for it: searches read copies, which have their marks from the beginning."""
    part = part_of(*table())
    assert chosen(part, part.own, np.arange(3)) is Failure.OTHER
    copied = part_of(*table(), lent=False)
    assert isinstance(chosen(copied, copied.own, np.arange(3)), Part)


def test_a_part_of_another_size_is_not_lent() -> None:
    X, y = table()
    reader = ByType(lent=True)
    expected = Seen(ROWS + 1, reader.seen(X, y).columns)
    assert entered(reader, expected, BOUNDS, version(), None, None, X, y) is Failure.OTHER
