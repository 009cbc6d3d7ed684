"""Objective perturbation attacked without sampling: its exact output density by change of variables.

The tilted minimiser w has density ν(b(w))·det(nαI + Σ∇²ℓ).  Here that density is computed on neighbouring data sets
and compared with the ε and δ that the plan claims for the tilt.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pytest
from scipy.integrate import trapezoid

from equipoise.gate.models import objective_perturbation
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import (
    CappedLogistic,
    CappedSoftmax,
    Coding,
    Huber,
    Logistic,
    Loss,
    SmoothedHinge,
    Softmax,
    Squared,
)
from equipoise.theory.noise import Law
from equipoise.theory.plan import Facts, Plan, TiltedPlan
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]
Record = tuple[Array, float]
Table = list[tuple[Array, float, float]]
"""Row, label, and how many times it occurs."""


@dataclass(frozen=True)
class Density:
    """The law of the tilted minimiser for one table; points are rows of length outputs·columns."""

    plan: Plan
    rows: Array
    labels: Array
    counts: Array

    def _each(self, points: Array) -> list[tuple[Array, Array, Array, float]]:
        """For every distinct record: its row, the scores at all points, its label, how often it occurs."""
        outputs = self.plan.facts.loss.outputs
        shaped = points.reshape(len(points), outputs, -1)
        return [
            (x, (shaped @ x)[:, 0] if outputs == 1 else shaped @ x, np.full(len(points), y), count)
            for x, y, count in zip(self.rows, self.labels, self.counts, strict=True)
        ]

    def b(self, points: Array) -> Array:
        """The tilt that leads to each point."""
        facts = self.plan.facts
        centre = np.zeros(points.shape[1]) if facts.penalty.centre is None else np.asarray(facts.penalty.centre)
        total = -facts.n * facts.penalty.strong_convexity * (points - centre)
        for x, score, label, count in self._each(points):
            slope = facts.loss.slope(score, label).reshape(len(points), -1, 1)
            total -= count * (slope * x).reshape(total.shape)
        return total

    def log_determinant(self, points: Array) -> Array:
        facts, dim = self.plan.facts, points.shape[1]
        hessian = np.tile(facts.n * facts.penalty.strong_convexity * np.eye(dim), (len(points), 1, 1))
        for x, score, label, count in self._each(points):
            bend = facts.loss.curvature(score, label).reshape(len(points), facts.loss.outputs, facts.loss.outputs)
            hessian += count * np.einsum("pab,c,d->pacbd", bend, x, x).reshape(hessian.shape)
        if dim == 1:
            return np.asarray(np.log(hessian[:, 0, 0]), dtype=float)
        return np.asarray(np.linalg.slogdet(hessian)[1], dtype=float)

    def log(self, points: Array) -> Array:
        """Up to a constant that neighbours share."""
        assert isinstance(self.plan, TiltedPlan)
        size = np.linalg.norm(self.b(points), axis=1) / self.plan.tilt.scale
        cost: Array = size**2 / 2 if self.plan.tilt.law is Law.GAUSSIAN else size
        return self.log_determinant(points) - cost


def table(plan: Plan, common: Table, extra: Record | None) -> Density:
    """With one record more than the others have in common, or without it."""
    records = common + ([] if extra is None else [(*extra, 1.0)])
    rows = np.array([row for row, _, _ in records]).reshape(-1, plan.facts.features)
    labels, counts = (np.array([record[part] for record in records]) for part in (1, 2))
    if plan.facts.evened:
        counts = counts * np.minimum(9 / 4, plan.facts.bounds.norm / np.linalg.norm(rows, axis=1))
    return Density(plan, rows, labels, counts)


def neighbours(plan: Plan, common: Table, left: Record | None, right: Record | None) -> tuple[Density, Density]:
    return table(plan, common, left), table(plan, common, right)


def line_of(density: Density, points: int) -> Array:
    """The points w at which b runs evenly over ±12 scales: b falls as w grows, so bisect."""
    plan = density.plan
    assert isinstance(plan, TiltedPlan)
    facts, wanted = plan.facts, np.linspace(-12, 12, points) * plan.tilt.scale
    pulled = float(density.counts.sum()) * facts.loss.facts(facts.bounds.norm * facts.ball).slope
    high = (np.abs(wanted) + pulled) / (facts.n * facts.penalty.strong_convexity)
    low = -high
    for _ in range(45):
        middle = (low + high) / 2
        above = density.b(middle[:, None])[:, 0] > wanted
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray((low + high) / 2)


def grid(*lines: Array) -> Array:
    """The points of both data sets' lines."""
    return np.unique(np.concatenate(lines))[:, None]


