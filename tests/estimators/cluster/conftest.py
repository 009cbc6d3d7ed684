"""Two worker processes on the loopback, for all tests of this folder; none of them may hang.

Workers are processes of their own and read the library anew, so a planted defect (tests/sabotage) is put into them too.
What others wrote has been read when a worker begins: it is forked from a process that reads that and nothing else.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import dask
import pytest
from distributed import Client, LocalCluster, WorkerPlugin
from distributed.utils import get_mp_context

LONGEST = 90
"""Seconds for one test: a round that never ends must fail, not wait."""

SETTINGS = {
    "distributed.scheduler.allowed-failures": 1,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.comm.timeouts.connect": "10s",
    # nobody looks at these; by default they are measured up to a hundred times a second
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "2s",
    "distributed.worker.profile.enabled": False,
    "distributed.worker.multiprocessing-method": "forkserver",
}

READ_BEFORE = ("pytest", "sklearn.linear_model", "sklearn.model_selection", "scipy.optimize", "dask.dataframe")
"""By the process that workers are forked from; seconds for each of them otherwise, and tests kill half a dozen."""


HERE = Path(__file__).parent
RUNNING = pytest.StashKey[tuple[LocalCluster, Client]]()


@pytest.fixture
def running(request: pytest.FixtureRequest) -> tuple[LocalCluster, Client]:
    """Started once and closed after this folder's last test: workers that wait cost a tenth of a processor."""
    folder = next(node for node in request.node.iter_parents() if node.path == HERE)
    if RUNNING not in folder.stash:
        stack = ExitStack()
        stack.enter_context(dask.config.set(SETTINGS))
        get_mp_context().set_forkserver_preload(["distributed", *READ_BEFORE])
        cluster = stack.enter_context(
            LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                memory_limit=0,
                silence_logs=40,
            )
        )
        client = stack.enter_context(Client(cluster, set_as_default=False))
        defect = request.config.getoption("--defect", default="")
        if defect:
            client.register_plugin(broken(defect))
        folder.stash[RUNNING] = cluster, client

        def close() -> None:
            del folder.stash[RUNNING]
            stack.close()

        folder.addfinalizer(close)
    running: tuple[LocalCluster, Client] = folder.stash[RUNNING]
    return running


@pytest.fixture
def cluster(running: tuple[LocalCluster, Client]) -> LocalCluster:
    return running[0]


@pytest.fixture
def started(running: tuple[LocalCluster, Client]) -> Client:
    """Not in force by itself: a test without `client` has none."""
    return running[1]


def broken(name: str) -> WorkerPlugin:
    """Puts a defect into every worker, also into those that are started anew, before the library is read there."""

    class Broken(WorkerPlugin):
        def setup(self, worker: Any) -> None:
            import sys

            from tests.sabotage.catalogue import find

            if not any(one.startswith("equipoise") for one in sys.modules):
                find(name).inject()

    return Broken()


@pytest.fixture
def client(cluster: LocalCluster, started: Client) -> Iterator[Client]:
    """In force, with both workers at work, whatever the test before did to them."""
    try:
        started.wait_for_workers(2, timeout=10)
    except TimeoutError:
        cluster.scale(0)
        cluster.scale(2)
        started.wait_for_workers(2, timeout=30)
    with started.as_current():
        yield started


@pytest.fixture(autouse=True)
def _no_test_waits_for_ever() -> Iterator[None]:
    def late(*_: Any) -> None:
        raise AssertionError(f"not finished after {LONGEST} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LONGEST)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
