"""An adversary who chooses the next price by what was seen so far, against any ledger.

Randomised responses and Gaussian tests are played on two neighbours.  At every point the adversary knows the privacy
loss so far and picks, among the releases that the ledger still accepts, the one that helps most; dynamic programming
over these choices gives the true δ of the best strategy at the limit's ε.  Every number it returns is attained by a
real mechanism, up to rounding: more than the limit's δ refutes the ledger.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr
from scipy.stats import norm

from equipoise.ledger import LedgerLike
from equipoise.theory.accounting.convert import gaussian_curve
from equipoise.theory.events import ApproximateRelease, Event, GaussianRelease, PureRelease

Array = npt.NDArray[np.float64]
Opener = Callable[[], LedgerLike]
Families = Sequence[Callable[[float], Event]]
BINS = 1501


def families(delta: float) -> Families:
    """From a size to an event: pure, Gaussian, and (ε, δ) with several shares of the limit's δ."""
    shares = (1.0, 0.5, 0.37, 0.1)
    leaky = [lambda size, share=share: ApproximateRelease(size, share * delta) for share in shares]
    return [PureRelease, GaussianRelease, *leaky]


def best_delta(fresh: Opener, prefix: Sequence[Event], ways: Families, depth: int) -> float:
    """The true δ, at the limit's ε, of the best strategy that plays `prefix` (as far as it is accepted) and then
    chooses `depth` times."""
    limit, played = fresh().limit, accepted(fresh, prefix)
    assert limit is not None
    losses, masses = _prefix(played)
    return float(masses @ _value(limit.epsilon - losses, fresh, played, ways, depth))


def _value(room: Array, fresh: Opener, played: list[Event], ways: Families, depth: int) -> Array:
    """The best δ from here on, for every amount of ε that the loss so far has left over."""
    best = -np.expm1(np.minimum(room, 0.0))
    if depth == 0:
        return best
    ledger = replayed(fresh, played)
    for way in ways:
        event = _largest(ledger, way)
        if event is not None:
            best = np.maximum(best, _played(event, room, fresh, [*played, event], ways, depth - 1))
    return best


def _played(event: Event, room: Array, fresh: Opener, played: list[Event], ways: Families, depth: int) -> Array:
    def after(loss: float) -> Array:
        return _value(room - loss, fresh, played, ways, depth)

    match event:
        case PureRelease(epsilon):
            return _two_points(epsilon, after)
        case ApproximateRelease(epsilon, delta):
            return delta + (1 - delta) * _two_points(epsilon, after)
        case GaussianRelease(mu) if depth == 0:
            return gaussian_curve(room, mu)
        case GaussianRelease(mu):  # its sign alone: a processing, so still a real mechanism
            return _two_points(math.log(ndtr(mu / 2) / ndtr(-mu / 2)), after)
    raise AssertionError(event)


def _two_points(epsilon: float, after: Callable[[float], Array]) -> Array:
    chance = 1 / (1 + math.exp(-epsilon))
    return chance * after(epsilon) + (1 - chance) * after(-epsilon)


def replayed(fresh: Opener, events: Sequence[Event]) -> LedgerLike:
    ledger = fresh()
    for event in events:
        ledger.reserve(event)
    return ledger


def accepted(fresh: Opener, events: Sequence[Event]) -> list[Event]:
    ledger = fresh()
    for event in events:
        if not ledger.fits(event):
            break
        ledger.reserve(event)
    return [record.event for record in ledger.entries()]


def _largest(ledger: LedgerLike, way: Callable[[float], Event]) -> Event | None:
    """The dearest release of its kind that is still accepted."""
    low, high = 0.0, 8.0
    for _ in range(22):
        middle = (low + high) / 2
        low, high = (middle, high) if ledger.fits(way(middle)) else (low, middle)
    return way(low) if low > 0 else None


def _prefix(events: Sequence[Event]) -> tuple[Array, Array]:
    """Losses and probabilities of a prefix of pure and Gaussian releases, the latter told in bins."""
    losses, masses = np.zeros(1), np.ones(1)
    shift = math.sqrt(math.fsum(e.mu**2 * e.steps for e in events if isinstance(e, GaussianRelease)))
    if shift > 0:
        edges = np.concatenate([[-np.inf], np.linspace(-8, 8 + shift, BINS), [np.inf]])
        here, there = (np.diff(norm.cdf(edges - move)) for move in (shift, 0.0))
        seen = (here > 1e-300) & (there > 1e-300)
        losses, masses = np.log(here[seen] / there[seen]), here[seen]
    for event in events:
        if isinstance(event, PureRelease):
            for _ in range(event.steps):
                losses, masses = _one_response(losses, masses, event.epsilon)
    return losses, masses


def _one_response(losses: Array, masses: Array, epsilon: float) -> tuple[Array, Array]:
    chance = 1 / (1 + math.exp(-epsilon))
    both = np.concatenate([losses + epsilon, losses - epsilon])
    weights = np.concatenate([masses * chance, masses * (1 - chance)])
    rounded, place = np.unique(np.round(both, 9), return_inverse=True)
    return rounded, np.bincount(place, weights).astype(np.float64)
