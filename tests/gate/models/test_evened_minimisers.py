"""Minimisers of records that count the more the shorter their rows are: what one of them can do, wherever they lie,
whoever solves, and when it is done at all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse
from scipy.optimize import minimize

import equipoise as eq
from equipoise.audit import replay
from equipoise.audit.exact.densities import as_seen, density_of, gradients
from equipoise.audit.subjects import evened as subjects
from equipoise.errors import MechanismRefused
from equipoise.gate import MECHANISMS
from equipoise.gate.choices import training
from equipoise.gate.models import objective_perturbation, output_perturbation
from equipoise.gate.models.choose import choose
from equipoise.gate.models.evened import NOISY, where_noisy
from equipoise.gate.models.mechanism import Steady
from equipoise.inside import Private, Records, Solution, enter, minimise, minimise_path
from equipoise.inside.borrowed import enter_borrowed
from equipoise.inside.design import rows_of
from equipoise.inside.objective import Objective
from equipoise.inside.parted import enter_streamed
from equipoise.inside.records import nobody
from equipoise.inside.solvers import chord, last_resort, newton, rows_newton, solve, truncated_newton
from equipoise.inside.solvers.ball import solve_within
from equipoise.inside.solvers.krylov import room_for, solve_in_span
from equipoise.theory import family, sensitivity
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.evening import LARGEST_WEIGHT, Evening
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import CappedLogistic, CappedSoftmax, Huber, Logistic, Loss, Softmax, Squared
from equipoise.theory.plan import Facts, OutputPlan, TiltedPlan
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]
CAPPED, HUBER = CappedLogistic(0.5), Huber(0.25, 1.0, 2.0)
N, WIDTH, ALPHA = 200, 4, 0.02


def bounds_of(loss: Loss, intercept: float = 0.5) -> Bounds:
    if loss.traits.labels.name == "NUMBERS":
        return Bounds(1.0, intercept, label_range=(-1.0, 1.0))
    return Bounds(1.0, intercept, classes=tuple(range(max(2, loss.outputs + 1))))


def labels_for(loss: Loss, n: int = N) -> npt.NDArray[Any]:
    rng = np.random.default_rng(1)
    if loss.traits.labels.name == "NUMBERS":
        return rng.uniform(-1, 1, n)
    return rng.integers(0, max(2, loss.outputs + 1), n)


def table(n: int = N, width: int = WIDTH, seed: int = 0) -> Array:
    """Rows of every length, some beyond their bound."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, width)) * 10.0 ** rng.uniform(-3, 1, (n, 1))


def weighed_by_hand(loss: Loss, X: Array, y: npt.NDArray[Any], bounds: Bounds, alpha: float, tilt: Array) -> Array:
    """The minimiser by another solver, from rows clipped and weighed here."""
    inner = enter(X, y, bounds).reveal()
    rows, labels = np.column_stack([rows_of(inner.design), np.full(len(y), bounds.intercept)]), inner.labels
    counts = np.minimum(9 / 4, bounds.norm / np.linalg.norm(rows, axis=1))

    def both(w: Array) -> tuple[float, Array]:
        shaped = w.reshape(loss.outputs, -1)
        scores = (rows @ shaped.T)[:, 0] if loss.outputs == 1 else rows @ shaped.T
        slopes = (loss.slope(scores, labels).reshape(len(rows), -1) * counts[:, None]).T @ rows
        value = float(np.sum(counts * loss.value(scores, labels))) / len(rows) + alpha / 2 * float(w @ w)
        return value + float(tilt @ w), slopes.reshape(-1) / len(rows) + alpha * w + tilt

    start = np.zeros(loss.outputs * rows.shape[1])
    return np.asarray(minimize(both, start, jac=True, method="BFGS", options={"gtol": 1e-9}).x)


def in_blocks(X: Array, y: Any, bounds: Bounds) -> Private[Records]:
    def blocks(order: Sequence[int] | None = None) -> Iterator[tuple[Array, npt.NDArray[Any]]]:
        for start in range(0, len(X), 64):
            yield X[start : start + 64].copy(), y[start : start + 64]

    return enter_streamed(blocks, len(X), X.shape[1], X.shape[1] + 1, 64, bounds)


