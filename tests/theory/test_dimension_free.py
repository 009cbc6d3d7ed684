"""A ridge and a bound in which the number of columns does not occur, held against plans and against releases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse

import equipoise as eq
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.dimension_free import RULE, excess_of, promise

MECHANISMS = ("output", "objective")


def planned(mechanism: str, columns: int, **settings: Any) -> Any:
    return eq.LogisticRegression(1.0, 1e-3, mechanism=mechanism, alpha=RULE, **settings).plan(n=10_000, d=columns)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_ridge_and_predicted_excess_are_flat_up_to_twenty_million_columns(mechanism: str) -> None:
    plans = [planned(mechanism, columns) for columns in (8, 1000, 1_000_000, 20_000_000)]
    assert len({plan.facts.penalty.strong_convexity for plan in plans}) == 1
    excess = [excess_of(plan) for plan in plans]
    assert max(excess) <= 1.01 * min(excess)
    assert excess[0] < 0.05, "better than guessing, whose excess is at most log 2"


@pytest.mark.parametrize("rows", [30, 3000, 10**6])
def test_the_ridge_has_the_least_bound(rows: int) -> None:
    plan = eq.LogisticRegression(1.0, 1e-6, mechanism="output", alpha=RULE).plan(n=rows, d=50)
    bound = promise(plan.facts, plan.budget)
    others = [bound.excess(bound.alpha * factor) for factor in np.geomspace(0.05, 20, 41)]
    assert bound.excess(bound.alpha) <= min(others) * (1 + 1e-12)
    assert plan.facts.penalty.strong_convexity == pytest.approx(bound.alpha)


def test_a_loss_with_a_kink_goes_by_its_slope() -> None:
    given = eq.LinearSVC(1.0, 1e-6, mechanism="output", alpha=1.0, row_norm=2.0, fit_intercept=False).plan(500, 9).facts
    kinked = promise(given, eq.LinearSVC(1.0, 1e-6).plan(500, 9).budget)
    steep = math.sqrt(2 / math.pi) * 2.0
    assert kinked.steep == pytest.approx(steep)
    assert kinked.alpha == pytest.approx(math.sqrt(2 * steep * kinked.noise) / kinked.norm)
    assert kinked.norm == pytest.approx(2.5), "the usual norm of classes over the row norm"


def excess_over(X: npt.NDArray[np.float64], signs: npt.NDArray[np.float64], coef: Any, theta: Any) -> float:
    def risk(w: npt.NDArray[np.float64]) -> float:
        return float(np.mean(np.logaddexp(0.0, -signs * (X @ w))))

    return risk(coef) - risk(theta)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_releases_keep_the_promise_against_any_comparator(mechanism: str) -> None:
    """A mean of 25 releases; its own error is far below the room that the bound leaves."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 300)) * (rng.random((400, 300)) < 0.05)
    X /= np.maximum(1e-9, np.linalg.norm(X, axis=1, keepdims=True))
    theta = rng.normal(size=300)
    theta *= 5 / np.linalg.norm(theta)
    signs = np.where(X @ theta > 0, 1.0, -1.0)
    settings: dict[str, Any] = {"mechanism": mechanism, "alpha": RULE, "fit_intercept": False}
    plan: Any = eq.LogisticRegression(3.0, 1e-4, **settings).plan(400, 300)
    found = [
        excess_over(
            X,
            signs,
            eq.LogisticRegression(3.0, 1e-4, random_state=seed, **settings).fit(X, signs > 0).coef_.ravel(),
            theta,
        )
        for seed in range(25)
    ]
    assert float(np.mean(found)) <= excess_of(plan)


def test_what_the_rule_does_not_cover_is_refused_before_the_debit() -> None:
    for make, word in (
        (lambda: eq.LogisticRegression(1.0, alpha=RULE), "delta > 0"),
        (lambda: eq.LogisticRegression(1.0, 1e-6, alpha=RULE, centre=[0.0] * 6), "ridge around zero"),
        (lambda: eq.ElasticNetClassifier(1.0, 1e-6, alpha=RULE), "ridge around zero"),
    ):
        with pytest.raises(MechanismRefused, match=word):
            make().plan(n=100, d=5)
    with pytest.raises(InvalidInput, match="alpha"):
        eq.LogisticRegression(1.0, 1e-6, alpha="free").plan(n=100, d=5)


@pytest.mark.parametrize("make", [eq.LogisticRegression, eq.LinearSVC])
def test_filling_a_wide_sparse_table_is_refused_with_its_size(make: Any) -> None:
    ledger = eq.Ledger(epsilon=1.0)
    with pytest.raises(InvalidInput, match=r"20,000,000 numbers in every row, 160 megabytes.*nothing was spent"):
        make(1.0, 1e-6, column_bounds=[(0, 1)], ledger=ledger).fit(
            sparse.csr_array((50, 20_000_000)), np.arange(50) % 2
        )
    assert ledger.spent().epsilon == 0
