"""What the predictors that learn on shards share: dealing, training, and the public facts of one answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._checks import shown, whole
from equipoise.errors import InvalidInput
from equipoise.gate import Bits
from equipoise.gate.answers.deal import deal
from equipoise.inside import Private
from equipoise.inside.answers.rehearsal import rehearse
from equipoise.inside.answers.shards import Says, Voters, train
from equipoise.rows.persons import People
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.prediction.shards import FEWEST_ROWS, shard_sizes, shards_within

Array = npt.NDArray[np.float64]

WORTH_A_POOL = 4.0
"""Seconds of training from which starting worker processes pays."""

PRICE = "this is the price of one answer; cost_of(k) gives that of k"
LINEAR_VOTERS = "Models on shards are taken to learn as linear ones do; where a task needs more, answers may win."
FITTING = "fitting charges nothing and tells nothing of the records"


@dataclass(frozen=True, slots=True)
class Shape:
    """How many shards there are, of which sizes, and why not as many as wished."""

    sizes: tuple[int, ...]
    note: str = ""

    @property
    def count(self) -> int:
        return len(self.sizes)


def shape(rows: int, given: int | None, wished: int) -> Shape:
    """The caller's number of shards, or the wished one as far as the rows go."""
    if given is not None:
        return Shape(shard_sizes(rows, whole(shards=given)))
    count = shards_within(wished, rows)
    told = f"{wished} shards would reach the accuracy, {rows} rows give {count} of at least {FEWEST_ROWS}"
    return Shape(shard_sizes(rows, count), told if count < wished else "")


def workers_for(
    estimator: Any, shape: Shape, columns: int, says: Says, classes: int, n_jobs: int, *, held_out: bool = False
) -> int:
    """How many processes train, from a rehearsal on made-up rows; what could never be trained is refused there.

    `held_out`: private records will be asked about, so each must be answered by itself.
    """
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise InvalidInput(f"n_jobs={shown(n_jobs)}: must be a whole number other than 0, -1 for all cores")
    seconds = rehearse(estimator, min(shape.sizes), columns, says, classes, held_out=held_out)
    return n_jobs if seconds * shape.count >= WORTH_A_POOL else 1


def taught(
    estimator: Any,
    rows: Any,
    targets: Array,
    shape: Shape,
    says: Says,
    otherwise: float,
    workers: int,
    bits: Bits,
    people: People | None = None,
) -> Private[Voters]:
    """Deal rows, or whole people, and train.  `otherwise` is what a shard says that cannot be fitted."""
    dealt = deal(shape.sizes, bits, None if people is None else people.codes)
    labels = says is not Says.NUMBER
    return train(rows, targets, estimator, dealt.parts, dealt.seeds, otherwise, labels=labels, n_jobs=workers)


def guarantee_of(
    mechanism: str,
    theorem: str,
    budget: Budget,
    one: Event,
    sensitivity: float,
    noise_scale: float,
    constants: dict[str, float],
    notes: tuple[str, ...],
    seeded: bool,
    people: People | None = None,
) -> Guarantee:
    """Of one answer, under replacement of a row or of a person's rows."""
    promise = Guarantee(
        epsilon=budget.epsilon,
        delta=budget.delta,
        delta_numeric=one.delta_numeric,
        adjacency=Adjacency.REPLACE_ONE,
        mechanism=mechanism,
        theorem=theorem,
        sensitivity=sensitivity,
        noise_scale=noise_scale,
        seeded=seeded,
        constants=constants,
        notes=(PRICE, *(note for note in notes if note), FITTING),
    )
    return of_persons(promise, people)


def of_persons(promise: Guarantee, people: People | None) -> Guarantee:
    """The same about persons, where their rows were kept together."""
    return promise if people is None else replace(promise, unit=people.unit)


def rows_of(guarantee: Guarantee) -> int:
    """About as many as were learnt from: shards differ by one row at most."""
    return round(guarantee.constants["shards"] * guarantee.constants["rows in the smallest shard"])


def voters_at(given: int | None, rows: int, wished: int) -> int:
    """As many shards as a predictor would make at a price for which it wishes so many."""
    return shards_within(wished, rows) if given is None else int(given)
