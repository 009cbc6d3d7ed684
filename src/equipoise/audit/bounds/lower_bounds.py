"""A lower bound on ε of any randomised release, from samples: what an honest attacker can prove.

The event is learnt on some of the draws, picked on others and tested on the rest, so the bound stays valid at the
stated confidence whatever was tried before (Clopper, Pearson 1934; Jagielski, Ullman, Oprea 2020).  It is valid for
independent draws of the release; it says nothing about other neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from equipoise._checks import fraction, not_negative, one_of, shown, whole
from equipoise._docs import documented
from equipoise.audit.bounds.events import Event, Score, all_events, count_events, learnt_scores, not_outdone
from equipoise.audit.bounds.intervals import share_of
from equipoise.audit.bounds.methods import Finding, by_gaussian, by_hockey_stick, by_renyi, by_threshold
from equipoise.audit.bounds.outputs import Draws, Outputs, described, silent
from equipoise.audit.bounds.pairs import refuse_strangers
from equipoise.audit.bounds.sampling import Progress, draw_both
from equipoise.audit.witness import Raised, bare, warned
from equipoise.errors import InvalidInput

Data = TypeVar("Data")
Pair = tuple[Outputs, Outputs]
Parts = tuple[Pair, Pair, Pair]

METHODS = ("best", "threshold", "hockey-stick", "renyi", "gaussian")
LEARN, PICK = 0.1, 0.25
"""Shares of the draws that scores are learnt and events picked with; the rest is tested."""

FEWEST = 20
"""Draws to learn an event from at all."""

PICK_GIVEN = 0.1
"""The share when the event is given: only its direction is to be picked."""

GAUSSIAN_CLAIM = "refutes claims of Gaussian privacy only: (epsilon, delta) follows from mu if the release is mu-GDP"


RIGID = "takes every draw for a fresh one, but none differed from the others on its side: a fixed seed, or a cache?"


@documented(record=True)
@dataclass(frozen=True, slots=True)
class LowerBound:
    """The release is not (ε, δ)-private for any ε below `epsilon`, except with probability 1 − confidence."""

    epsilon: float
    delta: float
    confidence: float
    samples: int
    method: str = "threshold"
    event: str = ""
    left_rate: float = math.nan
    right_rate: float = math.nan
    left_raised: int = 0
    right_raised: int = 0
    left_warned: int = 0
    right_warned: int = 0
    mu: float | None = None
    order: float | None = None
    divergence: float | None = None
    assumes: str = ""

    def __str__(self) -> str:
        lines = [
            f"epsilon >= {self.epsilon:.4g} at delta={self.delta:g}, confidence {self.confidence:g}, "
            f"{self.samples} draws from each data set, method {self.method}",
            f"  event: {self.event}; left {self.left_rate:.4g}, right {self.right_rate:.4g}",
        ]
        if self.left_raised or self.right_raised:
            lines.append(f"  raised an exception: {self.left_raised} draws on left, {self.right_raised} on right")
        if self.left_warned or self.right_warned:
            lines.append(f"  gave warnings: {self.left_warned} draws on left, {self.right_warned} on right")
        return "\n".join([*lines, f"  {self.assumes}"] if self.assumes else lines)


@documented(returns="LowerBound: What was proved, and by which event.")
def lower_bound(
    release: Callable[..., Any],
    left: Data,
    right: Data,
    *,
    delta: float = 0.0,
    samples: int = 2000,
    confidence: float = 0.99,
    method: str = "best",
    event: Callable[[Any], bool] | None = None,
    claim: float | None = None,
    batch: bool = False,
    neighbours: bool = True,
    jobs: int = 1,
    backend: str = "threads",
    progress: Progress | None = None,
) -> LowerBound:
    """Draw `samples` releases from each of two neighbouring data sets and bound ε from below at this δ.

    `release(data)` gives one output: numbers, text, or lists and mappings of them; raising and warning are outputs
    too.  With `batch=True`, `release(data, count)` gives `count` independent outputs at once.  `event(output)` is
    looked at instead of learnt events.  `claim` is the ε to be refuted: too few draws for that are refused first.
    `method="best"` picks one of threshold, hockey-stick and (at δ = 0) renyi on draws that are not tested; "gaussian"
    must be asked for, since its ε refutes Gaussian claims only.  `progress(done, total)` is called now and then.
    """
    share_of(confidence=confidence)
    _refuse_method(method, fraction(delta=delta))
    _refuse_few(whole(samples=samples), 0.0 if claim is None else claim, delta, confidence, event is not None)
    if neighbours:
        refuse_strangers(left, right)
    draws = draw_both(
        release, left, right, samples, batch=batch, jobs=jobs, backend=backend, progress=progress
    )  # fmt: skip
    if event is None:
        parts = _split(described(*draws), LEARN, PICK)
        scores = learnt_scores(*parts[0])
    else:
        parts, scores = _split(_looked_at(draws, event), 0.0, PICK_GIVEN), [GIVEN]
    finding, chosen = _find(parts, scores, method, delta, 1 - confidence)
    return _report(finding, chosen, parts[2], draws, delta, confidence, samples)


@documented(returns="int: Draws from each data set.")
def samples_needed(epsilon: float, delta: float = 0.0, confidence: float = 0.99) -> int:
    """The fewest draws from each data set with which `lower_bound` refutes ε if every draw tells the two apart.

    A release that only just breaks its claim needs many more: about 15/(q·s²) of them to see an excess of s in ε
    through an event with probability q on the rarer side.
    """
    share_of(confidence=confidence)
    tested = _tested_needed(epsilon, delta, confidence)
    return max(FEWEST, math.ceil((tested + 1) / (1 - LEARN - PICK)))


def _tested_needed(epsilon: float, delta: float, confidence: float) -> int:
    """All hits on one side and none on the other: (r − δ)/(1 − r) > e^ε, where r is the n-th root of half the risk."""
    rare = math.exp(-not_negative(epsilon=epsilon))
    log_root = math.log1p(-rare * (1 - fraction(delta=delta)) / (1 + rare))
    return math.floor(math.log((1 - confidence) / 2) / log_root) + 1 if log_root < 0 else 2**62


def _refuse_method(method: str, delta: float) -> None:
    one_of(METHODS, method=method)
    if method == "renyi" and delta > 0:
        raise InvalidInput(f'delta={shown(delta)}: method="renyi" refutes pure privacy only, use method="hockey-stick"')
    if method == "gaussian" and delta == 0:
        raise InvalidInput('delta=0: no Gaussian release is private without it, give delta > 0 with method="gaussian"')


def _refuse_few(samples: int, claim: float, delta: float, confidence: float, given: bool) -> None:
    tested = samples - int(PICK_GIVEN * samples) if given else samples - int(LEARN * samples) - int(PICK * samples)
    if samples < FEWEST or tested < _tested_needed(claim, delta, confidence):
        needed = samples_needed(claim, delta, confidence)
        raise InvalidInput(f"samples={samples}: too few to refute epsilon={claim:g}, draw at least {needed}")


def _split(both: Pair, learn: float, pick: float) -> Parts:
    first, second = int(learn * len(both[0])), int(learn * len(both[0])) + int(pick * len(both[0]))
    cuts = ((0, first), (first, second), (second, len(both[0])))
    a, b, c = ((both[0].part(*cut), both[1].part(*cut)) for cut in cuts)
    return a, b, c


GIVEN = Score("given event", lambda outputs: outputs.numbers[:, 0])


def _looked_at(draws: tuple[Draws, Draws], event: Callable[[Any], bool]) -> Pair:
    """1 where the caller's event happened; it is not shown draws that raised."""
    found = [[float(not isinstance(draw, Raised) and bool(event(bare(draw)))) for draw in side] for side in draws]
    left, right = (Outputs(silent(len(side)), np.array(side)[:, None], silent(len(side))) for side in found)
    return left, right


