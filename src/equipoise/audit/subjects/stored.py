"""A saved model under audit: is the guarantee in the file one that its own constants support?

Every number is derived again, once by this library from the public facts in the file, and once from first principles
with nothing but the normal law.  This catches a file that was edited and a constant that was wrong when it was written;
it cannot see whether the noise was really added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from equipoise.audit.attacks.membership import Membership
from equipoise.audit.subjects.chosen_length import TIMES, chosen_length, left_for_the_fit
from equipoise.audit.verdict import Attempt, Audit, Statement
from equipoise.errors import EquipoiseError
from equipoise.estimators.linear.base import INTERCEPT_SHARE
from equipoise.gate import MECHANISMS
from equipoise.gate.models.noisy_gradients import with_short_constant
from equipoise.outside.model import LinearModel
from equipoise.theory.accounting.convert import advantage
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds, View
from equipoise.theory.evening import LARGEST_WEIGHT, is_free
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.losses import Loss, needs_ball
from equipoise.theory.mechanisms import MOMENTUM, NOISY_GRADIENT, OBJECTIVE, OUTPUT, STABLE_SGD
from equipoise.theory.noise import Law
from equipoise.theory.plan import Descent, Facts, GradientPlan, Plan
from equipoise.theory.regularisers import L2, Elastic, Penalty
from equipoise.theory.stability.descents import SGD
from equipoise.theory.stability.momentum import momentum_of_constants

MOST_NUMERIC = 2.0**-40
CLOSE = 1e-9
WEIGHT = "largest weight of a record"
"""In the constants of a fit whose records are evened."""

BESIDE = "steps' worth of the anchor", "steps' worth of the middle", "steps' worth of the metric"
"""What is released beside steps, and paid for in steps."""

FIRST: dict[str, Callable[[Mapping[str, float]], float]] = {
    "middle": lambda known: 2 * known.get("row norm", math.inf) / max(1.0, known.get("records", 1.0)),
    "metric": lambda known: math.sqrt(2) / max(1.0, known.get("records", 1.0)),
}
"""What may come before steps, and how far one row can move it."""

NEEDED = (
    "records",
    "released numbers",
    "row norm",
    "intercept column",
    "row norm with intercept",
    "slope bound",
    "alpha",
)


def audit_model(model: LinearModel, subject: str, attack: Membership | None = None) -> Audit:
    """Every check of the stored guarantee, and a membership attack that was made with people's records."""
    about = (("estimator", model.estimator), ("columns", str(model.n_features_in_)))
    audit = audit_guarantee(model.guarantee, subject, about)
    attempts = [*audit.attempts, derived_again(model), on_grid(model)]
    return replace(audit, attempts=(*attempts, *([] if attack is None else [by_membership(attack)])))


def audit_guarantee(guarantee: Guarantee, subject: str, about: tuple[tuple[str, str], ...] = ()) -> Audit:
    """The checks that need no more than the guarantee itself."""
    statement = Statement(
        subject,
        "model",
        guarantee.epsilon,
        guarantee.delta,
        str(guarantee.adjacency),
        guarantee.unit,
        guarantee.mechanism,
        guarantee.theorem,
        about,
    )
    attempts = [claims_something(guarantee), arithmetic(guarantee), noise_fits_claim(guarantee)]
    return Audit(statement, (*attempts, *first_releases(guarantee), *chosen_length(guarantee)))


def claims_something(guarantee: Guarantee) -> Attempt:
    """A seed or an infinite ε is no claim of privacy at all."""
    name, records = "the claim", guarantee.constants.get("records", math.inf)
    if guarantee.seeded:
        return Attempt(name, False, "The noise came from a seed: whoever has it can take the noise off again.")
    if not math.isfinite(guarantee.epsilon):
        return Attempt(name, False, "The file promises nothing: ε is infinite.")
    told = f"ε = {guarantee.epsilon:g}, δ = {guarantee.delta:g} for {guarantee.unit}, from secure random bits."
    if guarantee.delta * records >= 1:
        told += " Note that δ is not below one in the number of records: it allows to publish a record now and then."
    return Attempt(name, True, told)


