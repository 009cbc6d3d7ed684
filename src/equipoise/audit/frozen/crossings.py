"""What passed the gate in two runs on neighbouring data, and what each difference costs in units of the noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.theory.events import BoundedRangeRelease, Event, GaussianRelease, PureRelease, leaves
from equipoise.theory.noise import Law

Array = npt.NDArray[np.float64]

TOLERANCE = 1e-9
"""Differences of this relative size are rounding."""


@dataclass(slots=True)
class Passing:
    """One trip through the gate in one run: what must be public, the private value, and what came out."""

    kind: str
    public: tuple[Any, ...]
    value: Any
    output: Any = None
    entry: Any = None
    stated: float = math.nan
    """How far the value may move, where the gate is told; otherwise the ledger's entry says what may be spent."""
    words: list[npt.NDArray[np.uint64]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Crossing:
    """The same trip on both data sets: how far the un-noised values are apart."""

    kind: str
    law: Law | None
    """Of the noise, where there is one."""
    shape: tuple[int, ...]
    distance: float
    """In the value's own units (scores and votes: whole steps), and the noise's own norm: L1 for Laplace, else L2."""
    cost: float
    """The ε, or for Gaussian noise the μ, that a stranger gains from this difference through this noise."""
    stated: float
    """How far they may be apart."""
    share: float
    """Of what was stated, or of what the ledger's entry was debited for."""


def distance_and_cost(here: Passing, there: Passing) -> tuple[float, float]:
    """How far apart, and the privacy loss of that in the noise that was added."""
    return _GAPS[here.kind](here, there)


def _noise(here: Passing, there: Passing) -> tuple[float, float]:
    _, law, scale, step, _ = here.public
    moved = (here.value - there.value) * step
    apart = float(law.sizes(np.ravel(moved)))
    return apart, apart / scale


def _choice(here: Passing, there: Passing) -> tuple[float, float]:
    _, moved, epsilon = here.public
    gap = max(abs(a - b) for a, b in zip(here.value, there.value, strict=True))
    return float(gap), float(epsilon) * gap / moved


def _vote(here: Passing, there: Passing) -> tuple[float, float]:
    """A bounded range: only differences of differences can be seen."""
    shift = here.value - there.value
    widths = shift.max(axis=1) - shift.min(axis=1)
    return float(widths.max(initial=0)), float(here.public[1]) * float(widths.sum())


def _coin(here: Passing, there: Passing) -> tuple[float, float]:
    losses = [_log_odds(a, b) for a, b in zip(here.value, there.value, strict=True)]
    return max(losses, default=0.0), math.fsum(losses)


def _log_odds(a: Any, b: Any) -> float:
    return max(abs(math.log(a / b)), abs(math.log((1 - a) / (1 - b))))


def _sample(here: Passing, there: Passing) -> tuple[float, float]:
    """The range of the log-ratios of one draw, and what all draws show if each hits the worst outcome."""
    (draws,), ratios = here.public, here.value - there.value
    return float(ratios.max() - ratios.min()), draws.count * float(np.abs(ratios).max())


def _lead(here: Passing, there: Passing) -> tuple[float, float]:
    """Voters between a query and another winner: one record is one voter.  Its price is the round's, not a sum."""
    return float(np.abs(here.value - there.value).max(initial=0)), 0.0


def _score(here: Passing, there: Passing) -> tuple[float, float]:
    return float(abs(here.value - there.value)), 0.0


def _tilt(here: Passing, there: Passing) -> tuple[float, float]:
    """The tilts that lead both data sets to one minimiser, apart by the change of the summed gradient there."""
    moved = float(np.linalg.norm(here.value - there.value))
    return moved, moved / here.public[1]


def _frequent(here: Passing, there: Passing) -> tuple[float, float]:
    """Counts of what occurs on either side; what one side alone has is hidden by the threshold, and counts as well."""
    names = {*here.value, *there.value}
    moved = float(sum(abs(here.value.get(name, 0) - there.value.get(name, 0)) for name in names))
    return moved, moved / here.public[1]


_GAPS = {
    "noise": _noise,
    "frequent": _frequent,
    "choice": _choice,
    "vote": _vote,
    "coin": _coin,
    "sample": _sample,
    "consensus": _lead,
    "score": _score,
    "tilt": _tilt,
}


def law_of(passing: Passing) -> Law | None:
    """Of the noise, where there is one."""
    place = {"noise": 1, "frequent": 0, "tilt": 0}.get(passing.kind)
    law: Law | None = None if place is None else passing.public[place]
    return law


@dataclass(frozen=True, slots=True)
class Debit:
    """What one entry of the ledger allows: a sum of ε and a root of summed squares of μ; None where it states
    something else."""

    pure: float
    gaussian: float

    def share(self, pure: float, gaussian: float) -> float:
        """Of the debit, how much these costs use up."""
        return max(_part(pure, self.pure), _part(gaussian, self.gaussian))


def debit_of(event: Event) -> Debit | None:
    """For events that add up; the others are checked by what their own plans state."""
    pure, squares = 0.0, 0.0
    for leaf in leaves(event):
        if isinstance(leaf, PureRelease):
            pure += leaf.epsilon * leaf.steps
        elif isinstance(leaf, BoundedRangeRelease):
            pure += leaf.eta * leaf.steps
        elif isinstance(leaf, GaussianRelease):
            squares += leaf.mu * leaf.mu * leaf.steps
        else:
            return None
    return Debit(pure, math.sqrt(squares))


def _part(cost: float, allowed: float) -> float:
    if cost == 0:
        return 0.0
    return cost / allowed if allowed > 0 else math.inf