def _find(parts: Parts, scores: list[Score], method: str, delta: float, risk: float) -> tuple[Finding, Event | None]:
    """Pick the method and the event on the second part, bound ε on the third."""
    events = all_events(scores, *parts[1])
    if not events:  # every score was the same for all draws
        return Finding(method if method != "best" else "threshold", 0.0), None
    events = [events[place] for place in not_outdone(count_events(events, *parts[1]))]
    chosen, tested = count_events(events, *parts[1]), count_events(events, *parts[2])

    def run(name: str, rehearsal: bool) -> Finding:
        counts = chosen if rehearsal else tested
        if name == "renyi":
            place = by_threshold(chosen, counts, 0.0, risk).place or 0
            return by_renyi(events[place], parts[1], parts[1] if rehearsal else parts[2], risk, place)
        by = {"threshold": by_threshold, "hockey-stick": by_hockey_stick, "gaussian": by_gaussian}[name]
        return by(chosen, counts, delta, risk)

    if method == "best":
        options = ["threshold", "hockey-stick", *(["renyi"] if delta == 0 else [])]
        method = max(options, key=lambda name: run(name, rehearsal=True).epsilon)
    finding = run(method, rehearsal=False)
    return finding, None if finding.place is None else events[finding.place]


def _rigid(outputs: Outputs) -> bool:
    """Whether all draws were the same."""
    return bool((outputs.kinds == outputs.kinds[0]).all() and (outputs.numbers == outputs.numbers[0]).all())


def _report(
    finding: Finding,
    event: Event | None,
    tested: Pair,
    draws: tuple[Draws, Draws],
    delta: float,
    confidence: float,
    samples: int,
) -> LowerBound:
    rates = [math.nan, math.nan]
    if event is not None:
        scores = [event.score.of(part) for part in tested]
        rates = [float(np.mean((part >= event.threshold) == event.above)) for part in scores]
    raised = [sum(isinstance(draw, Raised) for draw in side) if isinstance(side, list) else 0 for side in draws]
    heard = [sum(bool(warned(draw)) for draw in side) if isinstance(side, list) else 0 for side in draws]
    return LowerBound(
        epsilon=finding.epsilon,
        delta=delta,
        confidence=confidence,
        samples=samples,
        method=finding.method,
        event="none told the two apart" if event is None else str(event),
        left_rate=rates[0],
        right_rate=rates[1],
        left_raised=raised[0],
        right_raised=raised[1],
        left_warned=heard[0],
        right_warned=heard[1],
        mu=finding.mu,
        order=finding.order,
        divergence=finding.divergence,
        assumes=GAUSSIAN_CLAIM if finding.method == "gaussian" else RIGID if all(map(_rigid, tested)) else "",
    )
