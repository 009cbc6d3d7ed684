"""A walk over a large array does not copy it, and ends where it would have ended over a copy."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise.estimators.linear import entrance
from equipoise.inside.parted import enter_borrowed
from equipoise.inside.records import nobody
from equipoise.stability import SGD
from equipoise.theory.bounds import Bounds

ROWS, COLUMNS = 2000, 4
MODELS: dict[str, Any] = {
    "classes": eq.LogisticRegression(mechanism=SGD(3, 50), alpha=0.01, random_state=3),
    "hinge": eq.LinearSVC(mechanism="sgd", alpha=0.01, random_state=3),
    "numbers": eq.HuberRegressor(mechanism=SGD(2, 30), alpha=0.01, label_bounds=(-2, 2), random_state=3),
    "bounded columns": eq.LogisticRegression(
        mechanism=SGD(2, 50), alpha=0.01, column_bounds=[(-1, 2)] * COLUMNS, random_state=3
    ),
    "masked": eq.LogisticRegression(mechanism=SGD(2, 50, keep=0.5), alpha=0.01, random_state=3),
}


def table(dtype: Any = np.float64) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(ROWS, COLUMNS)) * rng.choice([0.3, 9.0], size=(ROWS, 1))).astype(dtype)
    numbers = np.clip(X[:, 0], -2, 2)
    X[::50, 1], X[7, 2], X[9, 3] = np.nan, np.inf, -np.inf
    return X, (numbers > 0).astype(int), numbers


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", MODELS)
def test_it_ends_where_a_copy_would(name: str, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, classes, numbers = table(dtype)
    before, y = X.copy(), numbers if name == "numbers" else classes
    found = []
    for large in (1, 2**60):
        monkeypatch.setattr(entrance, "LARGE", large)
        model = MODELS[name].fit(X, y)
        found.append((model.coef_.copy(), model.intercept_, model.guarantee_, model.n_features_in_))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    assert found[0][1:] == found[1][1:]
    np.testing.assert_array_equal(X, before)
    assert np.any(found[0][0] != 0)


def test_a_large_array_is_not_copied() -> None:
    X = np.random.default_rng(0).normal(size=(60_000, 100)) / 20
    y = (X[:, 0] > 0).astype(int)
    X.flags.writeable = False
    model = eq.LogisticRegression(mechanism=SGD(1, 256), alpha=0.01)
    tracemalloc.start()
    try:
        model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes / 3


@pytest.mark.parametrize(
    "given",
    [
        lambda X: np.asfortranarray(X),
        lambda X: X.astype(int),
        lambda X: np.ma.masked_array(X, mask=np.zeros(X.shape)),
        lambda X: X.tolist(),
        lambda X: X[:, ::-1],
    ],
)
def test_whatever_is_not_plain_is_copied_as_ever(given: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "LARGE", 1)
    monkeypatch.setattr(entrance, "enter_borrowed", lambda *_: pytest.fail("borrowed"))
    X, y, _ = table()
    MODELS["classes"].fit(given(np.nan_to_num(X, posinf=9, neginf=-9)), y)


def test_other_mechanisms_and_persons_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "LARGE", 1)
    monkeypatch.setattr(entrance, "enter_borrowed", lambda *_: pytest.fail("borrowed"))
    X, y, _ = table()
    eq.LogisticRegression(mechanism="output", random_state=0).fit(X, y)
    persons = eq.LogisticRegression(mechanism="sgd", rows_per_person=2, random_state=0)
    persons.fit(X, y, groups=np.arange(ROWS) // 2)


def test_rows_that_change_meanwhile_are_clipped_when_they_are_met() -> None:
    """So no visit moves the walk further than the proof allows, whoever writes to the array."""
    X = np.zeros((10, 2))
    records = enter_borrowed(X, np.zeros(10), Bounds(1.0, 0.5, classes=(0, 1)), nobody).reveal()
    X[3] = [1e300, np.nan]
    assert records.take(np.array([3, 1])).design.row_norms().max() <= np.hypot(1.0, 0.5)
    with pytest.raises(TypeError, match="never summed"):
        records.summed(lambda part: np.ones(1))
    with pytest.raises(TypeError, match="all of them"):
        records.first(3)
