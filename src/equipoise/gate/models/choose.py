"""Which mechanism, with which ridge: the smallest predicted risk, from public facts alone."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from equipoise._checks import LARGEST, SMALLEST, shown
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.gate import laws
from equipoise.gate.models import (
    constant,
    functional_mechanism,
    momentum,
    noisy_gradients,
    objective_perturbation,
    output_as_printed,
    output_perturbation,
    projected_histogram,
    stable_sgd,
    sufficient_statistics,
)
from equipoise.gate.models import middle as middle_of
from equipoise.gate.models.mechanism import AnyMechanism
from equipoise.theory import evening, family, risk
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.expected import expect
from equipoise.theory.extremes import of_use
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Loss, is_regression, needs_ball
from equipoise.theory.plan import Facts, GradientPlan, Plan, StatisticsPlan
from equipoise.theory.scanning import best_of

RIDGES = np.geomspace(1e-6, 30.0, 49)
"""Candidates for α, in units of the reference problem's curvature."""
ENOUGH = 1000.0
"""Records times ε from which on a ball that nobody gave is larger than the usual one."""

SOLVER_PASSES = 16
"""Over the records, of a certified minimiser, about: Newton steps, and the products that check them."""

ROW = 8
"""Numbers that are drawn in the time of two products with a row of a hundred entries, as wide sparse tables have."""

CLEARLY, HARDLY = 0.8, 0.5
"""A constant is taken where its predicted risk is below this part of all others', for numbers and for classes: slopes
tell people apart, even a little, and a constant does not.  Short slopes make wrong numbers, but not wrong classes."""


PREMIUM = 0.01
"""What a gentler loss of numbers has to save, as a part of what the best constant costs: it leaves labels that pile up
or have a tail off their mean, which no family of problems knows of a table.  Below that, the steeper loss is taken."""


MECHANISMS: dict[str, AnyMechanism] = {
    file.MECHANISM.name: file.MECHANISM
    for file in (
        output_perturbation,
        objective_perturbation,
        noisy_gradients,
        sufficient_statistics,
        constant,
        functional_mechanism,
        projected_histogram,
        output_as_printed,
        stable_sgd,
        momentum,
    )
}
"""In the order in which "auto" prefers them where they are equally good."""


@lru_cache(maxsize=128)  # pure: a search or a service plans the same fit again and again
@np.errstate(all="ignore")  # a caller's own setting must not make an error of what a prediction rounds to zero
def choose(
    facts: Facts,
    budget: Budget,
    mechanism: str,
    alpha: float | None,
    *,
    loss_is_given: bool = False,
    middle: bool = False,
) -> Plan:
    """The plan for these facts.  `mechanism="auto"` and `alpha=None` leave the choice to the predicted risk; "auto" may
    also minimise a gentler loss, unless the caller chose this one, and see rows from a `middle`, where it may.  A
    mechanism by name has loss and rows as they are."""
    if mechanism != "auto" and mechanism not in MECHANISMS:
        raise InvalidInput(f"mechanism={shown(mechanism)}: must be one of auto, {', '.join(MECHANISMS)}")
    if mechanism != "auto" and MECHANISMS[mechanism].needs.ridge and facts.penalty.bend > 0:
        raise MechanismRefused(f'mechanism={shown(mechanism)}: covers a ridge alone, not this penalty, use "output"')
    if mechanism != "auto" and MECHANISMS[mechanism].needs.potential and not facts.loss.traits.potential:
        raise MechanismRefused(f"mechanism={shown(mechanism)}: needs a minimum, and {facts.loss.name} has none")
    if mechanism != "auto" and mechanism not in _applicable(facts, budget):
        refused: Plan = MECHANISMS[mechanism].plan(facts, budget)  # which refuses, by name
        return refused
    if mechanism != "auto":
        return _with_prospect(*_best_of(mechanism, facts, [budget], alpha))
    losses = (facts.loss,) if loss_is_given else (facts.loss, *facts.loss.gentler())
    found: list[tuple[float, Plan]] = []
    for given in (replace(facts, loss=loss) for loss in losses):
        found += _considered(given, budget, alpha, free=len(losses) > 1, middle=middle)
    plain = is_regression(facts.loss) and facts.bounds.lift is None  # behind a lift the premium was measured, and lost
    return _chosen(_of_each(_steepest(found) if plain else found), facts, budget)


