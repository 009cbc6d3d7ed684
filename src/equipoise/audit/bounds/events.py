"""Which outputs tell two data sets apart: scores learnt on one part of the draws, and thresholds on them.

A score may be anything computed from other draws than those it is tested on, so nothing here needs a proof: a poor
score makes a weak bound, never a wrong one.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from equipoise.audit.bounds.outputs import Kinds, Outputs, shown

Array = npt.NDArray[np.float64]

BINS = 24
"""Of the histogram of a number, at equal shares of the draws."""

FEW = 64
"""Different values of a number, at most, that are weighed one by one."""

NARROW = 8
"""Numbers in an output, at most, that are also tried alone."""

LEVELS: Array = np.concatenate([[0.002, 0.005], np.linspace(0.01, 0.99, 99), [0.995, 0.998]])
"""Of the pooled scores: the thresholds tried."""


@dataclass(frozen=True, slots=True)
class Score:
    """A number for each output; `of` must not depend on the draws it will be tested on."""

    name: str
    of: Callable[[Outputs], Array]


@dataclass(frozen=True, slots=True)
class Event:
    """The outputs whose score is at least (or below) a threshold, expected more often on one data set."""

    score: Score
    threshold: float
    above: bool
    left_first: bool

    def __str__(self) -> str:
        side = ">=" if self.above else "<"
        return f"{self.score.name} {side} {self.threshold:.6g}, likelier on {'left' if self.left_first else 'right'}"


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each event happened in `count` draws from the data set it favours, and from the other."""

    hits: Array
    misses: Array
    count: int


def learnt_scores(left: Outputs, right: Outputs) -> list[Score]:
    """Every way we know of to tell the two samples apart; the ones that do not apply are left out."""
    scores = []
    if len(np.unique(np.concatenate([left.kinds, right.kinds]))) > 1:
        scores.append(_by_kind("kinds", lambda outputs: outputs.kinds, left, right))
    if len(np.unique(np.concatenate([left.said, right.said]))) > 1:
        scores.append(_by_kind("words", lambda outputs: outputs.said, left, right))
    width = left.numbers.shape[1]
    if width > 1:
        scores += [_difference_of_means(left, right), _logistic(left, right)]
    for column in range(width if width <= NARROW else 0):
        scores += _of_number(left, right, column)
    return scores


def _by_kind(name: str, of: Callable[[Outputs], Kinds], left: Outputs, right: Outputs) -> Score:
    """Log ratio of how often each kind of output, or of words with it, was seen; an unseen kind tells nothing."""
    seen = Counter(of(left).tolist()), Counter(of(right).tolist())
    weights = {kind: math.log((seen[0][kind] + 0.5) / (seen[1][kind] + 0.5)) for kind in sorted(seen[0] | seen[1])}
    telling = sorted(weights, key=lambda kind: -abs(weights[kind]))[:2]
    shortly = "; ".join(shown(kind) for kind in telling)
    return Score(
        f"log ratio of {name} ({shortly})",
        lambda outputs: np.array([weights.get(kind, 0.0) for kind in of(outputs)]),
    )


def _of_number(left: Outputs, right: Outputs, column: int) -> list[Score]:
    """The number itself, its distance from the middle, and the log ratio of histograms."""
    a, b = left.numbers[:, column], right.numbers[:, column]
    middle, name = (
        float(np.median(np.concatenate([a, b]))),
        f"number {column}" if left.numbers.shape[1] > 1 else "output",
    )
    return [
        Score(name, lambda outputs: outputs.numbers[:, column]),
        Score(f"|{name} - {middle:.6g}|", lambda outputs: np.abs(outputs.numbers[:, column] - middle)),
        _histogram(a, b, column, name),
    ]


def _histogram(a: Array, b: Array, column: int, name: str) -> Score:
    edges, weights = log_ratios(a, b)
    return Score(
        f"log ratio of the histogram of {name}",
        lambda outputs: weights[np.searchsorted(edges, outputs.numbers[:, column], side="right")],
    )


def log_ratios(a: Array, b: Array, bins: int = BINS) -> tuple[Array, Array]:
    """Edges between bins, and the smoothed log ratio of the two samples in each bin."""
    pooled = np.concatenate([a, b])
    values = np.unique(pooled)
    if len(values) <= FEW:
        edges = (values[1:] + values[:-1]) / 2
    else:
        edges = np.unique(np.quantile(pooled, np.linspace(0, 1, bins + 1)[1:-1]))
    shares = [
        (np.bincount(np.searchsorted(edges, part, side="right"), minlength=len(edges) + 1) + 1.0) / (len(part) + 1.0)
        for part in (a, b)
    ]
    weights: Array = np.log(shares[0] / shares[1])
    return edges, weights


def _difference_of_means(left: Outputs, right: Outputs) -> Score:
    """The projection on the difference of the means, in units of the spread."""
    spread = np.std(np.concatenate([left.numbers, right.numbers]), axis=0) + 1e-300
    towards = (left.numbers.mean(axis=0) - right.numbers.mean(axis=0)) / spread / spread
    towards = np.nan_to_num(towards, posinf=0.0, neginf=0.0)
    return Score("difference of means", lambda outputs: outputs.numbers @ towards)


def _logistic(left: Outputs, right: Outputs) -> Score:
    """A small classifier on the numbers and their distances from the middle."""
    pooled = np.concatenate([left.numbers, right.numbers])
    middle = np.median(pooled, axis=0)

    def features(numbers: Array) -> Array:
        return np.concatenate([numbers, np.abs(numbers - middle)], axis=1)

    truth = np.repeat([1, 0], [len(left), len(right)])
    learner = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=200))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # an unfinished classifier is still an event
        learner.fit(features(pooled), truth)
    return Score("logistic score", lambda outputs: np.asarray(learner.decision_function(features(outputs.numbers))))


def all_events(scores: list[Score], left: Outputs, right: Outputs) -> list[Event]:
    """Thresholds on every score, both sides, favouring either data set."""
    found = []
    for score in scores:
        pooled = np.concatenate([score.of(left), score.of(right)])
        values = np.unique(pooled)
        cuts = values[1:] if len(values) <= FEW else np.unique(np.quantile(pooled, LEVELS))
        found += [
            Event(score, float(cut), above, first) for cut in cuts for above in (True, False) for first in (True, False)
        ]
    return found


def count_events(events: list[Event], left: Outputs, right: Outputs) -> Counts:
    """Count all of them at once; events of one score must stand together."""
    hits, misses = [np.zeros(0)], [np.zeros(0)]
    for _, group in groupby(events, key=lambda event: id(event.score)):
        same = list(group)
        cuts, above = np.array([event.threshold for event in same]), np.array([event.above for event in same])
        first = np.array([event.left_first for event in same])
        happened = []
        for part in (left, right):
            below = np.searchsorted(np.sort(same[0].score.of(part)), cuts, side="left").astype(np.float64)
            happened.append(np.where(above, len(part) - below, below))
        hits.append(np.where(first, happened[0], happened[1]))
        misses.append(np.where(first, happened[1], happened[0]))
    return Counts(np.concatenate(hits), np.concatenate(misses), len(left))


def not_outdone(counts: Counts) -> list[int]:
    """Places of the events for which no other has at least as many hits and no more misses, in their order."""
    order = np.lexsort((-counts.hits, counts.misses))
    ahead = np.maximum.accumulate(np.concatenate([[-1.0], counts.hits[order][:-1]]))
    return sorted(order[counts.hits[order] > ahead].tolist())
