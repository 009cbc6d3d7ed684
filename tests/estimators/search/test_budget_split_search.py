"""All candidates on the same rows, each for a share of the budget: the shares add up, and the choice is as private."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import comb

import equipoise as eq
from equipoise.estimators.search import base as _search
from equipoise.estimators.search import budget_split_search
from equipoise.estimators.search import choice as _choice
from equipoise.estimators.search.base import Problem, take_in
from equipoise.gate.choices.select import grid_for, steps_moved
from equipoise.gate.noise.choice import Coins
from equipoise.inside import enter
from equipoise.inside.scores.of_linear_models import as_scores, mean_losses
from equipoise.theory.accounting import delta_gaussian, total_spent
from equipoise.theory.accounting.shares import Kind, Share, equal_shares
from equipoise.theory.bounds import Bounds
from equipoise.theory.events import ApproximateRelease, GaussianRelease, PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Squared
from equipoise.tuning import BudgetSplitSearch

Array = npt.NDArray[np.float64]
GRID = {"alpha": [0.01, 1.0, 50.0]}


def people(n: int = 500, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) / 2
    return X, np.clip(X[:, 0] - X[:, 1] / 2 + 0.05 * rng.normal(size=n), -1, 1)


def regression(epsilon: float = 3.0, delta: float = 0.0, **settings: Any) -> eq.LinearRegression:
    return eq.LinearRegression(epsilon, delta, **{"mechanism": "output", "label_bounds": (-1, 1)} | settings)


def problem_for(search: BudgetSplitSearch, rows: int, sizes: tuple[int, int]) -> Problem:
    taken = take_in(search, *people(rows), None)
    return budget_split_search._shared_out(taken, sizes, Budget(taken.estimator.epsilon, taken.estimator.delta))


# --- shares -----------------------------------------------------------------------------------------------------------


def responses_delta(epsilon: float, count: int, total: float) -> float:
    """Exact δ of `count` randomised responses at ε each, by enumeration: the worst pure releases there are."""
    truth = 1 / (1 + math.exp(-epsilon))
    left = [comb(count, lies, exact=True) * truth ** (count - lies) * (1 - truth) ** lies for lies in range(count + 1)]
    return math.fsum(max(0.0, here - math.exp(total) * there) for here, there in zip(left, left[::-1], strict=True))


@pytest.mark.parametrize("count", [2, 5, 10, 50])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_pure_shares_of_the_worst_releases_stay_within_the_budget_exactly(count: int, epsilon: float) -> None:
    plain = equal_shares(Budget(epsilon), count)
    assert [share.budget for share in plain] == [Budget(epsilon / count)]
    assert responses_delta(epsilon / count, count, epsilon) <= 1e-15
    with_delta = equal_shares(Budget(epsilon, 1e-3), count)
    share = next(share.budget.epsilon for share in with_delta if share.kind is Kind.PURE)
    assert share >= epsilon / count
    assert 0.99e-3 <= responses_delta(share, count, epsilon) <= 1e-3 * (1 + 1e-9)
    assert responses_delta(share * 1.05, count, epsilon) > 1e-3, "a larger share would be caught"


@pytest.mark.parametrize("count", [2, 5, 10, 50])
def test_gaussian_shares_compose_to_the_whole_exactly(count: int) -> None:
    budget = Budget(1.0, 1e-6)
    share = next(share for share in equal_shares(budget, count) if share.kind is Kind.GAUSSIAN)
    assert 0.999e-6 <= delta_gaussian(1.0, share.mu * math.sqrt(count)) <= 1e-6
    assert delta_gaussian(share.budget.epsilon, share.mu) == pytest.approx(1e-6 / count, rel=1e-4)
    fits = [GaussianRelease(share.mu * (1 - 1e-9))] * count
    assert share.covers(fits)
    assert not share.covers([GaussianRelease(share.mu * 1.01), *fits])
    assert not share.covers([PureRelease(share.budget.epsilon), *fits])


def test_optimal_composition_is_taken_where_it_allows_more() -> None:
    for count in (20, 100):
        pure = equal_shares(Budget(1.0, 1e-6), count)[0].budget.epsilon
        assert pure > 1.1 / count
    assert equal_shares(Budget(1.0, 1e-6), 3)[0].budget.epsilon == pytest.approx(1 / 3, rel=1e-3)


def test_a_share_that_nobody_derived_is_checked_by_the_accountant() -> None:
    total = Budget(1.0, 1e-6)
    share = Share(Budget(0.4, 1e-7), Kind.ANY, total=total)
    assert share.covers([PureRelease(0.4), PureRelease(0.4)])
    assert not share.covers([PureRelease(0.4)] * 3)


@pytest.mark.parametrize("mechanism", ["output", "auto", "objective", "noisy-gradient"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_fits_together_cost_no_more_than_the_budget_and_nearly_all_of_it(mechanism: str, delta: float) -> None:
    if mechanism == "noisy-gradient" and delta == 0:
        with pytest.raises(eq.MechanismRefused, match="delta"):
            problem_for(BudgetSplitSearch(regression(1.0, 0.0, mechanism=mechanism), GRID), 500, (400, 100))
        return
    problem = problem_for(BudgetSplitSearch(regression(1.0, delta, mechanism=mechanism), GRID), 500, (400, 100))
    spent = total_spent([plan.event for plan in problem.plans], delta).epsilon
    assert 0.5 <= spent <= 1.0
    if mechanism == "output":
        assert spent >= 0.999


def test_more_candidates_leave_less_for_each() -> None:
    kinds = [[share.budget.epsilon for share in equal_shares(Budget(1.0, 1e-6), count)] for count in (2, 4, 8, 16)]
    for shares in zip(*kinds, strict=True):
        assert list(shares) == sorted(shares, reverse=True)


# --- the choice -------------------------------------------------------------------------------------------------------


def law(steps: list[int], moved: int, epsilon: float) -> Array:
    """Exact chances of permute-and-flip: every order of the candidates, every coin."""
    shown = [math.exp(-float(exponent)) for exponent in Coins(steps, moved, epsilon).exponents]
    chances = np.zeros(len(steps))
    for order in itertools.permutations(range(len(steps))):
        left = 1.0
        for candidate in order:
            chances[candidate] += left * shown[candidate]
            left *= 1 - shown[candidate]
    return chances / math.factorial(len(steps))


def worst_log_ratio(
    sensitivity: float, cap: float, epsilon: float, slopes: tuple[float, ...] = (1.0, -1.0), changed: int = 1
) -> float:
    """The largest over all neighbouring choices of four kept rows from a handful of corners, `changed` at a time."""
    models = [np.array([slope]) for slope in slopes]
    bounds, grid = Bounds(1.0, label_range=(-1.0, 1.0)), grid_for(sensitivity)
    corners = [(1.0, 1.0), (1.0, -1.0), (0.0, 0.0), (-0.5, 1.0)]

    def chances(table: tuple[tuple[float, float], ...]) -> Array:
        records = enter(np.array([[x] for x, _ in table]), np.array([y for _, y in table]), bounds)
        scores = as_scores(mean_losses(records, Squared().value, models, cap))
        return law([int(step) for step in grid.quantise(scores.reveal())], steps_moved(sensitivity, grid), epsilon)

    laws = {table: chances(table) for table in itertools.product(corners, repeat=4)}
    others = list(itertools.product(corners, repeat=changed))
    pairs = [(table, (*other, *table[changed:])) for table in laws for other in others]
    return max(float(np.max(np.abs(np.log(laws[left] / laws[right])))) for left, right in pairs)


def test_the_choice_spends_its_epsilon_on_the_kept_rows_and_no_more_and_a_wrong_size_is_caught() -> None:
    """Every law enumerated, with the very sensitivity the search uses for 40 fitted and 4 kept rows."""
    estimator = regression(0.8, coef_norm=1.0, fit_intercept=False)
    problem = problem_for(BudgetSplitSearch(estimator, GRID), 44, (40, 4))
    cap, sensitivity = _choice.scale(problem)
    epsilon = _choice.row_epsilon(problem)
    assert epsilon == 0.8
    assert 0.99 * 0.8 <= worst_log_ratio(sensitivity, cap, epsilon) <= 0.8
    assert 0.75 * 0.8 <= worst_log_ratio(sensitivity, cap, epsilon, (1.0, -1.0, 0.2)) <= 0.8
    assert worst_log_ratio(sensitivity * 4 / 40, cap, epsilon) > 0.8, "the size of the fitted part instead"
    assert worst_log_ratio(sensitivity / 2, cap, epsilon) > 0.8


def test_a_group_of_kept_rows_spends_the_whole_epsilon_together_and_no_more() -> None:
    """Two rows of one person change at once; a search that forgot to share ε among them is caught."""
    estimator = regression(0.8, coef_norm=1.0, fit_intercept=False)
    taken = take_in(BudgetSplitSearch(estimator, GRID), *people(44), np.arange(44) // 2)
    assert taken.groups is not None
    problem = budget_split_search._shared_out(taken, (40, 4), Budget(0.4))
    cap, sensitivity = _choice.scale(problem)
    assert _choice.row_epsilon(problem) == 0.4
    assert 0.99 * 0.8 <= worst_log_ratio(sensitivity, cap, _choice.row_epsilon(problem), changed=2) <= 0.8
    assert worst_log_ratio(sensitivity, cap, 0.8, changed=2) > 1.5


def test_a_row_is_either_fitted_on_or_chosen_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replacing a row moves every model, or none: then it is one of the kept ones."""
    seen: list[list[Array]] = []

    def watched(*given: Any) -> Any:
        models = _search.fit_parts(*given)
        seen.append([np.append(model.coef_, model.intercept_) for model in models])
        return models

    monkeypatch.setattr(budget_split_search, "fit_parts", watched)
    X, y = people(60)
    search = BudgetSplitSearch(regression(), {"alpha": [0.5, 1.0, 2.0]}, validation=0.4, random_state=2)
    search.fit(X, y)
    moved = []
    for row in range(0, 60, 4):
        other_X, other_y = X.copy(), y.copy()
        other_X[row], other_y[row] = [1.0, 0.0, 0.0], -1.0
        search.fit(other_X, other_y)
        moved.append([not np.array_equal(left, right) for left, right in zip(seen[0], seen[-1], strict=True)])
    assert all(all(each) or not any(each) for each in moved)
    assert {any(each) for each in moved} == {True, False}


