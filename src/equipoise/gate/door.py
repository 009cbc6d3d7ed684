"""The door: the one place where a private value is opened, and never without noise.

Read this file to audit what leaves.  It has a few verbs: add noise, keep what is frequent, choose, vote, flip, sample,
settle, tilt, and two for what carries its noise already or is only compared.  Every one of them is shown the open
ledger entry and the event it is to have paid for, checks that first, and only then opens the value.  Nothing else in
the library opens one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from equipoise.errors import LedgerFailure
from equipoise.gate import laws
from equipoise.gate.noise import Bits, Grid, discrete_laplace
from equipoise.gate.noise.choice import Coins, permute_and_flip, weighted_choice
from equipoise.gate.noise.coin import MeanCoin
from equipoise.gate.noise.weights import draw_by_weights, whole_weights
from equipoise.inside import Private, Records, Solution, minimise
from equipoise.ledger import Entry
from equipoise.theory.accounting.covering import covers, covers_choice
from equipoise.theory.accounting.room import longest
from equipoise.theory.events import BoundedRangeRelease, Event, GaussianRelease, PureRelease
from equipoise.theory.noise import Noise
from equipoise.theory.plan import TiltedPlan
from equipoise.theory.prediction.shards import Consensus
from equipoise.theory.simplex.draws import Draws

Vector = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Labels = npt.NDArray[np.intp]
T = TypeVar("T")
Name = tuple[str, str]
N = TypeVar("N", Vector, Counts)


class ScoreLaw(Protocol):
    """Noise for a score that is compared and forgotten, in whole steps of a public grid."""

    @property
    def grid(self) -> Grid: ...

    def draw(self, bits: Bits) -> int: ...


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Answers to the first queries of a batch, in order."""

    labels: Labels
    contested: bool
    """Whether the last of them was, and drawn for that reason."""


def check_paid(entry: Entry, event: Event) -> None:
    """The open entry must have paid for this very event."""
    if not entry.open or not covers(entry.event, event):
        raise LedgerFailure("release: the ledger entry is closed or was made for something else, nothing was released")


def check_choice_paid(entry: Entry, event: Event) -> None:
    """The open entry must have paid for a choice at least as dear, as a part of it or the whole."""
    if not entry.open or not covers_choice(entry.event, event):
        raise LedgerFailure("choice: the ledger entry is closed or was made for something else, nothing was chosen")


def answers_paid(entry: Entry) -> int:
    """How many answers the entry was bought for; what is opened must be exactly as many."""
    event = entry.event
    if entry.open and isinstance(event, PureRelease | BoundedRangeRelease | GaussianRelease):
        return event.steps
    raise LedgerFailure("release: the ledger entry is closed or was made for something else, nothing was released")


def add_noise(
    value: Private[Vector],
    noise: Noise,
    event: Event,
    entry: Entry,
    bits: Bits,
    draw: Callable[[Noise, Bits], Counts] = laws.draw,
) -> Vector:
    """The value, rounded to the grid, plus noise of the planned law.  `draw` may be another sampler of that law."""
    check_paid(entry, event)
    grid, steps = Grid(noise.step), draw(noise, bits)
    return grid.restore(steps + grid.quantise(_as_many(value.reveal(), noise.dim)))


def keep_frequent(
    counts: Private[dict[Name, int]], noise: Noise, least: float, event: Event, entry: Entry, bits: Bits
) -> dict[Name, float]:
    """Of the things that were counted, those whose count, with noise of its own, reaches `least`, and that count.

    What nobody has is not counted, so which things there are is private: they are taken in the order of their names,
    and how many do not reach the line is not told.
    """
    check_paid(entry, event)
    held = sorted(counts.reveal().items())
    if not held:
        return {}
    grid, steps = Grid(noise.step), laws.draw(replace(noise, dim=len(held)), bits)
    noisy = grid.restore(steps + grid.quantise(np.array([float(count) for _, count in held])))
    return {name: float(count) for (name, _), count in zip(held, noisy, strict=True) if count >= least}


def choose(
    scores: Private[Vector],
    coins: Callable[[Vector], Coins],
    event: Event,
    entry: Entry,
    bits: Bits,
    pick: Callable[[Coins, Bits], int] = permute_and_flip,
) -> int:
    """The place of one score, by coins that a public rule makes of them."""
    check_choice_paid(entry, event)
    return pick(coins(scores.reveal()), bits)