def pure_loss(left: Density, right: Density, points: Array) -> float:
    return float(np.abs(left.log(points) - right.log(points)).max())


def hockey_stick(left: Density, right: Density, epsilon: float, points: Array) -> float:
    """δ at ε in the worse direction, by quadrature in one dimension."""
    line = points[:, 0]
    logs = [density.log(points) for density in (left, right)]
    masses = [np.exp(log - log.max()) for log in logs]
    densities = [mass / trapezoid(mass, line) for mass in masses]
    p, q = densities
    both = [trapezoid(np.maximum(a - math.exp(epsilon) * b, 0.0), line) for a, b in ((p, q), (q, p))]
    return float(max(both))


def corner_records(loss: Loss) -> list[Record]:
    joint = loss.traits.labels is Coding.PLACES
    labels = [float(k) for k in range(loss.outputs + 1)] if joint else [1.0, -1.0]
    return [(np.array([x]), y) for x in (1.0, 0.3) for y in labels] + [(np.array([-1.0]), labels[0])]


def common_tables(loss: Loss) -> list[Table]:
    """From nothing to heavy data that hold the minimiser where the record in question bends most."""
    one, light = np.array([1.0]), np.array([0.05])
    return [[], [(one, 1.0, 6.0)], [(light, 1.0, 400.0)], [(light, -1.0, 4000.0)]]


def plan_for(
    loss: Loss, ridge: float, budget: Budget, size: int, adjacency: Adjacency, ball: float, evened: bool = False
) -> Plan:
    facts = Facts(loss, L2(ridge / size), Bounds(1.0, coef_norm=ball), size, 1, adjacency, evened=evened)
    return objective_perturbation.plan(facts, budget)


def claimed(plan: Plan) -> Budget:
    """The tilt's own part of the budget."""
    assert isinstance(plan, TiltedPlan)
    budget, part = plan.budget, 1 - plan.blur
    return Budget(budget.epsilon * part, budget.delta * part)


def worst_part(
    loss: Loss,
    budget: Budget,
    adjacency: Adjacency,
    *,
    sabotage: float = 1.0,
    ball: float = math.inf,
    evened: bool = False,
) -> float:
    """The largest share of the claimed ε (pure) or δ (Gaussian) over ridges, tables and pairs."""
    worst = 0.0
    for ridge in (0.05, 2.0, 1000.0):
        for common in common_tables(loss):
            size = 1 + int(sum(count for _, _, count in common))
            plan = plan_for(loss, ridge, budget, size, adjacency, ball, evened)
            assert isinstance(plan, TiltedPlan)
            claim = claimed(plan)
            plan = replace(plan, tilt=replace(plan.tilt, scale=plan.tilt.scale * sabotage))
            records = corner_records(loss)
            ends: list[Record | None] = [*records] if adjacency is Adjacency.REPLACE_ONE else [None]
            points = 200 if budget.delta == 0 else 500
            lefts = [(one, line_of(one, points)) for one in (table(plan, common, record) for record in records)]
            rights = [(one, line_of(one, points)) for one in (table(plan, common, record) for record in ends)]
            for (left, here), (right, there) in itertools.product(lefts, rights):
                if budget.delta == 0:
                    part = pure_loss(left, right, grid(here, there)) / claim.epsilon
                else:
                    part = hockey_stick(left, right, claim.epsilon, grid(here, there)) / claim.delta
                worst = max(worst, part)
    return worst