def _considered(
    facts: Facts, budget: Budget, alpha: float | None, *, free: bool, middle: bool
) -> list[tuple[float, Plan]]:
    """What "auto" makes of one loss, by each mechanism; where the loss is `free` to vary, others do without squares.
    Moments drown in their noise where rows hardly vary beside their length: the ε with which they look best would cost
    most of what less had learnt (docs/decisions/0077).

    Where rows can be seen from a middle, rows as they are would need about twice the noise: a constant apart, nothing
    else is considered then.
    """
    budgets = [budget] if budget.delta == 0 else [budget, replace(budget, delta=0.0)]
    able = {name for each in budgets for name in _applicable(facts, each)}
    names = [name for name in MECHANISMS if name in able and MECHANISMS[name].in_auto]
    names = [name for name in names if not (free and _rests_on_squares(facts, MECHANISMS[name]))]
    if not middle or not _sees_middle(facts, budget):
        return [_best_of(name, facts, budgets, alpha) for name in names]
    alone = [_best_of(name, facts, budgets, alpha) for name in names if name == constant.NAME]
    if noisy_gradients.NAME not in names:
        return alone
    return [_best_of(noisy_gradients.NAME, middle_of.seen(facts), [budget], alpha), *alone]


def _sees_middle(facts: Facts, budget: Budget) -> bool:
    """Whether noisy gradients can have, and pay for, a middle from which rows are seen."""
    steps = noisy_gradients.STEPS if middle_of.serves(facts, budget) else ()
    return any(noisy_gradients.affordable(each, middle_of.seen(facts), budget) for each in steps)


def _steepest(found: list[tuple[float, Plan]]) -> list[tuple[float, Plan]]:
    """Plans whose loss goes on as a straight line latest, of those within the premium of the best; and the constant."""
    slopes = [pair for pair in found if pair[1].mechanism != constant.NAME]
    if not slopes:
        return found
    least, best = min(slopes, key=lambda pair: pair[0])
    enough = least + PREMIUM * family.of_best_constant(best.facts)
    kept = [pair for pair in slopes if pair[0] <= enough]
    latest = max(steepest(plan.facts.loss) for _, plan in kept)
    others = [pair for pair in found if pair[1].mechanism == constant.NAME]
    return [*(pair for pair in kept if steepest(pair[1].facts.loss) == latest), *others]


def steepest(loss: Loss) -> float:
    """The largest slope of a loss, of any label and score."""
    return loss.facts(math.inf).slope


def _of_each(found: list[tuple[float, Plan]]) -> dict[str, tuple[float, Plan]]:
    """The best plan of each mechanism."""
    best: dict[str, tuple[float, Plan]] = {}
    for pair in found:
        name = pair[1].mechanism
        best[name] = min(best.get(name, pair), pair, key=lambda each: each[0])
    return best


def _with_prospect(figure: float, plan: Plan) -> Plan:
    """The plan, with what to expect of it."""
    spent, slopes = plan.budget, plan.mechanism != constant.NAME
    return replace(plan, expected=expect(plan.facts, figure, spent.epsilon, spent.delta, slopes=slopes))


def _chosen(found: dict[str, tuple[float, Plan]], facts: Facts, budget: Budget) -> Plan:
    """The best of the mechanisms' best, with a word on each."""
    ranked = sorted(found.values(), key=lambda pair: pair[0])
    slopes = [pair for pair in ranked if pair[1].mechanism != constant.NAME]
    part = CLEARLY if is_regression(facts.loss) else HARDLY
    best = _finished(*_quickest(slopes if slopes and slopes[0][0] * part < ranked[0][0] else ranked))
    others = ", ".join(f"{plan.mechanism} {value:.3g}" for value, plan in ranked)
    notes = list(best.notes)
    if best.mechanism == constant.NAME:
        notes.append("no slope is learnt: nothing better than a constant is expected of so few records at this epsilon")
    elif ranked[0][1].mechanism == constant.NAME:
        notes.append("hardly better than a constant is expected of so few records at this epsilon")
    if best.facts.loss not in (facts.loss, facts.loss.stand_in()):
        slope = steepest(best.facts.loss)
        notes.append(f"the {best.facts.loss.name} loss, slopes up to {slope:.4g}, stands in: it needs less noise")
    if best.budget != budget:
        best = replace(best, budget=budget)
        notes.append("pure noise is smaller here: this holds with delta=0")
    return replace(best, notes=(*notes, f"mechanism chosen by predicted excess risk: {others}"))


def _finished(figure: float, plan: Plan) -> Plan:
    """With the last step that its mechanism may add, and with what to expect."""
    option = MECHANISMS[plan.mechanism]
    if option.finish is None:
        return _with_prospect(figure, plan)
    plan = option.finish(plan, PREMIUM * family.of_best_constant(plan.facts))
    return _with_prospect(option.predict_risk(plan), plan)


def _quickest(ranked: list[tuple[float, Plan]]) -> tuple[float, Plan]:
    """Of those that are as good as the first, the one with the least to do.  Of classes, whose figures no last step
    mends, also one that is a little worse if the first would take many times as long."""
    least, first = ranked[0]
    spared = 0.0 if is_regression(first.facts.loss) else family.not_worth_the_wait(first.facts)

    def as_good(figure: float, plan: Plan) -> bool:
        quick = work(plan) * family.MUCH_QUICKER <= work(first)
        return figure <= family.tied(plan.facts) * least or (quick and figure <= least + spared)

    return min((pair for pair in ranked if as_good(*pair)), key=lambda pair: work(pair[1]))


