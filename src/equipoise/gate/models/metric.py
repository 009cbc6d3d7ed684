"""The metric of noisy gradients: second moments of rows, with noise, in which every step that follows is measured.

Guarantee.  A Gaussian release of √k times the privacy of a step, k a square number: the price of k steps.
Assumes.    Rows within a public norm B, the constant column included.
Adjacency.  Replace-one, rows: a mean needs their number.
Numerics.   A sum over the records, as in docs/proofs/sufficient_statistics.md.
Reference.  docs/proofs/noisy_gradients.md, section 5.

Without it a walk to where rows hardly vary takes hundreds of steps, each a pass over the records.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.errors import MechanismRefused
from equipoise.gate import laws
from equipoise.gate.door import add_noise
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records
from equipoise.inside.tables.moments import row_moments
from equipoise.ledger import Entry
from equipoise.theory import family, metric, triangles
from equipoise.theory.accounting.prices import gaussian_steps
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import is_regression
from equipoise.theory.losses.links import OF_MANY, OF_TWO
from equipoise.theory.losses.traits import Link
from equipoise.theory.metric import Moments
from equipoise.theory.noise import Noise
from equipoise.theory.plan import Facts, GradientPlan
from equipoise.theory.schedule import Metric, Schedule

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Walks:
    """What may be walked in a metric."""

    steps: tuple[int, ...]
    """How many: each is a pass over the records."""
    paces: tuple[float, ...]
    """How long they are, over the longest without a metric."""
    memory: float
    """The part of the points, the last ones, that is averaged."""
    floors: tuple[float, ...]
    """Over the least that noise allows."""
    highest: float
    """Of a floor, over B²: beyond it noise decides what is learnt, and many short steps are the better walk."""


FLOORS, HIGHEST = (1.0, 4.0, 16.0, 64.0), 0.01

OF_TWO_CLASSES = Walks((16, 24, 32), (0.5, 0.75), 0.5, FLOORS, HIGHEST)
"""Fewer steps look like enough on normal problems, and are not where a class is rare and signals are strong."""

OF_SEVERAL = Walks((24, 32), (0.75,), 0.5, FLOORS[1:], 0.05)
"""Every class has noise of its own where rows hardly vary, which a low floor lets in; a higher one is still no worse
than a long walk (docs/decisions/0076)."""

OF_NUMBERS = Walks((24, 32), (0.75, 1.0), 0.75, FLOORS, HIGHEST)
"""Their loss bends alike everywhere, so that the first few steps get there and all others may count.  Sixteen are too
few for what lies below the floor."""

PRICES = (1, 4, 9)
"""In steps.  Squares: the privacy of the metric is then a whole multiple of a step's, without rounding."""

MOST_COLUMNS = 400
"""Noise is in half the square of so many numbers, and a metric of more is of no use on tables that fit a machine."""

MOST_SLOTS = 600
"""The same of encoded rows, whose moments are made faster."""

SPARED = 32
"""Steps: whoever needs no more has no use for a metric."""

WAITED_FOR = 1_000_000
"""Numbers of a table from which on hundreds of passes over them are waited for.  Of very many a solver needs fewer
passes than a walk."""

LIGHTER = 1 / 32
"""A ridge beside what it is without a metric."""

STRETCHED = 2.0
"""No number of the moments is larger."""

MOST_CLASSES = 16
"""Means over so many scores are still known from a few hundred points."""


def serves(facts: Facts) -> bool:
    """Whether the proof covers these facts, and passes over the records take long enough to spare some."""
    bounds = facts.bounds
    as_they_are = bounds.view is None and facts.partners is None
    free = math.isinf(bounds.coef_norm) and facts.penalty.bend == 0 and facts.penalty.centre is None
    return as_they_are and _counted(facts) and free and _known(facts) and _middle(facts)


def _counted(facts: Facts) -> bool:
    """Whether each record is one row of a known number of them: means are then sums over that number."""
    return facts.adjacency is Adjacency.REPLACE_ONE and facts.person_rows is None


def _known(facts: Facts) -> bool:
    """Whether it is known how long steps should be: of one column of numbers; of classes in rows as they are."""
    link = facts.loss.traits.link
    numbers = link is Link.IDENTITY and facts.bounds.lift is None
    few = link in OF_TWO or (link in OF_MANY and facts.loss.outputs < MOST_CLASSES)
    return numbers or (few and facts.bounds.encoding is None)


