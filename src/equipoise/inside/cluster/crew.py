"""The workers, as records on many machines ask them: small questions go out, sums come back.

Sums are added in pairs in an order that is fixed by the parts' places alone: which worker answers first, or whether one
is lost and its parts are made anew elsewhere, changes no digit.
"""

from __future__ import annotations

import itertools
import math
import operator
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from equipoise.errors import InvalidInput, WorkerFailure
from equipoise.inside.cluster.hands import SPENT, Hands, in_one_sentence
from equipoise.inside.cluster.layout import Branch, branches, shared_out
from equipoise.inside.cluster.parts import (
    About,
    Answer,
    Reader,
    Seen,
    Wanted,
    Which,
    about,
    added,
    carried,
    chosen,
    entered,
    measured,
    seen,
    told,
    version,
)
from equipoise.inside.cluster.quiet import Failure
from equipoise.inside.cluster.turns import AboutPicked, Who, about_picked, counted, named, picked, place_of, share
from equipoise.inside.design.contract import Array
from equipoise.inside.parted import branches_in_pairs, in_pairs
from equipoise.inside.records import Order, Records
from equipoise.theory.bounds import Bounds

TOGETHER = 64
"""Sums of so many neighbouring parts are added by a worker where there are more than the caller adds.  A power of two:
then the order of all additions is that of one long row (docs/proofs/certificates.md, section 3)."""

MOST_SUMS = 256
"""That the caller adds in one round."""

LARGE = 2**16
"""Bytes of a question that is sent once, and not with every task."""

MOMENT = 1.0
"""Seconds for which an answer to who has which part is good: two questions fewer in each of many quick rounds."""

MOST_COUNTERS = 16
"""Workers who meet ids at the same time, at most."""

Pieces = Sequence[Any]
"""What one part is made of: tasks that have not been run, or values."""

CANNOT = "data: a part of it cannot be computed by the workers, try data.compute() yourself"


@dataclass(eq=False, repr=False, slots=True)
class Known:
    """The marks of a part (`parts.py`)."""

    own: int
    lent: int | None
    """Of rows that are lent: once they were met."""


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Held:
    """A part that a worker keeps, how many of its rows count, or which."""

    future: Any
    rows: int
    known: Known
    used: int
    which: Which = None

    def cut(self, used: int) -> Held:
        """The first so many of the rows that count."""
        if self.which is None or used == self.used:
            return replace(self, used=used)
        return replace(self, used=used, which=np.arange(self.rows)[self.which][:used])


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Pick:
    """Which rows of a part are used, known to a worker; the caller knows how many."""

    future: Any
    rows: int
    used: int
    stamp: int


