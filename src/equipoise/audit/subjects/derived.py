"""The constants of a stored model derived again: the library's own plan for the public facts in the file.

A plan is made for every reading of the file, and one of them must give every number that is stored, none more and none
fewer, the theorem and the unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product

from equipoise.audit.subjects.chosen_first import CHOSEN, TIMES, fit_beside
from equipoise.audit.verdict import Attempt
from equipoise.errors import EquipoiseError
from equipoise.estimators.linear.base import INTERCEPT_SHARE
from equipoise.gate import MECHANISMS
from equipoise.gate.models.anchor import offers
from equipoise.gate.models.noisy_gradients import as_stated, ending_in, with_short_constant
from equipoise.outside.model import LinearModel
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds, View
from equipoise.theory.evening import LARGEST_WEIGHT, is_free
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.losses import Loss, needs_ball
from equipoise.theory.losses.traits import Link
from equipoise.theory.mechanisms import MOMENTUM, NOISY_GRADIENT, OBJECTIVE, OUTPUT, STABLE_SGD
from equipoise.theory.plan import Descent, Facts, GradientPlan, Plan
from equipoise.theory.regularisers import L2, Elastic, Penalty
from equipoise.theory.stability.descents import SGD
from equipoise.theory.stability.momentum import momentum_of_constants

CLOSE = 1e-9
NAME = "constants derived again"
WEIGHT = "largest weight of a record"
"""In the constants of a fit whose records are evened."""

NEEDED = (
    "records",
    "released numbers",
    "row norm",
    "intercept column",
    "row norm with intercept",
    "slope bound",
    "alpha",
)
RANGE = "label lower bound", "label upper bound"
"""Of a model of numbers."""


def derived_again(model: LinearModel) -> Attempt:
    """The plan for the stored facts must give the stored numbers."""
    name, guarantee = NAME, model.guarantee
    if model.loss is None:
        told = "Not possible: the file was written by an older version and does not tell its loss, fit the model again."
        return Attempt(name, None, told)
    if guarantee.mechanism not in MECHANISMS:
        return Attempt(name, None, f"Not for {guarantee.mechanism}: the file holds the chosen fit's constants only.")
    needed = [*NEEDED, *(RANGE if model.link is Link.IDENTITY and "pairs" not in guarantee.constants else ())]
    missing = [constant for constant in needed if constant not in guarantee.constants]
    if "coefficient norm" not in guarantee.constants and needs_ball(model.loss):
        missing = [constant for constant in missing if constant != "slope bound"]  # without a ball it has none
    if missing:
        return Attempt(name, False, f"Constants the guarantee rests on are missing: {', '.join(missing)}.")
    weight = guarantee.constants.get(WEIGHT)
    if weight is not None and not (weight == LARGEST_WEIGHT and _may_be_evened(guarantee, model.loss)):
        return Attempt(name, False, f"A record cannot count up to {weight:.6g} here.")
    held = _numbers_in(model)
    if held is not None and held != guarantee.constants["released numbers"]:
        told = f"{guarantee.constants['released numbers']:.6g} numbers are said to be released, the file holds {held}."
        return Attempt(name, False, told)
    bent = model.shapes is not None
    plans = list(_plans(model.guarantee, model.loss, bent))
    if any(not _differences(plan, guarantee) for plan in plans):
        told = "The library gives the same sensitivity, noise, grid, numeric δ, theorem and unit for these facts."
        return Attempt(name, True, told)
    if not plans:
        return Attempt(name, None, "Not possible: this version of the library makes no plan for these facts.")
    least = min(plan.sensitivity.l2 for plan in plans)
    if guarantee.sensitivity < least * (1 - CLOSE):
        told = (
            f"The stated sensitivity {guarantee.sensitivity:.6g} is too small, these facts give at least {least:.6g}."
        )
        return Attempt(name, False, told)
    unequal = sorted((_differences(plan, guarantee) for plan in plans), key=len)[0]
    return Attempt(name, None, f"Not the same: {', '.join(unequal)}. Files do not name a centre or its ball.")


def _numbers_in(model: LinearModel) -> int | None:
    """How many numbers were released, where a file holds them as they were; None where they were made into others."""
    several = len(model.coef) > 1  # of classes, fewer numbers than coefficients may be released
    if several or model.shapes is not None or model.lift is not None or "pairs" in model.guarantee.constants:
        return None
    return model.coef.size + (model.intercept.size if model.guarantee.constants["intercept column"] > 0 else 0)


def taken_as_stated(guarantee: Guarantee) -> Attempt:
    """For what has no plan that a file could name."""
    return Attempt(NAME, None, f"Not for {guarantee.mechanism}: its constants are taken as they are stated.")


def _plans(guarantee: Guarantee, loss: Loss, bent: bool) -> Iterator[Plan]:
    """For every reading of the file: with and without a ball, with all of δ or pure, as planned or with a last step."""
    known = guarantee.constants
    labels = known.get("label lower bound"), known.get("label upper bound")
    reach = known.get("reach around the middle")
    balls = {math.inf, known.get("coefficient norm", math.inf), known.get("step ball", math.inf)}
    for ball, delta, column in product(balls, {guarantee.delta, 0.0}, _columns(known)):
        try:
            bounds = Bounds(
                known["row norm"],
                column,
                None if labels[0] is None or labels[1] is None else (labels[0], labels[1]),
                coef_norm=ball,
                view=None if reach is None else View(reach),
            )
            features = round(known["released numbers"]) // loss.outputs
            rows, people = round(known.get("pairs", known["records"])), known.get("rows per person")
            steps = _steps(guarantee.mechanism, known)
            person_rows = None if people is None else round(people)
            facts = Facts(loss, _penalty(known), bounds, rows, features, guarantee.adjacency, person_rows, steps)
            facts = replace(
                facts,
                partners=_partners(known),
                evened=WEIGHT in known or (MECHANISMS[guarantee.mechanism].evens and is_free(loss)),
                longer=known.get(TIMES, 1.0),
            )
            made = fit_beside(partial(_plan, facts, guarantee, bent), guarantee, delta)
        except (EquipoiseError, ArithmeticError, KeyError, ValueError):  # no plan is made for such facts
            continue
        if made.facts.bounds.intercept == known["intercept column"]:
            yield made


def _plan(facts: Facts, guarantee: Guarantee, bent: bool, budget: Budget) -> Plan:
    """The mechanism's, with the last steps that "auto" may have added.  Steps of a model that bends were planned for
    columns that its guarantee does not tell: they are taken as stated, and what is private about them is not."""
    known = guarantee.constants
    if bent and guarantee.mechanism == NOISY_GRADIENT.name:
        return as_stated(facts, budget, known)
    made: Plan = MECHANISMS[guarantee.mechanism].plan(facts, budget)
    if not isinstance(made, GradientPlan):
        return made
    if facts.bounds.intercept != known["intercept column"]:
        made = with_short_constant(made)
    lasts = [each for each in offers(made.facts) if each.constants().items() <= known.items()]
    return ending_in(made, lasts[0]) if lasts else made


def _partners(known: Mapping[str, float]) -> int | None:
    """How many pairs a record is in, where rows are pairs."""
    return round(known["partners"]) if "partners" in known else None


def _columns(known: Mapping[str, float]) -> set[float]:
    """What a plan's rows may have ended with: the stated column, or the usual one, which a last step has shortened."""
    stated = known["intercept column"]
    return {stated, INTERCEPT_SHARE * known["row norm"]} if stated > 0 else {stated}


