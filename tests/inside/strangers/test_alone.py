"""The room for strangers: every generator in reach, nothing heard outside, everything put back, in any thread."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from typing import Any

import numpy as np
import pytest

from equipoise.inside.strangers import FAILED, Failed, Reach, alone, apart, in_parts, same_alone, unseen
from equipoise.inside.strangers.generators import Holder, put_back, renew, state_of, with_key
from equipoise.rows.unseen import FILTER

GENERATORS: list[Any] = [
    np.random.default_rng(0),
    np.random.Generator(np.random.Philox(0)),
    np.random.RandomState(0),
    np.random.RandomState(np.random.PCG64(0)),
    np.random.SFC64(0),
    random.Random(0),  # noqa: S311
]
IN_A_MODULE = np.random.default_rng(4)


def draw(holder: Any) -> Any:
    if isinstance(holder, np.random.BitGenerator):
        return holder.random_raw()
    return holder.random()


class Slotted:
    __slots__ = ("inner",)

    def __init__(self, inner: Any) -> None:
        self.inner = inner


class Private:
    __slots__ = ("__inner",)

    def __init__(self, inner: Any) -> None:
        self.__inner = inner


class Words(str):
    """Somebody's own kind of text, which may have attributes; below, of list and dictionary."""


class Rows(list[Any]): ...


class Names(dict[Any, Any]): ...


class Holding:
    """Keeps a generator in a place of its own."""

    def __init__(self, **held: Any) -> None:
        vars(self).update(held)


def places(holder: Any) -> dict[str, Any]:
    """The same generator, kept in every way that a model might."""

    def closure() -> Any:
        return holder

    def defaults(given: Any = holder) -> Any:
        return given

    def marked() -> None: ...

    vars(marked)["rng"] = holder
    kind = type("OnItsClass", (Holding,), {"shared": holder})
    meta = type("OfItsClass", (type,), {"shared": holder})
    beside: list[Any] = [Words("a"), Rows([1]), Names({"a": 1})]
    for each in beside:
        vars(each)["rng"] = holder
    return {
        **{f"beside {type(each).__name__}": Holding(part=each) for each in beside},
        "key": Holding(part={holder: 1}),
        "function": Holding(part=marked),
        "static": type("Static", (Holding,), {"ask": staticmethod(defaults)})(),
        "property": type("Asked", (Holding,), {"ask": property(defaults)})(),
        "private slot": Holding(part=Private(holder)),
        "class of its class": meta("Made", (), {})(),
        "attribute": Holding(generator=holder),
        "deep": Holding(steps=[("a", {"cv": (Holding(rng=holder),)})]),
        "slot": Holding(part=Slotted(holder)),
        "array": Holding(several=np.array([None, holder], dtype=object)),
        "closure": Holding(function=closure),
        "default": Holding(function=defaults),
        "partial": Holding(function=functools.partial(max, holder)),
        "method": Holding(function=Holding(rng=holder).__init__),  # type: ignore[misc]
        "class": kind(),
    }


@pytest.mark.parametrize("holder", GENERATORS, ids=lambda each: str(each)[:24])
def test_every_kind_of_generator_is_found_renewed_and_put_back(holder: Holder) -> None:
    for kept, model in places(holder).items():
        assert any(found is holder for found in Reach().of(model)), kept
        before = state_of(holder)
        said = [alone(functools.partial(draw, holder), seed, model) for seed in (1, 1, 2)]
        assert said[0] == said[1] != said[2], kept
        first = draw(holder)
        put_back(holder, before)
        assert draw(holder) == first, "as if nothing had been drawn"
        put_back(holder, before)


def test_what_is_in_reach_does_not_depend_on_what_was_looked_through_before() -> None:
    known: dict[str, Any] = {}
    base = type("Base", (), {"known": known})
    kinds = [type(f"Kind{place}", (base,), {"rng": np.random.default_rng(place)}) for place in range(4)]
    known.update({kind.__name__: kind() for kind in kinds[1:]})  # classes that lead to each other
    for first in kinds:
        reach = Reach()
        for kind in (first, *kinds):
            found, alone_found = ({id(each) for each in one.of(kind())} for one in (reach, Reach()))
            assert found == alone_found >= {id(vars(each)["rng"]) for each in kinds[1:]}


