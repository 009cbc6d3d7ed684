"""A published model to shrink towards, in the caller's units; a ball of coefficients; and a secret number of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import equipoise as eq

STRONG = 1e4
"""A ridge that leaves next to nothing but the centre."""

NEAR = 0.05

MECHANISMS = ["output", "objective", "noisy-gradient"]


def smooth(kind: Any, mechanism: str) -> dict[str, Any]:
    return {"smoothing": 0.5} if kind is eq.LinearSVC and mechanism != "output" else {}


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_strong_ridge_returns_the_centre_in_the_callers_units(
    kind: Any, mechanism: str, fit_intercept: bool, table: Any
) -> None:
    coef, intercept = [3.0, -2.0, 1.0], 4.0
    units = {"label_bounds": (-10.0, 30.0)} if kind in (eq.LinearRegression, eq.HuberRegressor) else {}
    model = kind(
        10.0,
        1e-6,
        alpha=STRONG,
        mechanism=mechanism,
        row_norm=2.0,
        fit_intercept=fit_intercept,
        centre=[*coef, intercept] if fit_intercept else coef,
        random_state=0,
        **units,
        **smooth(kind, mechanism),
    ).fit(*table)
    np.testing.assert_allclose(np.ravel(model.coef_), coef, atol=NEAR)
    np.testing.assert_allclose(model.intercept_, intercept if fit_intercept else 0.0, atol=NEAR)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_many_classes_shrink_towards_their_centre(mechanism: str, table: Any) -> None:
    centre = np.random.default_rng(0).normal(size=(3, 4))
    centre -= centre.mean(axis=0)
    model = eq.LogisticRegression(
        10.0, 1e-6, alpha=STRONG, mechanism=mechanism, classes=[0, 1, 2], centre=centre, random_state=0
    ).fit(*table)
    np.testing.assert_allclose(model.coef_, centre[:, :-1], atol=NEAR)
    np.testing.assert_allclose(model.intercept_, centre[:, -1], atol=NEAR)


def test_what_all_classes_share_in_the_centre_changes_nothing(table: Any) -> None:
    centre = np.random.default_rng(0).normal(size=(3, 4))
    one, other = (
        eq.LogisticRegression(classes=[0, 1, 2], centre=given, random_state=0).fit(*table)
        for given in (centre, centre + 5.0)
    )
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-6)


@pytest.mark.parametrize("centre", [np.zeros(12), np.zeros((2, 4)), np.zeros(8)])
def test_many_classes_need_a_row_each_in_the_centre(centre: Any) -> None:
    with pytest.raises(eq.InvalidInput, match="centre"):
        eq.LogisticRegression(classes=[0, 1, 2], centre=centre).plan(100, 3)


def test_a_fitted_model_can_be_the_centre_of_the_next(kind: Any, table: Any) -> None:
    first = kind(random_state=0).fit(*table)
    centre = np.append(np.ravel(first.coef_), first.intercept_)
    again = kind(10.0, mechanism="output", alpha=STRONG, centre=centre, random_state=1).fit(*table)
    np.testing.assert_allclose(again.coef_, first.coef_, atol=NEAR)
    np.testing.assert_allclose(again.intercept_, first.intercept_, atol=NEAR)


def test_a_centre_outside_the_ball_is_refused(kind: Any, table: Any, refused: Any) -> None:
    assert "centre" in refused(kind(centre=[3.0, 0.0, 0.0, 0.0], coef_norm=1.0), *table)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_released_coefficients_stay_in_the_ball(kind: Any, mechanism: str, table: Any) -> None:
    units = {"label_bounds": (-10.0, 30.0)} if kind in (eq.LinearRegression, eq.HuberRegressor) else {}
    model = kind(
        0.1,
        1e-6,
        mechanism=mechanism,
        coef_norm=0.5,
        fit_intercept=False,
        random_state=0,
        **units,
        **smooth(kind, mechanism),
    ).fit(*table)
    assert np.linalg.norm(model.coef_) <= 0.5 * (1 + 1e-12)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("mechanism", ["auto", *MECHANISMS])
def test_add_remove_works_with_every_mechanism(kind: Any, mechanism: str, delta: float, table: Any) -> None:
    delta = 1e-6 if mechanism == "noisy-gradient" else delta
    model = kind(
        1.0, delta, mechanism=mechanism, adjacency="add-remove", public_n=50, random_state=0, **smooth(kind, mechanism)
    ).fit(*table)
    assert model.guarantee_.adjacency == "add-remove"
    assert model.guarantee_.constants["records"] == 50
    assert "add-remove" in str(model.card())


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_add_remove_works_with_many_classes(mechanism: str, table: Any) -> None:
    model = eq.LogisticRegression(
        1.0, 1e-6, mechanism=mechanism, classes=[0, 1, 2], adjacency="add-remove", public_n=50, random_state=0
    ).fit(*table)
    assert model.coef_.shape == (3, 3)


def test_secret_number_of_rows_is_nowhere_in_the_model(kind: Any, table: Any) -> None:
    one, other = (kind(adjacency="add-remove", public_n=50).fit(table[0][:rows], table[1][:rows]) for rows in (37, 36))
    assert one.guarantee_ == other.guarantee_
