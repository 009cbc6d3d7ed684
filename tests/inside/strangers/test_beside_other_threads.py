"""A stranger and another thread exchange streams, filters and hooks in every order; only the other's stay."""

from __future__ import annotations

import contextlib
import io
import itertools
import queue
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from equipoise.inside.strangers import alone, apart
from equipoise.rows.unseen import FILTER


class Room:
    """A thread that lets a stranger in, and does one thing after another as it is told."""

    def __init__(self) -> None:
        self._asked: queue.Queue[Callable[[], Any] | None] = queue.Queue()
        self._done: queue.Queue[BaseException | None] = queue.Queue()
        self._stack = contextlib.ExitStack()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()
        self.kept: list[Any] = []

    def _work(self) -> None:
        while (deed := self._asked.get()) is not None:
            try:
                deed()
                self._done.put(None)
            except BaseException as error:  # noqa: BLE001 - it is raised again where it was asked for
                self._done.put(error)

    def do(self, deed: Callable[[], Any]) -> None:
        self._asked.put(deed)
        if (error := self._done.get(timeout=20)) is not None:
            raise error

    def enter(self) -> None:
        self.do(lambda: self._stack.enter_context(apart()))

    def leave(self) -> None:
        self.do(self._stack.close)

    def close(self) -> None:
        self.leave()
        self._asked.put(None)
        self._thread.join()


def _catches(room: Room) -> None:
    room.kept.append(warnings.catch_warnings(record=True))
    room.kept[-1].__enter__()
    warnings.simplefilter("ignore")


def _ends(room: Room) -> None:
    if room.kept and isinstance(room.kept[-1], warnings.catch_warnings):
        room.kept.pop().__exit__()


DEEDS: dict[str, Callable[[Room], Any]] = {
    "catches warnings": _catches,
    "ends it": _ends,
    "a list of its own": lambda room: setattr(warnings, "filters", [("ignore", None, Warning, None, 0)]),
    "ignores": lambda room: warnings.simplefilter("ignore"),
    "resets": lambda room: warnings.resetwarnings(),
    "redirects": lambda room: setattr(sys, "stderr", io.StringIO()),
    "hooks": lambda room: setattr(sys, "excepthook", print),
    "a new name": lambda room: setattr(warnings, "nobody_knows", 1),
    "deletes": lambda room: vars(warnings).pop("nobody_knows", None),
}
PAIRS = list(itertools.product(DEEDS, DEEDS))
DEEDS["redirects here too"] = lambda room: setattr(sys, "stdout", io.StringIO())
REMEMBERS = {tuple("rrorro"), tuple("rrroro")}
"""The other thread looks when the stranger has exchanged something, and puts it back when the stranger is gone."""
ORDERS = sorted(set(itertools.permutations("oorrrr")) - REMEMBERS)
"""o: what the other thread does next; r: what happens next in the room."""


def _state() -> list[Any]:
    """Wrappers that are left with somebody who took one for the usual stream count as what they lead to."""
    places = [sys.stdout, sys.stderr, sys.excepthook, warnings.showwarning, warnings._showwarnmsg_impl]  # type: ignore[attr-defined]
    places = [getattr(each, "usual", each) for each in places]
    filters = [each for each in warnings.filters if each is not FILTER]
    return [*places, filters, hasattr(warnings, "nobody_knows")]


@contextlib.contextmanager
def _others_doing() -> Iterator[None]:
    with warnings.catch_warnings(record=True), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        yield


def _in_order(order: tuple[str, ...], first: str, second: str) -> None:
    room, other = Room(), _others_doing()
    room_next: Iterator[Callable[[], Any]] = iter([
        room.enter, lambda: room.do(lambda: DEEDS[first](room)), lambda: room.do(lambda: DEEDS[second](room)),
        room.leave,
    ])  # fmt: skip
    other_next: Iterator[Callable[[], Any]] = iter([other.__enter__, lambda: other.__exit__(None, None, None)])
    try:
        for turn in order:
            next(other_next if turn == "o" else room_next)()
    finally:
        room.close()


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_in_the_end_everything_is_as_the_other_thread_left_it(first: str, second: str) -> None:
    before = _state()
    for order in ORDERS:
        with contextlib.ExitStack() as safe:
            safe.enter_context(warnings.catch_warnings())
            safe.callback(setattr, sys, "excepthook", sys.excepthook)
            safe.callback(setattr, sys, "stderr", sys.stderr)
            safe.callback(setattr, sys, "stdout", sys.stdout)
            _in_order(order, first, second)
            assert _state() == before, order


@pytest.mark.parametrize("order", ["orrorr", "orrror", "orrrro", "rorrro", "rrrroo"])
def test_a_stream_that_another_thread_redirects_is_its_own(order: str) -> None:
    usual = sys.stdout
    _in_order(tuple(order), "redirects here too", "ignores")
    assert _state()[0] is usual
    sys.stdout = usual


def test_streams_left_with_another_thread_do_not_pile_up() -> None:
    usual = sys.stdout
    for _ in range(3):
        _in_order(("r", "o", "r", "r", "r", "o"), "ignores", "ignores")
        assert sys.stdout is not usual, "the other thread remembered ours"
    alone(lambda: None, 0)
    assert sys.stdout is usual


def test_what_another_thread_prints_and_records_arrives() -> None:
    room = Room()
    room.enter()
    with contextlib.redirect_stdout(io.StringIO()) as mine, warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        room.do(lambda: DEEDS["redirects here too"](room))
        print("lost on the way")
        warnings.warn("from outside", UserWarning, stacklevel=1)
        room.leave()
        print("and again")
    room.close()
    assert mine.getvalue() == "and again\n"
    assert [str(each.message) for each in heard] == ["from outside"]