def arithmetic(guarantee: Guarantee) -> Attempt:
    """What rounding adds to δ is stated, and small."""
    held = 0 <= guarantee.delta_numeric <= MOST_NUMERIC
    told = f"What computer arithmetic adds to δ is stated as {guarantee.delta_numeric:.3g}; 2⁻⁴⁰ is the most allowed."
    return Attempt("arithmetic", held, told)


def noise_fits_claim(guarantee: Guarantee) -> Attempt:
    """From first principles: what this noise shows of a value that moves by the stated sensitivity."""
    name, known = "noise against the claim", guarantee.constants
    if not (math.isfinite(guarantee.sensitivity) and guarantee.noise_scale > 0):
        return Attempt(name, False, "No noise or no sensitivity is stated, so no claim can follow.")
    apart = guarantee.sensitivity
    if guarantee.mechanism.startswith("output"):
        apart += 2 * known.get("solver radius", 0.0)
    shift, pure = apart / guarantee.noise_scale, apart / guarantee.noise_scale
    if "privacy of a step (GDP)" in known:
        paid = known.get("steps", math.inf) + sum(known.get(name, 0.0) for name in BESIDE)
        shift, pure = known["privacy of a step (GDP)"] * math.sqrt(paid), math.inf
    shown = _epsilon_of(shift, guarantee.delta)
    # Where the law is Gaussian, distance over scale is no ε.
    measured = shown if Law.GAUSSIAN in guarantee.laws else min(shown, pure)
    held = measured <= guarantee.epsilon * (1 + CLOSE)
    told = f"A value that moves by the stated sensitivity shows ε = {measured:.6g} at this δ in the stated noise."
    return Attempt(name, held, told, measured, guarantee.epsilon, "any that move by the stated sensitivity", exact=True)


def first_releases(guarantee: Guarantee) -> Iterator[Attempt]:
    """What is released before steps, where anything is: its own sensitivity and noise, paid for in steps."""
    known = guarantee.constants
    for kind, least in FIRST.items():
        names = f"steps' worth of the {kind}", f"{kind}'s sensitivity", f"{kind}'s noise scale"
        if not any(name in known for name in names):
            continue
        name, missing = f"the {kind} against the claim", [each for each in names if each not in known]
        if missing:
            yield Attempt(name, False, f"Constants the guarantee rests on are missing: {', '.join(missing)}.")
            continue
        worth, moved, scale = (known[each] for each in names)
        stated = known.get("privacy of a step (GDP)", 0.0) * math.sqrt(max(worth, 0.0))
        smallest = least(known) * (1 - CLOSE)
        held = worth >= 1 and moved >= smallest and 0 < moved <= stated * scale * (1 + CLOSE)
        told = f"It moves by {moved:.6g}, at least {smallest:.6g} is possible, in noise of scale {scale:.6g}"
        yield Attempt(name, held, f"{told}, at the price of {worth:g} steps.")


def _epsilon_of(shift: float, delta: float) -> float:
    """The least ε of N(0, 1) against N(shift, 1) at δ, by bisection."""
    if delta <= 0 or not math.isfinite(shift):
        return math.inf

    def leak(epsilon: float) -> float:
        far = epsilon / shift
        return float(norm.cdf(shift / 2 - far) - math.exp(epsilon + norm.logcdf(-shift / 2 - far)))

    low, high = 0.0, shift * (shift / 2 + 40)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if leak(middle) > delta else (low, middle)
    return high


def derived_again(model: LinearModel) -> Attempt:
    """The plan for the stored facts must give the stored numbers."""
    name, guarantee = "constants derived again", model.guarantee
    if model.loss is None:
        told = "Not possible: the file was written by an older version and does not tell its loss, fit the model again."
        return Attempt(name, None, told)
    if guarantee.mechanism not in MECHANISMS:
        return Attempt(name, None, f"Not for {guarantee.mechanism}: the file holds the chosen fit's constants only.")
    missing = [constant for constant in NEEDED if constant not in guarantee.constants]
    if "coefficient norm" not in guarantee.constants and needs_ball(model.loss):
        missing = [constant for constant in missing if constant != "slope bound"]  # without a ball it has none
    if missing:
        return Attempt(name, False, f"Constants the guarantee rests on are missing: {', '.join(missing)}.")
    weight = guarantee.constants.get(WEIGHT)
    if weight is not None and not (weight == LARGEST_WEIGHT and _may_be_evened(guarantee, model.loss)):
        return Attempt(name, False, f"A record cannot count up to {weight:.6g} here.")
    plans = list(_plans(model.guarantee, model.loss))
    if any(not _differences(plan, guarantee) for plan in plans):
        return Attempt(name, True, "The library gives the same sensitivity, noise, grid and numeric δ for these facts.")
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