PURE, APPROXIMATE = Budget(1.0), Budget(1.0, 1e-2)
REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE


@pytest.mark.parametrize(
    ("loss", "budget", "adjacency", "reached"),
    [
        (Logistic(), PURE, REPLACE, 0.5),  # one dimension cannot reach more, see the mirrored pair below
        (Logistic(), PURE, ADD, 0.45),  # calibrated for a replaced record: see below
        (SmoothedHinge(0.1), PURE, REPLACE, 0.99),
        (SmoothedHinge(0.1), PURE, ADD, 0.45),
        (Huber(0.5), PURE, REPLACE, 0.99),
        (CappedLogistic(0.5), PURE, REPLACE, 0.7),
        (CappedLogistic(0.8), PURE, ADD, 0.3),
        (CappedLogistic(0.5), APPROXIMATE, REPLACE, 0.1),
        (SmoothedHinge(0.1), APPROXIMATE, REPLACE, 0.9),
        (SmoothedHinge(0.1), APPROXIMATE, ADD, 0.0),
        (Logistic(), APPROXIMATE, REPLACE, 0.0),
        (Logistic(), APPROXIMATE, ADD, 0.0),
        (Huber(0.5), APPROXIMATE, REPLACE, 0.4),  # the union over signs costs a factor of two
        (Huber(0.5), APPROXIMATE, ADD, 0.0),
    ],
    ids=str,
)
def test_exact_density_keeps_the_claim_and_comes_near_it(
    loss: Loss, budget: Budget, adjacency: Adjacency, reached: float
) -> None:
    part = worst_part(loss, budget, adjacency)
    assert reached <= part <= 1 + 1e-3


@pytest.mark.parametrize("budget", [PURE, APPROXIMATE], ids=str)
@pytest.mark.parametrize(("loss", "adjacency"), [(SmoothedHinge(0.1), REPLACE), (Huber(0.5), REPLACE)], ids=str)
def test_half_the_tilt_is_caught(loss: Loss, adjacency: Adjacency, budget: Budget) -> None:
    """The sabotaged twin of every forgotten factor of two."""
    assert worst_part(loss, budget, adjacency, sabotage=0.5) > 1.5


@pytest.mark.parametrize("budget", [PURE, APPROXIMATE], ids=str)
@pytest.mark.parametrize("loss", [Logistic(), SmoothedHinge(0.1), Huber(0.5), Softmax(3)], ids=str)
def test_add_remove_is_calibrated_for_the_record_that_is_moved_out(loss: Loss, budget: Budget) -> None:
    """Beyond the rows that are kept, one more moves another out: the noise must be that of a replaced record."""
    facts = Facts(loss, L2(0.5), Bounds(1.0), 20, 3)
    replaced, added = (
        objective_perturbation.plan(replace(facts, adjacency=adjacency), budget) for adjacency in (REPLACE, ADD)
    )
    assert added.tilt == replaced.tilt
    assert added.sensitivity == replaced.sensitivity


def mirrored_logistic(ridge: float, far: float) -> tuple[Plan, tuple[Density, Density], Array]:
    """Heavy light rows hold w far out on one axis; two rows mirrored across it then pull with full force each way."""
    light = 1 / far
    count = math.ceil(ridge * far * far * (1 + math.e))  # their pull, count·light·σ(−1), balances the ridge
    size = count + 1
    plan = objective_perturbation.plan(Facts(Logistic(), L2(ridge / size), Bounds(1.0), size, 2), PURE)
    side = 0.2
    across = math.sqrt(1 - side * side)
    ends = (np.array([-side, across]), 1.0), (np.array([-side, -across]), 1.0)
    pair = neighbours(plan, [(np.array([light, 0.0]), 1.0, float(count))], *ends)
    steps = np.linspace(-3, 3, 1201)
    return plan, pair, np.column_stack([np.full(1201, far), steps])


