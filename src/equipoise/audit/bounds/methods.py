"""Four ways from counted events to a lower bound on ε.  Each is wrong with probability at most `risk`.

`chosen` are the counts on the draws the event is picked with, `tested` those on fresh draws, which alone decide the
bound.  docs/how-to/audit.md says why each is valid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from equipoise.audit.bounds.events import Counts, Event, log_ratios
from equipoise.audit.bounds.intervals import mean_slack, refutes, shares_above, shares_below
from equipoise.audit.bounds.outputs import Outputs
from equipoise.theory.accounting.convert import epsilon_of, renyi_curve
from equipoise.theory.accounting.search import greatest
from equipoise.theory.guarantees import Gaussian, Pure

Array = npt.NDArray[np.float64]

GRID: Array = np.geomspace(0.01, 60.0, 900)
"""The values of ε the hockey-stick test tries, from below; fixed, which is what makes stopping at the first safe."""

BLOCKS = 12
"""Parts the grid is worked through in, so that small bounds are found quickly."""

ORDERS = (1.25, 1.5, 2.0, 3.0, 5.0, 9.0, 17.0, 33.0)
"""Rényi orders tried on the draws the event is picked with."""

DOWN = 1 - 1e-9
"""Conversions in theory/ round up; a lower bound goes down."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A bound and what it rests on."""

    method: str
    epsilon: float
    place: int | None = None
    mu: float | None = None
    order: float | None = None
    divergence: float | None = None


def by_threshold(chosen: Counts, tested: Counts, delta: float, risk: float) -> Finding:
    """log((p − δ)/q) of one event, p bounded from below and q from above at half the risk each."""
    place = int(np.argmax(_log_ratios(chosen, delta, risk)))
    return Finding("threshold", max(0.0, float(_log_ratios(tested, delta, risk)[place])), place)


def _log_ratios(counts: Counts, delta: float, risk: float) -> Array:
    low = shares_above(counts.hits, counts.count, risk / 2)
    high = shares_below(counts.misses, counts.count, risk / 2)
    ratios: Array = np.log(np.maximum(low - delta, 1e-300) / high)
    return ratios


def by_hockey_stick(chosen: Counts, tested: Counts, delta: float, risk: float) -> Finding:
    """The largest ε such that it and all smaller ones of a fixed grid are refuted, each by the event best for it."""
    reached, place = 0.0, 0
    for block in np.array_split(GRID, BLOCKS):
        places = _most_telling(chosen, block, delta)
        kept = ~refutes(tested.hits[places], tested.misses[places], tested.count, block, delta, risk)
        refuted = int(np.argmax(kept)) if kept.any() else len(block)
        if refuted > 0:
            reached, place = float(block[refuted - 1]), int(places[refuted - 1])
        if kept.any():
            break
    return Finding("hockey-stick", reached, place)


def _most_telling(chosen: Counts, epsilons: Array, delta: float) -> npt.NDArray[np.intp]:
    """For each ε the event with p − e^ε·q farthest above δ in units of its own spread: the power of the test."""
    factor = np.exp(epsilons)[:, None]
    p, q = (chosen.hits / chosen.count)[None, :], (chosen.misses / chosen.count)[None, :]
    spread = np.sqrt(p * (1 - p) + factor**2 * q * (1 - q) + (1 + factor**2) / chosen.count)
    return np.asarray(np.argmax((p - factor * q - delta) / spread, axis=1), dtype=np.intp)


def by_gaussian(chosen: Counts, tested: Counts, delta: float, risk: float) -> Finding:
    """μ of a Gaussian-DP claim from both error rates, and its ε at δ.  Refutes claims of that form only."""
    place = int(np.argmax(_shift(chosen.hits, chosen.misses, chosen.count, risk)))
    hits, misses = tested.hits[place : place + 1], tested.misses[place : place + 1]
    mu = max(0.0, float(_shift(hits, misses, tested.count, risk)[0]) * DOWN)
    return Finding("gaussian", epsilon_of(Gaussian(mu), delta) * DOWN if mu > 0 else 0.0, place, mu=mu)


def _shift(hits: Array, misses: Array, count: int, risk: float) -> Array:
    low, high = shares_above(hits, count, risk / 2), shares_below(misses, count, risk / 2)
    shift: Array = np.where((low > 0) & (high < 1), ndtri(np.clip(low, 1e-300, 1)) - ndtri(np.clip(high, 0, 1)), 0.0)
    return shift


def by_renyi(
    event: Event, pick: tuple[Outputs, Outputs], test: tuple[Outputs, Outputs], risk: float, place: int
) -> Finding:
    """A Rényi divergence bounded from below, and the ε of pure privacy it refutes.

    For every bounded g and α > 1 the divergence is at least α/(α−1)·log E_P e^((α−1)g) − log E_Q e^(αg); g is the log
    ratio of histograms of the event's score, so its range is known and the means are bounded by their spread.
    """
    if not event.left_first:
        pick, test = pick[::-1], test[::-1]
    edges, weights = log_ratios(event.score.of(pick[0]), event.score.of(pick[1]))

    def divergence_of(pair: tuple[Outputs, Outputs], order: float) -> float:
        here, there = (weights[np.searchsorted(edges, event.score.of(part), side="right")] for part in pair)
        return _divergence(here, there, weights, order, risk)

    order = max(ORDERS, key=lambda order: _refuted(divergence_of(pick, order), order))
    divergence = divergence_of(test, order)
    return Finding("renyi", _refuted(divergence, order), place, order=order, divergence=divergence)


def _divergence(here: Array, there: Array, weights: Array, order: float, risk: float) -> float:
    first, second = np.exp((order - 1) * weights), np.exp(order * weights)
    risen, fallen = np.exp((order - 1) * here), np.exp(order * there)
    low = max(float(np.mean(risen)) - mean_slack(risen, float(np.ptp(first)), risk / 2), float(first.min()))
    high = min(float(np.mean(fallen)) + mean_slack(fallen, float(np.ptp(second)), risk / 2), float(second.max()))
    return max(0.0, order / (order - 1) * math.log(low) - math.log(high)) * DOWN


def _refuted(divergence: float, order: float) -> float:
    """The largest ε whose pure privacy allows less than this divergence."""
    if divergence <= 0:
        return 0.0
    return greatest(lambda epsilon: float(renyi_curve(Pure(epsilon), np.array([order - 1]))[0]) < divergence)
