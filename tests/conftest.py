"""Every `make test` tries the same examples and draws the same noise, so that a clone never fails where another passed.

`make test-slow` says `--hypothesis-profile=fresh` and draws new ones; what it finds becomes an `@example`, and there a
statistical test may fail as often as it says.  Processes that a test starts draw their own, from the operating system.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import settings

from equipoise.gate.models.choose import choose
from equipoise.gate.noise import bits

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.register_profile("fresh", derandomize=False, deadline=None)
settings.load_profile("fixed")

FRESH = "fresh"
SYSTEM = os.urandom


class SameEveryTime:
    """Stands in for `os` where secure bits are drawn: a stream for each test and process, by the test's name."""

    def __init__(self) -> None:
        self.start("")

    def start(self, name: str) -> None:
        self._seed = zlib.crc32(name.encode())
        self._streams: dict[int, np.random.PCG64] = {}

    def urandom(self, count: int) -> bytes:
        if os.urandom is not SYSTEM:  # a test has exchanged it and wants to be asked
            return os.urandom(count)
        process = os.getpid()
        if process not in self._streams:  # a fork must not repeat what its parent drew
            seed = [self._seed] if not self._streams else [self._seed, process]
            self._streams[process] = np.random.PCG64(seed)
        words = self._streams[process].random_raw(-(-count // 8))
        return bytes(np.asarray(words, dtype=np.uint64).tobytes()[:count])


BITS = SameEveryTime()


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--hypothesis-profile") != FRESH:
        vars(bits)["os"] = BITS


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    BITS.start(item.nodeid)


@pytest.fixture
def monkeypatch(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """As always, but plans are forgotten before and after: a remembered one would not notice what is exchanged."""
    choose.cache_clear()
    yield monkeypatch
    choose.cache_clear()
