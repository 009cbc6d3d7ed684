"""The best of a random number of runs: how many there are, how their scores are compared, and that only one leaves.

Guarantee.  That of docs/proofs/accounting.md for repeated runs, when each run with its noisy score costs `base`.
Assumes.    Runs are drawn alike and independently; one record moves a score by at most the stated sensitivity.
Adjacency.  Whatever the runs' guarantee and the sensitivity were stated for.
Numerics.   The number of runs is drawn from 192 random bits, within 2⁻¹⁵⁰ of its law; scores are whole numbers.
Reference.  docs/proofs/selection.md, section 7; Papernot, Steinke 2022; Liu, Talwar 2019.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from equipoise._checks import positive, shown
from equipoise.errors import InvalidInput, LedgerFailure
from equipoise.gate.choices.select import grid_for, steps_moved
from equipoise.gate.door import check_paid, compare
from equipoise.gate.noise import Bits, Grid, discrete_gaussian, discrete_laplace
from equipoise.inside import Private
from equipoise.ledger import Entry
from equipoise.theory.accounting.runs import slack_of_scores
from equipoise.theory.accounting.selection import PoissonStop, Stop
from equipoise.theory.accounting.slack import Slack
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Gaussian, Pure
from equipoise.theory.rounding import FORMULA, up

Vector = npt.NDArray[np.float64]
Model = TypeVar("Model")

WORDS = 3
UNIT = 1 << (64 * WORDS)
LEFT_OUT = 1 << (64 * WORDS - 155)
"""How much of the law's tail may be left out, in units of 2⁻¹⁹²."""

DIGITS = 90
ROUNDING = 2.0**-152
"""Bound on what 90-digit decimals do to the whole law: 10⁻⁸⁰ for each of fewer than 10⁶ numbers."""

LONGEST = 200_000
"""Runs that must be enough for all but a chance of 2⁻¹⁵⁵: with the geometric law, a mean of about 1,800."""

SMALLEST_ETA = 1e-9


@dataclass(frozen=True, slots=True)
class RunLaw:
    """How many runs: the law that is drawn, and how far (in total variation) it is from the one asked for."""

    fewest: int
    ends: tuple[int, ...]
    distance: float

    @property
    def most(self) -> int:
        """The largest number of runs that can be drawn."""
        return self.fewest + len(self.ends) - 1

    def draw(self, bits: Bits) -> int:
        """A number of runs.  It must not leave the gate."""
        drawn = 0
        for word in bits.words(WORDS):
            drawn = drawn << 64 | int(word)
        place = bisect_right(self.ends, drawn)
        return self.fewest + (place if place < len(self.ends) else 0)


@dataclass(frozen=True, slots=True)
class ScoreNoise:
    """Noise that hides one record in a score: Laplace for a pure guarantee, Gaussian for a μ."""

    sensitivity: float
    hides: Pure | Gaussian

    def __post_init__(self) -> None:
        positive(sensitivity=self.sensitivity)
        positive(noise=self.hides.epsilon if isinstance(self.hides, Pure) else self.hides.mu)

    @property
    def scale(self) -> float:
        """Of the noise, in the score's own units."""
        return self.moved * self.grid.step / (self.hides.epsilon if isinstance(self.hides, Pure) else self.hides.mu)

    @property
    def grid(self) -> Grid:
        """On which scores are compared."""
        return grid_for(self.sensitivity)

    @property
    def slack(self) -> Slack:
        """Against the noise of the theorems; whole-number Laplace noise has none."""
        return slack_of_scores(self.hides, self.moved)

    @property
    def moved(self) -> int:
        """Steps of the grid that one record can move a score by."""
        return steps_moved(self.sensitivity, self.grid)

    def draw(self, bits: Bits) -> int:
        """In whole steps of the public grid."""
        if isinstance(self.hides, Pure):
            return int(discrete_laplace(math.ceil(self.moved / Fraction(self.hides.epsilon)), 1, bits)[0])
        return int(discrete_gaussian(up(self.moved / self.hides.mu, FORMULA), 1, bits)[0])


@dataclass(frozen=True, slots=True)
class StopPlan:
    """All about the runs that is settled before a record is seen."""

    stop: Stop
    noise: ScoreNoise | None
    """None if runs are compared on public rows."""
    event: Event


def best_of(
    plan: StopPlan, run: Callable[[], tuple[Model, float | Private[Vector]]], entry: Entry, bits: Bits
) -> Model | None:
    """The model of the run that scored best; None if there was no run.  The others, and their number, are forgotten.

    Equal scores keep the first, which among runs drawn alike is as good as a draw.
    """
    check_paid(entry, plan.event)
    best: tuple[float, Model] | None = None
    for _ in range(run_law(plan.stop).draw(bits)):
        model, score = run()
        shown = score if isinstance(score, float) else _noisy(score, plan, entry, bits)
        if best is None or shown > best[0]:
            best = shown, model
    return None if best is None else best[1]


@lru_cache(maxsize=32)
def run_law(stop: Stop) -> RunLaw:
    """The law of the number of runs as it is drawn: every probability rounded down, what is left over given to the
    smallest number."""
    ends: list[int] = []
    reached = 0
    with localcontext() as context:
        context.prec = DIGITS
        for chance in _chances(stop):
            reached += int(chance * UNIT)
            ends.append(reached)
            if UNIT - reached <= LEFT_OUT:
                break
            if len(ends) >= LONGEST:
                raise InvalidInput("stop: could go on for too long, choose one with a smaller mean")
    fewest = 0 if isinstance(stop, PoissonStop) else 1
    return RunLaw(fewest, tuple(ends), (UNIT - reached) / UNIT + ROUNDING)


def _chances(stop: Stop) -> Iterator[Decimal]:
    """The probabilities of 0, 1, 2, … runs (Poisson) or of 1, 2, 3, … (the others)."""
    if isinstance(stop, PoissonStop):
        mean = Decimal(stop.mean)
        chance, runs = (-mean).exp(), 0
        while True:
            yield chance
            runs += 1
            chance *= mean / runs
    eta, gamma = Decimal(stop.eta), Decimal(stop.gamma)
    if 0 < abs(stop.eta) < SMALLEST_ETA:
        raise InvalidInput(f"stop: eta={shown(stop.eta)} is too close to zero, use 0")
    chance = (1 - gamma) * (eta / (gamma**-eta - 1) if eta else -1 / gamma.ln())
    runs = 1
    while True:
        yield chance
        chance *= (1 - gamma) * (runs + eta) / (runs + 1)
        runs += 1


def _noisy(score: Private[Vector], plan: StopPlan, entry: Entry, bits: Bits) -> float:
    """The score in whole steps, plus noise; never without."""
    if plan.noise is None:
        raise LedgerFailure("runs: a score of private rows needs noise and none was planned, nothing was released")
    return compare(score, plan.noise, plan.event, entry, bits)
