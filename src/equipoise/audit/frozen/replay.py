"""OPENS PRIVATE VALUES, for synthetic data only: one fit on two neighbouring data sets, with the same noise.

The first run is recorded: every random word, what passed the gate, and what came out.  The second is given the same
words and the same outputs, so all that may differ is what the noise was to hide.  Then both must have done the same
things in the same order with the same public numbers, and the values before noise may be no further apart than was
stated and paid for.  Of objective perturbation, the tilt is moved so that both data sets have one minimiser.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from equipoise._docs import documented
from equipoise.audit.bounds.pairs import refuse_strangers
from equipoise.audit.frozen.crossings import TOLERANCE, Crossing, Passing, debit_of, distance_and_cost, law_of
from equipoise.audit.frozen.recorder import Diverged, Recorder
from equipoise.audit.frozen.taps import tapped
from equipoise.audit.witness import AlwaysRaised, Raised, parted, watching, witnessed
from equipoise.errors import InvalidInput
from equipoise.theory.events import Event, GaussianRelease, leaves
from equipoise.theory.noise import Law

Data = TypeVar("Data")


@documented(record=True)
@dataclass(frozen=True, slots=True)
class Replay:
    """What two runs on neighbours showed."""

    crossings: tuple[Crossing, ...]
    problems: tuple[str, ...]
    """Where the runs did not do the same: each is a leak by itself."""
    ratio: float
    """The largest share of a stated distance, or of a debit, that was used."""
    words: int
    """Random words drawn outside the gate's laws: splits, shuffles, deals, seeds."""

    @property
    def holds(self) -> bool:
        """Equal control flow, and nothing further apart than stated."""
        return not self.problems and self.ratio <= 1 + TOLERANCE

    @property
    def worst(self) -> Crossing:
        """The trip with the largest share."""
        return max(self.crossings, key=lambda crossing: crossing.share)

    @property
    def distance(self) -> float:
        """How far apart the un-noised values of the worst trip were."""
        return self.worst.distance

    @property
    def stated(self) -> float:
        """How far apart they were stated to be at most."""
        return self.worst.stated

    def __str__(self) -> str:
        lines = [f"replay: {'holds' if self.holds else 'FAILS'}, {self.ratio:.4g} of what was stated"]
        lines += [f"  {problem}" for problem in self.problems]
        lines += [
            f"  {each.kind} ({each.law.value if each.law else each.kind}) {each.shape}:"
            f" apart {each.distance:.4g} of {each.stated:.4g}"
            for each in sorted(self.crossings, key=lambda crossing: -crossing.share)[:5]
        ]
        return "\n".join(lines)


@documented(returns="Replay: What the two runs showed.")
def replay(fit: Callable[[Data], object], left: Data, right: Data, *, neighbours: bool = True) -> Replay:
    """Run `fit(left)`, then `fit(right)` with the noise frozen, and compare.

    What `fit` returns is dropped: models made here are not private.  Raising on one of them, or warning otherwise, is a
    problem; raising alike on both is `AlwaysRaised`, an `InvalidInput`.  `neighbours=False` leaves it to the caller
    that the data sets differ in one record.
    """
    if neighbours:
        refuse_strangers(left, right)
    recorder = Recorder()
    functions, methods = recorder.taps()
    with tapped(functions, methods), watching():
        first = witnessed(lambda: fit(left))
        recorder.rewind()
        second = witnessed(lambda: fit(right))
    if isinstance(first, Raised) and first == second:
        raise AlwaysRaised(f"fit: raised {first.exception} on both tables, call it once by hand")
    if problem := _told_apart(first, second):
        recorder.note(problem)
    if not recorder.first and not recorder.problems:
        raise InvalidInput("fit: nothing passed the gate, replay works on equipoise's own estimators")
    recorder.finish()
    crossings, total = _compared(list(zip(recorder.first, recorder.second, strict=False)))
    share = max((each.share for each in crossings), default=0.0)
    return Replay(crossings, tuple(recorder.problems), max(total, share), recorder.outer_words)


def _told_apart(first: Any, second: Any) -> str:
    """What a caller saw of one run and not of the other; where the second left the first's path is noted already."""
    if not (isinstance(second, Raised) and second.exception == Diverged.__name__):
        return parted(first, second)
    return parted(first, None) if isinstance(first, Raised) else ""