def _middle(facts: Facts) -> bool:
    """Whether the table is of a size at which steps are waited for; of encoded rows nothing but the table's own cells
    is read, and no solver stands beside."""
    encoding = facts.bounds.encoding
    if encoding is None:
        return facts.features <= MOST_COLUMNS and WAITED_FOR <= facts.n * facts.dim <= family.DEAR
    cells = facts.n * len(encoding.basis.columns)
    return encoding.told is not None and facts.features <= MOST_SLOTS and cells >= WAITED_FOR


def tried(
    facts: Facts, budget: Budget, longest: float, noise_at: tuple[Array, Array]
) -> Iterator[tuple[float, Schedule, Metric]]:
    """The best of so many steps, none longer than this, with its figure; none where a metric does not serve."""
    walks = _walks(facts)
    for steps in walks.steps if serves(facts) else ():
        found = _best(steps, walks, facts, budget, longest, noise_at)
        if found[2].floor <= walks.highest:
            yield found


def _walks(facts: Facts) -> Walks:
    if is_regression(facts.loss):
        return OF_NUMBERS
    return OF_TWO_CLASSES if facts.loss.outputs == 1 else OF_SEVERAL


def _best(
    steps: int, walks: Walks, facts: Facts, budget: Budget, longest: float, noise_at: tuple[Array, Array]
) -> tuple[float, Schedule, Metric]:
    """The best pace, then the best price, then the best floor: they hardly depend on each other."""

    def made(price: int, factor: float, pace: float) -> tuple[float, Schedule, Metric]:
        mu = gaussian_steps(budget.epsilon, budget.delta, most_numbers(facts), steps + price).mu
        noise = noise_of(facts, Metric(price, 0.0), mu).rms
        floor = factor * metric.LEAST_FLOOR * metric.edge(noise, facts.features)
        schedule = Schedule(steps, pace * longest, 0.0, facts.ball, mu, walks.memory)
        measure = Metric(price, floor)
        return family.of_gradients(facts, schedule, noise_at, metric=measure), schedule, measure

    def best(*offered: tuple[int, float, float]) -> tuple[int, float, float]:
        return min(offered, key=lambda each: made(*each)[0])

    at = best(*((price, walks.floors[0], pace) for price in PRICES for pace in walks.paces))
    return made(*best(*((at[0], factor, at[2]) for factor in walks.floors)))


def most_numbers(facts: Facts) -> int:
    """That are ever released at once: moments, or a gradient."""
    return max(facts.dim, triangles.numbers(facts.features))


def noise_of(facts: Facts, first: Metric, mu: float) -> Noise:
    """Of the moments over B², where a step is this private."""
    own = math.isqrt(first.steps) * mu
    moved = metric.moved(facts)
    return laws.gaussian_of(laws.spanning(moved.l2, own, 2 * STRETCHED), triangles.numbers(facts.features), own)


def stated(facts: Facts, first: Metric, mu: float) -> Metric:
    """With the numbers that its own promise rests on, where a step is this private."""
    return replace(first, moved=metric.moved(facts).l2, scale=noise_of(facts, first, mu).scale)


def words(first: Metric) -> str:
    """For the plan and the card."""
    price = f"{first.steps} step{'s' if first.steps > 1 else ''}"
    return f"steps are measured in the second moments of the rows, which are released first, at the price of {price}"


def release(records: Private[Records], plan: GradientPlan, first: Metric, entry: Entry, bits: Bits) -> Moments:
    """Noisy moments, cleaned."""
    facts = plan.facts
    if not _counted(facts):  # no plan asks for it: records would have weights, which the moments here leave out
        raise MechanismRefused("metric: its moments are those of a known number of rows, use steps without one")
    noise = noise_of(facts, first, plan.schedule.mu)
    by = triangles.stretch(facts.features) / facts.n / facts.bounds.norm**2
    sums = row_moments(records, by, facts.evened_to)
    found = add_noise(sums, noise, plan.event, entry, bits)
    return Moments.of(triangles.matrix(found, facts.features), noise.rms, first.floor)
