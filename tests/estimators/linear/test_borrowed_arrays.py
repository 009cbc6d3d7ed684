"""A fit of a large array does not copy it, and ends where it would have ended over a copy."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise.estimators.linear import entrance
from equipoise.inside.borrowed import Borrowed, enter_borrowed
from equipoise.inside.records import nobody
from equipoise.inside.sums import Gradient, Hessian
from equipoise.inside.view import RowSum
from equipoise.stability import SGD
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic

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


@pytest.mark.parametrize("mechanism", [SGD(1, 256), "auto"], ids=["walk", "sums"])
def test_a_large_array_is_not_copied(mechanism: Any) -> None:
    X = np.random.default_rng(0).normal(size=(60_000, 100)) / 20
    y = (X[:, 0] > 0).astype(int)
    X.flags.writeable = False
    model = eq.LogisticRegression(1.0, 1e-6, mechanism=mechanism)
    model.plan(*X.shape)
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


SUMMED: dict[str, Any] = {
    "output": eq.LogisticRegression(mechanism="output", alpha=0.01, random_state=3),
    "objective": eq.LogisticRegression(delta=1e-6, mechanism="objective", alpha=0.01, random_state=3),
    "noisy-gradient": eq.LogisticRegression(delta=1e-6, mechanism="noisy-gradient", random_state=3),
    "no intercept": eq.LogisticRegression(mechanism="output", alpha=0.01, fit_intercept=False, random_state=3),
    "hinge": eq.LinearSVC(mechanism="output", alpha=0.01, random_state=3),
    "several classes": eq.LogisticRegression(mechanism="output", alpha=0.01, classes=[0, 1, 2], random_state=3),
    "numbers": eq.LinearRegression(mechanism="sufficient-statistics", alpha=0.01, label_bounds=(-2, 2), random_state=3),
    "a ball": eq.LinearRegression(mechanism="output", alpha=0.1, coef_norm=0.2, label_bounds=(-2, 2), random_state=3),
    "constant": eq.LogisticRegression(mechanism="constant", random_state=3),
}


@pytest.mark.parametrize("name", SUMMED)
def test_sums_over_borrowed_rows_end_where_those_over_a_copy_do(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, classes, numbers = table()
    X[11] = [1e160, -1e160, 3.0, 0.0]  # squares that overflow
    y = numbers if isinstance(SUMMED[name], eq.LinearRegression) else classes
    found = []
    for large in (1, 2**60):
        monkeypatch.setattr(entrance, "LARGE", large)
        model = SUMMED[name].fit(X, y)
        found.append((np.append(model.coef_, model.intercept_), model.guarantee_))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-9, atol=1e-9)
    assert found[0][1] == found[1][1]


def test_singles_are_read_as_the_doubles_that_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = table(np.float32)
    monkeypatch.setattr(entrance, "LARGE", 1)
    borrowed = SUMMED["objective"].fit(X, y).coef_.copy()
    monkeypatch.setattr(entrance, "LARGE", 2**60)
    np.testing.assert_allclose(borrowed, SUMMED["objective"].fit(X.astype(float), y).coef_, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        eq.LogisticRegression(mechanism="output", column_bounds=[(-1, 2)] * COLUMNS, random_state=0),
        eq.LogisticRegression(mechanism="output", adjacency="add-remove", public_n=ROWS, random_state=0),
    ],
)
def test_where_rows_are_not_used_as_they_are_they_are_copied(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "LARGE", 1)
    monkeypatch.setattr(entrance, "enter_borrowed", lambda *_: pytest.fail("borrowed"))
    X, y, _ = table()
    model.fit(X, y)


@pytest.mark.parametrize(
    "model",
    [
        eq.AdditiveClassifier(1.0, 1e-6, column_bounds=(-3, 3), random_state=0),
        eq.KernelClassifier(1.0, 1e-6, random_state=0),
    ],
    ids=["shapes", "kernel"],
)
def test_rows_that_become_others_are_copied(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if somebody let them come as far as the plan: sums over borrowed rows are of rows as they are."""
    monkeypatch.setattr(entrance, "LARGE", 1)
    monkeypatch.setattr(type(model), "_searchable", True)
    monkeypatch.setattr(entrance, "enter_borrowed", lambda *_: pytest.fail("borrowed"))
    X, y, _ = table()
    model.fit(X, y)


