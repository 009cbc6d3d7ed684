"""Every `make test` tries the same examples and draws the same noise, so that a clone never fails where another passed.

Hypothesis also draws numbers and words that stand in whatever modules are imported, which differs with the tests that
a worker ran before: there are none of those in `make test`.

`make test-slow` says `--hypothesis-profile=fresh` and draws new ones; what it finds becomes an `@example`, and there a
statistical test may fail as often as it says.  Processes that a test starts draw their own, from the operating system.
"""

from __future__ import annotations

import gc
import os
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import settings
from hypothesis.internal.conjecture.providers import HypothesisProvider
from hypothesis.internal.constants_ast import Constants

from equipoise.gate.models.choose import choose
from equipoise.gate.noise import bits

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.register_profile("fresh", derandomize=False, deadline=None)
settings.load_profile("fixed")

FRESH = "fresh"
SYSTEM = os.urandom
CONSTANTS_OF_MODULES = "_local_constants"  # hypothesis has no setting for it; test_same_examples holds the name


class SameEveryTime:
    """Stands in for `os` where secure bits are drawn: a stream for each test and process, by the test's name."""

    def __init__(self) -> None:
        self.start("")

    def start(self, name: str) -> None:
        self._seed = zlib.crc32(name.encode())
        self._streams: dict[int, np.random.PCG64] = {}

    @contextmanager
    def apart(self, name: str) -> Iterator[None]:
        """A stream under that name, and then the one from before, as if nothing had been drawn."""
        before = self._seed, self._streams
        self.start(name)
        yield
        self._seed, self._streams = before

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
        setattr(HypothesisProvider, CONSTANTS_OF_MODULES, Constants())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Trees of test files, and modules that stay: searches for garbage found next to none, in a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """What was collected stays to the end: no search for garbage need walk over it again."""
    set_aside()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None, item: pytest.Item) -> None:
    """Nor over what a file brought with it: packages, tables that its tests share, plans that the library keeps."""
    if nextitem is not None and nextitem.path != item.path:
        set_aside()


def set_aside() -> None:
    """Drop what nobody holds, and let later searches for garbage pass the rest by."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    BITS.start(item.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """What several tests share is made by whichever comes first on its worker: it has a stream of its own."""
    if fixturedef.scope == "function":
        return (yield)
    with BITS.apart(f"{fixturedef.baseid}::{fixturedef.argname}[{getattr(request, 'param_index', 0)}]"):
        return (yield)


@pytest.fixture
def lasting_workers() -> Iterator[None]:
    """Processes of searches that outlive a refusal: joblib ends its own with it and starts others for the next search.

    Each has read scikit-learn and the library, and keeps nothing else; a job of a refused search may still end there.
    They are started as `inside.answers.shards` starts its own, so that its tests find them.
    """
    import joblib
    from joblib._parallel_backends import LokyBackend

    class Lasting(LokyBackend):  # type: ignore[misc]  # joblib publishes no types
        """Joblib's own, but for what becomes of its processes after an error."""

        def abort_everything(self, ensure_ready: bool = True) -> None:
            """The search ends with its error, and nobody is killed for it."""

    with joblib.parallel_config(Lasting(), max_nbytes=None):
        yield


@pytest.fixture
def monkeypatch(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """As always, but plans are forgotten before and after: a remembered one would not notice what is exchanged."""
    choose.cache_clear()
    yield monkeypatch
    choose.cache_clear()
