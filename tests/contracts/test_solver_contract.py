"""Every solver obeys the same laws, for every loss and storage it serves.  A new solver adds one line to SOLVERS."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse
from tests.lists.turns import in_turns

from equipoise.errors import NotCertified
from equipoise.inside import Private, Records, Solution, minimise
from equipoise.inside.design import Matrix, design_from
from equipoise.inside.objective import Objective
from equipoise.inside.solvers import chord, last_resort, newton, rows_newton, solve, truncated_newton
from equipoise.theory.losses import Hinge, Huber, Logistic, Loss, SmoothedHinge, Softmax, Squared
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]
Solver = Callable[[Objective, float, float], Solution]

SMOOTH: tuple[Loss, ...] = (Logistic(), SmoothedHinge(0.1), Squared(), Huber(0.3), Softmax(3))
SCALAR = SMOOTH[:-1]


@dataclass(frozen=True)
class Entry:
    """A solver, what it serves, and whether it takes a ball."""

    solve: Solver
    losses: tuple[Loss, ...]
    ball: bool = True


SOLVERS = {
    "newton": Entry(newton.solve, SMOOTH),
    "chord": Entry(chord.solve, SMOOTH),
    "rows newton": Entry(rows_newton.solve, SCALAR),
    "truncated newton": Entry(truncated_newton.solve, SMOOTH),
    "last resort": Entry(last_resort.solve, SMOOTH, ball=False),
    "chosen by shape": Entry(solve, SMOOTH, ball=False),
}
STORAGES: dict[str, Callable[[Array], Matrix]] = {
    "double": lambda X: X,
    "single": lambda X: X.astype(np.float32),
    "sparse": sparse.csr_array,
}
NAMED = [(f"{name}-{loss.name}", entry, loss) for name, entry in SOLVERS.items() for loss in entry.losses]
SERVED = [(entry, loss) for _, entry, loss in NAMED]
PAIRS = [pytest.param(entry, loss, id=name) for name, entry, loss in NAMED]
BALLS = [pytest.param(entry, loss, id=name) for name, entry, loss in NAMED if entry.ball]


def _labels(loss: Loss, rows: int, lean: Array) -> Array:
    rng = np.random.default_rng(17)
    if isinstance(loss, Softmax):
        return rng.integers(0, 3, size=rows).astype(float)
    if isinstance(loss, Squared | Huber):
        return np.clip(lean + rng.normal(size=rows) / 4, -1, 1)
    return np.where(lean + rng.normal(size=rows) / 4 > 0, 1.0, -1.0)


def _objective(
    loss: Loss, X: Matrix, alpha: float, *, centre: bool = False, tilt: bool = False, intercept: float = 1.0
) -> Objective:
    design = design_from(X, 1.0, intercept)
    lean = design.matvec(np.linspace(1, -1, design.columns))
    size = loss.outputs * design.columns
    rng = np.random.default_rng(5)
    middle = tuple((rng.normal(size=size) / 3).tolist()) if centre else None
    push = rng.normal(size=size) / 30 if tilt else None
    return Objective(loss, L2(alpha, middle), Records(design, _labels(loss, design.rows, lean)), design.rows, push)


def _fine(objective: Objective) -> float:
    """2⁻¹⁰ of a sensitivity of the usual size, rows of norm √2."""
    return 2.0**-10 * math.sqrt(2) / (objective.penalty.strong_convexity * objective.divisor)


def _cloud(rows: int = 200, columns: int = 6) -> Array:
    rng = np.random.default_rng(rows + columns)
    return np.where(rng.random((rows, columns)) < 0.7, rng.normal(size=(rows, columns)), 0.0)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize(("entry", "loss"), PAIRS)
def test_no_point_nearby_is_lower_than_the_certificate_allows(entry: Entry, loss: Loss, storage: str) -> None:
    """Near the minimiser J rises by far less than ten times the distance, so nothing may be lower by more."""
    objective = _objective(loss, STORAGES[storage](_cloud()), 0.01, centre=True, tilt=True)
    found = entry.solve(objective, _fine(objective), math.inf)
    assert found.certificate.distance <= _fine(objective)
    at_point = objective.value(found.point)
    rng = np.random.default_rng(3)
    for scale in (1e-1, 1e-2, 1e-3, 1e-4):
        for _ in range(10):
            v = found.point + scale * rng.normal(size=objective.size)
            assert objective.value(v) >= at_point - 10 * found.certificate.distance


@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: loss.name)
def test_solvers_and_storages_agree_within_their_certificates(loss: Loss) -> None:
    points = []
    for entry in SOLVERS.values():
        if loss not in entry.losses:
            continue
        for store in (STORAGES["double"], STORAGES["sparse"]):
            objective = _objective(loss, store(_cloud()), 0.003, tilt=True)
            found = entry.solve(objective, _fine(objective), math.inf)
            points.append((found.point, found.certificate.distance))
    first, its_distance = points[0]
    for point, distance in points[1:]:
        assert float(np.linalg.norm(point - first)) <= distance + its_distance


@pytest.mark.parametrize("share", [0.999, 0.5, 0.01])
@pytest.mark.parametrize(("entry", "loss"), BALLS)
def test_ball_solution_is_on_the_sphere_and_beats_the_whole_ball(entry: Entry, loss: Loss, share: float) -> None:
    objective = _objective(loss, _cloud(), 0.003, centre=True)
    free = entry.solve(objective, _fine(objective), math.inf).point
    radius = share * float(np.linalg.norm(free))
    found = entry.solve(objective, _fine(objective), radius)
    assert float(np.linalg.norm(found.point)) == pytest.approx(radius, rel=1e-12)
    assert found.certificate.distance <= _fine(objective)
    best = objective.value(found.point)
    rng = np.random.default_rng(4)
    for scale in (1.0, 1e-1, 1e-2):
        for _ in range(20):
            v = found.point + scale * rng.normal(size=objective.size)
            v *= min(1.0, radius / float(np.linalg.norm(v)))
            assert objective.value(v) >= best - 1e-6 * scale * radius


@pytest.mark.parametrize(("entry", "loss"), BALLS)
def test_a_ball_that_just_holds_the_minimiser_changes_nothing(entry: Entry, loss: Loss) -> None:
    objective = _objective(loss, _cloud(), 0.01)
    free = entry.solve(objective, _fine(objective), math.inf)
    for stretch in (1 + 1e-9, 1.0, 1 - 1e-9):
        radius = stretch * float(np.linalg.norm(free.point))
        found = entry.solve(objective, _fine(objective), radius)
        allowed = free.certificate.distance + found.certificate.distance + 1e-8
        assert float(np.linalg.norm(found.point - free.point)) <= allowed


@pytest.mark.parametrize("radius", [0.0, 1e-18, math.nan])
@pytest.mark.parametrize(("entry", "loss"), PAIRS)
def test_an_impossible_radius_is_not_certified(entry: Entry, loss: Loss, radius: float) -> None:
    objective = _objective(loss, _cloud(30, 3), 0.1)
    with pytest.raises(NotCertified) as caught:
        entry.solve(objective, radius, math.inf)
    assert str(caught.value) == "the solver could not prove that it is close enough to the minimiser: raise alpha"


ODD: dict[str, Array] = {
    "two rows": _cloud(2, 3),
    "one row": _cloud(1, 3),
    "more columns than rows": _cloud(5, 40),
    "equal rows": np.tile(_cloud(1, 4), (50, 1)),
    "zero rows": np.zeros((20, 3)),
    "constant column": np.column_stack([_cloud(40, 2), np.ones(40)]),
    "zero column": np.column_stack([_cloud(40, 2), np.zeros(40)]),
    "twin columns": np.column_stack([_cloud(40, 2), _cloud(40, 2)]),
    "enormous entries": 1e30 * _cloud(40, 3),
    "tiny entries": 1e-200 * _cloud(40, 3),
}


@pytest.mark.parametrize("intercept", [0.0, 1.0])
@pytest.mark.parametrize("data", ODD)
@pytest.mark.parametrize(("entry", "loss"), PAIRS)
def test_odd_data_simply_fit(entry: Entry, loss: Loss, data: str, intercept: float) -> None:
    turn = SERVED.index((entry, loss)) + list(ODD).index(data) + int(intercept)
    for place, store in in_turns(list(enumerate(STORAGES.values())), turn, 3):  # they and ridges meet in products alone
        alpha = (1.0, 1e-4)[(place + int(intercept)) % 2]
        objective = _objective(loss, store(ODD[data]), alpha, intercept=intercept)
        assert entry.solve(objective, _fine(objective), math.inf).certificate.distance <= _fine(objective)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("loss", [Logistic(), SmoothedHinge(0.5), Hinge().stand_in()], ids=lambda loss: loss.name)
def test_one_class_alone_simply_fits(loss: Loss, sign: float) -> None:
    records = Records(design_from(_cloud(), 1.0, 1.0), np.full(200, sign))
    for alpha in (0.1, 1e-3, 1e-5):
        objective = Objective(loss, L2(alpha), records, 200.0)
        assert solve(objective, _fine(objective)).certificate.distance <= _fine(objective)


def test_many_columns_are_solved_without_a_dense_matrix() -> None:
    """A hundred thousand columns: a size × size matrix would not fit."""
    rng = np.random.default_rng(8)
    X = sparse.csr_array(sparse.random_array((700, 100_000), density=3e-4, rng=rng))
    cases: list[tuple[Solver, Loss]] = [
        (truncated_newton.solve, Logistic()),
        (solve, Logistic()),
        (solve, Hinge().stand_in()),
    ]
    for solver, loss in cases:
        objective = _objective(loss, X, 1e-3)
        assert solver(objective, _fine(objective), math.inf).certificate.distance <= _fine(objective)


def test_minimise_returns_a_private_solution() -> None:
    objective = _objective(Logistic(), _cloud(), 0.01)
    wrapped = minimise(Private(objective.records), Logistic(), L2(0.01), 200.0, _fine(objective))
    assert isinstance(wrapped, Private)
    np.testing.assert_array_equal(wrapped.reveal().point, solve(objective, _fine(objective)).point)
