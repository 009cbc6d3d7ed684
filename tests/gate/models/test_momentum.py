"""Steps with momentum: as steady as planned for every quadratic, bounded without a projection, refused elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import equipoise as eq
from equipoise.audit.subjects.derived import derived_again
from equipoise.audit.subjects.stored import audit_model
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.gate.models import momentum
from equipoise.inside import Private, Records
from equipoise.inside.design import design_from
from equipoise.inside.walk import swung
from equipoise.stability import HeavyBall, Nesterov
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Squared
from equipoise.theory.plan import Facts, WalkPlan
from equipoise.theory.regularisers import L2
from equipoise.theory.stability.momentum import Swing, responses

Array = npt.NDArray[np.float64]
N = 12

WAYS: dict[str, HeavyBall | Nesterov] = {
    "no momentum": HeavyBall(15, 0.0),
    "heavy ball": HeavyBall(15, 0.5),
    "longest steps": HeavyBall(9, 0.6, 2 * 1.6 / 2.3),
    "much momentum": HeavyBall(30, 0.9),
    "Nesterov": Nesterov(25),
    "short steps": Nesterov(10, 0.01),
}


def planned(
    way: HeavyBall | Nesterov, alpha: float = 0.1, n: int = N, centre: Any = None, **more: Any
) -> WalkPlan[Swing]:
    facts = Facts(Squared(), L2(alpha, centre), Bounds(1.0), n, 2, descent=way, **more)
    return momentum.plan(facts, Budget(1.0))


def end(plan: WalkPlan[Swing], X: Array, y: Array) -> Array:
    facts = plan.facts
    return swung(Private(Records(design_from(X, 1.0, 0.0), y)), facts.loss, facts.penalty, plan.walk, facts.n).reveal()


def table(rng: np.random.Generator, kind: int) -> tuple[Array, Array]:
    """Rows in the disc, on one axis, or nearly all on one; labels at their ends, or anywhere."""
    X = rng.normal(size=(N, 2))
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    X = np.sign(X) * [1.0, 0.0] if kind == 1 else X
    X[2:] = [0.0, 0.0] if kind == 2 else X[2:]
    return X, rng.choice([-1.0, 1.0], size=N) if kind else rng.uniform(-1, 1, size=N)


@pytest.mark.parametrize("centre", [None, (0.5, -0.2)])
@pytest.mark.parametrize("name", WAYS)
def test_no_neighbours_move_the_end_further_than_planned(name: str, centre: Any) -> None:
    plan, rng = planned(WAYS[name], centre=centre), np.random.default_rng(0)
    for attempt in range(120):
        X, y = table(rng, attempt % 3)
        other, labels = X.copy(), y.copy()
        other[0], labels[0] = (-X[0] if attempt % 2 else table(rng, 1)[0][0]), -np.sign(y[0])
        assert np.linalg.norm(end(plan, X, y) - end(plan, other, labels)) <= plan.sensitivity.l2


@pytest.mark.parametrize("way", [HeavyBall(6, 0.5, 0.01), HeavyBall(12, 0.9, 0.002), Nesterov(8, 0.01)])
def test_short_walks_attain_the_bound(way: HeavyBall | Nesterov) -> None:
    """One record on an axis of its own, whose label turns."""
    plan = planned(way, alpha=0.001, n=200)
    X, y = np.zeros((200, 2)), np.zeros(200)
    X[0], y[0] = [1.0, 0.0], 1.0
    other = y.copy()
    other[0] = -1.0
    moved = float(np.linalg.norm(end(plan, X, y) - end(plan, X, other)))
    assert 0.9 * plan.sensitivity.l2 <= moved <= plan.sensitivity.l2


@pytest.mark.parametrize("name", WAYS)
def test_points_never_leave_where_the_gradients_were_bounded_and_some_table_leads_there(name: str) -> None:
    plan, furthest = planned(WAYS[name]), 0.0
    for length in np.linspace(0.05, 1.0, 40):
        X, y = np.tile([[length, 0.0]], (N, 1)), np.ones(N)
        for steps in range(1, plan.walk.steps + 1):
            shorter = replace(plan, walk=replace(plan.walk, steps=steps))
            furthest = max(furthest, float(np.linalg.norm(end(shorter, X, y))))
    assert 0.9 * plan.norm <= furthest <= plan.norm


@pytest.mark.parametrize("steps", [1, 2, 7, 60])
def test_impulses_without_curvature_are_those_of_the_catalogue(steps: int) -> None:
    """T(T + 7)/8, and (1 − γ^s)/(1 − γ) with s steps to go; found to half a per cent, and never below."""
    found = sum(responses(Nesterov(steps).settled(1e-9, 1.0), 2.0).impulses)
    assert 1 <= found / (steps * (steps + 7) / 8) <= 1.006
    kept = 0.7
    found_ones = responses(HeavyBall(steps, kept).settled(1e-9, 1.0), 2.0).impulses
    exact = (1 - kept ** np.arange(steps, 0, -1)) / (1 - kept)
    assert np.all(np.asarray(found_ones) >= exact)
    assert np.all(np.asarray(found_ones) <= 1.006 * exact)


@pytest.mark.parametrize("swing", [Swing(9, 0.4, None, 0.1, 2.3), Swing(11, 1.1, 0.6, 0.1, 2.3)], ids=["N", "HB"])
def test_impulses_are_above_those_at_every_eigenvalue(swing: Swing) -> None:
    """Run forwards, a unit put in at each step, at eigenvalues between the points that were looked at."""
    impulses = np.asarray(responses(swing, 2.0).impulses)
    largest = np.zeros(swing.steps)
    for bend in np.linspace(swing.ridge, swing.smoothness, 1237):
        for place in range(swing.steps):
            before = now = 0.0
            for step in range(swing.steps):
                ahead = now + swing.kept(step) * (now - before)
                point = ahead if swing.ahead else now
                before, now = now, ahead - swing.step * bend * point + (1.0 if step == place else 0.0)
            largest[place] = max(largest[place], abs(now))
    assert np.all(largest <= impulses)
    assert np.all(largest >= 0.98 * impulses)


def test_with_a_ridge_no_number_of_steps_moves_further_than_the_minimiser_would() -> None:
    steps = [planned(HeavyBall(count, 0.3), n=1000) for count in (20, 100, 900)]
    sizes = [sum(responses(plan.walk, 2.0).impulses) * plan.walk.step * 0.1 for plan in steps]
    assert sizes[0] < sizes[1] <= sizes[2] <= 1.006


def test_losses_whose_curvature_changes_are_refused_with_the_reason() -> None:
    """tests/theory/stability/test_variants.py holds the counter-example: a curvature that pumps the distance."""
    models: tuple[Any, ...] = (
        eq.LogisticRegression(1.0, mechanism="momentum"),
        eq.LogisticRegression(1.0, mechanism=Nesterov()),  # type: ignore[arg-type]
        eq.HuberRegressor(1.0, mechanism="momentum", label_bounds=(-1, 1)),
        eq.LinearSVC(1.0, mechanism="momentum"),
    )
    for model in models:
        with pytest.raises(MechanismRefused, match="squared loss alone"):
            model.plan(100, 2)
    with pytest.raises(MechanismRefused, match="ridge alone"):
        eq.ElasticNet(1.0, mechanism="momentum", label_bounds=(-1, 1)).plan(100, 2)
    facts = Facts(Squared(), L2(0.1), Bounds(1.0), N, 2, Adjacency.ADD_REMOVE)
    with pytest.raises(MechanismRefused, match="replace-one"):
        momentum.plan(facts, Budget(1.0))


@pytest.mark.parametrize(
    ("way", "limit"), [(HeavyBall(5, 0.5), 3 / 2.2), (HeavyBall(5, 0.0), 2 / 2.2), (Nesterov(5), 1 / 2.1)]
)
def test_steps_that_are_too_long_are_refused_with_the_limit(way: HeavyBall | Nesterov, limit: float) -> None:
    planned(replace(way, step_size=limit * 0.999))
    with pytest.raises(MechanismRefused, match=f"at most {limit:.5g}"):
        planned(replace(way, step_size=limit * 1.001))


def test_what_is_no_schedule_is_refused_when_it_is_made() -> None:
    bads: tuple[tuple[Any, dict[str, Any]], ...] = (
        (HeavyBall, {"steps": 0}),
        (HeavyBall, {"steps": 1001}),
        (HeavyBall, {"momentum": 1.0}),
        (HeavyBall, {"momentum": -0.1}),
        (HeavyBall, {"step_size": 0.0}),
        (Nesterov, {"steps": 2.5}),
        (Nesterov, {"step_size": float("nan")}),
    )
    for make, bad in bads:
        with pytest.raises(InvalidInput):
            make(**bad)


def test_persons_pay_for_every_row() -> None:
    one, three = planned(Nesterov()), planned(Nesterov(), person_rows=3)
    assert three.sensitivity.l2 == pytest.approx(3 * one.sensitivity.l2, rel=1e-6)


def test_rounding_is_counted() -> None:
    """Of sums over more rows: the noise for a bound times n falls a little less than n grows."""
    few, many = (planned(Nesterov(), n=n) for n in (10**3, 10**12))
    assert many.sensitivity.l2 * 10**9 > few.sensitivity.l2 * (1 + 1e-4)


@pytest.mark.parametrize("way", [HeavyBall(20, 0.5), Nesterov(20)])
def test_a_few_steps_learn_with_less_noise_than_the_minimiser_needs(way: HeavyBall | Nesterov) -> None:
    rng = np.random.default_rng(2)
    X = rng.uniform(-0.5, 0.5, size=(20_000, 4))
    y = X @ [1, -0.5, 0, 0.2] + rng.normal(size=20_000) / 10
    walks, exact = (
        eq.LinearRegression(1.0, mechanism=each, alpha=0.01, label_bounds=(-1, 1), random_state=0).fit(X, y)
        for each in (way, "output")
    )
    assert walks.guarantee_.sensitivity < exact.guarantee_.sensitivity / 3
    assert walks.score(X, y) > max(0.8, exact.score(X, y))
    assert "momentum" in str(walks.card())


@pytest.mark.parametrize("way", [HeavyBall(20, 0.5), Nesterov(20)])
def test_a_stored_model_is_audited_with_its_own_steps(way: HeavyBall | Nesterov) -> None:
    X = np.linspace(-1, 1, 200)[:, None]
    model = eq.LinearRegression(1.0, mechanism=way, alpha=0.1, label_bounds=(-1, 1)).fit(X, X[:, 0]).model_
    assert audit_model(model, "steps").survived
    assert derived_again(model).held is True
    shorter = replace(model, guarantee=replace(model.guarantee, sensitivity=model.guarantee.sensitivity / 2))
    assert derived_again(shorter).held is False
