"""The exact density of what output and objective perturbation release, in one or two dimensions.

Everything is computed anew, with plain numpy and scipy, from a plan's public numbers.  Output perturbation releases
w*(S) + noise.  Objective perturbation's tilted minimiser w is in bijection with its tilt b(w; S) = −nα(w − w₀) − Σ∇ℓ,
so its density is ν(b(w; S))·det(nαI + Σ∇²ℓ(w)); the second, small noise comes on top and has a budget of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.noise import Law, Noise
from equipoise.theory.plan import Facts, OutputPlan, Plan, TiltedPlan

Array = npt.NDArray[np.float64]

ITERATIONS = 200
CLOSE = 1e-8
"""How far a tilt may miss, in units of its scale."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Records as the learner sees them: rows with the constant column, labels ±1, a class's place or in [−1, 1]; and
    how often each occurs."""

    rows: Array
    labels: Array
    counts: Array


def as_seen(X: npt.ArrayLike, y: npt.ArrayLike, bounds: Bounds) -> Table:
    """Clip rows to the norm, add the constant column, encode labels; equal records are counted."""
    if bounds.columns is not None:
        raise InvalidInput("column_bounds: exact audits take rows in the learner's units, scale them beforehand")
    if bounds.lift is not None or bounds.encoding is not None:
        raise InvalidInput("bounds: exact audits take rows as the learner sees them, lift them beforehand")
    rows = np.atleast_2d(np.asarray(X, dtype=np.float64))
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows * np.minimum(1.0, bounds.row_norm / np.maximum(norms, 1e-300))
    if bounds.intercept > 0:
        rows = np.column_stack([rows, np.full(len(rows), bounds.intercept)])
    both, counts = np.unique(np.column_stack([rows, _codes(np.asarray(y), bounds)]), axis=0, return_counts=True)
    return Table(both[:, :-1], both[:, -1], counts.astype(np.float64))


def _codes(labels: npt.NDArray[np.generic], bounds: Bounds) -> Array:
    if bounds.classes is not None:
        places = np.array([bounds.classes.index(label) for label in labels.tolist()], dtype=np.float64)
        return 2 * places - 1 if len(bounds.classes) == 2 else places
    numbers = labels.astype(np.float64)
    if bounds.label_range is None:
        return numbers
    return np.asarray(np.clip((numbers - bounds.label_centre) / bounds.label_scale, -1.0, 1.0))


class Density(Protocol):
    """The law of a release for one table.  Points and noise are rows."""

    @property
    def noise(self) -> Noise: ...

    def log(self, points: Array) -> Array:
        """The log-density, up to a constant that neighbours share."""
        ...

    def released(self, noise: Array) -> Array:
        """The points that these values of the noise lead to."""
        ...


@dataclass(frozen=True, slots=True)
class OutputDensity:
    """A minimiser with noise added."""

    noise: Noise
    minimiser: Array

    def log(self, points: Array) -> Array:
        return log_noise(self.noise, points - self.minimiser)

    def released(self, noise: Array) -> Array:
        return self.minimiser + noise


@dataclass(frozen=True, slots=True)
class ObjectiveDensity:
    """A minimiser of an objective that noise tilts."""

    noise: Noise
    facts: Facts
    table: Table

    def log(self, points: Array) -> Array:
        return np.asarray(log_noise(self.noise, self.tilt(points)) + np.linalg.slogdet(self.bend(points))[1])

    def tilt(self, points: Array) -> Array:
        """b(w): the tilt that leads to each point."""
        return -gradients(self.facts, self.table, points)

    def bend(self, points: Array) -> Array:
        return hessians(self.facts, self.table, points)

    def released(self, noise: Array) -> Array:
        return minimisers(self.facts, self.table, noise, CLOSE * self.noise.scale)


def density_of(plan: Plan, table: Table) -> Density:
    """The law of one release by this plan."""
    if plan.facts.dim > 2:
        raise InvalidInput(f"plan: {plan.facts.dim} numbers are released, exact densities are for one or two")
    if isinstance(plan, TiltedPlan):
        if math.isfinite(plan.facts.ball):
            raise InvalidInput("coef_norm: a tilted minimum on the edge of a ball has no density, audit without one")
        return ObjectiveDensity(plan.tilt, plan.facts, _evened(plan.facts, table))
    if not isinstance(plan, OutputPlan):
        raise InvalidInput(f'mechanism="{plan.mechanism}": no density is known, use "output" or "objective"')
    return OutputDensity(plan.noise, minimiser(plan.facts, _evened(plan.facts, _weighed(plan.facts, table))))


def _weighed(facts: Facts, table: Table) -> Table:
    """Where the number of records is secret each counts 1 − m/(64·n), m their true number and n the nominal one."""
    if facts.adjacency is not Adjacency.ADD_REMOVE:
        return table
    return replace(table, counts=table.counts * max(0.0, 1 - float(np.sum(table.counts)) / (64 * facts.n)))


def _evened(facts: Facts, table: Table) -> Table:
    """Where records are evened each counts B over its row's length, 9/4 at most."""
    if not facts.evened:
        return table
    lengths = np.maximum(np.linalg.norm(table.rows, axis=1), 1e-300)
    return replace(table, counts=table.counts * np.minimum(9 / 4, facts.bounds.norm / lengths))


