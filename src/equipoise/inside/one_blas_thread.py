"""Linear algebra with one thread, while blocks of rows are worked on.

A block is small: sharing one out takes longer than the product, and how it is shared out changes last digits.  Some
libraries have one setting for the process, others one for each thread.  Of passes at the same time the first one in
sets the process's, and puts back what was there when it is out: two that both put back what they met would leave it at
one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped,unused-ignore]

_taken = threading.Lock()


@lru_cache(maxsize=1)
def libraries() -> Any:
    """Found once, since looking for them takes milliseconds."""
    return ThreadpoolController().select(user_api="blas")


@lru_cache(maxsize=1)
def of_each_thread() -> Any:
    """Those that have a setting for each thread."""
    return libraries().select(internal_api="mkl", threading_layer="openmp")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """For as long as the block lasts; where a pass under way has seen to it already, as long as that lasts."""
    if not _taken.acquire(blocking=False):
        yield
        return
    try:
        with libraries().limit(limits=1):
            yield
    finally:
        _taken.release()


def in_a_helper() -> None:
    """The same in a thread that ends with the pass."""
    if of_each_thread().lib_controllers:
        of_each_thread().limit(limits=1)