def _plans(guarantee: Guarantee, loss: Loss) -> Iterator[Plan]:
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
            rows, people = round(known["records"]), known.get("rows per person")
            steps = _steps(guarantee.mechanism, known)
            person_rows = None if people is None else round(people)
            facts = Facts(loss, _penalty(known), bounds, rows, features, guarantee.adjacency, person_rows, steps)
            facts = replace(facts, evened=WEIGHT in known, longer=known.get(TIMES, 1.0), measured=TIMES in known)
            made = MECHANISMS[guarantee.mechanism].plan(facts, left_for_the_fit(guarantee, delta))
        except (EquipoiseError, ZeroDivisionError):
            continue
        if column != known["intercept column"] and isinstance(made, GradientPlan):
            made = with_short_constant(made)
        if made.facts.bounds.intercept == known["intercept column"]:
            yield made


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
    """Stored numbers that are smaller or larger than the plan's."""
    fresh = plan.guarantee(guarantee.seeded)
    pairs = {
        "the promise's sensitivity": (guarantee.sensitivity, fresh.sensitivity),
        "the promise's noise scale": (guarantee.noise_scale, fresh.noise_scale),
        "numeric delta": (guarantee.delta_numeric, fresh.delta_numeric),
        **{name: (guarantee.constants.get(name, math.nan), value) for name, value in fresh.constants.items()},
    }
    return [name for name, (stored, made) in pairs.items() if not math.isclose(stored, made, rel_tol=CLOSE)]


def on_grid(model: LinearModel) -> Attempt:
    """Released numbers are multiples of the grid's step: their low bits tell nothing."""
    name, known = "low bits of the coefficients", model.guarantee.constants
    step, released = known.get("grid step"), model.uncertainty
    made = MECHANISMS.get(model.guarantee.mechanism)
    if step is None or released is None or made is None or not made.on_grid:
        return Attempt(name, None, "Not for this mechanism: its coefficients are computed from what was released.")
    labels = (known.get("label upper bound", 1.0) - known.get("label lower bound", -1.0)) / 2
    centre = (known.get("label upper bound", 1.0) + known.get("label lower bound", -1.0)) / 2
    units = np.full(released.estimate.shape[1], labels)
    units[-1] *= known.get("intercept column", 0.0)
    values = released.estimate - np.append(np.zeros(len(units) - 1), centre if units[-1] > 0 else 0.0)
    kept = units > 0
    if _whole(values[:, kept] / (units[kept] * step)):
        return Attempt(name, True, f"All released numbers are multiples of {step:.3g}, the grid of the noise.")
    return Attempt(name, None, "Not multiples of the grid in the file's units: columns in their own units, or edited.")


def _whole(steps: npt.NDArray[np.float64]) -> bool:
    """Up to rounding, which must be far below one step to say anything."""
    room = 1e-6 + 8 * 2.0**-53 * np.abs(steps)
    return bool(np.all(room < 0.01) and np.all(np.abs(steps - np.round(steps)) <= room))


def by_membership(attack: Membership) -> Attempt:
    """What the attack achieved beside what the claim allows."""
    lowest = max(0.0, attack.advantage_interval[0])
    proved = math.log1p(2 * lowest / (1 - lowest)) if lowest < 1 else math.inf
    held = None if attack.above_claim is None else not attack.above_claim
    told = " ".join(str(attack).split())
    claimed = attack.epsilon
    if claimed is not None and advantage(claimed, attack.delta or 0.0) >= 0.999:
        told += " The claim allows an almost perfect attack."
    return Attempt("membership inference", held, f"{told}.", proved, claimed, "members against others")
