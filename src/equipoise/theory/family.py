"""The family of problems that "auto" plans for: what a table of this shape may be like, and what a plan makes of it.

Nothing here touches privacy.  Nobody knows a table before looking, so a plan is judged on many quadratic problems at
once: rows that vary in a few directions or in all, that fill their bound or hardly, signals weak and strong, in the
directions that vary most or in others.  Each is solved exactly.  A plan's figure is the geometric mean, over the
family, of its excess risk, counted from a floor; so no single guess about a table decides, and more ε or more rows
only lower it.  docs/decisions/0021-a-family-of-problems.md says how the members were picked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt

from equipoise.theory.aiming import LONGEST
from equipoise.theory.felt import Felt, felt
from equipoise.theory.losses import Loss, is_regression
from equipoise.theory.normal_scores import USUAL
from equipoise.theory.plan import Facts
from equipoise.theory.schedule import Metric, Schedule

Array = npt.NDArray[np.float64]

DECAYS = (0.7, 1.5, 3.0)
"""The mean square of a row along direction j, of d, is proportional to j to minus one of these."""

FILLED = (0.6, 0.15)
"""The mean square of a row around its middle, over that of the longest allowed."""

HARDLY = (*FILLED, 0.03)
"""The same of rows that come as they are: bounds are often several times too wide, and nobody may look.  With several
classes planning for such rows costs the others more than it brings (docs/decisions/0080)."""

SEEN = (0.95, 0.7)
"""The same of rows that are seen from their middle, and shortened where they lie too far from it: most do."""

LEANINGS = (1.3, 0.5)
"""A direction's part of the best scores' variance is proportional to its mean square to this power."""

CLASS_SIZES = ((0.7, 0.5, 0.0), (1.5, 1.5, 0.0), (3.0, 1.5, 0.0))
NUMBER_SIZES = ((0.3, 0.3, 0.1), (0.2, 0.3, 0.25), (0.07, 0.2, 0.1))
"""Spread of the best scores, their distance from zero on average, and the spread of numbers around them."""

FLOOR = 0.02
"""Of the risk of the best constant: excess below it hardly counts."""

TIED, TIED_WHEN_DEAR, DEAR = 1.02, 1.1, 10**7
"""Figures within this factor are as good as equal: a family of guesses tells no finer, and what n rows leave open by
chance is rarely less.  Where a pass goes over more numbers than the last, a little more time has to buy more."""

MUCH_QUICKER, WORTH_A_WAIT = 8, 0.01
"""There, a plan with so many times as many passes has to save this part of what the best constant costs."""

BINS = 24


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """(members, directions) arrays, one direction standing for `count`; coefficients in units of one over B."""

    count: Array
    share: Array
    """Mean square of a row along the direction, over B²."""
    signal: Array
    """Squared best coefficient."""
    bend: Array
    """(members, 1): mean curvature of the loss that is minimised."""
    held: Array
    """(members, 1): what is left of a slope where a walk begins."""
    spread: Array
    """(members, 1): mean square of a record's slope around the best scores."""
    null: Array
    """(members,): what the best constant costs, in the task's own risk."""
    bias: Array
    """(members,): squared error of every score that nothing mends."""
    weight: Array
    """What an error in a direction counts.  This and what follows is made of the others once, since a plan asks for
    hundreds of figures."""
    bend_squared: Array
    total: Array
    """(members,): what the scores vary by, which the best constant misses."""

    def figure(self, missed: Array, variance: Array, rows: float, anchored: float | None = None) -> float:
        """The plan's figure: `missed` is the part of each best coefficient that is not reached, `variance` the noise's;
        the sampling error of what is reached comes on top.  Where the mean residual is released as well, `anchored` is
        the error of that: the constant is reached then, and no middle is off."""
        bias = self.bias
        if anchored is not None:
            missed, variance, bias = missed.copy(), variance.copy(), np.zeros_like(bias)
            missed[:, 0], variance[:, 0] = 0.0, anchored**2 / self.share[:, 0]
        sampled = (1 - missed) ** 2 * self.spread / (rows * self.bend_squared * self.share)
        each = self.weight * (missed**2 * self.signal + variance + sampled)
        ratio = (np.add.reduce(each, axis=1) + bias) / self.total
        logs = np.log(self.null * (np.minimum(ratio, 1e12) + FLOOR))
        return float(np.exp(np.add.reduce(logs) / len(logs)))

    def norms(self, reached: Array, variance: Array) -> Array:
        """(members,): length of the coefficients whose squares are `reached` where so much noise is added, times B."""
        return np.asarray(np.sqrt(np.add.reduce(self.count * (reached + variance), axis=1)), dtype=float)