def vote(scores: Private[Counts], rate: Fraction, event: Event, entry: Entry, bits: Bits) -> Labels:
    """For each row a column with probability ∝ exp(rate·score), exactly."""
    check_paid(entry, event)
    return weighted_choice(_as_many(scores.reveal(), answers_paid(entry)), rate, bits)


def flip(totals: Private[Counts], coin: MeanCoin, event: Event, entry: Entry, bits: Bits) -> Counts:
    """One coin for each total, exactly as likely as the rule says."""
    check_paid(entry, event)
    return coin.flip(_as_many(totals.reveal(), answers_paid(entry)), bits)


def sample(logs: Private[Vector], draws: Draws, event: Event, entry: Entry, bits: Bits) -> Labels:
    """Places drawn with probability ∝ exp(log), a little of the uniform law mixed in; sorted: only counts matter."""
    check_paid(entry, event)
    return draw_by_weights(whole_weights(logs.reveal()), draws.count, bits)


def draw_line(rule: Consensus, event: Event, entry: Entry, bits: Bits) -> Private[int]:
    """The hidden line of a round of consensus: its one draw of noise, kept until the round is over."""
    check_paid(entry, event)
    return Private(rule.line + int(discrete_laplace(rule.line_scale, 1, bits)[0]))


def settle(
    counts: Private[Counts], left: int, line: Private[int], rule: Consensus, event: Event, entry: Entry, bits: Bits
) -> Settled:
    """The first `left` queries, as the voters say, up to one whose noisy distance to another winner is below the line.

    That one is drawn by a soft vote, and ends the round.
    """
    check_paid(entry, event)
    votes = counts.reveal()[:left]
    noise = discrete_laplace(rule.query_scale, len(votes), bits)
    contested = np.flatnonzero(distances(votes) * rule.unit + noise < line.reveal())
    if contested.size == 0:
        return Settled(np.argmax(votes, axis=1), contested=False)
    last = int(contested[0])
    drawn = weighted_choice(votes[last : last + 1], rule.vote / 2, bits)
    return Settled(np.append(np.argmax(votes[:last], axis=1), drawn), contested=True)


def distances(votes: Counts) -> Counts:
    """How many voters must change before another class can win: ⌈lead/2⌉ − 1, and 0 where there is no lead."""
    ranked = np.sort(votes, axis=1)
    lead: Counts = ranked[:, -1] - ranked[:, -2]
    return np.maximum(0, (lead - 1) // 2)


def draw_tilt(noise: Noise, event: Event, entry: Entry, bits: Bits) -> Private[Vector]:
    """Noise that goes into a private computation; it never leaves by itself.  A draw that hardly ever occurs is
    shortened to what the solver's radius was planned for."""
    check_paid(entry, event)
    return Private(laws.clamped(Grid(noise.step).restore(laws.draw(noise, bits)), longest(noise)))


def tilt(records: Private[Records], noise: Noise, plan: TiltedPlan, entry: Entry, bits: Bits) -> Private[Solution]:
    """The minimiser of the objective tilted by noise: private still, for the solver's residue is in it."""
    return solve_tilted(records, draw_tilt(noise, plan.event, entry, bits).reveal() / plan.facts.n, plan)


def solve_tilted(records: Private[Records], pushed: Vector, plan: TiltedPlan) -> Private[Solution]:
    """With this tilt, to the planned radius."""
    facts = plan.facts
    return minimise(records, facts.loss, facts.penalty, facts.n, plan.radius, facts.ball, pushed, facts.evened_to)


def compare(score: Private[Vector], law: ScoreLaw, event: Event, entry: Entry, bits: Bits) -> float:
    """A score in whole steps plus noise, for comparing runs of which only the best will leave."""
    check_paid(entry, event)
    (steps,) = law.grid.quantise(score.reveal())
    return float(int(steps) + law.draw(bits))


def hand_over(value: Private[T], event: Event, entry: Entry) -> T:
    """What carries its own noise: a stranger's model, let out as it is at the price its author states."""
    check_paid(entry, event)
    return value.reveal()


def _as_many(opened: N, paid: int) -> N:
    """How many numbers there are is public: as many as were asked for."""
    if len(opened) != paid:
        raise LedgerFailure("release: the ledger entry was made for something else, nothing was released")
    return opened
