"""Tables made to defeat solvers, by number: the same number makes the same problem.

`python -m tests.inside.fuzz_certificates 100000` solves so many and counts refusals, warnings and points that are not
numbers, apart from what its plan refused before it saw a record.  Every radius is the one that a plan asks for.
`--last` leaves the fast solvers out, `--path` solves for several ridges at once.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from tests.lists.losses import ONE_EACH, classes_of

from equipoise.errors import EquipoiseError
from equipoise.gate import laws
from equipoise.gate.models import objective_perturbation, output_perturbation
from equipoise.gate.noise import SeededBits
from equipoise.inside import Private, Records, Solution, cut, weighed
from equipoise.inside.design import design_from
from equipoise.inside.objective import Objective
from equipoise.inside.path import solve_path
from equipoise.inside.solvers import last_resort, solve
from equipoise.theory.accounting import room
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import (
    CappedLogistic,
    CappedSoftmax,
    Coding,
    Huber,
    Loss,
    SmoothedHinge,
    Softmax,
    is_regression,
)
from equipoise.theory.plan import MOST_RECORDS, Facts, OutputPlan, TiltedPlan
from equipoise.theory.regularisers import L2, Bridge, Elastic, Penalty

Array = npt.NDArray[np.float64]
Random = np.random.Generator


def _equal(rng: Random, n: int, d: int) -> Array:
    return np.tile(rng.normal(size=d), (n, 1))


def _nearly_equal(rng: Random, n: int, d: int) -> Array:
    return np.asarray(rng.normal(size=d) + 10.0 ** rng.uniform(-17, -3) * rng.normal(size=(n, d)))


def _repeated(rng: Random, n: int, d: int) -> Array:
    return np.asarray(rng.normal(size=(1 + n // 3, d))[rng.integers(0, 1 + n // 3, size=n)])


def _one_hot(rng: Random, n: int, d: int) -> Array:
    return np.asarray(np.eye(d)[rng.integers(0, d, size=n)] * rng.choice([1, 0.003], size=(n, 1)))


def _scaled_columns(rng: Random, n: int, d: int) -> Array:
    return np.asarray(rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-12, 3, size=d))


def _scaled_rows(rng: Random, n: int, d: int) -> Array:
    return np.asarray(rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-150, 150, size=(n, 1)))


def _one_direction(rng: Random, n: int, d: int) -> Array:
    return np.outer(rng.normal(size=n), rng.normal(size=d))


def _whole_numbers(rng: Random, n: int, d: int) -> Array:
    """Sums of products are exact, so that residuals and margins sit exactly on corners."""
    return np.asarray(rng.integers(-2, 3, size=(n, d)) / 4.0)


TABLES: tuple[Callable[[Random, int, int], Array], ...] = (
    lambda rng, n, d: np.asarray(rng.normal(size=(n, d))),
    _equal,
    _nearly_equal,
    _repeated,
    _one_hot,
    _scaled_columns,
    _scaled_rows,
    _one_direction,
    _whole_numbers,
    lambda rng, n, d: np.zeros((n, d)),
)


def _labels(rng: Random, loss: Loss, X: Array) -> Array:
    n, kind = len(X), int(rng.integers(5))
    if loss.traits.labels is Coding.PLACES:
        return np.zeros(n) if kind == 0 else rng.integers(0, classes_of(loss), size=n).astype(float)
    lean = X @ rng.normal(size=X.shape[1])
    with np.errstate(all="ignore"):
        lean = np.nan_to_num(lean / np.max(np.abs(lean), initial=1e-300))
    if is_regression(loss):
        return (np.ones(n), np.zeros(n), rng.uniform(-1, 1, size=n), lean, np.sign(lean))[kind]
    signs = (np.ones(n), -np.ones(n), rng.choice([-1.0, 1.0], size=n), np.sign(lean), np.sign(lean - np.median(lean)))
    return np.where(signs[kind] == 0, 1.0, signs[kind])


NUMBERED: dict[Any, Callable[[Random], Loss]] = {
    SmoothedHinge: lambda rng: SmoothedHinge(float(2.0 ** -rng.integers(0, 9))),
    Huber: lambda rng: Huber(float(10.0 ** rng.uniform(-3, 1))),
    Softmax: lambda rng: Softmax(int(rng.integers(3, 5))),
    CappedLogistic: lambda rng: CappedLogistic(float(rng.uniform(0.5, 0.999))),
    CappedSoftmax: lambda rng: CappedSoftmax(int(rng.integers(2, 5)), float(rng.uniform(0.5, 0.999))),
}
"""Losses that have numbers, drawn; every other one of `LOSSES` comes as it is."""


def _loss(rng: Random) -> Loss:
    usual = ONE_EACH[int(rng.integers(len(ONE_EACH)))]
    return NUMBERED[type(usual)](rng) if type(usual) in NUMBERED else usual


def _nominal(rng: Random, n: int) -> int:
    """The public number of rows where the true one is secret: too small by any factor, or far too large."""
    by = 10.0 ** (rng.uniform(-2.2, 1) if rng.random() < 0.8 else rng.uniform(1, 9))
    return min(MOST_RECORDS, max(1, int(n * by)))


@dataclass(frozen=True)
class Case:
    """A problem as its plan settles it, and the radius that the plan asks for."""

    objective: Objective
    radius: float
    ball: float
    facts: Facts
    words: str


def case(index: int, elastic: bool = False, bridge: bool = False) -> Case | None:
    """None where the plan refuses the public facts, which it must do without a look at the records."""
    rng = np.random.default_rng([11, index])
    n, d = int(rng.choice([1, 2, 3, 7, 20, 60, 300])), int(rng.choice([1, 2, 3, 5, 8, 40]))
    n = n if rng.random() < 0.99 else 5000
    loss = _loss(rng)
    size = float(10.0 ** rng.choice([0.0, 0.0, rng.uniform(-20, 20)]))
    bounds = Bounds(size, 0.5 * size if rng.random() < 0.5 else 0.0)
    features = d + (bounds.intercept > 0)
    alpha = float(10.0 ** rng.uniform(-9, 3)) * size * size
    if rng.random() < 0.5:
        bounds = replace(bounds, coef_norm=float(10.0 ** rng.uniform(-4, 4)) / size)
    dim = loss.outputs * features
    centre = None
    if rng.random() < 0.3:
        w = rng.normal(size=dim)
        longest = min(bounds.coef_norm, 10 / size)
        centre = tuple((w / np.linalg.norm(w) * longest * rng.uniform(0, 1) * (1 - 1e-9)).tolist())
    adjacency = Adjacency.ADD_REMOVE if rng.random() < 0.4 else Adjacency.REPLACE_ONE
    nominal = n if adjacency is Adjacency.REPLACE_ONE else _nominal(rng, n)
    penalty: Penalty = L2(alpha, centre)
    if elastic:  # λ up to three times what sets every coefficient to zero
        ratio = float(3 * 10.0 ** rng.uniform(-6, 0)) * bounds.norm / alpha
        penalty = Elastic.of(alpha, ratio, bounds.norm, nominal, spared=loss.outputs == 1 and bounds.intercept > 0)
    if bridge:
        made = Bridge.of(alpha, float(1 + 10.0 ** rng.uniform(-3, 0)), bounds.norm, nominal, spared=False)
        penalty = replace(made, start=float(10.0 ** rng.uniform(-9, 3)))
    facts = Facts(loss, penalty, bounds, nominal, features, adjacency)
    tilted = loss.smooth and rng.random() < 0.4 and not (elastic or bridge)
    delta = float(rng.choice([0.0, 1e-6]))
    budget = Budget(float(10.0 ** rng.uniform(-2, 7)), delta)
    try:
        plan: OutputPlan | TiltedPlan = output_perturbation.plan(facts, budget)
        if tilted:
            plan = objective_perturbation.plan(facts, budget)
    except EquipoiseError:
        return None
    make = TABLES[int(rng.integers(len(TABLES)))]
    X = make(rng, n, d)
    labels = _labels(rng, loss, X)
    stored = sparse.csr_array(X) if rng.random() < 0.3 else X.astype(np.float32) if _single(rng, X) else X
    records = Private(Records(design_from(stored, bounds.row_norm, bounds.intercept), labels))
    records = cut(records, plan.facts) if tilted else weighed(records, plan.facts)
    tilt = None
    if isinstance(plan, TiltedPlan):
        most = room.longest(plan.tilt)
        drawn = np.asarray(laws.draw(plan.tilt, SeededBits(index)) * plan.tilt.step, dtype=np.float64)
        length = most if rng.random() < 0.3 else 0.0
        drawn *= max(1.0, length / max(float(np.linalg.norm(drawn)), 1e-300))
        tilt = laws.clamped(drawn, most) / plan.facts.n
    inner = records.reveal()
    problem = Objective(plan.facts.loss, plan.facts.penalty, inner, plan.facts.n / inner.weight, tilt)
    return Case(problem, plan.radius, plan.facts.ball, plan.facts, f"{loss.name} {make.__name__} n={n} d={d}")


def _single(rng: Random, X: Array) -> bool:
    return bool(rng.random() < 0.2 and np.all(np.abs(X) < 1e30))


def solved(one: Case, only_last: bool = False) -> Solution:
    """As a release would, or by the last resort alone."""
    if only_last:
        with np.errstate(all="ignore"):
            return last_resort.solve(one.objective, one.radius, one.ball)
    return solve(one.objective, one.radius, one.ball)


def on_a_path(one: Case) -> Iterator[tuple[Solution, float]]:
    """The same problem with the ridges of a search beside its own, each with its planned radius."""
    ridges = [one.facts.penalty.strong_convexity * by for by in (1.0, 3.0, 100.0)]
    every = [replace(one.facts, penalty=one.facts.penalty.of_strength(ridge)) for ridge in ridges]
    radii = [output_perturbation.radius_for(facts, 0.0) for facts in every]
    problems = [replace(one.objective, penalty=facts.penalty, tilt=None) for facts in every]
    return zip(solve_path(problems, radii, one.ball), radii, strict=True)


def fault(
    index: int, only_last: bool = False, path: bool = False, elastic: bool = False, bridge: bool = False
) -> str | None:
    """What went wrong with one problem, if anything did."""
    one = case(index, elastic, bridge)
    return None if one is None else fault_of(one, only_last, path)


def fault_of(one: Case, only_last: bool = False, path: bool = False) -> str | None:
    """The same of a problem that was planned."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = list(on_a_path(one)) if path else [(solved(one, only_last), one.radius)]
    except Exception as error:  # noqa: BLE001 - whatever it is, it would have been seen from outside
        return f"{type(error).__name__}: {error} ({one.words})"
    for solution, radius in found:
        if not solution.certificate.distance <= radius:
            return f"certified to {solution.certificate.distance:.3g} of {radius:.3g} ({one.words})"
        if not np.all(np.isfinite(solution.point)):
            return f"not a number ({one.words})"
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", action="store_true")
    parser.add_argument("--path", action="store_true")
    asked = parser.parse_args()
    seen: Counter[str] = Counter()
    begun = time.time()
    for index in range(asked.first, asked.first + asked.count):
        one = case(index)
        wrong = None if one is None else fault_of(one, asked.last, asked.path)
        seen["not planned" if one is None else "refused" if wrong else "fine"] += 1
        if wrong:
            print(index, wrong, flush=True)
        if time.time() - begun > 60 * (1 + seen["minutes"]):
            seen["minutes"] += 1
            print(f"{seen['fine']} fine, {seen['refused']} refused after {seen['minutes']} min", flush=True)
    print(f"{seen['fine']} solved, {seen['refused']} refused, {seen['not planned']} refused by their public facts")


if __name__ == "__main__":
    main()
