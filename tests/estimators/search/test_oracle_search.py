"""An oracle that is not private and must be asked for by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import equipoise as eq
from equipoise.tuning import OracleSearch

Array = npt.NDArray[np.float64]
GRID = {"alpha": [0.01, 50.0], "coef_norm": [0.5, 2.0]}


def people(n: int = 600, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) / 2
    return X, np.clip(X[:, 0] - X[:, 1] / 2 + 0.05 * rng.normal(size=n), -1, 1)


def regression(epsilon: float = 3.0, delta: float = 0.0, **settings: Any) -> eq.LinearRegression:
    return eq.LinearRegression(epsilon, delta, mechanism="output", **{"label_bounds": (-1, 1)} | settings)


def test_the_oracle_refuses_unless_told_that_it_is_not_private() -> None:
    for flag in (False, 1, "yes"):
        with pytest.raises(eq.EquipoiseError, match="not private"):
            OracleSearch(regression(), GRID, allow_nonprivate=flag).fit(*people())  # type: ignore[arg-type]


def test_the_oracles_guarantee_says_not_private() -> None:
    search = OracleSearch(regression(30.0), GRID, allow_nonprivate=True).fit(*people())
    promise = search.guarantee_
    assert promise.epsilon == math.inf
    assert (promise.mechanism, promise.theorem) == ("oracle search", "not private: oracle")
    assert any("NOT PRIVATE" in note for note in promise.notes)
    assert not promise.seeded
    assert search.best_estimator_.guarantee_ == promise


def test_the_oracle_looks_at_the_validation_rows_it_is_given() -> None:
    X, y = people()
    search = OracleSearch(regression(50.0, random_state=2), {"alpha": [0.01, 1e4]}, allow_nonprivate=True)
    assert search.fit(X, y, X_val=X, y_val=np.zeros_like(y)).best_params_ == {"alpha": 1e4}
    assert search.fit(X, y, X_val=X, y_val=y).best_params_ == {"alpha": 0.01}
    with pytest.raises(eq.InvalidInput, match="y_val"):
        search.fit(X, y, X_val=X)


def test_no_ledger_pays_for_an_oracle() -> None:
    ledger = eq.Ledger()
    with pytest.raises(eq.InvalidInput, match="no budget pays"):
        OracleSearch(regression(ledger=ledger), GRID, allow_nonprivate=True).fit(*people())
    assert not ledger.entries()


def test_no_ledger_pays_for_an_oracle_that_names_one_itself() -> None:
    ledger = eq.Ledger()
    with pytest.raises(eq.InvalidInput, match="no budget pays"):
        OracleSearch(regression(), GRID, allow_nonprivate=True, ledger=ledger).fit(*people())
    assert not ledger.entries()


def test_the_oracle_accepts_groups_and_fits_with_a_rows_share() -> None:
    X, y = people()
    search = OracleSearch(regression(3.0), GRID, allow_nonprivate=True).fit(X, y, np.arange(600) // 3)
    assert search.guarantee_.unit == "one group of at most 3 rows"
    plain = regression(1.0, **search.best_params_).plan(600, 3)
    assert search.guarantee_.constants["noise scale"] == pytest.approx(plain.constants()["noise scale"])
    assert search.guarantee_.epsilon == math.inf