def _may_be_evened(guarantee: Guarantee, loss: Loss) -> bool:
    """Whether the mechanism evens records of this loss anywhere.  What it costs a minimiser is in its sensitivity."""
    if guarantee.mechanism in (OBJECTIVE.name, OUTPUT.name):
        return guarantee.adjacency is Adjacency.REPLACE_ONE
    return guarantee.mechanism == NOISY_GRADIENT.name and is_free(loss)


def _steps(mechanism: str, known: Mapping[str, float]) -> Descent | None:
    """How gradient steps were taken, where they were."""
    if mechanism == MOMENTUM.name:
        return momentum_of_constants(known)
    return SGD.of_constants(known) if mechanism == STABLE_SGD.name else None


def _penalty(known: Mapping[str, float]) -> Penalty:
    """As the constants tell it."""
    alpha, l1 = known["alpha"], known.get("l1")
    if l1 is None:
        return L2(alpha)
    return Elastic(alpha, l1 / alpha, known["l1 corner"] * alpha, spared=known["intercept column"] > 0)


def _differences(plan: Plan, guarantee: Guarantee) -> list[str]:
    """What is stored and is not the plan's: numbers, others than its numbers, and words."""
    fresh = plan.guarantee(guarantee.seeded)
    pairs = {
        "the promise's sensitivity": (guarantee.sensitivity, fresh.sensitivity),
        "the promise's noise scale": (guarantee.noise_scale, fresh.noise_scale),
        "numeric delta": (guarantee.delta_numeric, fresh.delta_numeric),
        **{name: (guarantee.constants.get(name, math.nan), value) for name, value in fresh.constants.items()},
    }
    others = [name for name, (stored, made) in pairs.items() if not math.isclose(stored, made, rel_tol=CLOSE)]
    others += [name for name in guarantee.constants if name not in fresh.constants and name not in CHOSEN]
    texts = {"theorem": (guarantee.theorem, fresh.theorem), "unit": (guarantee.unit, fresh.unit)}
    return others + [f"the {name}" for name, (stored, made) in texts.items() if stored != made]