def test_generators_of_a_modules_functions_and_classes_are_in_reach() -> None:
    assert any(found is IN_A_MODULE for found in Reach().of(Holding()))
    assert any(found is IN_A_MODULE for found in Reach().of(draw))
    assert not Reach(own=True).of(Holding())


def test_all_256_bits_of_a_seed_count() -> None:
    seeds = [1 << place for place in range(0, 256, 5)]
    said = [alone(lambda: (np.random.random(), random.random()), seed) for seed in seeds]  # noqa: NPY002, S311
    assert len({pair[0] for pair in said if isinstance(pair, tuple)}) == len(seeds)
    assert len({pair[1] for pair in said if isinstance(pair, tuple)}) == len(seeds)


def test_a_kept_normal_number_does_not_pass_from_one_stranger_to_the_next() -> None:
    """Numpy's legacy generators draw normal numbers in pairs and keep the second."""
    said = []
    for draws in (1, 2):
        with apart():
            alone(lambda n=draws: np.random.normal(size=n), 1)  # type: ignore[misc]  # noqa: NPY002
            said.append(alone(np.random.normal, 2))
    assert said[0] == said[1]


def test_the_keys_of_one_seed_are_independent() -> None:
    states = {tuple(with_key(5, *key).generate_state(4)) for key in [(0,), (1,), (1, 0), (1, 0, 0), (1, 0, 1), (1, 1)]}
    assert len(states) == 6


def test_work_within_work_has_its_own_numbers_and_gives_the_outer_ones_back_in_silence() -> None:
    def nested() -> Any:
        warnings.warn("unheard", UserWarning, stacklevel=1)
        inner = alone(lambda: _fail(SystemExit()), 2)
        return inner, np.random.mtrand.get_bit_generator() is not None

    assert alone(nested, 1) == (FAILED, True)


def _fail(error: BaseException) -> None:
    raise error


# --- threads ----------------------------------------------------------------------------------------------------------


def test_filters_survive_threads_that_change_them_too() -> None:
    """Others enter and leave `catch_warnings` while strangers work and our own code is unseen: nothing is left over."""
    before, stop = list(warnings.filters), threading.Event()

    def busy(seed: int) -> None:
        while not stop.is_set():
            with unseen():
                warnings.warn("unheard", UserWarning, stacklevel=1)
            alone(lambda: warnings.warn("unheard", UserWarning, stacklevel=1), seed)

    threads = [threading.Thread(target=busy, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            time.sleep(0)
    stop.set()
    for thread in threads:
        thread.join()
    left = [each for each in warnings.filters if each is not FILTER]
    assert left == before
    assert FILTER not in warnings.filters


def test_our_filter_is_taken_out_of_every_list_it_was_put_in() -> None:
    outer = warnings.filters
    with unseen():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with unseen():
                warnings.warn("unheard", UserWarning, stacklevel=1)
            assert FILTER in warnings.filters, "somebody is still inside"
        assert warnings.filters is outer
    assert FILTER not in warnings.filters


def test_other_threads_are_heard_while_a_stranger_works() -> None:
    inside, told = threading.Event(), threading.Event()

    def long() -> None:
        inside.set()
        told.wait(10)

    thread = threading.Thread(target=lambda: alone(long, 0))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        thread.start()
        inside.wait(10)
        warnings.warn("from outside", UserWarning, stacklevel=1)
        told.set()
        thread.join()
    assert [str(each.message) for each in heard] == ["from outside"]


def test_what_a_stranger_does_to_the_stream_the_next_one_does_not_find() -> None:
    for deed in ("close", "detach"):
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())) as mine:
            assert not isinstance(alone(lambda deed=deed: getattr(sys.stdout, deed)(), 0), Failed)  # type: ignore[misc]
            assert alone(lambda: sys.stdout.buffer.write(b"abc"), 0) == 3
            assert isinstance(alone(lambda: sys.stdout.fileno(), 0), int)
        assert mine.tell() == 0