@dataclass(eq=False, repr=False, slots=True)
class Lies:
    """Where parts lay when that was last asked."""

    keys: tuple[str, ...] = ()
    runs: Sequence[list[int]] = ()
    asked: float = -math.inf


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Crew(Hands):
    """Whom records on many machines ask."""

    lies: Lies = field(default_factory=Lies)

    def look(self, reader: Reader, parts: Sequence[Pieces]) -> list[Seen]:
        """What every part says of itself, by rows, columns and kinds: before the debit, nothing is kept."""
        try:
            found = self._arrived(self._begun(seen, [(reader, *pieces) for pieces in parts]))
        except Exception:  # noqa: BLE001
            found = None
        if found is None or any(isinstance(one, Failure) for one in found):
            raise InvalidInput(CANNOT)
        return found

    def look_at_persons(self, who: Who, parts: Sequence[Pieces], cap: int) -> tuple[Pick, ...]:
        """Of each person the first rows, before the debit: where the number of rows is public, so is theirs."""
        try:
            return self.pick(who, parts, cap)
        except WorkerFailure:
            pass
        raise InvalidInput(CANNOT)

    @in_one_sentence
    def pick(self, who: Who, parts: Sequence[Pieces], cap: int) -> tuple[Pick, ...]:
        """Of each person the first rows, so many at most, wherever they lie."""
        known = self._begun(named, [(who, cap, *pieces) for pieces in parts])
        counters = min(MOST_COUNTERS, math.isqrt(len(known)))
        answers = [
            self._submitted(counted, cap, *(self._submitted(share, part, counter, counters) for part in known))
            for counter in range(counters)
        ]
        found = [
            self._submitted(picked, part, cap, *(self._submitted(place_of, answer, place) for answer in answers))
            for place, part in enumerate(known)
        ]
        facts: list[AboutPicked] = self._trusted([self._submitted(about_picked, future) for future in found])
        if len({one.stamp for one in facts}) > 1:
            raise WorkerFailure(f"engine: {Failure.OTHER}; {SPENT}")
        return tuple(Pick(future, one.rows, one.used, one.stamp) for future, one in zip(found, facts, strict=True))

    @in_one_sentence
    def bring_in(
        self,
        reader: Reader,
        parts: Sequence[Pieces],
        expected: Sequence[Seen],
        bounds: Bounds,
        picks: Sequence[Pick] | None = None,
    ) -> tuple[Held, ...]:
        """Every part is read, clipped and encoded where it will stay."""
        together = zip(parts, expected, _which(picks, len(parts)), strict=True)
        jobs = [(reader, one, bounds, version(), *which, *pieces) for pieces, one, which in together]
        return self._kept(self._begun(entered, jobs))

    @in_one_sentence
    def measure(
        self,
        terms: Callable[..., Array],
        parts: Sequence[Pieces],
        expected: Sequence[Seen],
        picks: Sequence[Pick] | None = None,
    ) -> Array:
        """The sum of one number in [0, 1] for each row, in whole numbers; nothing is kept."""
        together = zip(parts, expected, _which(picks, len(parts)), strict=True)
        jobs = [(terms, one, version(), *which, *pieces) for pieces, one, which in together]
        total = in_pairs(self._trusted(self._begun(measured, jobs)))
        assert total is not None  # there is a part at least
        return total

    def measure_public(
        self,
        terms: Callable[..., Array],
        parts: Sequence[Pieces],
        expected: Sequence[Seen],
        picks: Sequence[Pick] | None = None,
    ) -> Array:
        """The same of rows that need no protection, where nothing is spent."""
        try:
            return self.measure(terms, parts, expected, picks)
        except WorkerFailure:
            pass
        raise InvalidInput(CANNOT)

    @in_one_sentence
    def keep(self, parts: Sequence[Held], rows: Sequence[Order]) -> tuple[Held, ...]:
        """These rows of each part, kept beside the others by whoever has them."""
        pairs = zip(parts, rows, strict=True)
        return self._kept([self._submitted(chosen, part.future, part.known.own, which) for part, which in pairs])

    def _kept(self, futures: Sequence[Any]) -> tuple[Held, ...]:
        self._finished(futures)  # so that who keeps one is asked about it
        runs = self._runs(futures)
        found = self._trusted([self._submitted(about, *(futures[place] for place in run)) for run in runs])
        placed = sorted(zip(itertools.chain(*runs), itertools.chain(*found), strict=True), key=operator.itemgetter(0))
        facts: list[About] = [one for _, one in placed]
        return tuple(
            Held(future, one.rows, Known(one.own, one.lent), one.rows)
            for future, one in zip(futures, facts, strict=True)
        )

    @in_one_sentence
    def total(self, of: Callable[[Records], Array], parts: Sequence[Held]) -> Array:
        """One round: the sum over all parts, in their order."""
        from distributed.protocol.pickle import dumps

        question = self._submitted(carried, of) if len(dumps(of)) > LARGE else of
        runs = self._runs([part.future for part in parts])
        trees = [branches(run) for run in runs]
        if sum(map(len, trees)) > MOST_SUMS:
            total = self._total_of_many(question, parts)
        else:
            answers: list[Answer] = self._trusted([self._asked(question, parts, run) for run in runs])
            for run, answer in zip(runs, answers, strict=True):
                _remember(parts, run, answer)
            pairs = zip(trees, answers, strict=True)
            found = sorted(
                ((at, one) for tree, answer in pairs for at, one in zip(tree, answer.sums, strict=True)), key=_start
            )
            total = branches_in_pairs((level, one) for (_, level), one in found)
        assert total is not None  # there is a part at least
        return total

    def _total_of_many(self, question: Any, parts: Sequence[Held]) -> Array | None:
        """Where neighbours lie apart: sums of neighbours are added by workers until the caller can add the rest."""
        sums = [self._asked(question, parts, [place]) for place in range(len(parts))]
        while len(sums) > TOGETHER:
            sums = [self._submitted(added, *sums[at : at + TOGETHER]) for at in range(0, len(sums), TOGETHER)]
        answers: list[Answer] = self._trusted(sums)
        _remember(parts, range(len(parts)), Answer([], [one for answer in answers for one in answer.lent]))
        return in_pairs(one for answer in answers for one in answer.sums)

    def _asked(self, question: Any, parts: Sequence[Held], run: Sequence[int]) -> Any:
        """One task for parts that lie together."""
        mine = [parts[place] for place in run]
        wanted: list[Wanted] = [(part.used, part.known.own, part.known.lent, part.which) for part in mine]
        return self._submitted(told, question, wanted, branches(run), *(part.future for part in mine))

    def _runs(self, futures: Sequence[Any]) -> Sequence[list[int]]:
        """Places of parts that one thread of a worker is asked about at once, by where they lay a moment ago: no digit
        depends on it, and whoever has lost a part since makes it anew."""
        lies, keys, now = self.lies, tuple(str(one.key) for one in futures), time.monotonic()
        if lies.keys != keys or now - lies.asked > MOMENT:
            where, threads = self.client.who_has(list(futures)), self.client.nthreads()
            lies.runs = shared_out([next(iter(where.get(one.key, ())), None) for one in futures], threads)
            lies.keys, lies.asked = keys, now
        return lies.runs


def _which(picks: Sequence[Pick] | None, parts: int) -> list[tuple[Any, int | None]]:
    """For each part which rows are used, and the stamp of all ids."""
    return [(None, None)] * parts if picks is None else [(one.future, one.stamp) for one in picks]


def _remember(parts: Sequence[Held], run: Sequence[int], answer: Answer) -> None:
    """The marks of these parts, where they were not known."""
    for place, lent in zip(run, answer.lent, strict=True):
        if parts[place].known.lent is None:
            parts[place].known.lent = lent


def _start(found: tuple[Branch, Array]) -> int:
    return found[0][0]
