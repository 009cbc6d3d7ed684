"""Which cluster computes: the client that was given, or the one in force.  What is wrong with it is told for free."""

from __future__ import annotations

from typing import Any

from equipoise.errors import InvalidInput
from equipoise.inside.cluster import Crew
from equipoise.inside.cluster.parts import version
from equipoise.rows.unseen import unseen

EXTRA = 'engine: many machines need dask.distributed, install it with: pip install "equipoise[cluster]"'
NONE = "engine: no client of dask.distributed is in force, start distributed.Client(...) first, or give data.compute()"
VERSIONS = "engine: every worker must have the same version of Equipoise as this process, install it there"


def crew_of(engine: Any = None) -> Crew:
    """The workers behind a client."""
    client = _in_force() if engine is None else _given(engine)
    if client.asynchronous or client.status != "running":
        raise InvalidInput("engine: the client must be connected and not asynchronous, start another")
    if not client.nthreads():
        raise InvalidInput("engine: the cluster has no workers, add one first (cluster.scale)")
    if not _versions_agree(client):
        raise InvalidInput(VERSIONS)
    return Crew(client)


def _in_force() -> Any:
    try:
        from distributed import default_client
    except ImportError:
        raise InvalidInput(EXTRA) from None
    try:
        return default_client()
    except ValueError:
        pass
    raise InvalidInput(NONE)


def _given(engine: Any) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise InvalidInput(EXTRA) from None
    if not isinstance(engine, Client):
        raise InvalidInput(f"engine of type {type(engine).__name__}: must be a distributed.Client")
    return engine


def _versions_agree(client: Any) -> bool:
    """Asked of each, for sums of another version are other sums."""
    try:
        with unseen():
            return set(client.run(version).values()) == {version()}
    except Exception:  # noqa: BLE001 - a worker without the library cannot even read the question
        return False