@pytest.mark.parametrize("ridge", [2.1, 6.0])
def test_a_mirrored_pair_reaches_the_logistic_claim(ridge: float) -> None:
    """At this ridge the Jacobian is free, so all of ε is the 2βB that the pair attains."""
    plan, pair, points = mirrored_logistic(ridge, 100.0)
    reached = pure_loss(*pair, points) / claimed(plan).epsilon
    assert 0.95 <= reached <= 1 + 1e-9
    assert isinstance(plan, TiltedPlan)


def test_a_forgotten_jacobian_is_caught() -> None:
    """Wu et al.'s printed algorithm spends all of ε on the noise; the rounded hinge then shows far more than ε."""
    loss, epsilon = SmoothedHinge(0.1), 1.0
    plan = plan_for(loss, 1.0, PURE, 1, REPLACE, math.inf)
    assert isinstance(plan, TiltedPlan)
    forgetful = replace(
        plan,
        tilt=replace(plan.tilt, scale=2 / epsilon),
        facts=replace(plan.facts, penalty=L2(1.0)),
    )
    pair = neighbours(forgetful, [], (np.array([1.0]), 1.0), (np.array([1.0]), -1.0))
    assert pure_loss(*pair, grid(*(line_of(one, 2000) for one in pair))) > 2.5 * epsilon


def test_row_norm_in_place_of_its_square_is_caught() -> None:
    """Curvature grows with B²: a Jacobian computed with B (a peer's defect) is seen at B = 10."""
    size, row_norm = 1, 10.0
    facts = Facts(SmoothedHinge(0.5), L2(50.0), Bounds(row_norm), size, 1)
    plan = objective_perturbation.plan(facts, PURE)
    assert isinstance(plan, TiltedPlan)
    jacobian = math.log1p(1.0 * row_norm / (size * 50.0))
    wrong = replace(plan, tilt=replace(plan.tilt, scale=2 * row_norm / (1 - jacobian)), facts=facts)
    x = np.array([row_norm])
    points = np.linspace(-3, 3, 20001)[:, None]
    assert pure_loss(*neighbours(wrong, [], (x, 1.0), (x, -1.0)), points) > 1.0
    assert pure_loss(*neighbours(plan, [], (x, 1.0), (x, -1.0)), points) <= 1.0


@pytest.mark.parametrize(
    "loss",
    [Logistic(), CappedLogistic(0.6), SmoothedHinge(0.1), Huber(0.5), Softmax(3), CappedSoftmax(3, 0.6)],
    ids=str,
)
def test_pure_density_keeps_its_claim_in_several_dimensions(loss: Loss) -> None:
    rng = np.random.default_rng(11)
    for _ in range(60):
        size, columns = int(rng.integers(1, 8)), int(rng.integers(1, 4))
        facts = Facts(loss, L2(float(10 ** rng.uniform(-2, 1)) / size), Bounds(1.0), size, columns)
        plan = objective_perturbation.plan(facts, PURE)
        rows = rng.standard_normal((size + 1, columns))
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        joint = loss.traits.labels is Coding.PLACES
        labels = rng.integers(3, size=size + 1) if joint else rng.choice([-1.0, 1.0], size + 1)
        records = [(row, float(label)) for row, label in zip(rows, labels, strict=True)]
        points = rng.standard_normal((2000, facts.dim)) * 10 ** rng.uniform(-2, 1.5, (2000, 1))
        pair = neighbours(plan, [(*record, 1.0) for record in records[: size - 1]], records[-2], records[-1])
        assert pure_loss(*pair, points) <= claimed(plan).epsilon * (1 + 1e-9)


def test_a_ball_lets_the_squared_loss_in_with_its_own_constants() -> None:
    """Inside the ball, where alone the released minimiser can lie."""
    for ridge in (0.5, 5.0, 50.0):
        plan = plan_for(Squared(), ridge, PURE, 3, REPLACE, 1.0)
        points = np.linspace(-1, 1, 4001)[:, None]
        common = [(np.array([1.0]), 1.0, 1.0), (np.array([-0.5]), 1.0, 1.0)]
        for left in corner_records(Squared()):
            for right in corner_records(Squared()):
                pair = neighbours(plan, common, left, right)
                assert pure_loss(*pair, points) <= claimed(plan).epsilon * (1 + 1e-9)
