"""Many ridges on the same records: as certified as one by one, in fewer passes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse

from equipoise.errors import NotCertified
from equipoise.inside import Private, Records, Solution, minimise, minimise_path
from equipoise.inside.design import Matrix, design_from
from equipoise.inside.objective import Objective
from equipoise.inside.path import forecast, solve_path
from equipoise.inside.solvers import solve
from equipoise.inside.solvers.shared_hessian import Open, look, solve_together
from equipoise.theory.losses import Hinge, Huber, Logistic, Loss, SmoothedHinge, Softmax, Squared
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]

HINGE = Hinge().stand_in()
LOSSES: tuple[Loss, ...] = (Logistic(), SmoothedHinge(0.1), Squared(), Huber(0.3), Softmax(2), Softmax(3), HINGE)
ALPHAS = tuple(float(alpha) for alpha in np.geomspace(1e-4, 1.0, 7)[[3, 0, 6, 1, 5, 2, 4]])
STORAGES: dict[str, Callable[[Array], Matrix]] = {
    "double": lambda X: X,
    "single": lambda X: X.astype(np.float32),
    "sparse": sparse.csr_array,
}


def _records(loss: Loss, rows: int = 300, columns: int = 6, store: str = "double") -> Records:
    rng = np.random.default_rng(rows + columns)
    X = np.where(rng.random((rows, columns)) < 0.7, rng.normal(size=(rows, columns)), 0.0)
    design = design_from(STORAGES[store](X), 1.0, 1.0)
    lean = design.matvec(np.append(np.linspace(1, -1, columns), 0.1)) + rng.normal(size=rows) / 4
    if isinstance(loss, Softmax):
        return Records(design, np.digitize(lean, np.linspace(-0.3, 0.3, loss.classes - 1)).astype(float))
    return Records(design, np.clip(lean, -1, 1) if isinstance(loss, Squared | Huber) else np.where(lean > 0, 1.0, -1.0))


def _radius(alpha: float, rows: float = 300) -> float:
    return 2.0**-10 * 2 * math.sqrt(2) / (alpha * rows)


def _path(loss: Loss, records: Records, alphas: tuple[float, ...] = ALPHAS, ball: float = math.inf) -> list[Solution]:
    rows = records.design.rows
    radii = [_radius(alpha, rows) for alpha in alphas]
    return minimise_path(Private(records), loss, [L2(alpha) for alpha in alphas], rows, radii, ball).reveal()


@pytest.mark.parametrize("store", STORAGES)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: f"{loss.name}-{loss.outputs}")
def test_every_point_is_certified_and_agrees_with_a_single_fit(loss: Loss, store: str) -> None:
    records = _records(loss, store=store)
    for alpha, found in zip(ALPHAS, _path(loss, records), strict=True):
        assert found.certificate.distance <= _radius(alpha)
        alone = minimise(Private(records), loss, L2(alpha), 300, _radius(alpha)).reveal()
        apart = float(np.linalg.norm(found.point - alone.point))
        assert apart <= found.certificate.distance + alone.certificate.distance


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: f"{loss.name}-{loss.outputs}")
def test_no_point_of_the_path_is_further_than_its_certificate_says(loss: Loss) -> None:
    records = _records(loss)
    for alpha, found in zip(ALPHAS, _path(loss, records), strict=True):
        exact = solve(Objective(loss, L2(alpha), records, 300), 1e-5 * _radius(alpha))
        apart = float(np.linalg.norm(found.point - exact.point))
        assert apart <= found.certificate.distance + exact.certificate.distance


@pytest.mark.parametrize("loss", [Logistic(), Softmax(3), HINGE], ids=lambda loss: loss.name)
def test_each_problem_has_its_own_tilt_centre_and_radius(loss: Loss) -> None:
    records, rng = _records(loss), np.random.default_rng(0)
    size = loss.outputs * records.design.columns
    penalties = [L2(alpha, tuple(rng.normal(size=size).tolist())) for alpha in (0.01, 0.1, 0.01, 1.0)]
    tilts = [rng.normal(size=size) / 30, None, rng.normal(size=size) / 30, rng.normal(size=size) / 30]
    radii = [_radius(penalty.strong_convexity) / scale for penalty, scale in zip(penalties, (1, 2, 4, 8), strict=True)]
    path = minimise_path(Private(records), loss, penalties, 300, radii, tilts=tilts).reveal()
    for found, penalty, tilt, radius in zip(path, penalties, tilts, radii, strict=True):
        alone = minimise(Private(records), loss, penalty, 300, radius, tilt=tilt).reveal()
        assert found.certificate.distance <= radius
        assert float(np.linalg.norm(found.point - alone.point)) <= 2 * radius


@pytest.mark.parametrize("loss", [Logistic(), Squared(), Softmax(3)], ids=lambda loss: loss.name)
def test_a_ball_holds_for_those_ridges_that_would_leave_it(loss: Loss) -> None:
    records = _records(loss)
    free = [float(np.linalg.norm(found.point)) for found in _path(loss, records)]
    ball = float(np.median(free))
    for alpha, norm, found in zip(ALPHAS, free, _path(loss, records, ball=ball), strict=True):
        assert found.certificate.distance <= _radius(alpha)
        assert float(np.linalg.norm(found.point)) == pytest.approx(min(norm, ball), rel=1e-3)
        alone = minimise(Private(records), loss, L2(alpha), 300, _radius(alpha), ball).reveal()
        assert float(np.linalg.norm(found.point - alone.point)) <= 2 * _radius(alpha)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: f"{loss.name}-{loss.outputs}")
def test_one_impossible_radius_stops_the_whole_path(loss: Loss) -> None:
    records = _records(loss, 40, 3)
    radii = [_radius(0.1, 40), 1e-18, _radius(0.1, 40)]
    with pytest.raises(NotCertified):
        minimise_path(Private(records), loss, [L2(0.1)] * 3, 40, radii)


def test_no_ridge_gives_no_solution_and_one_gives_the_single_fit() -> None:
    records = _records(Logistic())
    assert _path(Logistic(), records, ()) == []
    (found,) = _path(Logistic(), records, (0.01,))
    alone = minimise(Private(records), Logistic(), L2(0.01), 300, _radius(0.01)).reveal()
    np.testing.assert_array_equal(found.point, alone.point)


def test_lists_of_different_lengths_are_an_error() -> None:
    records = Private(_records(Logistic()))
    with pytest.raises(ValueError, match="zip"):
        minimise_path(records, Logistic(), [L2(0.1), L2(0.2)], 300, [1e-3])
    with pytest.raises(ValueError, match="zip"):
        minimise_path(records, Logistic(), [L2(0.1), L2(0.2)], 300, [1e-3, 1e-3], tilts=[None])


@pytest.mark.parametrize("loss", [Logistic(), Softmax(2), Softmax(3), Huber(0.3)], ids=lambda loss: loss.name)
def test_the_gradients_of_many_are_those_of_each(loss: Loss) -> None:
    records, rng = _records(loss), np.random.default_rng(1)
    size = loss.outputs * records.design.columns
    objectives = [Objective(loss, L2(alpha), records, 300, rng.normal(size=size)) for alpha in (0.1, 1.0, 0.01)]
    problems = [Open(k, one, 1.0, rng.normal(size=size), np.empty(0)) for k, one in enumerate(objectives)]
    look(problems)
    for one in problems:
        np.testing.assert_allclose(one.gradient, one.objective.gradient(one.w), rtol=1e-12, atol=1e-14)


def test_what_is_not_certified_by_working_together_is_not_returned_as_a_solution() -> None:
    records = _records(Logistic())
    objectives = [Objective(Logistic(), L2(alpha), records, 300) for alpha in (0.1, 0.01)]
    found, ends = solve_together(objectives, [_radius(0.1), 1e-19])
    assert found[0] is not None
    assert found[1] is None
    assert len(ends) == 2


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: f"{loss.name}-{loss.outputs}")
def test_an_absurd_start_changes_nothing_but_the_time(loss: Loss) -> None:
    objective = Objective(loss, L2(0.01), _records(loss), 300)
    start = 50 * np.random.default_rng(2).normal(size=objective.size)
    found, alone = solve(objective, _radius(0.01), start=start), solve(objective, _radius(0.01))
    assert found.certificate.distance <= _radius(0.01)
    assert float(np.linalg.norm(found.point - alone.point)) <= 2 * _radius(0.01)


def test_more_coefficients_than_work_together_still_follow_the_path() -> None:
    rng = np.random.default_rng(3)
    X = sparse.csr_array(sparse.random_array((400, 700), density=0.02, rng=rng))
    records = Records(design_from(X, 1.0, 1.0), np.where(rng.random(400) < 0.5, 1.0, -1.0))
    for loss in (Logistic(), HINGE):
        for alpha, found in zip((0.3, 0.03, 0.003), _path(loss, records, (0.3, 0.03, 0.003)), strict=True):
            assert found.certificate.distance <= _radius(alpha, 400)


def test_the_forecast_is_exact_for_a_parabola_and_falls_back_where_tilts_differ() -> None:
    records = _records(Logistic())

    def problem(alpha: float, tilt: Array | None = None) -> Objective:
        return Objective(Logistic(), L2(alpha), records, 300, tilt)

    def curve(alpha: float) -> Array:
        place = math.log(alpha)
        return np.array([1.0, 2.0]) + place * np.array([3.0, -1.0]) + place**2 * np.array([0.5, 0.25])

    known = [(problem(alpha), curve(alpha)) for alpha in (1.0, 0.3, 0.1)]
    found = forecast(problem(0.04), known)
    assert found is not None
    np.testing.assert_allclose(found, curve(0.04), rtol=1e-12)
    tilted = forecast(problem(0.04, np.ones(7)), known)
    assert tilted is not None
    np.testing.assert_array_equal(tilted, curve(0.1))
    assert forecast(problem(1.0), []) is None


def test_ten_ridges_need_few_hessians_and_few_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: ten fits one by one take ten Hessians at the least."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(4000, 60)) / 8
    records = Records(
        design_from(X, 1.0, 1.0), np.where(X @ rng.normal(size=60) + rng.logistic(size=4000) > 0, 1.0, -1.0)
    )
    counts = {"hessian": 0, "passes": 0}
    hessian, matvec = Objective.hessian, type(records.design).matvec

    def counted_hessian(self: Objective, w: Array) -> Array:
        counts["hessian"] += 1
        return hessian(self, w)

    def counted_pass(self: object, w: Array) -> Array:
        counts["passes"] += 1
        return matvec(self, w)  # type: ignore[arg-type]

    monkeypatch.setattr(Objective, "hessian", counted_hessian)
    monkeypatch.setattr(type(records.design), "matvec", counted_pass)
    alphas = tuple(float(alpha) for alpha in np.geomspace(1e-4, 1.0, 10))
    solve_path(
        [Objective(Logistic(), L2(alpha), records, 4000) for alpha in alphas], [_radius(a, 4000) for a in alphas]
    )
    assert counts["hessian"] <= 3
    assert counts["passes"] <= 20
