"""What problems on one table share: inverses, a small space, a start; and what sharing saves, counted."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse

from equipoise.inside import Records
from equipoise.inside.design import design_from
from equipoise.inside.design.contract import Design
from equipoise.inside.objective import Objective
from equipoise.inside.path import solve_path
from equipoise.inside.solvers import solve
from equipoise.inside.solvers.inverses import Eigenvectors, Factors
from equipoise.inside.solvers.subspace import Space
from equipoise.theory.losses import Hinge, Logistic, Loss
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]


def _curvature(size: int = 40, rank: int = 40) -> Array:
    rows = np.random.default_rng(size + rank).normal(size=(rank, size)) / np.arange(1, size + 1)
    return np.asarray(rows.T @ rows / rank)


@pytest.mark.parametrize("ridge", [1e-3, 0.1, 10.0])
def test_both_inverses_divide_by_the_curvature_plus_the_ridge(ridge: float) -> None:
    curvature, vector = _curvature(), np.random.default_rng(0).normal(size=40)
    exact = np.linalg.solve(curvature + ridge * np.eye(40), vector)
    scale = float(np.linalg.norm(exact))
    assert float(np.linalg.norm(Eigenvectors(curvature).divide(ridge, vector) - exact)) <= 1e-10 * scale
    assert float(np.linalg.norm(Factors(curvature).divide(ridge, vector) - exact)) <= 1e-3 * scale


def test_factors_in_single_precision_take_vectors_of_any_length() -> None:
    factors, vector = Factors(_curvature()), np.random.default_rng(1).normal(size=40)
    plain = factors.divide(0.1, vector)
    for scale in (1e-200, 1e200):
        np.testing.assert_allclose(factors.divide(0.1, scale * vector), scale * plain, rtol=1e-5)
    np.testing.assert_array_equal(factors.divide(0.1, np.zeros(40)), np.zeros(40))


def test_a_ridge_too_weak_for_single_precision_still_gives_a_direction_that_descends() -> None:
    curvature, vector = _curvature(40, 2), np.random.default_rng(2).normal(size=40)
    step = Factors(curvature).divide(1e-14, vector)
    assert np.all(np.isfinite(step))
    assert float(step @ vector) > 0


@pytest.mark.parametrize("columns", [8, 60])
def test_directions_of_a_space_are_orthonormal_and_have_their_scores(columns: int) -> None:
    """Held as coefficients where rows are many, as weights of the rows where they are few."""
    rng = np.random.default_rng(columns)
    design = design_from(rng.normal(size=(30, columns)), 1.0, 0.5)
    space = Space(design, 7)
    for _ in range(7):
        assert space.add(space.gradient(rng.normal(size=30), 0.3, rng.normal(size=space.directions)))
    directions = space.points(np.eye(7))
    np.testing.assert_allclose(directions @ directions.T, np.eye(7), atol=1e-12)
    np.testing.assert_allclose(space.scores, design.matvec(directions.T).T, atol=1e-12)
    assert not space.add(space.gradient(rng.normal(size=30), 0.3, np.zeros(7)))  # no room


@pytest.mark.parametrize("columns", [8, 60])
def test_a_gradient_inside_the_space_adds_nothing_to_it(columns: int) -> None:
    rng = np.random.default_rng(columns)
    space = Space(design_from(rng.normal(size=(30, columns)), 1.0, 0.5), 7)
    slopes = rng.normal(size=30)
    assert space.add(space.gradient(slopes, 0.3, np.zeros(0)))
    assert not space.add(space.gradient(3 * slopes, 0.3, np.ones(1)))
    assert not space.add(space.gradient(np.zeros(30), 0.3, np.zeros(1)))
    assert space.directions == 1


@pytest.mark.parametrize("columns", [8, 60])
def test_the_gradient_of_a_space_is_that_of_the_problem(columns: int) -> None:
    rng = np.random.default_rng(columns)
    records = Records(design_from(rng.normal(size=(30, columns)), 1.0, 0.5), rng.choice([-1.0, 1.0], size=30))
    objective = Objective(Logistic(), L2(0.2), records, 30)
    space = Space(records.design, 4)
    for _ in range(4):
        space.add(space.gradient(rng.normal(size=30), 0.0, np.zeros(space.directions)))
    inside = rng.normal(size=4)
    (point,) = space.points(inside[None])
    slopes = Logistic().slope(inside @ space.scores, records.labels) / 30
    found = space.gradient(slopes, 0.2, inside)
    np.testing.assert_allclose(found.coefficients, objective.gradient(point), atol=1e-13)
    assert found.length == pytest.approx(float(np.linalg.norm(objective.gradient(point))))
    space.bend(Logistic().curvature(inside @ space.scores, records.labels) / 30)
    directions = space.points(np.eye(4))
    np.testing.assert_allclose(
        (directions @ objective.hessian(point) @ directions.T) @ space.divide(0.2, inside), inside, atol=1e-12
    )


def _hinge(rows: int, columns: int) -> Objective:
    rng = np.random.default_rng(rows)
    X = rng.normal(size=(rows, columns)) / 3
    labels = np.where(X @ np.linspace(1, -1, columns) + rng.normal(size=rows) / 3 > 0, 1.0, -1.0)
    return Objective(Hinge().stand_in(), L2(0.01), Records(design_from(X, 1.0, 1.0), labels), rows)


ALPHAS = tuple(float(alpha) for alpha in np.geomspace(1e-4, 1.0, 10))


def _counted(design: Design, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Columns multiplied with the whole table, in either direction."""
    counts: list[int] = []
    kind = type(design)
    for name in ("matvec", "rmatvec"):
        product = getattr(kind, name)

        def counted(self: Design, v: Array, product: object = product) -> Array:
            if self.rows == design.rows:
                counts.append(1 if v.ndim == 1 else v.shape[1])
            return product(self, v)  # type: ignore[operator,no-any-return]

        monkeypatch.setattr(kind, name, counted)
    return counts


def _costs(loss: Loss, records: Records, monkeypatch: pytest.MonkeyPatch) -> tuple[float, int]:
    """The mean of fits one by one, and the path."""
    rows = records.design.rows
    radii = [2.0**-10 * 2 * math.sqrt(2) / (alpha * rows) for alpha in ALPHAS]
    objectives = [Objective(loss, L2(alpha), records, rows) for alpha in ALPHAS]
    counts = _counted(records.design, monkeypatch)
    for objective, radius in zip(objectives, radii, strict=True):
        solve(objective, radius)
    alone = sum(counts) / len(ALPHAS)
    counts.clear()
    solve_path(objectives, radii)
    return alone, sum(counts)


def test_ten_ridges_of_a_wide_table_cost_fewer_products_than_three_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed."""
    rng = np.random.default_rng(3)
    places = np.minimum(rng.zipf(1.4, size=2100 * 20), 4000) - 1
    X = sparse.csr_array(
        sparse.coo_array((np.ones(len(places)), (np.repeat(np.arange(2100), 20), places)), (2100, 4000))
    )
    labels = np.where(X @ rng.normal(size=4000) + 4 * rng.normal(size=2100) > 0, 1.0, -1.0)
    alone, path = _costs(Logistic(), Records(design_from(X, 1.0, 1.0), labels), monkeypatch)
    assert path <= 3 * alone


def test_ten_ridges_of_a_rounded_hinge_cost_fewer_products_with_the_table_than_seven_fits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alone, path = _costs(Hinge().stand_in(), _hinge(4000, 12).records, monkeypatch)
    assert path <= 7 * alone
