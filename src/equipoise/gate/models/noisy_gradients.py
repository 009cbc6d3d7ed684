"""Noisy gradients: full-batch descent on gradients that are released one by one.

Guarantee.  (ε, δ)-DP, δ > 0: T adaptive Gaussian releases of equal privacy μ/√T compose exactly to μ-GDP.
Assumes.    A smooth loss, Lipschitz within the ball of iterates.
Adjacency.  Replace-one, or add-remove with a public nominal size.
Numerics.   Each step's noise is set from the gradient diameter *at the current, already released iterate*.
Reference.  docs/proofs/noisy_gradients.md; Dong, Roth, Su 2022 (composition); Bassily et al. 2014 (descent).

Every iterate is public, so momentum, averaging, projecting, the choice of steps, and how far the bends of an additive
model are open (`theory/additive/opening.py`) cost nothing; no certificate is needed.  Where a Huber loss stands in for
the squared one, the mean residual may come last (`anchor.py`); the middle of the rows may come first (`middle.py`), or
their second moments, in which steps are measured then (`metric.py`).  `short_constant.py` is for several classes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from equipoise.errors import MechanismRefused
from equipoise.gate import laws
from equipoise.gate.door import add_noise
from equipoise.gate.models import anchor, metric, middle, short_constant, strides
from equipoise.gate.models.mechanism import Mechanism, Needs
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records, evened_gradient, weighed
from equipoise.ledger import Entry
from equipoise.outside.released import Released
from equipoise.theory import family, sensitivity
from equipoise.theory.accounting.prices import gaussian_steps
from equipoise.theory.additive.opening import Opening
from equipoise.theory.aiming import Walker
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import is_regression
from equipoise.theory.mechanisms import NOISY_GRADIENT
from equipoise.theory.metric import Straight
from equipoise.theory.noise import Noise
from equipoise.theory.plan import Facts, GradientPlan
from equipoise.theory.projection import project
from equipoise.theory.pushes import on_flat_ground
from equipoise.theory.rounding import LONG_SUM, up
from equipoise.theory.scanning import best_of
from equipoise.theory.schedule import Anchor, Metric, Middle, Schedule

Vector = npt.NDArray[np.float64]

NAME = NOISY_GRADIENT.name

STEPS = (8, 12, 16, 24, 32, 48, 64, 128, 256)
"""How many may be taken: each is a pass over the records."""

NORMS = np.array([0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0])
"""Of coefficients, times the row norm, at which predicted noise is worked out."""


def plan(facts: Facts, budget: Budget) -> GradientPlan:
    """Settle steps, step size and noise from public facts: the fewest steps whose predicted risk is as good as any."""
    if not facts.loss.smooth:
        raise MechanismRefused(f'mechanism="noisy-gradient": the {facts.loss.name} loss has a kink, use "output"')
    if budget.delta == 0:
        raise MechanismRefused('mechanism="noisy-gradient": needs delta > 0, use "output" or "objective" for delta=0')
    noise_at = _noise_by_norm(facts)
    tried = [_best_with(steps, facts, budget, noise_at) for steps in STEPS if affordable(steps, facts, budget)]
    if not tried:
        raise MechanismRefused("middle: costs too much for so few records at this epsilon")
    shortest = _shortest(tried, facts)
    if shortest.passes > metric.SPARED:
        least = min(figure for figure, _ in tried)
        shortest = _shortest(tried + _in_metric(facts, budget, noise_at, least), facts)
    return shortest


def _shortest(tried: list[tuple[float, GradientPlan]], facts: Facts) -> GradientPlan:
    """Of plans that are as good as any, the one that goes over the records least often."""
    enough = family.tied(facts) * min(figure for figure, _ in tried)
    return min((made for figure, made in tried if figure <= enough), key=lambda made: made.passes)


def _best_with(steps: int, facts: Facts, budget: Budget, noise_at: tuple[Vector, Vector]) -> tuple[float, GradientPlan]:
    """The best length of so many steps, and its figure."""
    first = None if facts.bounds.view is None else middle.offer(facts, budget, steps)
    priced = steps + (first.steps if first else 0)
    lengths, event = strides.lengths(facts, steps), gaussian_steps(budget.epsilon, budget.delta, facts.dim, priced)

    def made(place: int) -> tuple[float, Schedule]:
        schedule = strides.schedule(facts, steps, lengths[place], event.mu)
        return family.of_gradients(facts, schedule, noise_at), schedule

    figure, schedule = best_of(len(lengths), made, lambda pair: pair[0], stride=4)
    return figure, _made(facts, budget, schedule, None, first)


def _in_metric(
    facts: Facts, budget: Budget, noise_at: tuple[Vector, Vector], least: float
) -> list[tuple[float, GradientPlan]]:
    """Steps that are measured in second moments, where that serves.  Those of numbers in rows as they are spare a long
    walk and are to be worth no more than it beside others: a minimiser that was as good is quicker than either."""
    instead = least if _plain_numbers(facts) else 0.0
    found = metric.tried(facts, budget, strides.longest_step(facts), noise_at)
    return [
        (figure, _made(facts, budget, schedule, None, None, replace(first, instead=instead)))
        for figure, schedule, first in found
    ]


def _plain_numbers(facts: Facts) -> bool:
    """Rows as they are, beside which other mechanisms stand."""
    return is_regression(facts.loss) and facts.bounds.encoding is None


def affordable(steps: int, facts: Facts, budget: Budget) -> bool:
    """Whether so many steps leave enough for the middle that rows are to be seen from, where there is to be one."""
    return facts.bounds.view is None or middle.offer(facts, budget, steps) is not None


def _made(
    facts: Facts,
    budget: Budget,
    schedule: Schedule,
    last: Anchor | None,
    first: Middle | None = None,
    measure: Metric | None = None,
) -> GradientPlan:
    """With or without a middle, a metric and an anchor: they and the steps share one budget, step for step."""
    beside = sum(each.steps for each in (last, first, measure) if each is not None)
    numbers = facts.dim if measure is None else metric.most_numbers(facts)
    event = gaussian_steps(budget.epsilon, budget.delta, numbers, schedule.steps + beside)
    schedule = replace(schedule, mu=event.mu)
    moved = sensitivity.of_mean_gradient(facts, facts.penalty.centre_norm)
    return GradientPlan(
        mechanism=NAME,
        theorem="noisy gradients, Gaussian composition",
        facts=facts,
        budget=budget,
        event=event,
        sensitivity=moved,
        schedule=schedule,
        noise=laws.gaussian_of(moved.l2, facts.dim, schedule.mu),
        norm=facts.ball,
        anchor=last,
        middle=None if first is None else middle.stated(facts, first, event.mu),
        metric=None if measure is None else metric.stated(facts, measure, event.mu),
        notes=(
            *(() if first is None else (middle.words(facts, first),)),
            *(() if measure is None else (metric.words(measure),)),
        ),
    )


def as_stated(facts: Facts, budget: Budget, known: Mapping[str, float]) -> GradientPlan:
    """The walk that the constants of a guarantee tell of, however its steps were come by."""
    last = next((each for each in anchor.offers(facts) if each.constants().items() <= known.items()), None)
    return _made(facts, budget, Schedule.of_constants(known), last, None, Metric.of_constants(known))


def predict_risk(plan: GradientPlan) -> float:
    """Excess risk over the family of problems, with the noise that steps have at coefficients of each norm."""
    noise_at, measure = _noise_by_norm(plan.facts), plan.metric
    figure = family.of_gradients(plan.facts, plan.schedule, noise_at, anchor.error(plan), measure)
    return figure if measure is None else max(figure, measure.instead)


def finished(plan: GradientPlan, premium: float) -> GradientPlan:
    """What "auto" adds last: a shorter constant column for several classes, an anchor for numbers."""
    return with_anchor(with_short_constant(plan), premium)


def with_short_constant(plan: GradientPlan) -> GradientPlan:
    """The same walk over rows that end with less, where that serves: each step has less noise."""
    if not short_constant.serves(plan, light_ridge(plan.facts)):
        return plan
    facts, schedule = short_constant.shortened(plan.facts), plan.schedule
    if plan.metric is not None:  # in which steps are in units of the rows
        schedule = schedule.in_units(plan.facts.bounds.norm, facts.bounds.norm)
    made = _made(facts, plan.budget, schedule, None, None, plan.metric)
    return replace(made, notes=(*plan.notes, short_constant.WORDS))


def rescaled(plan: GradientPlan, facts: Facts, budget: Budget) -> GradientPlan:
    """The same walk over rows in other units."""
    schedule = plan.schedule.in_units(plan.facts.bounds.norm, facts.bounds.norm)
    return _made(facts, budget, schedule, plan.anchor, plan.middle, plan.metric)


def ending_in(plan: GradientPlan, last: Anchor) -> GradientPlan:
    """The same walk with this anchor."""
    made = _made(plan.facts, plan.budget, plan.schedule, last, plan.middle, plan.metric)
    return replace(made, notes=(*plan.notes, anchor.words(last)))


def with_anchor(plan: GradientPlan, premium: float) -> GradientPlan:
    """The plan with the best anchor, where that serves and costs at most the premium in predicted risk."""
    made = [ending_in(plan, last) for last in anchor.offers(plan.facts)]
    tried = [(predict_risk(each), each) for each in made]
    risk, best = min(tried, key=lambda pair: pair[0], default=(math.inf, plan))
    return best if risk <= predict_risk(plan) + premium else plan


def _noise_by_norm(facts: Facts) -> tuple[Vector, Vector]:
    """Norms of coefficients, and how much noise makes a step at each of them 1-GDP."""
    norms = np.minimum(NORMS / facts.bounds.norm, facts.ball)
    return norms, np.array([sensitivity.of_mean_gradient(facts, float(norm)).l2 for norm in norms])


def release(records: Private[Records], plan: GradientPlan, entry: Entry, bits: Bits) -> Released:
    """Walk the schedule; every gradient passes the door."""
    facts, schedule = plan.facts, plan.schedule
    records, view = weighed(records, facts), None
    if plan.middle is not None:
        view, records = middle.release(records, plan, plan.middle, entry, bits)
    walker = None if plan.metric is None else _walker(records, plan, plan.metric, entry, bits)
    point = np.zeros(facts.dim) if facts.penalty.centre is None else np.asarray(facts.penalty.centre, dtype=float)
    late, speed = np.zeros(facts.dim), np.zeros(facts.dim)
    inverse = walker.inverse if isinstance(walker, Straight) else None
    lengths = schedule.momentum, schedule.step_size
    opening = Opening.of(facts.bounds, facts.loss.outputs, facts.features, *lengths, inverse)
    walked = point
    sizes = np.zeros(schedule.steps)
    for step in range(schedule.steps):
        noise = _noise_at(plan, point)
        sizes[step] = noise.rms
        gradient = _noisy_gradient(records, plan, point, noise, entry, bits) + facts.penalty.gradient(point)
        if walker is None:
            ahead = walked - schedule.step_size * gradient + schedule.momentum * speed
        else:
            ahead = walker.next(walked, gradient, noise.rms)
        moved = project(ahead, schedule.ball)
        walked, speed = moved, moved - walked
        point = opening.opened(walked, sizes[: step + 1])
        if step >= schedule.first:
            late += point
    with np.errstate(all="ignore"):  # at extreme units: paid for by now, so this may neither fail nor warn
        flat = float(np.sum((sizes * on_flat_ground(schedule)) ** 2))
        value = late / (schedule.steps - schedule.first)
        variances = np.full(facts.dim, flat) if walker is None else walker.spread(value, flat)
    if plan.anchor is not None:
        value, variances = anchor.set_intercept(records, plan, plan.anchor, value, variances, entry, bits)
    found = project(value, schedule.ball)
    return Released(found, plan.event, plan.guarantee(bits.seeded), covariance=variances, view=view)


def _walker(
    records: Private[Records], plan: GradientPlan, first: Metric, entry: Entry, bits: Bits
) -> Walker | Straight:
    """Who takes steps in the moments that are released now."""
    bounds, moments = plan.facts.bounds, metric.release(records, plan, first, entry, bits)
    if is_regression(plan.facts.loss):
        return Straight(moments, plan.schedule.step_size)
    return Walker(plan.facts.loss, moments, bounds.norm, bounds.intercept, plan.schedule.step_size)


def _noise_at(plan: GradientPlan, point: Vector) -> Noise:
    """Fit for a released point: longer coefficients may need more."""
    facts, schedule = plan.facts, plan.schedule
    norm = up(float(np.linalg.norm(point)), LONG_SUM)
    moved = sensitivity.of_mean_gradient(facts, norm)
    longest = 2 * facts.total * facts.bounds.norm * facts.loss.facts(facts.bounds.norm * norm).slope
    moved_on_grid = laws.spanning(moved.l2, schedule.mu, longest)
    return laws.gaussian_of(moved_on_grid, facts.dim, schedule.mu)


def _noisy_gradient(
    records: Private[Records], plan: GradientPlan, point: Vector, noise: Noise, entry: Entry, bits: Bits
) -> Vector:
    """The mean gradient at a released point."""
    return add_noise(evened_gradient(records, plan.facts, point), noise, plan.event, entry, bits)


def light_ridge(facts: Facts) -> float:
    """α where nobody chose one: stopping early shrinks already, so next to nothing beside what rows bend, in whatever
    units; for rows of norm one it is what a ridge of one beside them gave.  Steps that are measured in a metric go
    further, so there it is a part of that, unless the walk that they spare is what counts."""
    bend = strides.bend(facts) + facts.bounds.reach**2
    part = metric.LIGHTER if metric.serves(facts) and not _plain_numbers(facts) else 1.0
    return part * 0.1 * (1 - strides.MOST_MOMENTUM) * bend / (max(STEPS) * facts.loss.traits.usual.longest_step)


MECHANISM = Mechanism(
    about=NOISY_GRADIENT,
    needs=Needs(delta=True, potential=False),
    plan=plan,
    release=release,
    predict_risk=predict_risk,
    ridges=lambda facts: [light_ridge(facts)],
    finish=finished,
    rescaled=rescaled,
    opens=True,
    evens=True,
)
