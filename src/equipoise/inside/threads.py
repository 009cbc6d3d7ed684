"""Blocks of rows on several cores: each is worked on by one thread, and what comes of it is taken in the blocks' order.

So a sum is the same to the last digit, however many threads there are and whoever is done first
(docs/proofs/certificates.md, section 3).  How many is a setting of speed alone.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from itertools import islice
from typing import TypeVar

import numpy as np

from equipoise._checks import shown
from equipoise.errors import InvalidInput
from equipoise.inside.design.contract import Array
from equipoise.inside.one_blas_thread import in_a_helper, one_blas_thread
from equipoise.rows.unseen import PRESENCE, unseen

T = TypeVar("T")

NAME, COMMON = "EQUIPOISE_NUM_THREADS", "OMP_NUM_THREADS"

WORTH = 2**20
"""Numbers in a table for which it is worth starting threads: a pass takes over a millisecond, starting them a fifth of
one."""

QUICKER = 4
"""As many numbers are worth it where a pass is compiled, about."""

AHEAD = 1
"""Pieces of work for each thread that wait while it is busy."""

SMALL = 2**20
"""Bytes of a sum of which some may wait to be added."""

SEVERAL = 4
"""Blocks that a processor keeps at hand, given to a thread together: one takes a fraction of a millisecond."""


def stated(environment: Mapping[str, str]) -> int | None:
    """How many threads somebody asked for, for this library or for all; None where nobody did."""
    if NAME in environment:
        given = environment[NAME]
        if not (given.isascii() and given.isdigit() and int(given) > 0):
            raise InvalidInput(f"{NAME}={shown(given)}: must be a whole number > 0")
        return int(given)
    common = environment.get(COMMON, "").split(",")[0].strip()
    return int(common) if common.isascii() and common.isdigit() and int(common) > 0 else None


STATED = stated(os.environ)
"""Read when this is loaded: what is wrong with it is said before anything is spent."""

_most: ContextVar[int | None] = ContextVar("most", default=None)


@contextmanager
def at_most(count: int) -> Iterator[None]:
    """So many threads for whatever is begun here meanwhile."""
    before = _most.set(count)
    try:
        yield
    finally:
        _most.reset(before)


def allowed() -> int:
    """What was asked for, or as many as there are cores for this process."""
    asked = _most.get() or STATED
    if asked is not None:
        return asked
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def alone(numbers: int) -> bool:
    """Whether a table of so many numbers is worked on by one thread."""
    return numbers < WORTH or allowed() == 1


def in_order(
    work: Callable[[T], Array], items: Iterable[T], numbers: int, take: Callable[[Array], None], together: int = 1
) -> None:
    """`take` what `work` makes of each item, one after the other in the order of the items, as a loop would.

    `numbers` says how large the table is.  A thread is given so many items `together`, where what comes of them is
    small.  What an item raises is raised here, of several the first one's.
    """
    if numbers < WORTH:
        for item in items:
            take(work(item))
        return
    count = allowed()
    with one_blas_thread():
        if count == 1:
            for item in items:
                take(work(item))
        else:
            _shared_out(_as_here(work), iter(items), count, take, together)


def added_in_order(
    work: Callable[[int], Array], starts: Iterable[int], numbers: int, shape: tuple[int, ...], together: int = 1
) -> Array:
    """The sum of what `work` makes of each, added one after the other."""
    total = np.zeros(shape)

    def add(one: Array) -> None:
        nonlocal total
        total += one

    in_order(work, starts, numbers, add, together)
    return total


def _shared_out(
    work: Callable[[list[T]], list[Array]],
    items: Iterator[T],
    count: int,
    take: Callable[[Array], None],
    together: int,
) -> None:
    begun: deque[Future[list[Array]]] = deque()
    each = 1  # until it is known how large a sum is

    def taken() -> int:
        found = begun.popleft().result()
        for one in found:
            take(one)
        return together if found[0].nbytes <= SMALL else 1

    pool = ThreadPoolExecutor(count, initializer=in_a_helper)
    try:
        while some := list(islice(items, each)):
            begun.append(pool.submit(copy_context().run, work, some))
            if len(begun) > AHEAD * count:
                each = taken()
        while begun:
            taken()
    finally:
        pool.shutdown(cancel_futures=True)


def _as_here(work: Callable[[T], Array]) -> Callable[[list[T]], list[Array]]:
    """What is not to be heard from this thread is not to be heard from its helpers either."""
    quiet = unseen if PRESENCE.here() else nullcontext

    def unheard(items: list[T]) -> list[Array]:
        with quiet():
            return [work(item) for item in items]

    return unheard
