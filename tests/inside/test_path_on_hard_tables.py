"""Every way along the path, on tables made to upset it: as certified as one by one, and in the same places."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse

from equipoise.inside import Records, path
from equipoise.inside.design import design_from
from equipoise.inside.objective import Objective
from equipoise.inside.path import solve_path
from equipoise.inside.solvers import Solution, inverses, krylov, solve
from equipoise.inside.solvers.subspace import Space
from equipoise.theory.losses import Hinge, Logistic, Loss, SmoothedHinge, Squared
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]

ALPHAS = (1e-3, 1e-2, 3e-2, 0.1, 1.0)
ROWS = 90


def _overlapping(columns: int = 4) -> tuple[Array, Array]:
    rng = np.random.default_rng(columns)
    X = rng.normal(size=(ROWS, columns)) / 2
    return X, np.where(X[:, 0] + rng.normal(size=ROWS) / 3 > 0, 1.0, -1.0)


def _equal_rows() -> tuple[Array, Array]:
    return np.tile([[0.6, 0.8, 0.0]], (ROWS, 1)), np.ones(ROWS)


def _repeated_rows() -> tuple[Array, Array]:
    X, labels = _overlapping()
    return np.repeat(X[:10], 9, axis=0), np.where(np.arange(ROWS) % 9 < 6, np.repeat(labels[:10], 9), 1.0)


def _zero_rows() -> tuple[Array, Array]:
    X, labels = _overlapping()
    return X * (np.arange(ROWS) % 3 == 0)[:, None], labels


def _nothing_but_zeros() -> tuple[Array, Array]:
    return np.zeros((ROWS, 3)), _overlapping()[1]


def _one_class() -> tuple[Array, Array]:
    return _overlapping()[0], -np.ones(ROWS)


def _separable() -> tuple[Array, Array]:
    X, _ = _overlapping()
    labels = np.where(X[:, 0] > 0, 1.0, -1.0)
    return X + labels[:, None] * np.array([0.3, 0, 0, 0]), labels


def _empty_columns() -> tuple[Array, Array]:
    X, labels = _overlapping(7)
    return X * (np.arange(7) % 2 == 0), labels


TABLES: dict[str, Callable[[], tuple[Array, Array]]] = {
    "equal rows": _equal_rows,
    "repeated rows": _repeated_rows,
    "zero rows": _zero_rows,
    "nothing but zeros": _nothing_but_zeros,
    "one class": _one_class,
    "separable": _separable,
    "more columns than rows": lambda: _overlapping(150),
    "empty columns": _empty_columns,
}
SPARSELY = ("zero rows", "nothing but zeros", "more columns than rows", "empty columns")
SMOOTH: tuple[Loss, ...] = (Logistic(), SmoothedHinge(0.1), Squared())


@pytest.fixture(params=["eigenvectors", "factors", "one space"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The ways of smooth losses, each made to take tables that another would have got."""
    if request.param == "factors":
        monkeypatch.setattr(inverses, "EIGEN_LARGEST", 0)
    if request.param == "one space":
        monkeypatch.setattr(path, "group_width", lambda objective: 0)
    return str(request.param)


def _problems(loss: Loss, X: Array, labels: Array, sparsely: bool = False) -> tuple[list[Objective], list[float]]:
    records = Records(design_from(sparse.csr_array(X) if sparsely else X, 1.0, 0.5), labels)
    radii = [2.0**-10 * 2 * math.hypot(1, 0.5) / (alpha * len(X)) for alpha in ALPHAS]
    return [Objective(loss, L2(alpha), records, len(X)) for alpha in ALPHAS], radii


def _assert_as_certified(found: list[Solution], objectives: list[Objective], radii: list[float]) -> None:
    for one, objective, radius in zip(found, objectives, radii, strict=True):
        assert one.certificate.distance <= radius
        alone = solve(objective, radius / 50)
        apart = float(np.linalg.norm(one.point - alone.point))
        assert apart <= one.certificate.distance + alone.certificate.distance


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: loss.name)
@pytest.mark.usefixtures("way")
def test_the_path_agrees_with_finer_fits_one_by_one(loss: Loss, table: str) -> None:
    objectives, radii = _problems(loss, *TABLES[table](), sparsely=table in SPARSELY)
    _assert_as_certified(solve_path(objectives, radii), objectives, radii)


@pytest.mark.parametrize("sparsely", [False, True])
@pytest.mark.parametrize("table", TABLES)
def test_the_path_of_the_hinge_agrees_with_finer_fits_one_by_one(table: str, sparsely: bool) -> None:
    objectives, radii = _problems(Hinge().stand_in(), *TABLES[table](), sparsely)
    _assert_as_certified(solve_path(objectives, radii), objectives, radii)


@pytest.mark.parametrize("table", ["repeated rows", "more columns than rows", "separable"])
def test_smooth_problems_in_one_space_are_certified_there(table: str) -> None:
    """Without this the other solvers could be doing the work."""
    objectives, radii = _problems(Logistic(), *TABLES[table]())
    found, _ = krylov.solve_in_span(objectives, radii, krylov.room_for(objectives))
    solutions = [one for one in found if one is not None]
    assert len(solutions) == len(ALPHAS)
    _assert_as_certified(solutions, objectives, radii)


@pytest.mark.parametrize("table", ["repeated rows", "more columns than rows"])
def test_a_space_whose_points_are_wrong_certifies_nothing(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    objectives, radii = _problems(Logistic(), *TABLES[table]())
    points = Space.points
    monkeypatch.setattr(Space, "points", lambda self, inside: points(self, inside) + 0.2)
    monkeypatch.setattr(path, "group_width", lambda objective: 0)
    found, _ = krylov.solve_in_span(objectives, radii, krylov.room_for(objectives))
    assert found == [None] * len(ALPHAS)
    _assert_as_certified(solve_path(objectives, radii), objectives, radii)


def test_problems_that_something_else_pulls_at_do_not_share_a_space(monkeypatch: pytest.MonkeyPatch) -> None:
    objectives, radii = _problems(Logistic(), *_overlapping(100))
    assert krylov.room_for(objectives) == krylov.MOST_DIRECTIONS
    first = objectives[0]
    tilted = Objective(first.loss, L2(0.2), first.records, ROWS, np.full(first.size, 0.01))
    centred = Objective(first.loss, L2(0.3, tuple(np.full(first.size, 0.1).tolist())), first.records, ROWS)
    monkeypatch.setattr(path, "group_width", lambda objective: 0)
    for odd in (tilted, centred):
        assert krylov.room_for([*objectives, odd]) == 0
        both, both_radii = [*objectives, odd], [*radii, radii[0]]
        _assert_as_certified(solve_path(both, both_radii), both, both_radii)
    monkeypatch.setattr(krylov, "MOST_ENTRIES", 100 * (krylov.FEWEST_DIRECTIONS - 1))
    assert krylov.room_for(objectives) == 0


def test_a_space_without_room_leaves_the_rest_to_other_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    objectives, radii = _problems(Logistic(), *_overlapping(150))
    found, ends = krylov.solve_in_span(objectives, radii, 2)
    assert None in found
    assert len(ends) == len(ALPHAS)
    monkeypatch.setattr(path, "group_width", lambda objective: 0)
    monkeypatch.setattr(path, "room_for", lambda objectives: 2)
    _assert_as_certified(solve_path(objectives, radii), objectives, radii)