def test_a_filter_that_makes_errors_of_warnings_is_for_others() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert alone(lambda: warnings.warn("a warning", UserWarning, stacklevel=1) or 3, 0) == 3
        with pytest.raises(UserWarning, match="a warning"):
            warnings.warn("a warning", UserWarning, stacklevel=1)


def test_numpys_settings_make_no_error_of_a_special_value_unseen() -> None:
    with np.errstate(all="raise"), unseen():
        assert np.isinf(np.float64(1.0) / np.float64(0.0))


# --- whose interrupt --------------------------------------------------------------------------------------------------


def test_the_users_interrupt_stops_and_a_strangers_does_not() -> None:
    assert isinstance(alone(lambda: _fail(KeyboardInterrupt()), 0), Failed)
    swallowed: list[int] = []
    usual, before = signal.default_int_handler, signal.signal(signal.SIGINT, signal.default_int_handler)

    def stubborn() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            swallowed.append(1)

    with pytest.raises(KeyboardInterrupt):
        alone(stubborn, 0)
    assert swallowed == [1], "a stranger that swallows it does not keep it"
    with pytest.raises(KeyboardInterrupt), apart():
        signal.raise_signal(signal.SIGINT)  # between two strangers: it waits until their traces are gone
    assert signal.getsignal(signal.SIGINT) is usual
    signal.signal(signal.SIGINT, before)  # which in a background job ignores it


def test_a_handler_that_does_not_raise_is_respected() -> None:
    calls: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, frame: calls.append(number))
    try:
        assert alone(lambda: signal.raise_signal(signal.SIGINT) or 5, 0) == 5  # type: ignore[func-returns-value]
    finally:
        signal.signal(signal.SIGINT, usual)
    assert calls == [signal.SIGINT]


def test_a_forked_child_does_not_wait_for_a_stranger_of_its_parent() -> None:
    """In a process of its own: forking beside threads is what is tried."""
    program = (
        "import os, threading, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "from equipoise.inside.strangers import alone\n"
        "inside, done = threading.Event(), threading.Event()\n"
        "thread = threading.Thread(target=lambda: alone(lambda: (inside.set(), done.wait(20)), 0))\n"
        "thread.start(); inside.wait()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if alone(lambda: 7, 0) == 7 else 1)\n"
        "print(os.waitpid(child, 0)[1]); done.set(); thread.join()\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=os.environ)
    assert told.stdout.strip() == "0", told.stderr


# --- rows -------------------------------------------------------------------------------------------------------------


def test_rows_that_fail_are_found_by_halving() -> None:
    bad = {3, 4, 17}

    def ask(start: int, stop: int) -> Any:
        return FAILED if bad & set(range(start, stop)) else list(range(start, stop))

    parts = list(in_parts(ask, 20))
    assert [row for start, stop, _ in parts for row in range(start, stop)] == list(range(20))
    assert {start for start, _, said in parts if isinstance(said, Failed)} == bad
    assert list(in_parts(ask, 0)) == []


@pytest.mark.parametrize(
    ("ask", "fine"),
    [
        (lambda X: X[:, 0] > 0, True),
        (lambda X: X[:, 0] - X[:, 0].mean(), False),
        (lambda X: np.random.random(len(X)), False),  # noqa: NPY002
        (lambda X: np.array(["a"] * len(X)), True),
        (lambda X: _fail(ValueError()), True),
    ],
    ids=["each", "centred", "random", "words", "fails"],
)
def test_answers_that_depend_on_the_batch_are_noticed(ask: Any, fine: bool) -> None:
    assert same_alone(ask, np.linspace(-1, 1, 12).reshape(6, 2), 0) is fine


def test_renewing_leaves_no_trace_of_the_state_before() -> None:
    for holder in GENERATORS:
        before, said = state_of(holder), []
        for drawn in (1, 5):
            put_back(holder, before)
            for _ in range(drawn):
                draw(holder)
            renew(holder, with_key(9, 1))
            said.append(draw(holder))
        put_back(holder, before)
        assert said[0] == said[1]
