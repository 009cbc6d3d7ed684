"""Several threads do what a loop does: in its order, with its errors, and as quietly."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits  # type: ignore[import-untyped,unused-ignore]

from equipoise.errors import EquipoiseError, InvalidInput
from equipoise.inside import one_blas_thread as module
from equipoise.inside import threads
from equipoise.inside.design.contract import Array
from equipoise.inside.one_blas_thread import one_blas_thread
from equipoise.inside.threads import WORTH, allowed, at_most, in_order, stated
from equipoise.rows.unseen import unseen

COUNTS = [1, 2, 3]
LONGEST = 20.0
"""Seconds that a thread waits for another before a test fails."""


def one(number: float) -> Array:
    return np.array([float(number)])


def taken(work: Any, items: Any, count: int, together: int = 1, numbers: int = WORTH) -> list[float]:
    found: list[float] = []
    with at_most(count):
        in_order(work, items, numbers, lambda made: found.append(float(made[0])), together)
    return found


def test_the_first_is_taken_first_though_it_is_done_last() -> None:
    second = threading.Event()

    def work(item: int) -> Array:
        if item == 0:
            assert second.wait(LONGEST)
        second.set()
        return one(item)

    assert taken(work, range(7), 2) == [0, 1, 2, 3, 4, 5, 6]


@given(st.integers(0, 60), st.integers(1, 4), st.integers(1, 5), st.booleans())
def test_whatever_there_is_comes_once_and_in_its_order(items: int, count: int, together: int, large: bool) -> None:
    shape = threads.SMALL // 8 + 1 if large and items < 12 else 1

    def work(item: int) -> Array:
        return np.full(shape, float(item))

    assert taken(work, range(items), count, together) == list(range(items))


def test_threads_work_at_the_same_time() -> None:
    both = threading.Barrier(2)

    def work(item: int) -> Array:
        both.wait(LONGEST)
        return one(item)

    assert taken(work, range(8), 2) == list(range(8))


@pytest.mark.parametrize("count", COUNTS)
def test_of_several_errors_the_first_ones_is_raised(count: int) -> None:
    def work(item: int) -> Array:
        if item >= 3:
            time.sleep(0.02 if item == 3 else 0.0)
            raise InvalidInput(f"block {item}")
        return one(item)

    found: list[float] = []
    with at_most(count), pytest.raises(EquipoiseError, match=r"^block 3$"):
        in_order(work, range(9), WORTH, lambda made: found.append(float(made[0])))
    assert found == [0, 1, 2]


@pytest.mark.parametrize("count", COUNTS)
def test_what_reading_the_items_raises_is_raised(count: int) -> None:
    def items() -> Iterator[int]:
        yield 1
        raise InvalidInput("unreadable")

    with pytest.raises(InvalidInput, match=r"^unreadable$"):
        taken(one, items(), count)


def test_no_thread_is_left_behind() -> None:
    before = threading.active_count()

    def work(item: int) -> Array:
        if item == 5:
            raise ArithmeticError
        return one(item)

    with pytest.raises(ArithmeticError):
        taken(work, range(50), 3)
    assert taken(one, range(50), 3) == list(range(50))
    assert threading.active_count() == before


def test_few_items_wait_to_be_taken() -> None:
    """A table in files is not read into memory because adding up is slow."""
    ahead: list[int] = []
    done: list[float] = []

    def items() -> Iterator[int]:
        for item in range(40):
            ahead.append(item - len(done))
            yield item

    with at_most(2):
        in_order(one, items(), WORTH, lambda made: done.append(made[0]))
    assert max(ahead) <= (threads.AHEAD + 1) * 2


@pytest.mark.parametrize("count", COUNTS)
def test_settings_of_numpy_are_those_of_the_caller(count: int) -> None:
    def work(item: int) -> Array:
        return np.asarray(np.zeros(1) / np.zeros(1))

    with np.errstate(all="ignore"):
        assert np.isnan(taken(work, range(6), count)).all()
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        taken(work, range(6), count)


@pytest.mark.parametrize("count", COUNTS)
def test_warnings_of_helpers_are_heard_where_those_of_the_caller_are(count: int) -> None:
    def work(item: int) -> Array:
        warnings.warn("of a record", UserWarning, stacklevel=1)
        return one(item)

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        with unseen():
            taken(work, range(6), count)
        assert heard == []
        taken(work, range(6), count)
        assert len(heard) == 6


def of_blas() -> set[int]:
    return {found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"}


@pytest.mark.parametrize("count", COUNTS)
def test_linear_algebra_has_one_thread_meanwhile_and_as_many_as_before_afterwards(count: int) -> None:
    seen: set[int] = set()

    def work(item: int) -> Array:
        seen.update(of_blas())
        if item == 9:
            raise InvalidInput("stop")
        return one(item)

    with threadpool_limits(2, user_api="blas"):
        taken(work, range(6), count)
        assert of_blas() == {2}
        with pytest.raises(InvalidInput):
            taken(work, range(12), count)
        assert of_blas() == {2}
    assert seen == {1}


def test_of_passes_at_the_same_time_none_leaves_the_setting_behind() -> None:
    inside, left = threading.Event(), threading.Event()

    def other() -> None:
        with one_blas_thread():
            inside.set()
            assert left.wait(LONGEST)

    with threadpool_limits(2, user_api="blas"):
        helper = threading.Thread(target=other)
        with one_blas_thread():
            helper.start()
            assert inside.wait(LONGEST)
            assert of_blas() == {1}
        left.set()
        helper.join()
        assert of_blas() == {2}
        with one_blas_thread():
            assert of_blas() == {1}
        assert of_blas() == {2}


def test_a_library_with_a_setting_for_each_thread_is_told_in_each(monkeypatch: pytest.MonkeyPatch) -> None:
    told: set[int] = set()

    class Library:
        lib_controllers = (None,)

        def limit(self, limits: int) -> None:
            assert limits == 1
            told.add(threading.get_ident())

    monkeypatch.setattr(module, "of_each_thread", Library)
    working: set[int] = set()

    def work(item: int) -> Array:
        working.add(threading.get_ident())
        return one(item)

    taken(work, range(20), 3)
    assert working <= told


def test_small_tables_are_left_to_the_caller() -> None:
    here = threading.get_ident()
    found: set[int] = set()

    def work(item: int) -> Array:
        found.add(threading.get_ident())
        return one(item)

    taken(work, range(9), 3, numbers=WORTH - 1)
    assert found == {here}
    taken(work, range(9), 3)
    assert len(found) > 1


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, None),
        ({"OMP_NUM_THREADS": "1"}, 1),
        ({"OMP_NUM_THREADS": "4,2"}, 4),
        ({"OMP_NUM_THREADS": "many"}, None),
        ({"OMP_NUM_THREADS": "0"}, None),
        ({"OMP_NUM_THREADS": "1", "EQUIPOISE_NUM_THREADS": "3"}, 3),
    ],
)
def test_who_asks_for_a_number_of_threads_is_heard(environment: dict[str, str], expected: int | None) -> None:
    assert stated(environment) == expected


@pytest.mark.parametrize("given", ["", "0", "-1", "2.5", "two", "²"])
def test_what_is_no_number_of_threads_is_refused(given: str) -> None:
    with pytest.raises(InvalidInput, match=r"EQUIPOISE_NUM_THREADS=.*: must be a whole number > 0"):
        stated({"EQUIPOISE_NUM_THREADS": given})


def test_without_a_word_there_are_as_many_threads_as_cores_for_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    with at_most(5):
        assert allowed() == 5
    monkeypatch.setattr(threads, "STATED", 7)
    assert allowed() == 7
    monkeypatch.setattr(threads, "STATED", None)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert allowed() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert allowed() == 1
