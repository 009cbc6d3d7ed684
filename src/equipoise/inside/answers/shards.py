"""Disjoint parts of the records, a model on each, and what the models together say to a query.

One record sits in one shard, so replacing it changes one voter and nothing of the others: every shard's model is a
function of its own rows and its own seed.  A shard that cannot be fitted votes for a constant, because an error would
say something about its rows.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from scipy.sparse import issparse
from sklearn.base import clone

from equipoise.errors import InvalidInput
from equipoise.inside.design.clip import refuse_not_finite
from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.records import _class_codes, _numbers

Counts = npt.NDArray[np.int64]
Index = npt.NDArray[np.intp]

MEAN_BITS = 30
"""A prediction is rounded to this many bits of its range, so that sums are whole numbers and exact."""


class Says(StrEnum):
    """What a voter is asked for."""

    LABEL = "label"
    PROBABILITY = "probability"
    NUMBER = "number"


@dataclass(frozen=True, eq=False, repr=False)
class Voter:
    """A fitted model, or None for one that says `otherwise` to everything."""

    model: Any
    otherwise: float

    def say(self, X: Array, ask: Callable[[Any, Array], Any]) -> Array:
        """One number per query; whatever is no number becomes `otherwise`."""
        constant = np.full(X.shape[0], self.otherwise)
        if self.model is None:
            return constant
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                # A copy each: a model that scales its input in place must not touch what the next one sees.
                said = np.asarray(ask(self.model, X.copy()), dtype=np.float64)
        except Exception:  # noqa: BLE001 - an error of one shard's model would speak of its rows
            return constant
        return np.where(np.isfinite(said), said, constant) if said.shape == constant.shape else constant


Voters = tuple[Voter, ...]


def codes_of(labels: npt.NDArray[Any], classes: tuple[Any, ...]) -> Array:
    """The place of each label in `classes`."""
    codes = _class_codes(labels, classes)
    return (codes + 1.0) / 2.0 if len(classes) == 2 else codes


def numbers_of(labels: npt.NDArray[Any], bounds: tuple[float, float]) -> Array:
    """The labels as numbers within bounds."""
    numbers = _numbers(labels)
    refuse_not_finite(numbers, "y")
    return np.clip(numbers, *bounds)


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
    refuse_not_finite(_stored(X), "X")
    jobs = (
        delayed(_fit_one)(estimator, X[part], targets[part], seed, otherwise, labels)
        for part, seed in zip(parts, seeds, strict=True)
    )
    # Without max_nbytes=None large parts would pass through files, and records do not belong on a disk.
    return Private(tuple(Parallel(n_jobs=n_jobs, max_nbytes=None)(jobs)))


def rehearse(estimator: Any, rows: int, columns: int, says: Says, classes: int) -> float:
    """Fit made-up rows and ask: an estimator that cannot be used at all is refused before a record is seen.

    Returns the seconds it took, which say something about the estimator and nothing about the records.
    """
    started = time.perf_counter()
    grid = np.arange(rows * columns, dtype=np.float64).reshape(rows, columns)
    X = np.modf(grid * 0.6180339887498949)[0]
    y = X.mean(axis=1) if says is Says.NUMBER else np.arange(rows, dtype=np.float64) % classes
    if says is not Says.NUMBER and len(np.unique(y)) < 2:
        return 0.0  # such small shards vote for their one label, nothing is fitted
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            said = np.asarray(asker(says)(seeded(estimator, 0).fit(X, y), X), dtype=np.float64)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is about the estimator: the rows are made up
        failure = type(error).__name__
    else:
        if said.shape == (rows,):
            return time.perf_counter() - started
        failure = "more than one answer per row"
    way = "take one with predict_proba" if says is Says.PROBABILITY else "fix its parameters"
    raise InvalidInput(f"estimator: fails on {rows} made-up rows ({failure}), {way} or take fewer shards")


def seeded(estimator: Any, seed: int) -> Any:
    """An unfitted copy whose every `random_state` is the seed: its randomness owes nothing to other shards."""
    copy = clone(estimator)
    names = [name for name in copy.get_params(deep=True) if name.rpartition("__")[2] == "random_state"]
    return copy.set_params(**dict.fromkeys(names, seed)) if names else copy


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
    for voter in voters:
        said = voter.say(X, _prediction)
        known = (said >= 0) & (said < classes) & (said == np.rint(said))
        counts[rows, np.where(known, said, voter.otherwise).astype(np.intp)] += 1
    return counts


def _summed(voters: Voters, X: Array, bounds: tuple[float, float], says: Says) -> Counts:
    low, high = bounds
    total = np.zeros(X.shape[0], dtype=np.int64)
    for voter in voters:
        share = (np.clip(voter.say(X, asker(says)), low, high) - low) / (high - low)
        total += np.rint(np.clip(share, 0.0, 1.0) * 2.0**MEAN_BITS).astype(np.int64)
    return total


def _stored(X: Any) -> Any:
    """The numbers that are there, of an array or a CSR matrix."""
    sparse: bool = issparse(X)
    return X.data if sparse else X


def _prediction(model: Any, X: Array) -> Any:
    return model.predict(X)


def _positive_probability(model: Any, X: Array) -> Any:
    """The probability of code 1, wherever the model keeps it."""
    return np.asarray(model.predict_proba(X))[:, list(model.classes_).index(1.0)]


def _fit_one(estimator: Any, X: Any, targets: Array, seed: int, otherwise: float, labels: bool) -> Voter:
    if labels and np.all(targets == targets[0]):
        return Voter(None, float(targets[0]))
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return Voter(seeded(estimator, seed).fit(X, targets), otherwise)
    except Exception:  # noqa: BLE001 - an error would say something about this shard's rows
        return Voter(None, otherwise)
