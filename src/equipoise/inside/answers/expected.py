"""What private answers would lose on held-out records, in expectation over their noise: one number in [0, 1] a record.

Each number is the mean, under the ideal law of one answer, of a function of the answer within [0, 1]: whether the class
is wrong, or the squared error of the number in units of the squared label range.  Nothing is drawn.  A record's number
depends on that record and on what was learnt, never on the other held-out records.  docs/proofs/advice.md.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from equipoise.errors import MechanismRefused
from equipoise.inside.answers.shards import MEAN_BITS
from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.records import Records
from equipoise.rows.owned import own_dense, settle
from equipoise.theory.bounds import Bounds
from equipoise.theory.noise import Law, Noise

Counts = npt.NDArray[np.int64]

LEVELS = 256
"""A number is brought to the nearest of so many, evenly spread over the label range, before its error is squared."""

AT_ONCE = 2**12
"""Records whose levels are worked out together."""

SHORTEST = 1e-140
"""A row below this length counts as zero: its squares leave the range of doubles."""


def held_rows(X: npt.NDArray[np.floating]) -> Array:
    """In doubles, all finite: what is missing is 0."""
    own = own_dense(X)
    settle(own)
    return own


def mean_of(losses: Private[Array]) -> Private[Array]:
    """Their mean, rounded once."""
    return losses.map(lambda each: np.array([math.fsum(np.clip(each, 0.0, 1.0).tolist()) / len(each)]))


def by_weights(scores: Private[Counts], rate: float, codes: Array) -> Private[Array]:
    """A class is drawn with probability ∝ exp(rate·score)."""
    own = codes.astype(np.intp)

    def lost(scores: Counts) -> Array:
        with np.errstate(over="ignore"):
            weights = np.exp(-rate * (scores.max(axis=1, keepdims=True) - scores))
        return np.asarray(1 - weights[np.arange(len(own)), own] / weights.sum(axis=1))

    return scores.map(lost)


def by_walk(stands: Private[Counts], rate: float, codes: Array) -> Private[Array]:
    """The second class has weight exp(rate·v), the first 1."""
    return by_weights(stands.map(lambda v: np.column_stack([np.zeros_like(v), v])), rate, codes)


def by_lead(counts: Private[Counts], deviation: float, codes: Array) -> Private[Array]:
    """The larger of two counts after normal noise of this deviation on each."""
    own, rows = codes.astype(np.intp), np.arange(len(codes))

    def lost(votes: Counts) -> Array:
        behind = votes[rows, 1 - own] - votes[rows, own]
        return np.asarray(ndtr(behind / (math.sqrt(2.0) * deviation)))

    return counts.map(lost)


def by_coin(sums: Private[Counts], voters: int, floor: float, codes: Array) -> Private[Array]:
    """The second class with the mean probability, kept a floor away from 0 and 1."""

    def lost(totals: Counts) -> Array:
        second = np.clip(np.ldexp(totals.astype(np.float64), -MEAN_BITS) / voters, floor, 1 - floor)
        return np.where(codes > 0.5, 1 - second, second)

    return sums.map(lost)


def by_mean(sums: Private[Counts], voters: int, noise: Noise, targets: Array) -> Private[Array]:
    """The sum of predictions with noise, over the number of voters; `targets` are shares of the range."""
    units = np.full(len(targets), 1 / voters)

    def lost(totals: Counts) -> Array:
        return _squared(np.ldexp(totals.astype(np.float64), -MEAN_BITS), units, 0.0, noise, targets)

    return sums.map(lost)


def by_score(
    held: Private[Records], coefficients: Private[Array], per_norm: float, noise: Noise, bounds: Bounds
) -> Private[Array]:
    """x·w with noise of the query's own size: the class on its side, or the number brought into the label range."""
    return held.meet(coefficients, lambda records, w: _scored(records, w, per_norm, noise, bounds))


def _scored(records: Records, w: Array, per_norm: float, noise: Noise, bounds: Bounds) -> Array:
    norms, labels = records.design.row_norms(), records.labels
    short = norms < SHORTEST
    lengths = np.where(short, 1.0, norms)
    centres = records.design.matvec(w) / lengths / per_norm
    if bounds.label_range is None:
        wrong = _below(noise.law, -labels * centres / noise.scale)
        return np.where(short, labels > 0, wrong)  # the answer to a zero row is 0: the first class
    low, high = ((edge - bounds.label_centre) / bounds.label_scale for edge in bounds.label_range)
    targets, zero = np.clip((labels - low) / (high - low), 0.0, 1.0), -low / (high - low)
    lost = _squared(centres, lengths * (per_norm / (high - low)), zero, noise, targets)
    return np.where(short, (min(1.0, max(0.0, zero)) - targets) ** 2, lost)


def _squared(centres: Array, units: Array, origin: float, noise: Noise, targets: Array) -> Array:
    """Mean squared error of the level next to origin + unit·(centre + noise), all in shares of the label range.

    By parts: the loss at the last level, less every step of the loss times the chance to stay below it.
    """
    levels = np.linspace(0.0, 1.0, LEVELS)
    borders = (levels[1:] + levels[:-1]) / 2 - origin
    result = np.empty(len(centres))
    for start in range(0, len(centres), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        with np.errstate(over="ignore"):
            below = _below(noise.law, (borders / units[part, None] - centres[part, None]) / noise.scale)
        losses = (levels - targets[part, None]) ** 2
        result[part] = losses[:, -1] - np.einsum("ij,ij->i", np.diff(losses, axis=1), below)
    return result


def _below(law: Law, x: Array) -> Array:
    """The distribution function of the noise, in units of its scale."""
    if law is Law.GAUSSIAN:
        return np.asarray(ndtr(x))
    if law is not Law.LAPLACE:
        raise MechanismRefused(f"{law.value} noise: has no formula here for the chance of a wrong answer")
    tail = np.exp(-np.abs(x)) / 2
    return np.where(x < 0, tail, 1 - tail)