def test_persons_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "LARGE", 1)
    monkeypatch.setattr(entrance, "enter_borrowed", lambda *_: pytest.fail("borrowed"))
    X, y, _ = table()
    persons = eq.LogisticRegression(mechanism="sgd", rows_per_person=2, random_state=0)
    persons.fit(X, y, groups=np.arange(ROWS) // 2)


def borrowed(X: Any) -> Any:
    return enter_borrowed(X, np.zeros(len(X)), Bounds(1.0, 0.5, classes=(0, 1)), nobody).reveal()


def test_rows_that_change_meanwhile_are_clipped_when_they_are_met() -> None:
    """So no visit moves the walk further than the proof allows, whoever writes to the array."""
    X = np.zeros((10, 2))
    records = borrowed(X)
    X[3] = [1e300, np.nan]
    assert records.take(np.array([3, 1])).design.row_norms().max() <= np.hypot(1.0, 0.5)
    with pytest.raises(TypeError, match="all are used"):
        records.first(3)


@pytest.mark.parametrize("odd", [[0.5, 0.1], [7.0, 0.0], [1e200, 0.0], [np.nan, 0.2], [np.inf, 1.0], [-0.0, 0.0]])
def test_every_row_of_a_sum_is_within_its_bound(odd: list[float]) -> None:
    X = np.random.default_rng(1).normal(size=(9000, 2))
    X[4321] = odd
    records = borrowed(X)
    largest: list[float] = []

    def longest(part: Any) -> Any:
        largest.append(float(part.design.row_norms().max()))
        return np.zeros(1)

    for _ in range(2):
        records.summed(longest)
        assert max(largest) <= np.hypot(1.0, 0.5) * (1 + 1e-12)
        assert max(largest) > 1.1  # some rows are as long as they may be
        largest.clear()


@pytest.mark.parametrize("after", [[9.0, 0.0], [np.nan, 0.01], [0.1, 0.1]])
def test_rows_that_are_another_length_in_a_later_pass_end_the_fit(after: list[float]) -> None:
    """The rows of all passes are those of one table, or nothing is released."""
    X = np.random.default_rng(1).normal(size=(9000, 2))
    records = borrowed(X)

    asked: list[Any] = [RowSum(), Gradient(Logistic(), np.ones(3)), Hessian(Logistic(), np.ones(3))]
    for of in asked:
        np.testing.assert_array_equal(records.summed(of), records.summed(of))
    X[8999] = after
    for of in asked:
        with pytest.raises(eq.EquipoiseError, match="written to during the fit"):
            records.summed(of)


def test_a_fit_whose_table_is_written_to_says_so_and_has_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "LARGE", 1)
    X, y, _ = table()
    ledger = eq.Ledger(5.0)
    passes: list[int] = []
    given = Borrowed.summed

    def writing(self: Any, of: Any) -> Any:
        X[1] += len(passes)
        passes.append(1)
        return given(self, of)

    monkeypatch.setattr(Borrowed, "summed", writing)
    with pytest.raises(eq.EquipoiseError, match="written to during the fit"):
        eq.LogisticRegression(mechanism="output", alpha=0.01, ledger=ledger).fit(X, y)
    assert len(ledger.entries()) == 1


def test_rows_that_are_seen_from_a_middle_are_not_borrowed() -> None:
    """Every pass would see them anew, which takes several times as long as a copy."""
    rows = np.zeros((entrance.LARGE // 64 + 1, 64))
    plan = eq.LogisticRegression(0.3, 1e-6, middle="auto").plan(*rows.shape)
    assert plan.facts.bounds.view is not None
    held = entrance.Array(rows, np.zeros(len(rows)), nobody).held(plan)
    assert isinstance(held, np.ndarray)
    assert held is not rows