def _compared(pairs: list[tuple[Passing, Passing]]) -> tuple[tuple[Crossing, ...], float]:
    """The crossings, and the largest share of one entry's debit that all its crossings used together."""
    gaps = [distance_and_cost(here, there) for here, there in pairs]
    allowed = [_allowance(place, [here for here, _ in pairs]) for place in range(len(pairs))]
    crossings = []
    for (here, _), (distance, cost), most in zip(pairs, gaps, allowed, strict=True):
        share = _share(distance, here.stated) if math.isfinite(here.stated) else _share(cost, most)
        stated = here.stated if math.isfinite(here.stated) else _scaled(here, most)
        crossings.append(Crossing(here.kind, law_of(here), np.shape(here.value), distance, cost, stated, share))
    passings, costs = [here for here, _ in pairs], [cost for _, cost in gaps]
    return tuple(crossings), max(_largest_total(passings, costs), _largest_rest(passings, costs))


def _allowance(place: int, passings: list[Passing]) -> float:
    """What one trip may cost: the entry's ε, or its μ shared among its trips."""
    here = passings[place]
    debit = None if here.entry is None else debit_of(here.entry.event)
    if debit is None:
        return math.nan
    if law_of(here) is not Law.GAUSSIAN:
        return debit.pure
    trips = [each for each in passings if each.entry is here.entry and law_of(each) is Law.GAUSSIAN]
    event = None if here.entry is None else _steps_paid(here.entry.event)
    if event is not None:
        return event.mu * math.sqrt(_steps_of(here, trips, event.steps))
    return debit.gaussian / math.sqrt(len(trips))


def _steps_paid(event: Event) -> GaussianRelease | None:
    """The steps that an entry paid for, if it names any: alone, or beside a choice that comes first."""
    found = [part for part in leaves(event) if isinstance(part, GaussianRelease)]
    return found[0] if len(found) == 1 else None


def _steps_of(here: Passing, trips: list[Passing], steps: int) -> float:
    """How many of the steps that were paid a trip may stand for: all alike, unless some of another shape, a middle or
    an anchor, come on top; then those of the usual shape stand for one each, and each other for what is left, which
    they share (`_largest_rest`)."""
    usual, many = _usual(trips)
    if len(trips) == many or steps <= many:
        return steps / len(trips)
    return 1.0 if np.shape(here.value) == usual else steps - many


def _usual(trips: list[Passing]) -> tuple[tuple[int, ...], int]:
    """The commonest shape, and how many have it."""
    return Counter(np.shape(each.value) for each in trips).most_common(1)[0]


def _largest_rest(passings: list[Passing], costs: list[float]) -> float:
    """Of what is paid beyond the trips of the usual shape, the largest share that the others of an entry use together:
    what each of them costs is not told, and they may not borrow from steps."""
    worst = 0.0
    for entry in {id(each.entry): each.entry for each in passings if each.entry is not None}.values():
        event = _steps_paid(entry.event)
        mine = [each for each in zip(passings, costs, strict=True) if each[0].entry is entry]
        mine = [each for each in mine if law_of(each[0]) is Law.GAUSSIAN]
        if not mine or event is None:
            continue
        usual, many = _usual([trip for trip, _ in mine])
        spent = math.sqrt(math.fsum(cost * cost for trip, cost in mine if np.shape(trip.value) != usual))
        if event.steps > many:
            worst = max(worst, _share(spent, event.mu * math.sqrt(event.steps - many)))
    return worst


def _largest_total(passings: list[Passing], costs: list[float]) -> float:
    entries = {id(each.entry): each.entry for each in passings if each.entry is not None}
    worst = 0.0
    for entry in entries.values():
        debit = debit_of(entry.event)
        if debit is None:
            continue
        mine = [(law_of(each), cost) for each, cost in zip(passings, costs, strict=True) if each.entry is entry]
        pure = math.fsum(cost for law, cost in mine if law is not Law.GAUSSIAN)
        gaussian = math.sqrt(math.fsum(cost * cost for law, cost in mine if law is Law.GAUSSIAN))
        worst = max(worst, debit.share(pure, gaussian))
    return worst


def _share(part: float, whole: float) -> float:
    if part == 0 or math.isnan(whole):
        return 0.0
    return part / whole if whole > 0 else math.inf


def _scaled(passing: Passing, most: float) -> float:
    """The distance that a cost stands for, where noise was added."""
    return most * float(passing.public[2]) if passing.kind == "noise" else math.nan


def passed(replayed: Replay) -> tuple[tuple[Any, ...], ...]:
    """Kinds, laws and shapes in their order: what a test pins."""
    return tuple((each.kind, each.law, each.shape) for each in replayed.crossings)
