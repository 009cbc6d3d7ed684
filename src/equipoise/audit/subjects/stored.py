"""A saved model under audit: is the guarantee in the file one that its own constants support?

Every number is derived again, once by this library from the public facts in the file, and once from first principles
with nothing but the normal law.  This catches a file that was edited and a constant that was wrong when it was written;
it cannot see whether the noise was really added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from equipoise.audit.attacks.membership import Membership
from equipoise.audit.subjects.agreement import agrees_with_itself
from equipoise.audit.subjects.chosen_first import beside_choices, chosen_first
from equipoise.audit.subjects.derived import derived_again, taken_as_stated
from equipoise.audit.verdict import Attempt, Audit, Statement
from equipoise.gate import MECHANISMS
from equipoise.outside.model import LinearModel
from equipoise.theory.accounting.convert import advantage
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.noise import Law
from equipoise.theory.usual_labels import LOWER, UPPER

MOST_NUMERIC = 2.0**-40
CLOSE = 1e-9
BESIDE = "steps' worth of the anchor", "steps' worth of the middle", "steps' worth of the metric"
"""What is released beside steps, and paid for in steps."""

FIRST: dict[str, Callable[[Mapping[str, float]], float]] = {
    "middle": lambda known: 2 * known.get("row norm", math.inf) / max(1.0, known.get("records", 1.0)),
    "metric": lambda known: math.sqrt(2) / max(1.0, known.get("records", 1.0)),
}
"""What may come before steps, and how far one row can move it."""


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
    attempts = [claims_something(guarantee), agrees_with_itself(guarantee), arithmetic(guarantee)]
    attempts.append(noise_fits_claim(guarantee))
    return Audit(statement, (*attempts, *first_releases(guarantee), *chosen_first(guarantee)))


def audit_underived(guarantee: Guarantee, subject: str, about: tuple[tuple[str, str], ...] = ()) -> Audit:
    """The same for a file whose plan cannot be made again: it says so."""
    audit = audit_guarantee(guarantee, subject, about)
    return replace(audit, attempts=(*audit.attempts, taken_as_stated(guarantee)))


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
    held = measured <= guarantee.epsilon * (1 + CLOSE) and beside_choices(guarantee, shift, pure)
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


def on_grid(model: LinearModel) -> Attempt:
    """Released numbers are multiples of the grid's step: their low bits tell nothing."""
    name, known = "low bits of the coefficients", model.guarantee.constants
    step, released = known.get("grid step"), model.uncertainty
    made = MECHANISMS.get(model.guarantee.mechanism)
    if step is None or released is None or made is None or not made.on_grid:
        return Attempt(name, None, "Not for this mechanism: its coefficients are computed from what was released.")
    low = known.get(LOWER, known.get("label lower bound", -1.0))
    high = known.get(UPPER, known.get("label upper bound", 1.0))
    centre, units = (high + low) / 2, np.full(released.estimate.shape[1], (high - low) / 2)
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