def work(plan: Plan) -> int:
    """How often the records are gone over; in very wide tables, where drawing takes as long, how many numbers are drawn
    and how many could be while the records are gone over."""
    facts = plan.facts
    if isinstance(plan, GradientPlan) and plan.metric is not None:
        return SOLVER_PASSES + passes(plan)  # about as quick as a solver, but that one proves where it ends
    if facts.dim < laws.MANY:
        return passes(plan)
    return ROW * passes(plan) * facts.n + draws(plan) * facts.dim


def draws(plan: Plan) -> int:
    """How often noise is drawn for every number; once or twice makes no difference beside a solve."""
    return plan.schedule.steps if isinstance(plan, GradientPlan) else 2


def passes(plan: Plan) -> int:
    """How often the records are gone over, about."""
    if isinstance(plan, GradientPlan):
        return plan.passes
    return 1 if isinstance(plan, StatisticsPlan) else SOLVER_PASSES


def _applicable(facts: Facts, budget: Budget) -> list[str]:
    encoding = facts.bounds.encoding
    shut = encoding is not None and encoding.told is not None
    able = [name for name, option in MECHANISMS.items() if option.opens or name == constant.NAME or not shut]
    return [name for name in able if MECHANISMS[name].needs.met_by_facts(facts, budget)]


def _best_of(name: str, facts: Facts, budgets: list[Budget], alpha: float | None) -> tuple[float, Plan]:
    """The best plan of one mechanism; pure noise is tried too when δ > 0, as in few dimensions it is smaller."""
    option = MECHANISMS[name]
    facts, notes = _with_ball(facts, option, budgets[0].epsilon)
    usable = [budget for budget in budgets if option.needs.met_by_facts(facts, budget)]
    ridges = RIDGES * risk.usual_bend(facts) if option.ridges is None else option.ridges(facts)
    ridges = np.clip(ridges, SMALLEST**2, LARGEST**2).tolist()  # at extreme units: as far as a ridge may go
    tried = [alpha] if alpha is not None else ridges or [facts.penalty.strong_convexity]
    found, best = best_of(
        len(tried), lambda place: _try(option, facts, usable, tried[place]), lambda pair: pair[0], stride=8
    )
    if alpha is None and ridges:
        notes = (*notes, f"alpha={best.facts.penalty.strong_convexity:.4g} chosen by predicted excess risk")
    return found, replace(best, notes=(*best.notes, *notes))


def _try(option: AnyMechanism, facts: Facts, budgets: list[Budget], alpha: float) -> tuple[float, Plan]:
    """The plan with this ridge and the least predicted risk, and that risk."""
    evened = option.evens and evening.is_free(facts.loss)
    given = replace(facts, penalty=facts.penalty.of_strength(float(alpha)), evened=evened)
    plans: list[Plan] = [option.plan(given, budget) for budget in budgets]
    risks = [option.predict_risk(plan) for plan in plans]
    best = int(np.argmin(risks))
    return risks[best], plans[best]


def _rests_on_squares(facts: Facts, option: AnyMechanism) -> bool:
    """Whether it serves squares alone, or slopes without a bound: a ball or a heavy ridge has to hold those."""
    learns = option.name != constant.NAME
    return option.needs.quadratic or _lacks_ball(facts, option) or (learns and _unbounded(facts))


def _lacks_ball(facts: Facts, option: AnyMechanism) -> bool:
    """Whether it needs a ball for such a loss."""
    wanted = option.needs.ball or (facts.adjacency is Adjacency.ADD_REMOVE and not option.needs.quadratic)
    return wanted and _unbounded(facts)


def _unbounded(facts: Facts) -> bool:
    """Whether the loss's slope has no bound without a ball, and nobody gave one."""
    return needs_ball(facts.loss) and math.isinf(facts.bounds.coef_norm)


def _with_ball(facts: Facts, option: AnyMechanism, epsilon: float) -> tuple[Facts, tuple[str, ...]]:
    """A loss whose slope has no bound without one gets the usual one, if nobody gave another, or a larger one where
    records and ε can tell: noise grows with the ball, and nα with their product."""
    if not _lacks_ball(facts, option):
        return facts, ()
    told = max(1.0, (facts.n * of_use(epsilon) / ENOUGH) ** (1 / 3))
    usual = facts.loss.traits.usual.ball * told * facts.loss.label_bound / facts.bounds.row_norm
    ball = max(usual, facts.penalty.centre_norm)
    bounded = replace(facts, bounds=replace(facts.bounds, coef_norm=ball))
    units = " in units of half the label range per unit of row" if is_regression(facts.loss) else ""
    return bounded, (f"coef_norm={ball:.4g}{units}, the usual one",)
