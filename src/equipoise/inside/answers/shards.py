"""Disjoint parts of the records, a model on each, and what the models together say to a query.

One record sits in one shard, so replacing it changes one voter and nothing of the others: every shard's model is a
function of its own rows and its own seed, because it is fitted and asked alone (inside/strangers).  A shard that cannot
be fitted votes for a constant, because an error would say something about its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import clone

from equipoise.inside.design.contract import Array
from equipoise.inside.labels import class_places, numbers_within
from equipoise.inside.private import Private
from equipoise.inside.strangers import FAILED, Failed, alone, apart, in_parts, small_seed, unseen

Counts = npt.NDArray[np.int64]
Index = npt.NDArray[np.intp]

MEAN_BITS = 30
"""A prediction is rounded to this many bits of its range, so that sums are whole numbers and exact."""


class Says(StrEnum):
    """What a voter is asked for."""

    LABEL = "label"
    PROBABILITY = "probability"
    NUMBER = "number"


FITTING, ASKING = 0, 1
"""Keys: a shard's seed gives other numbers when its model is asked than when it was fitted."""


@dataclass(frozen=True, eq=False, repr=False)
class Voter:
    """A fitted model, or None for one that says `otherwise` to everything.  `seed` is its own."""

    model: Any
    otherwise: float
    seed: int = 0

    def say(self, X: Array, ask: Callable[[Any, Array], Any]) -> Array:
        """One number per query; whatever is no number, and a query at which the model fails, becomes `otherwise`."""
        result = np.full(X.shape[0], self.otherwise)
        if self.model is None:
            return result
        with apart():
            for start, stop, said in in_parts(lambda *ends: self._said(X[slice(*ends)], ask), X.shape[0]):
                if not isinstance(said, Failed):
                    result[start:stop] = np.where(np.isfinite(said), said, self.otherwise)
        return result

    def _said(self, X: Array, ask: Callable[[Any, Array], Any]) -> Array | Failed:
        # A copy: a model that scales its input in place must not touch what the next one sees.
        said = alone(
            lambda: np.array(ask(self.model, X.copy()), dtype=np.float64),
            self.seed,
            self.model,
            key=ASKING,
        )
        return said if isinstance(said, Failed) or said.shape == (X.shape[0],) else FAILED


Voters = tuple[Voter, ...]


def codes_of(labels: npt.NDArray[Any], classes: tuple[Any, ...]) -> Array:
    """The place of each label in `classes`."""
    return class_places(labels, classes).astype(np.float64)


def numbers_of(labels: npt.NDArray[Any], bounds: tuple[float, float]) -> Array:
    """The labels as numbers within bounds."""
    return numbers_within(labels, *bounds)


def train(
    X: Any,
    targets: Array,
    estimator: Any,
    parts: Sequence[Index],
    seeds: Sequence[int],
    otherwise: float,
    *,
    labels: bool,
    n_jobs: int,
) -> Private[Voters]:
    """A voter for each part.  `labels`: targets are class codes, and a part with one class votes for it."""

    def trained(workers: int) -> list[Voter]:
        jobs = (
            delayed(_fit_one)(estimator, X[part], targets[part], seed, otherwise, labels)
            for part, seed in zip(parts, seeds, strict=True)
        )
        # Without max_nbytes=None large parts would pass through files, and records do not belong on a disk.
        return list(Parallel(n_jobs=workers, max_nbytes=None)(jobs))

    if n_jobs != 1:
        try:
            with unseen():
                return Private(tuple(trained(n_jobs)))
        except Exception:  # noqa: BLE001 - a worker died or a model cannot be sent back: which, is the records' affair
            pass
    with apart():
        return Private(tuple(trained(1)))


def fitted_alone(estimator: Any, X: Any, targets: Array, seed: int) -> Any:
    """A copy, fitted with generators of its own; FAILED if it cannot be."""
    with apart():
        copy = alone(lambda: seeded(estimator, seed), seed, estimator, key=FITTING)
        return copy if isinstance(copy, Failed) else alone(lambda: copy.fit(X, targets), seed, copy, key=FITTING)