def claimed_by(plan: Plan) -> Budget:
    """What the density alone may show: of objective perturbation all but the second noise's part."""
    part = 1 - plan.blur if isinstance(plan, TiltedPlan) else 1.0
    return Budget(plan.budget.epsilon * part, plan.budget.delta * part)


def log_noise(noise: Noise, values: Array) -> Array:
    """The log-density of the law that the theorems speak of, up to its constant."""
    sizes = noise.law.sizes(values)
    return np.asarray(-((sizes / noise.scale) ** 2) / 2 if noise.law is Law.GAUSSIAN else -sizes / noise.scale)


def gradients(facts: Facts, table: Table, points: Array) -> Array:
    """Of Σℓ + (nα/2)‖w − w₀‖² at each point."""
    centre = np.zeros(points.shape[1]) if facts.penalty.centre is None else np.asarray(facts.penalty.centre)
    total = facts.n * facts.penalty.strong_convexity * (points - centre)
    for x, label, count in zip(table.rows, table.labels, table.counts, strict=True):
        slope = facts.loss.slope(_scores(facts, points, x), np.full(len(points), label))
        total += count * (slope.reshape(len(points), -1, 1) * x).reshape(total.shape)
    return np.asarray(total)


def hessians(facts: Facts, table: Table, points: Array) -> Array:
    """n times the objective's Hessian on this table, at each point."""
    dim, outputs = points.shape[1], facts.loss.outputs
    total = np.tile(facts.n * facts.penalty.strong_convexity * np.eye(dim), (len(points), 1, 1))
    for x, label, count in zip(table.rows, table.labels, table.counts, strict=True):
        bend = facts.loss.curvature(_scores(facts, points, x), np.full(len(points), label))
        bend = bend.reshape(len(points), outputs, outputs)
        total += count * np.einsum("pab,c,d->pacbd", bend, x, x).reshape(total.shape)
    return np.asarray(total)


def _values(facts: Facts, table: Table, points: Array, tilts: Array) -> Array:
    centre = np.zeros(points.shape[1]) if facts.penalty.centre is None else np.asarray(facts.penalty.centre)
    total = facts.n * facts.penalty.strong_convexity / 2 * ((points - centre) ** 2).sum(axis=1) + (points * tilts).sum(
        axis=1
    )
    for x, label, count in zip(table.rows, table.labels, table.counts, strict=True):
        total += count * facts.loss.value(_scores(facts, points, x), np.full(len(points), label))
    return np.asarray(total)


def _scores(facts: Facts, points: Array, x: Array) -> Array:
    scores = points.reshape(len(points), facts.loss.outputs, -1) @ x
    return np.asarray(scores[:, 0] if facts.loss.outputs == 1 else scores)


def minimisers(facts: Facts, table: Table, tilts: Array, close: float) -> Array:
    """For each tilt the minimiser, by Newton steps that are halved until the objective falls."""
    points = np.zeros_like(tilts)
    for _ in range(ITERATIONS):
        pull = gradients(facts, table, points) + tilts
        far = np.linalg.norm(pull, axis=1) > close
        if not far.any():
            return points
        at, tilt = points[far], tilts[far]
        move = np.linalg.solve(hessians(facts, table, at), -pull[far][:, :, None])[:, :, 0]
        points[far] = at + _halved(facts, table, at, tilt, move, (pull[far] * move).sum(axis=1))
    raise InvalidInput("plan: the auditor's solver did not converge, raise alpha")


def _halved(facts: Facts, table: Table, at: Array, tilt: Array, move: Array, slope: Array) -> Array:
    """Each move, shortened until its objective has fallen by a tenth of what its slope promises."""
    start, length = _values(facts, table, at, tilt), np.ones(len(at))
    noise = 1e-13 * (1 + np.abs(start))
    for _ in range(40):
        reached = _values(facts, table, at + length[:, None] * move, tilt)
        short = reached > start + 0.1 * length * slope + noise
        if not short.any():
            break
        length = np.where(short, length / 2, length)
    return np.asarray(length[:, None] * move)


def minimiser(facts: Facts, table: Table) -> Array:
    """Of the plain objective within its ball, to the precision of doubles."""
    close = 1e-9 * (facts.n * facts.penalty.strong_convexity + 1)
    nothing = np.zeros((1, facts.dim))
    point = np.asarray(minimisers(facts, table, nothing, close)[0])
    if float(np.linalg.norm(point)) <= facts.ball:
        return point
    if facts.penalty.centre is not None:
        raise InvalidInput("centre: exact audits of a ball need one around zero, leave one of them out")
    low, high = (
        facts.penalty.strong_convexity,
        facts.penalty.strong_convexity * 2.0**60,
    )  # a multiplier for the ball is more ridge
    for _ in range(200):
        middle = math.sqrt(low * high)
        stronger = replace(facts, penalty=facts.penalty.of_strength(middle))
        point = np.asarray(minimisers(stronger, table, nothing, close)[0])
        low, high = (middle, high) if float(np.linalg.norm(point)) > facts.ball else (low, middle)
    return point