def family_of(facts: Facts) -> Family:
    """The family for these facts, in units of B; the scores of several classes are as many copies of one."""
    constant = facts.bounds.intercept / facts.bounds.norm
    encoding = facts.bounds.encoding
    shut = 0 if encoding is None else encoding.width - encoding.expected  # what will hardly open is no direction
    return _family(facts.loss, facts.features - shut, constant, _filled(facts))  # type: ignore[arg-type]  # losses are frozen


def may_hardly_fill(facts: Facts) -> bool:
    """Whether rows are planned for that use little of their bound.  A basis, a lift and a middle set theirs."""
    bounds = facts.bounds
    as_they_are = bounds.view is None and bounds.encoding is None and bounds.lift is None
    return as_they_are and facts.loss.outputs == 1


def _filled(facts: Facts) -> tuple[float, ...]:
    if facts.bounds.view is not None:
        return SEEN
    return HARDLY if may_hardly_fill(facts) else FILLED


@lru_cache(maxsize=64)
def _family(loss: Loss, features: int, constant: float, fillings: tuple[float, ...]) -> Family:
    slopes = max(1, features - 1) if constant > 0 else features
    edges = np.unique(np.geomspace(1, slopes + 1, BINS + 1).astype(np.int64))
    count = np.diff(edges).astype(np.float64)
    middle = np.sqrt(edges[:-1] * (edges[1:] - 1.0))
    sizes = NUMBER_SIZES if is_regression(loss) else CLASS_SIZES
    rows = [
        _member(loss, size, count, middle**-decay, (1 - constant**2) * filled, leaning, constant)
        for decay, filled, leaning, size in product(DECAYS, fillings, LEANINGS, sizes)
    ]
    shares, signals, known = zip(*rows, strict=True)
    count, share, signal = np.append(1.0, count), np.array(shares), np.array(signals)
    bend = np.array([[one.bend] for one in known])
    constants = share[:, 0] * signal[:, 0]  # their part of the scores' mean square, which the best constant has as well
    return Family(
        count=count,
        share=share,
        signal=signal,
        bend=bend,
        held=np.array([[one.held] for one in known]),
        spread=np.array([[one.spread] for one in known]),
        null=np.array([one.null for one in known]),
        bias=np.array([one.bias for one in known]),
        weight=count * share,
        bend_squared=bend**2,
        total=np.sum(count * share * signal, axis=1) - constants,
    )


def _member(
    loss: Loss,
    size: tuple[float, float, float],
    count: Array,
    falls: Array,
    filled: float,
    leaning: float,
    constant: float,
) -> tuple[Array, Array, Felt]:
    spread, off, noise = size
    known = felt(loss, spread, off, noise)  # type: ignore[arg-type]  # losses are frozen
    share = filled * falls / np.sum(count * falls)
    part = share**leaning / np.sum(count * share**leaning)
    signal = (known.stretch * spread) ** 2 * part / share
    middle = (known.stretch * off) ** 2 / constant**2 if constant > 0 else 0.0
    return np.append(max(constant**2, 1e-300), share), np.append(middle, signal), known


def of_best_constant(facts: Facts) -> float:
    """What the best constant costs, in the units of a figure."""
    return float(np.exp(np.mean(np.log(family_of(facts).null))))


def tied(facts: Facts) -> float:
    """The factor within which figures are as good as equal; the plan with the fewest passes is taken then."""
    return TIED if facts.n * facts.dim <= DEAR else TIED_WHEN_DEAR


def not_worth_the_wait(facts: Facts) -> float:
    """By how much a figure may be larger if the records are gone over much less often."""
    return WORTH_A_WAIT * of_best_constant(facts) if facts.n * facts.dim > DEAR else 0.0


def of_output(facts: Facts, noise: float) -> float:
    """Output perturbation with noise of this size in every coordinate."""
    family, alpha = family_of(facts), facts.penalty.strong_convexity / facts.bounds.norm**2
    missed = alpha / (family.bend * family.share + alpha)
    return family.figure(missed, np.full_like(missed, (noise * facts.bounds.norm) ** 2), facts.n)


def of_objective(facts: Facts, tilt: float, noise: float) -> float:
    """Objective perturbation, the mean objective tilted by this much per coordinate, and noise on its minimiser."""
    family, norm = family_of(facts), facts.bounds.norm
    alpha = facts.penalty.strong_convexity / norm**2
    height = family.bend * family.share + alpha
    return family.figure(alpha / height, (tilt / norm / height) ** 2 + (noise * norm) ** 2, facts.n)