def seeded(estimator: Any, seed: int) -> Any:
    """An unfitted copy whose every `random_state` comes from the seed: its randomness owes nothing to other shards.

    It works in this process and prints nothing: worker processes would keep generators from one shard to the next.
    """
    copy = clone(estimator)
    found = {name: (name.rpartition("__")[2], value) for name, value in copy.get_params(deep=True).items()}
    settled: dict[str, Any] = {name: small_seed(seed) for name, (last, _) in found.items() if last == "random_state"}
    settled |= {name: 1 for name, (last, _) in found.items() if last == "n_jobs"}
    settled |= {name: type(value)(0) for name, (last, value) in found.items() if last == "verbose" and value}
    return copy.set_params(**settled) if settled else copy


def asker(says: Says) -> Callable[[Any, Array], Any]:
    """How to ask a model."""
    return _positive_probability if says is Says.PROBABILITY else _prediction


def tallies(voters: Private[Voters], X: Array, classes: int) -> Private[Counts]:
    """How many voters name each class, query by query: (queries, classes)."""
    return voters.map(lambda every: _tallied(every, X, classes))


def sums(voters: Private[Voters], X: Array, bounds: tuple[float, float], says: Says) -> Private[Counts]:
    """Σ over voters of the clipped prediction, in steps of 2^−MEAN_BITS of the range above its lower end."""
    return voters.map(lambda every: _summed(every, X, bounds, says))


def flat_counts(counts: Private[Counts]) -> Private[Array]:
    """One count after the other, as numbers."""
    return counts.map(lambda votes: votes.astype(np.float64).ravel())


def counts_after(counts: Private[Counts], answered: int) -> Private[Counts]:
    """Without the first queries."""
    return counts.map(lambda votes: votes[answered:])


def in_ranges(totals: Private[Counts]) -> Private[Array]:
    """Sums in units of the range."""
    return totals.map(lambda steps: np.ldexp(steps.astype(np.float64), -MEAN_BITS))


def _tallied(voters: Voters, X: Array, classes: int) -> Counts:
    counts, rows = np.zeros((X.shape[0], classes), dtype=np.int64), np.arange(X.shape[0])
    with apart():
        every = [voter.say(X, _prediction) for voter in voters]
    for voter, said in zip(voters, every, strict=True):
        known = (said >= 0) & (said < classes) & (said == np.rint(said))
        counts[rows, np.where(known, said, voter.otherwise).astype(np.intp)] += 1
    return counts


def _summed(voters: Voters, X: Array, bounds: tuple[float, float], says: Says) -> Counts:
    low, high = bounds
    total = np.zeros(X.shape[0], dtype=np.int64)
    with apart():
        every = [voter.say(X, asker(says)) for voter in voters]
    for said in every:
        share = (np.clip(said, low, high) - low) / (high - low)
        total += np.rint(np.clip(share, 0.0, 1.0) * 2.0**MEAN_BITS).astype(np.int64)
    return total


def _prediction(model: Any, X: Array) -> Any:
    return model.predict(X)


def _positive_probability(model: Any, X: Array) -> Any:
    """The probability of code 1, wherever the model keeps it."""
    return np.asarray(model.predict_proba(X))[:, list(model.classes_).index(1.0)]


def _fit_one(estimator: Any, X: Any, targets: Array, seed: int, otherwise: float, labels: bool) -> Voter:
    if not len(targets):  # nothing but slots of rows without an id: no model is asked what it makes of that
        return Voter(None, otherwise, seed)
    if labels and np.all(targets == targets[0]):
        return Voter(None, float(targets[0]), seed)
    model = fitted_alone(estimator, X, targets, seed)
    return Voter(None if isinstance(model, Failed) else model, otherwise, seed)
