"""The workers, as records on many machines ask them: small questions go out, sums come back.

Sums are added in pairs in an order that is fixed by the parts' places alone: which worker answers first, or whether one
is lost and its parts are made anew elsewhere, changes no digit.  What workers raise is never read.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from equipoise.errors import InvalidInput, WorkerFailure
from equipoise.inside.cluster.parts import (
    About,
    Failure,
    Reader,
    Seen,
    about,
    added,
    carried,
    entered,
    seen,
    thinned,
    told,
    version,
)
from equipoise.inside.design.contract import Array
from equipoise.inside.parted import in_pairs
from equipoise.inside.records import Records
from equipoise.rows.unseen import unseen
from equipoise.theory.bounds import Bounds

P = ParamSpec("P")
T = TypeVar("T")

TOGETHER = 64
"""Sums of so many neighbouring parts are added by a worker where there are more.  A power of two: then the order of all
additions is that of one long row (docs/proofs/certificates.md, section 3)."""

LARGE = 2**16
"""Bytes of a question that is sent once, and not with every part."""

PATIENCE = 30.0
"""Seconds between two looks whether any worker is left."""

SPENT = "epsilon was spent, nothing was released"


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Held:
    """A part that a worker keeps, and how many of its rows count."""

    future: Any
    rows: int
    mark: int
    used: int


Pieces = Sequence[Any]
"""What one part is made of: tasks that have not been run, or values."""


def _in_one_sentence(ask: Callable[P, T]) -> Callable[P, T]:
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
class Crew:
    """A client of dask.distributed, synchronous and connected."""

    client: Any

    def look(self, reader: Reader, parts: Sequence[Pieces]) -> list[Seen]:
        """What every part says of itself, by rows, columns and kinds: before the debit, nothing is kept."""
        try:
            found = self._arrived(self._begun(seen, [(reader, *pieces) for pieces in parts]))
        except Exception:  # noqa: BLE001
            found = None
        if found is None or any(isinstance(one, Failure) for one in found):
            raise InvalidInput("data: a part of it cannot be computed by the workers, try data.compute() yourself")
        return found

    @_in_one_sentence
    def bring_in(
        self, reader: Reader, parts: Sequence[Pieces], expected: Sequence[Seen], bounds: Bounds
    ) -> tuple[Held, ...]:
        """Every part is read, clipped and encoded where it will stay."""
        pairs = zip(parts, expected, strict=True)
        jobs = [(reader, one, bounds, version(), *pieces) for pieces, one in pairs]
        return self._kept(self._begun(entered, jobs))

    @_in_one_sentence
    def thin(self, parts: Sequence[Held], step: int) -> tuple[Held, ...]:
        """Every so-many-th row, kept beside the others by whoever has them."""
        before = [0, *itertools.accumulate(part.used for part in parts)]
        futures = [
            self._submitted(thinned, part.future, part.used, part.mark, place, step)
            for part, place in zip(parts, before, strict=False)
        ]
        return self._kept(futures)

    def _kept(self, futures: Sequence[Any]) -> tuple[Held, ...]:
        facts: list[About] = self._trusted([self._submitted(about, future) for future in futures])
        return tuple(Held(future, one.rows, one.mark, one.rows) for future, one in zip(futures, facts, strict=True))

    @_in_one_sentence
    def total(self, of: Callable[[Records], Array], parts: Sequence[Held]) -> Array:
        """One round: the sum over all parts, in their order."""
        from distributed.protocol.pickle import dumps

        question = self._submitted(carried, of) if len(dumps(of)) > LARGE else of
        sums = [self._submitted(told, question, part.future, part.used, part.mark) for part in parts]
        while len(sums) > TOGETHER:
            sums = [self._submitted(added, *sums[at : at + TOGETHER]) for at in range(0, len(sums), TOGETHER)]
        total = in_pairs(self._trusted(sums))
        assert total is not None  # there is a part at least
        return total

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