def of_gradients(
    facts: Facts,
    schedule: Schedule,
    noise_at: tuple[Array, Array],
    anchored: float | None = None,
    metric: Metric | None = None,
) -> float:
    """Noisy gradient descent; `noise_at` says at which norms how much noise makes one step 1-GDP, `anchored` the error
    of the mean residual, where that is released, and `metric` what steps are measured in, where they are."""
    family, norm = family_of(facts), facts.bounds.norm
    alpha = facts.penalty.strong_convexity / norm**2
    bent = family.bend * family.held * family.share
    height = bent + alpha
    longer = 1.0 if metric is None else _lengthened(facts.loss, family) / (family.share + metric.floor)
    left, echo = _answers(height * longer * (schedule.step_size * norm**2), schedule)
    missed = 1 - bent / height * (1 - left)
    reached = (1 - missed) ** 2 * family.signal
    variance = np.zeros_like(missed)
    for _ in range(2):  # noise lengthens the coefficients, and longer ones may need more noise
        noise = np.interp(family.norms(reached, variance) / norm, *noise_at)[:, None] / schedule.mu
        variance = (noise * longer * schedule.step_size * norm) ** 2 * echo
    return family.figure(missed, variance, facts.n, anchored)


def _lengthened(loss: Loss, family: Family) -> Array:
    """How much longer than planned steps are, where a loss of classes bends less than usual."""
    if is_regression(loss):
        return np.ones_like(family.bend)
    usual = felt(loss, USUAL, 0.0, 0.0).bend  # type: ignore[arg-type]  # losses are frozen
    return np.clip(usual / family.bend, 1.0, LONGEST)


def of_moments(facts: Facts, gain: Callable[[Array], Array], noise: Callable[[Array], Array]) -> float:
    """Least squares from noisy moments: `gain` is what a direction of some curvature is multiplied by, `noise` that of
    the right-hand side at coefficients of some squared norm."""
    family, norm = family_of(facts), facts.bounds.norm
    height = family.bend * family.share * norm**2
    gained = gain(height + facts.penalty.strong_convexity)
    squared_norm = np.sum(family.count * family.signal, axis=1, keepdims=True) / norm**2
    return family.figure(1 - height * gained, (gained * noise(squared_norm) * norm) ** 2, facts.n)


def of_constant(facts: Facts, error: float) -> float:
    """One score for everybody, with an error of this size in it."""
    family = family_of(facts)
    missed = np.ones_like(family.share)
    variance = np.zeros_like(missed)
    missed[:, 0] = 0.0
    variance[:, 0] = error**2 / family.share[:, 0]
    return family.figure(missed, variance, facts.n)


_STEEPNESS = np.geomspace(1e-9, 4.0, 221)
"""Curvature times step size."""
_LOGS = np.log(_STEEPNESS)


def _answers(steepness: Array, schedule: Schedule) -> tuple[Array, Array]:
    """What is left of the starting distance in the average released, and the sum of the squared weights that the
    steps' noises have in it."""
    left, log_echo = _walk(schedule.steps, schedule.momentum, schedule.first)
    place = np.log(np.minimum(np.maximum(steepness, _STEEPNESS[0]), _STEEPNESS[-1]))
    return np.interp(place, _LOGS, left), np.exp(np.interp(place, _LOGS, log_echo))


@lru_cache(maxsize=512)
def _walk(steps: int, momentum: float, first: int) -> tuple[Array, Array]:
    """For every steepness, the sum by its logarithm.  An unstable direction grows until it is cut off."""
    decay = 1 - _STEEPNESS
    away, speed = np.ones_like(decay), np.zeros_like(decay)
    push, push_speed = np.ones_like(decay), np.ones_like(decay)
    left, sums = np.zeros_like(decay), [np.zeros_like(decay)]
    for step in range(steps):
        moved = decay * away + momentum * speed
        speed, away = moved - away, np.clip(moved, -1e6, 1e6)
        left += away if step >= first else 0.0
        sums.append(sums[-1] + push)
        moved = decay * push + momentum * push_speed
        push_speed, push = moved - push, np.clip(moved, -1e6, 1e6)
    drawn, known = np.arange(steps), np.array(sums)
    weights = (known[steps - drawn] - known[np.maximum(first - drawn, 0)]) / (steps - first)
    return left / (steps - first), np.log(np.sum(weights**2, axis=0))
