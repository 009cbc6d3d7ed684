"""How workers are asked: tasks go out under names that are drawn, and what comes back is a value or one sentence.

What workers raise is never read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from equipoise.errors import WorkerFailure
from equipoise.inside.cluster.quiet import Failure
from equipoise.rows.unseen import unseen

P = ParamSpec("P")
T = TypeVar("T")

PATIENCE = 30.0
"""Seconds between two looks whether any worker is left."""

SPENT = "epsilon was spent, nothing was released"


def in_one_sentence(ask: Callable[P, T]) -> Callable[P, T]:
    """Whatever an engine raises on the way, a lost connection among others: nothing of the original stays attached."""

    def asked(*given: P.args, **named: P.kwargs) -> T:
        try:
            return ask(*given, **named)
        except WorkerFailure as error:
            problem = str(error)
        except Exception:  # noqa: BLE001
            problem = f"engine: {Failure.FAILED}; {SPENT}"
        raise WorkerFailure(problem)

    return asked


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Hands:
    """A client of dask.distributed, synchronous and connected."""

    client: Any

    def _begun(self, work: Callable[..., Any], jobs: Sequence[Sequence[Any]]) -> list[Any]:
        """A future for each; keys are drawn, for a hash of what is computed would be one of records."""
        from dask.delayed import delayed

        with unseen():
            task = delayed(work, pure=False)
            return list(self.client.compute([task(*given) for given in jobs]))

    def _submitted(self, work: Callable[..., Any], *given: Any) -> Any:
        return self.client.submit(work, *given, pure=False)

    def _trusted(self, futures: Sequence[Any]) -> list[Any]:
        """What came, or the one error there is, which says nothing of a record."""
        found = self._arrived(futures)
        failures = [Failure.FAILED] if found is None else [one for one in found if isinstance(one, Failure)]
        if found is None or failures:
            raise WorkerFailure(f"engine: {failures[0]}; {SPENT}")
        return found

    def _arrived(self, futures: Sequence[Any]) -> list[Any] | None:
        """None where a task failed, was lost for good, or no worker is left.  An exception of a worker's stays where it
        is: its words and its traceback may hold rows."""
        try:
            with unseen():
                return list(self.client.gather(list(futures))) if self._finished(futures) else None
        except Exception:  # noqa: BLE001
            return None

    def _finished(self, futures: Sequence[Any]) -> bool:
        from distributed import wait

        missed = 0
        while missed < 2:
            try:
                wait(list(futures), timeout=PATIENCE)
            except TimeoutError:
                missed = 0 if self.client.nthreads() else missed + 1
            else:
                return all(future.status == "finished" for future in futures)
        return False