# --- the whole --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("delta", "kind"), [(0.0, PureRelease), (1e-6, ApproximateRelease)])
def test_the_event_covers_the_fits_and_the_choice(delta: float, kind: type) -> None:
    ledger = eq.Ledger()
    search = BudgetSplitSearch(regression(2.0, delta), GRID, ledger=ledger).fit(*people())
    (record,) = ledger.entries()
    assert type(record.event) is kind, "a Gaussian event of the fits would not cover the choice"
    constants = search.guarantee_.constants
    assert constants["records of all parts"] == 500
    assert (constants["records"], constants["records to choose on"]) == (400, 100)
    assert constants["epsilon of one fit"] >= 2.0 / 3 * (1 - 1e-9)
    assert constants["candidates"] == 3
    assert search.best_estimator_.guarantee_ == search.guarantee_
    assert "budget-split search" in str(search.best_estimator_.card())


def test_with_next_to_no_privacy_the_sensible_setting_wins() -> None:
    X, y = people(2000)
    labels: dict[Any, Any] = {
        regression(50.0): y,
        eq.LogisticRegression(50.0, mechanism="output"): (y > 0).astype(int),
    }
    for estimator, target in labels.items():
        search = BudgetSplitSearch(estimator, {"alpha": [1e4, 0.05, 3e4]}, random_state=1).fit(X, target)
        assert search.best_params_ == {"alpha": 0.05}
        assert search.score(X, target) > 0.7


@pytest.mark.parametrize("validation", [0.0, 0.001, 0.999, 1.5, "half"])
def test_parts_with_next_to_nothing_in_them_are_refused(validation: Any, refused: Any) -> None:
    ledger = eq.Ledger()
    search = BudgetSplitSearch(regression(), GRID, validation=validation, ledger=ledger)
    message = refused(search, *people())
    assert "validation" in message or "too few" in message
    assert not ledger.entries()
