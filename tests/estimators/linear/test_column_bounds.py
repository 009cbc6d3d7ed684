"""Features in their own units: ranges given, coefficients and predictions given back in those units."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.sparse import csr_array

import equipoise as eq

BOUNDS = [(20.0, 90.0), (140.0, 200.0), (0.0, 1.0)]


def clinic(n: int = 4000) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.uniform(20, 90, n), rng.normal(170, 10, n), rng.integers(2, size=n)])
    y = 40 - 0.3 * (X[:, 0] - 55) + 0.2 * (X[:, 1] - 170) + 5 * X[:, 2] + rng.normal(size=n)
    return X, y


@pytest.mark.parametrize("mechanism", ["auto", "output", "objective", "sufficient-statistics"])
def test_coefficients_come_back_in_the_columns_own_units(mechanism: str) -> None:
    X, y = clinic()
    settings: dict[str, Any] = {"label_bounds": (0, 80), "column_bounds": BOUNDS, "coef_norm": 200.0}
    model = eq.LinearRegression(1000.0, mechanism=mechanism, alpha=1e-3, random_state=0, **settings).fit(X, y)
    assert np.allclose(model.coef_, [-0.3, 0.2, 5.0], rtol=0.15)
    assert model.score(X, y) > 0.95


def test_values_beyond_a_columns_range_are_clipped_when_fitting() -> None:
    X, y = clinic()
    wild = X.copy()
    wild[::7, 1] = 1e9
    clipped = X.copy()
    clipped[::7, 1] = 200.0
    model = eq.LinearRegression(1.0, label_bounds=(0, 80), column_bounds=BOUNDS, random_state=1)
    assert np.array_equal(model.fit(wild, y).coef_, model.fit(clipped, y).coef_)


def test_standard_errors_follow_the_units() -> None:
    X, y = clinic()
    middles, halves = np.array([55.0, 170.0, 0.5]), np.array([35.0, 30.0, 0.5])
    own = eq.LinearRegression(
        1.0, mechanism="output", alpha=0.1, label_bounds=(0, 80), column_bounds=BOUNDS, random_state=2
    ).fit(X, y)
    scaled = eq.LinearRegression(1.0, mechanism="output", alpha=0.1, label_bounds=(0, 80), random_state=2)
    scaled.fit((X.clip([20, 140, 0], [90, 200, 1]) - middles) / halves / np.sqrt(3), y)
    assert np.allclose(own.coef_ * halves * np.sqrt(3), scaled.coef_)
    ours, theirs = own.standard_errors()[0], scaled.standard_errors()[0]
    assert np.allclose(np.asarray(ours) * halves * np.sqrt(3), theirs)
    assert np.allclose(own.predict(X[:5]), scaled.predict((X[:5] - middles) / halves / np.sqrt(3)))


def test_classifiers_take_ranges_too() -> None:
    X, y = clinic()
    labels = (y > 40).astype(int)
    model = eq.LogisticRegression(100.0, column_bounds=BOUNDS, random_state=0).fit(X, labels)
    assert model.score(X, labels) > 0.9


def test_a_centre_in_own_units_is_returned_by_a_huge_ridge() -> None:
    X, y = clinic()
    centre = [-0.3, 0.2, 5.0, 19.5]
    model = eq.LinearRegression(
        1000.0,
        mechanism="output",
        alpha=1e6,
        label_bounds=(0, 80),
        column_bounds=BOUNDS,
        centre=centre,
        random_state=0,
    )
    model.fit(X, y)
    assert np.allclose([*model.coef_, model.intercept_], centre, rtol=1e-3)


@pytest.mark.parametrize(
    ("column_bounds", "complaint"),
    [
        (BOUNDS[:2], "each of the 3 columns"),
        ([(1, 0), (0, 1), (0, 1)], "first must be below"),
        ([1, 2, 3], "pairs"),
        (7, "pairs"),
        ([(0, float("inf"))] * 3, "finite"),
    ],
)
def test_bad_ranges_are_refused_before_anything_is_spent(column_bounds: Any, complaint: str) -> None:
    X, y = clinic(50)
    ledger = eq.Ledger(1.0)
    with pytest.raises(eq.InvalidInput, match=complaint):
        eq.LinearRegression(1.0, label_bounds=(0, 80), column_bounds=column_bounds, ledger=ledger).fit(X, y)
    assert not ledger.entries()


def test_a_sparse_table_is_refused_before_anything_is_spent() -> None:
    X, y = clinic(50)
    ledger = eq.Ledger(1.0)
    with pytest.raises(eq.InvalidInput, match="sparse"):
        eq.LinearRegression(1.0, label_bounds=(0, 80), column_bounds=BOUNDS, ledger=ledger).fit(csr_array(X), y)
    assert not ledger.entries()
