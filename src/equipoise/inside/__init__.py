"""Everything that sees records.  What leaves this package is wrapped in Private."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from equipoise.inside.certificate import Certificate
from equipoise.inside.design.contract import Array
from equipoise.inside.found_first import both_scores, label_scores, length_scores
from equipoise.inside.lengths import ending_with
from equipoise.inside.objective import Objective
from equipoise.inside.parted import Parted
from equipoise.inside.parted_objective import PartedObjective
from equipoise.inside.path import solve_path
from equipoise.inside.private import Private
from equipoise.inside.records import Records, cut, enter, weighed
from equipoise.inside.solvers import Solution, solve
from equipoise.inside.sums import Gradient
from equipoise.inside.usual_labels import labelled
from equipoise.inside.view import mean_row, seen_from
from equipoise.theory.evening import Evening
from equipoise.theory.losses import Loss
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import Penalty

T = TypeVar("T")

__all__ = [
    "Certificate",
    "Private",
    "Records",
    "Solution",
    "both_scores",
    "cut",
    "enclosed",
    "ending_with",
    "enter",
    "evened_gradient",
    "label_scores",
    "labelled",
    "length_scores",
    "mean_gradient",
    "mean_residual",
    "mean_row",
    "minimise",
    "minimise_path",
    "point_of",
    "seen_from",
    "weighed",
]


def minimise(
    records: Private[Records],
    loss: Loss,
    penalty: Penalty,
    divisor: float,
    radius: float,
    ball: float = math.inf,
    tilt: Array | None = None,
    evened: Evening | None = None,
) -> Private[Solution]:
    """The minimiser of Σ loss/divisor + penalty + tilt·w over the ball, within `radius`, each record by its weight and,
    where records are `evened` to a norm, by the length of its row."""
    return records.map(lambda inner: solve(_objective(loss, penalty, inner, divisor, tilt, evened), radius, ball))


def minimise_path(
    records: Private[Records],
    loss: Loss,
    penalties: Sequence[Penalty],
    divisor: float,
    radii: Sequence[float],
    ball: float = math.inf,
    tilts: Sequence[Array | None] | None = None,
    evened: Evening | None = None,
) -> Private[list[Solution]]:
    """The minimiser for each penalty, in their order, each within its own radius.

    They are solved from the strongest penalty to the weakest, each started from the ones before: many cost little more
    than a few.
    """
    pushes: Sequence[Array | None] = [None] * len(penalties) if tilts is None else tilts

    def solve_all(inner: Records) -> list[Solution]:
        pairs = zip(penalties, pushes, strict=True)
        each = [_objective(loss, penalty, inner, divisor, tilt, evened) for penalty, tilt in pairs]
        return solve_path(each, radii, ball)

    return records.map(solve_all)


def enclosed(value: T) -> Private[T]:
    """A stranger's own data, from here on private."""
    return Private(value)


def point_of(solution: Private[Solution]) -> Private[Array]:
    """The solver's point, without its certificate."""
    return solution.map(lambda inner: inner.point)


def mean_gradient(records: Private[Records], loss: Loss, divisor: float, w: Array) -> Private[Array]:
    """∇ of Σ weight·loss/divisor at w: the data's part alone."""
    return _mean(records, Gradient(loss, w), divisor)


def evened_gradient(records: Private[Records], facts: Facts, w: Array) -> Private[Array]:
    """The same, or of records that count the more the shorter their rows are, where the facts say so."""
    return _mean(records, Gradient(facts.loss, w, facts.evened_to), facts.n)


def _mean(records: Private[Records], of: Callable[[Records], Array], divisor: float) -> Private[Array]:
    return records.map(lambda inner: inner.summed(of) / (divisor / inner.weight))


def mean_residual(records: Private[Records], loss: Loss, divisor: float, w: Array) -> Private[Array]:
    """The intercept's coordinate of that: the mean slope at w, times the constant column."""
    return mean_gradient(records, loss, divisor, w).map(lambda gradient: gradient[-1:])


def _objective(
    loss: Loss, penalty: Penalty, records: Records, divisor: float, tilt: Array | None, evened: Evening | None
) -> Objective:
    kind = PartedObjective if isinstance(records, Parted) else Objective
    return kind(loss, penalty, records, divisor / records.weight, tilt, evened=evened)