WAYS: dict[str, Callable[[Array, Any, Bounds], Private[Records]]] = {
    "memory": enter,
    "sparse": lambda X, y, bounds: enter(sparse.csr_array(X), y, bounds),
    "streamed": in_blocks,
    "borrowed": lambda X, y, bounds: enter_borrowed(X, y, bounds, nobody),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("loss", [Logistic(), CAPPED, HUBER, CappedSoftmax(3)], ids=repr)
def test_wherever_records_lie_the_weighed_mean_is_what_is_minimised(way: str, loss: Loss) -> None:
    bounds, X, y = bounds_of(loss), table(), labels_for(loss)
    tilt = np.random.default_rng(2).normal(size=loss.outputs * (WIDTH + 1)) * 0.02
    given = WAYS[way](X.copy(), y, bounds)
    found = minimise(given, loss, L2(ALPHA), N, 1e-9, math.inf, tilt, Evening(bounds.norm)).reveal()
    expected = weighed_by_hand(loss, X, y, bounds, ALPHA, tilt)
    assert np.allclose(found.point, expected, rtol=0, atol=2e-7)
    plain = minimise(WAYS[way](X.copy(), y, bounds), loss, L2(ALPHA), N, 1e-9, math.inf, tilt).reveal()
    assert np.linalg.norm(plain.point - expected) > 0.01


def _alone(objective: Objective, radius: float) -> dict[str, Solution]:
    """By each solver that a fit can end with."""
    found = {
        "chord": solve_within(objective, radius, math.inf, chord.Chord()),
        "newton": newton.solve(objective, radius),
        "truncated": solve_within(objective, radius, math.inf, truncated_newton.step),
        "usual": solve(objective, radius),
        "last resort": last_resort.solve(objective, radius),
    }
    if objective.loss.outputs == 1:
        found["rows"] = rows_newton.solve(objective, radius)
    return found


@pytest.mark.parametrize("loss", [CAPPED, HUBER, CappedSoftmax(3)], ids=repr)
def test_whoever_solves_ends_at_the_same_place(loss: Loss) -> None:
    bounds, X, y = bounds_of(loss), table(), labels_for(loss)
    tilt = np.random.default_rng(2).normal(size=loss.outputs * (WIDTH + 1)) * 0.02
    objective = Objective(loss, L2(ALPHA), enter(X, y, bounds).reveal(), float(N), tilt, evened=Evening(bounds.norm))
    expected = weighed_by_hand(loss, X, y, bounds, ALPHA, tilt)
    for name, solution in _alone(objective, 1e-6).items():
        assert np.linalg.norm(solution.point - expected) <= 1.2e-6, name


@pytest.mark.parametrize("width", [WIDTH, 400])
def test_many_ridges_at_once_are_of_the_weighed_mean_too(width: int) -> None:
    """Few columns share a Hessian, many a space of directions."""
    bounds, X, y = bounds_of(CAPPED), table(120, width), labels_for(CAPPED, 120)
    ridges, by = [0.5, 0.1, 0.02], Evening(bounds.norm)
    found = minimise_path(
        enter(X, y, bounds), CAPPED, [L2(a) for a in ridges], 120, [1e-7] * 3, math.inf, None, by
    ).reveal()
    for ridge, solution in zip(ridges, found, strict=True):
        expected = weighed_by_hand(CAPPED, X, y, bounds, ridge, np.zeros(width + 1))
        assert np.linalg.norm(solution.point - expected) <= 1e-5


def test_a_space_of_directions_is_searched_for_the_weighed_mean() -> None:
    bounds, X, y = bounds_of(CAPPED), table(100, 5000), labels_for(CAPPED, 100)
    records = enter(sparse.csr_array(X * (np.random.default_rng(3).random(X.shape) < 0.02)), y, bounds).reveal()
    each = [
        Objective(CAPPED, L2(alpha), records, 100.0, evened=Evening(bounds.norm)) for alpha in (0.2, 0.05, 0.02, 0.01)
    ]
    assert room_for(each)
    solutions, points = solve_in_span(each, [1e-6] * 4, room_for(each))
    for objective, point in zip(each, points, strict=True):
        assert np.linalg.norm(objective.gradient(point)) <= 1e-4
    assert any(one is not None for one in solutions)


# --- what one record can do -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [CAPPED, HUBER, Logistic(), Softmax(3)], ids=repr)
def test_no_exchange_moves_an_evened_minimiser_by_more_than_is_stated(loss: Loss) -> None:
    """Of short rows and long ones, at random and beside zeros."""
    rng = np.random.default_rng(4)
    bounds = bounds_of(loss, 0.0)
    labels: list[Any] = list(bounds.classes or (-1.0, 1.0))
    worst = 0.0
    for trial in range(40):
        n, alpha = int(rng.integers(2, 30)), 10.0 ** rng.uniform(-2, 0)
        facts = Facts(loss, L2(alpha), bounds, n, 2, evened=True)
        stated = sensitivity.of_minimiser(facts).l2
        others = rng.normal(size=(n - 1, 2)) * 10.0 ** rng.uniform(-2, 0) * (trial % 2)
        given = rng.choice(labels, n - 1)
        row = rng.normal(size=2)
        row *= rng.choice([0.2, 4 / 9, 0.8, 1.0]) / np.linalg.norm(row)
        ends = []
        for sign, label in ((1, labels[0]), (rng.choice([-1, 1]), labels[-1])):
            rows, y = np.vstack([sign * row, others]), np.append([label], given)
            found = minimise(enter(rows, y, bounds), loss, L2(alpha), n, 1e-4 * stated, evened=Evening(bounds.norm))
            ends.append(found.reveal().point)
        worst = max(worst, float(np.linalg.norm(ends[0] - ends[1])) / stated)
    assert worst <= 1 + 3e-4
    if loss in (CAPPED, HUBER):
        assert worst > 0.9  # by short rows: rows as they are would reach their length's part of it


def test_a_minimiser_of_heavy_short_rows_strays_as_far_as_is_planned_and_no_further() -> None:
    """All margins where a record pulls hardest: rows of four ninths that count nine quarters."""
    size, peak = 4 / 9, 1.2784645427610738
    chance = 1 / (1 + math.exp(peak))
    alpha = LARGEST_WEIGHT * size**2 * chance / peak
    bounds = Bounds(1.0, classes=(0, 1))
    facts = Facts(Logistic(), L2(alpha), bounds, 50, 1, evened=True)
    rows, y = np.full((50, 1), size), np.ones(50)
    (found,) = (
        minimise(enter(rows, y, bounds), Logistic(), L2(alpha), 50, 1e-9, evened=Evening(bounds.norm)).reveal().point
    )
    assert found == pytest.approx(peak / size, rel=1e-6)
    assert 0.999 * sensitivity.minimiser_norm(facts) <= found <= sensitivity.minimiser_norm(facts)
    assert 0.999 * sensitivity.course(facts).strays <= found <= sensitivity.course(facts).strays
    assert found > 1.4 * sensitivity.minimiser_norm(replace(facts, evened=False))


def test_a_certificate_allows_for_rows_that_pull_harder_than_they_are_long() -> None:
    """Short rows that count twice round like long ones that count once."""
    bounds, w = Bounds(1.0, classes=(0, 1)), np.array([0.3, -2.0])
    short = enter(np.full((30, 2), 0.3), np.arange(30) % 2, bounds).reveal()
    long = enter(np.full((30, 2), 1.0), np.arange(30) % 2, bounds).reveal()
    evened = Objective(CAPPED, L2(0.1), short, 30.0, evened=Evening(bounds.norm))
    plain = Objective(CAPPED, L2(0.1), long, 30.0)
    assert evened.rounding(w) >= plain.rounding(w) * (1 - 1e-9)
    assert evened.smoothness >= plain.smoothness * (1 - 1e-9)
    bend = np.linalg.eigvalsh(evened.hessian(w))[-1]
    assert bend <= evened.smoothness
    facts = Facts(CAPPED, L2(0.1), bounds, 30, 2, evened=True)
    planned, own = sensitivity.course(facts), last_resort.course(evened, np.zeros(2), math.inf)
    for figure in ("steepness", "strays", "smoothness", "norm", "error"):
        assert getattr(own, figure) <= getattr(planned, figure), figure


# --- the law of what leaves -------------------------------------------------------------------------------------------


def test_the_auditor_s_density_weighs_records_as_the_fit_does() -> None:
    """Its gradient vanishes, tilt and all, where the library's minimiser is."""
    bounds = Bounds(1.0, classes=(-1, 1))
    facts = Facts(CAPPED, L2(0.05), bounds, 20, 2, evened=True)
    plan = objective_perturbation.plan(facts, Budget(1.0))
    X, y = table(20, 2, seed=6), np.where(np.arange(20) % 3, 1, -1)
    tilt = np.array([0.01, -0.02])
    found = minimise(
        enter(X, y, bounds), CAPPED, plan.facts.penalty, 20, 1e-10, math.inf, tilt, Evening(bounds.norm)
    ).reveal()
    law: Any = density_of(plan, as_seen(X, y, bounds))
    pull = gradients(plan.facts, law.table, found.point[None]) + 20 * tilt
    assert np.linalg.norm(pull) <= 1e-6


@pytest.mark.parametrize("delta", [0.0, 1e-3])
@pytest.mark.parametrize("several", [False, True])
def test_a_replayed_default_fit_moves_by_no_more_than_is_stated(delta: float, several: bool) -> None:
    """Noise frozen, a short row says the opposite."""
    classes = [0, 1, 2] if several else [0, 1]

    def made() -> Any:
        return eq.LogisticRegression(1.0, 0.0 if several else delta, classes=classes, fit_intercept=False)

    def fit(data: tuple[Array, npt.NDArray[Any]]) -> Any:
        return made().fit(*data)

    rows, ratio = np.zeros((60, 2)), 0.0
    plan = made().plan(60, 2)
    assert isinstance(plan, TiltedPlan)
    assert plan.facts.evened
    for length in (0.5, 0.2, 1.0):
        left, right = rows.copy(), rows.copy()
        left[0, 0] = right[0, 0] = length
        found = replay(fit, (left, np.zeros(60, int)), (right, np.array([1] + [0] * 59)))
        assert found.holds, str(found)
        ratio = max(ratio, found.ratio if length == 0.5 else 0.0)
    assert several or ratio > 0.5  # a row of half the bound, as it is, would move by half of it at most


# --- when it is done --------------------------------------------------------------------------------------------------


def test_the_audit_table_s_rows_are_about_evened_records() -> None:
    for target in subjects.evened(1.0):
        assert isinstance(target.plan, TiltedPlan)
        assert target.plan.facts.evened
        assert target.plan.constants()["largest weight of a record"] == LARGEST_WEIGHT
        for pair in target.pairs:
            (left, a), (right, b) = pair.left, pair.right
            assert left.shape == right.shape
            assert int(np.sum(np.any(left != right, axis=1) | (a != b))) <= 1


@pytest.mark.parametrize("kind", [eq.LogisticRegression, eq.LinearRegression])
def test_little_noise_leaves_every_record_counting_once(kind: Any) -> None:
    """What a fit ends at with ever more records is what one without privacy ends at."""
    given: dict[str, Any] = {"classes": [0, 1]} if kind is eq.LogisticRegression else {"label_bounds": (0, 1)}
    seen = []
    for rows in (100, 300, 1000, 3000, 10_000, 100_000):
        plan = kind(1.0, **given).plan(rows, 5)
        if isinstance(plan, TiltedPlan):
            risk = objective_perturbation.predict_risk(plan) / family.of_best_constant(plan.facts)
            assert plan.facts.evened == (risk >= NOISY)
            seen.append(plan.facts.evened)
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == 2


@pytest.mark.parametrize("name", ["objective", "output"])
def test_by_name_and_where_the_number_of_records_is_secret_they_count_once(name: str) -> None:
    assert not eq.LogisticRegression(0.3, classes=[0, 1], mechanism=name).plan(200, 5).facts.evened
    secret = eq.LogisticRegression(0.3, classes=[0, 1], adjacency="add-remove").plan(200, 5)
    assert not secret.facts.evened
    plan: Any = MECHANISMS[name].plan(
        Facts(CAPPED, L2(0.01), bounds_of(CAPPED), 200, 6, Adjacency.ADD_REMOVE), Budget(0.3)
    )
    finish: Any = MECHANISMS[name].finish
    assert finish(plan, 0.0) is plan
    with pytest.raises(MechanismRefused, match="where their number is public"):
        MECHANISMS[name].plan(replace(plan.facts, evened=True), Budget(0.3))


@pytest.mark.parametrize("loss", [CAPPED, HUBER, Logistic(), Softmax(3), Squared()], ids=repr)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("name", ["objective", "output"])
def test_the_last_step_costs_no_noise(loss: Loss, delta: float, name: str) -> None:
    """The same sensitivity, the same noise but for the solver's radius, the same price; or the plan as it was."""
    bounds = replace(bounds_of(loss), coef_norm=3.0 if loss == Squared() else math.inf)
    facts = Facts(loss, L2(0.05), bounds, 100, WIDTH + 1)
    before: Any = MECHANISMS[name].plan(facts, Budget(0.2, delta))
    module = objective_perturbation if name == "objective" else output_perturbation
    after: Any = where_noisy(module.plan, lambda _: math.inf)(before, 0.0)
    assert after.sensitivity.l2 == pytest.approx(before.sensitivity.l2, rel=1e-12)
    assert after.event == before.event
    assert after.noise_scale == pytest.approx(before.noise_scale, rel=1e-6)
    assert after.notes == before.notes
    if loss in (CAPPED, HUBER):
        assert after.facts.evened
    if isinstance(after, OutputPlan) and loss == Logistic():
        assert not after.facts.evened  # gradients of rows of one length differ by less


def test_short_rows_are_learnt_from_as_long_ones_are() -> None:
    """Rows of a fifth of their bound, δ = 0: the mean accuracy of twelve default fits, of evened records and not.

    A standard error is about .01, the difference about .1."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(800, 6))
    X *= 0.2 / np.linalg.norm(X, axis=1, keepdims=True)
    y = (X[:, 0] > 0).astype(int)

    def scored(alike: bool, seed: int) -> float:
        model = eq.LogisticRegression(0.3, classes=[0, 1], random_state=seed)
        plan = model.plan(800, 6)
        assert plan.facts.evened
        if not alike:
            alpha = plan.facts.penalty.strong_convexity
            model.set_params(mechanism="objective", slope_cap=plan.facts.loss.traits.cap, alpha=alpha)
        return float(model.fit(X, y).score(X, y))

    gain = [scored(True, seed) - scored(False, seed) for seed in range(12)]
    assert np.mean(gain) > 0.03


def test_a_search_over_ridges_counts_records_as_each_setting_says() -> None:
    """Of settings that even and do not, each is solved by its own rule, whichever comes first."""
    chosen = choose(Facts(CAPPED, L2(0.1), bounds_of(CAPPED), 150, WIDTH + 1), Budget(0.3), "auto", None)
    assert chosen.facts.evened
    settings = []
    for evened in (False, True, False):
        facts = Facts(CAPPED, L2(0.05 if evened else 0.1), bounds_of(CAPPED), N, WIDTH + 1, evened=evened)
        plan = output_perturbation.plan(facts, Budget(1.0))
        settings.append(Steady(plan, facts, 1e-8, 1.0, 1))
    X, y = table(), labels_for(CAPPED)
    jobs = [training._Job(place, 0, setting, None) for place, setting in enumerate(settings)]
    for path in training._paths(jobs):
        solved = training._solve(enter(X, y, bounds_of(CAPPED)), path).reveal()
        for job, solution in zip(path, solved, strict=True):
            facts = job.setting.facts
            given = facts.evened_to
            alone = minimise(enter(X, y, facts.bounds), CAPPED, facts.penalty, N, 1e-8, evened=given).reveal()
            assert np.allclose(solution.point, alone.point, atol=1e-6)
