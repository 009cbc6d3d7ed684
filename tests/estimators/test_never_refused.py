"""Nothing about the records is told by a refusal: tables that solvers once gave up on, and sizes that were too much.

The first three are what an attack from outside found; each was refused, always or often, before a kink was rounded and
a last resort proved.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import clone
from tests.inside.fuzz_certificates import TABLES

import equipoise as eq
from equipoise.tuning import BudgetSplitSearch, DataSplitSearch, RandomSearch, RandomStopSearch, StabilitySearch

Array = npt.NDArray[Any]


def _one_hot() -> tuple[Array, Array]:
    rng = np.random.default_rng(20)
    X = np.eye(10)[rng.integers(0, 10, 2000)] * rng.choice([1, 0.003], size=(2000, 1))
    return X, (rng.random(2000) < 0.97).astype(int)


def _replaced(X: Array, y: Array) -> tuple[Array, Array]:
    X, y = X.copy(), y.copy()
    X[0], y[0] = np.random.default_rng(0).normal(size=10), 1
    return X, y


@pytest.mark.parametrize("alpha", ["auto", 1e-3, 1e-5])
def test_a_table_and_its_neighbour_are_both_released_by_the_default_support_vector_machine(alpha: Any) -> None:
    X, y = _one_hot()
    for table in ((X, y), _replaced(X, y)):
        model = eq.LinearSVC(epsilon=1.0, alpha=alpha, classes=[0, 1]).fit(*table)
        assert np.all(np.isfinite(model.coef_))


@pytest.mark.parametrize("rows", [0, 1, 20_004, 20_005, 64_000, 128_000, 128_001])
def test_any_number_of_rows_is_released_when_it_is_secret(rows: int) -> None:
    X = np.tile([[1.0, 0.0], [0.0, 1.0]], (rows // 2 + 1, 1))[:rows]
    model = eq.LinearSVC(epsilon=1.0, alpha=10, classes=[0, 1], adjacency="add-remove", public_n=2000)
    assert np.all(np.isfinite(model.fit(X, np.arange(rows) % 2).coef_))


@pytest.mark.parametrize("times", [16, 17, 100, 700])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("mechanism", ["output", "objective", "noisy-gradient"])
def test_a_nominal_size_far_too_small_is_no_reason_to_refuse(mechanism: str, delta: float, times: int) -> None:
    X = np.tile([[0.6, 0.8]], (10 * times, 1))
    model = eq.LogisticRegression(
        1.0, max(delta, 1e-6 if mechanism == "noisy-gradient" else 0.0), mechanism=mechanism, alpha=0.01,
        classes=[0, 1], adjacency="add-remove", public_n=10,
    )  # fmt: skip
    assert np.all(np.isfinite(model.fit(X, np.ones(len(X), dtype=int)).coef_))


@pytest.mark.filterwarnings("ignore:validation")  # from public facts: so few rows choose poorly
def test_equal_rows_are_searched_by_stability() -> None:
    X, y = np.tile([[0.3, -0.2, 0.9]], (1000, 1)), np.full(1000, 0.5)
    for seed in range(6):
        model = eq.LinearRegression(epsilon=1.0, coef_norm=2.0, label_bounds=(-1, 1))
        search = StabilitySearch(model, {"alpha": [0.001, 0.01, 1.0]}, random_state=seed)
        assert np.all(np.isfinite(search.fit(X, y).best_estimator_.coef_))


def test_equal_rows_are_released_by_objective_perturbation() -> None:
    X, y = np.tile([[0.3, -0.2, 0.9]], (120, 1)), np.full(120, 0.5)
    for seed in range(12):
        model = eq.HuberRegressor(
            0.1, mechanism="objective", alpha=0.001, coef_norm=2, label_bounds=(-1, 1), random_state=seed
        )
        assert np.all(np.isfinite(model.fit(X, y).coef_))


def _searched(index: int) -> str | None:
    """A search over a table made to defeat solvers; what a caller would see of a refusal, if there was one."""
    rng = np.random.default_rng([13, index])
    n, d = int(rng.choice([40, 90, 300])), int(rng.choice([1, 2, 5, 60]))
    with np.errstate(all="ignore"):
        X = TABLES[int(rng.integers(len(TABLES)))](rng, n, d)
        lean = np.nan_to_num(X @ rng.normal(size=d))
    kind = int(rng.integers(5))
    labels = (np.ones(n), np.zeros(n), rng.integers(0, 2, n), lean > 0, lean > np.median(lean))[kind].astype(int)
    given: dict[str, Any] = {"row_norm": float(10.0 ** rng.uniform(-3, 3)), "random_state": index}
    models: list[Any] = [
        eq.LogisticRegression(1.0, classes=[0, 1], **given),
        eq.LinearSVC(1.0, classes=[0, 1], **given),
        eq.LinearSVC(1.0, classes=[0, 1], loss="squared_hinge", **given),
        eq.LinearRegression(1.0, coef_norm=2.0 / given["row_norm"], label_bounds=(-1, 1), **given),
        eq.HuberRegressor(1.0, label_bounds=(-1, 1), **given),
    ]
    grid = {"alpha": (given["row_norm"] ** 2 * 10.0 ** rng.uniform(-6, 2, size=3)).tolist()}
    search = SEARCHES[int(rng.integers(len(SEARCHES)))](models[int(rng.integers(len(models)))], grid)
    try:
        with warnings.catch_warnings(), np.errstate(all="raise"):
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "validation")  # from public facts
            search.fit(X, labels)
    except eq.MechanismRefused as told:
        return None if _data_free(search, n, d, str(told)) else f"{index}: {told}"
    except Exception as told:  # noqa: BLE001 - whatever it is, a caller would see it
        return f"{index}: {type(told).__name__}: {told}"
    return None if np.all(np.isfinite(search.best_estimator_.coef_)) else f"{index}: not finite"


def _data_free(search: Any, n: int, d: int, words: str) -> bool:
    """The same is told of rows of zeros: it follows from public facts."""
    try:
        clone(search).fit(np.zeros((n, d)), np.zeros(n, dtype=int))
    except eq.MechanismRefused as told:
        return str(told) == words
    return False


SEARCHES: list[Any] = [
    StabilitySearch,
    DataSplitSearch,
    BudgetSplitSearch,
    RandomSearch,
    lambda model, grid: RandomStopSearch(model, grid, mean=2.0),
]


@pytest.mark.parametrize("place", range(len(SEARCHES)))
def test_a_search_refuses_a_secret_number_of_rows_by_its_parameters_alone(place: int) -> None:
    """Parts of known size need a public number: told before the debit, for every table in the same words."""
    told = set()
    for rows, spread in ((0, 1.0), (1, 1.0), (40, 0.0), (90, 1e9)):
        X, ledger = spread * np.random.default_rng(rows).normal(size=(rows, 3)), eq.Ledger()
        model = eq.LogisticRegression(1.0, classes=[0, 1], adjacency="add-remove", public_n=50)
        search = SEARCHES[place](model, {"alpha": [0.1, 1.0]}).set_params(ledger=ledger)
        with pytest.raises(eq.EquipoiseError) as refused:
            search.fit(X, np.zeros(rows, dtype=int))
        told.add(str(refused.value))
        assert ledger.spent().epsilon == 0
    assert len(told) == 1


def test_no_search_is_refused_for_its_records() -> None:
    assert [told for told in map(_searched, range(60)) if told] == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 6_000, 500))
def test_no_search_of_five_thousand_is_refused_for_its_records(first: int) -> None:
    assert [told for told in map(_searched, range(first, first + 500)) if told] == []


@pytest.mark.parametrize("epsilon", [1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("mechanism", ["sufficient-statistics", "functional"])
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_moments_at_a_huge_epsilon_give_the_right_coefficients(mechanism: str, epsilon: float, adjacency: str) -> None:
    """They were clamped on a grid as fine as the noise, and the coefficients wrong without a word."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(4000, 3))
    X /= np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True))
    y = X @ [0.3, -0.2, 0.1] + 0.05
    given: dict[str, Any] = {} if adjacency == "replace-one" else {"adjacency": adjacency, "public_n": 4000}
    model = eq.LinearRegression(epsilon, mechanism=mechanism, alpha=1e-9, label_bounds=(-1, 1), random_state=0, **given)
    model.fit(X, y)
    np.testing.assert_allclose([*np.ravel(model.coef_), model.intercept_], [0.3, -0.2, 0.1, 0.05], atol=0.01)
