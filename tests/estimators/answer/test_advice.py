"""Advice on asking or releasing: free, from public facts alone, and in the direction that real tables show."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import equipoise as eq
from equipoise.answering import (
    Advice,
    AveragingPredictor,
    SGDPredictor,
    StablePredictor,
    ThresholdPredictor,
    VotingPredictor,
)
from equipoise.errors import BudgetExhausted, InvalidInput, MechanismRefused
from equipoise.theory.accounting.calibrate import gaussian_shift
from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.accounting.one_of_many import gaussian_price, pure_price
from equipoise.theory.accounting.prices import bounded_range_answers, pure_answers
from equipoise.theory.bounds import Bounds
from equipoise.theory.events import GaussianRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Logistic
from equipoise.theory.plan import Facts
from equipoise.theory.prediction import answer_risk
from equipoise.theory.regularisers import L2

Make = Callable[[], Any]

PREDICTORS: dict[str, Make] = {
    "stable, Laplace": lambda: StablePredictor(1.0),
    "stable, Gaussian": lambda: StablePredictor(1.0, 1e-6),
    "stable, hinge": lambda: StablePredictor(1.0, 1e-6, loss="hinge"),
    "stable, absolute": lambda: StablePredictor(1.0, loss="absolute", label_bounds=(0, 1)),
    "sgd": lambda: SGDPredictor(1.0, 1e-6, loss="squared", label_bounds=(0, 1)),
    "soft vote": lambda: VotingPredictor(LogisticRegression(), 1.0, n_jobs=1),
    "gaussian vote": lambda: VotingPredictor(LogisticRegression(), 1.0, 1e-6, method="gaussian", shards=20, n_jobs=1),
    "consensus": lambda: VotingPredictor(LogisticRegression(), 1.0, 1e-6, method="consensus", shards=20, n_jobs=1),
    "mean, Laplace": lambda: AveragingPredictor(Ridge(), 1.0, bounds=(0, 1), n_jobs=1),
    "mean, Gaussian": lambda: AveragingPredictor(Ridge(), 1.0, 1e-6, bounds=(0, 1), n_jobs=1),
    "coin": lambda: AveragingPredictor(LogisticRegression(), 1.0, n_jobs=1),
    "walk": lambda: ThresholdPredictor(1.0),
}


def fitted(name: str, seed: int = 0, rows: int = 600) -> Any:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 1 if name == "walk" else 4)) / 2
    return PREDICTORS[name]().fit(X, (X[:, 0] > 0).astype(int))


@pytest.mark.parametrize("name", PREDICTORS)
def test_advice_is_free_complete_and_grows_dearer_with_every_question(name: str) -> None:
    predictor = fitted(name)
    few, many = (predictor.compare_with_release(k, budget=(1.0, 1e-6)) for k in (1, 300))
    assert predictor.ledger_.entries() == ()
    assert isinstance(few, Advice)
    assert 0 < few.release_error == many.release_error
    assert few.answers_error <= many.answers_error
    assert many.answer_epsilon < few.answer_epsilon <= 1.0
    errors = [error for _, error in many.curve]
    assert errors == sorted(errors)
    assert few.crossover == many.crossover
    assert many.release == (many.crossover <= 300)
    assert many.release == (many.answers_error >= many.release_error)
    text = str(many)
    assert "\n" not in text
    assert ("release a model" in text) == many.release


@pytest.mark.parametrize("name", ["stable, Gaussian", "soft vote", "walk"])
def test_advice_follows_from_public_facts_and_not_from_records(name: str) -> None:
    one, other = (fitted(name, seed).compare_with_release(50, budget=(2.0, 1e-6)) for seed in (1, 2))
    assert one == other


@pytest.mark.parametrize("count", [1, 7, 1000])
def test_prices_for_many_answers_stay_within_the_budget_and_use_it(count: int) -> None:
    budget = Budget(1.5, 1e-6)
    for answers in (pure_answers, bounded_range_answers):
        spent = total_spent([answers(pure_price(answers, count, budget), count)], budget.delta).epsilon
        assert 0.99 * budget.epsilon < spent <= budget.epsilon
    price = gaussian_price(count, budget)
    mu = gaussian_shift(price)
    spent = total_spent([GaussianRelease(mu, count)], budget.delta).epsilon
    assert spent == pytest.approx(budget.epsilon, rel=1e-4)


def test_pure_budgets_are_divided_evenly() -> None:
    assert pure_price(pure_answers, 8, Budget(2.0)) == 0.25
    assert gaussian_price(8, Budget(2.0)) == Budget(0.25)


def test_few_columns_favour_a_release_and_very_many_favour_answers() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=300)
    narrow = StablePredictor(1.0).fit(rng.normal(size=(300, 2)), y)
    wide = StablePredictor(1.0).fit(rng.normal(size=(300, 3000)) / 60, y)
    assert narrow.compare_with_release(10, budget=(1.0, 0.0)).crossover == 2
    advice = wide.compare_with_release(1, budget=(1.0, 0.0))  # pure noise on a model grows with its size
    assert advice.crossover > 1
    assert not advice.release


def test_the_ledgers_own_budget_is_what_is_compared() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3)) / 2
    ledger = eq.Ledger(epsilon=2.0)
    predictor = StablePredictor(0.5, ledger=ledger, random_state=0).fit(X, (X[:, 0] > 0).astype(int))
    assert predictor.compare_with_release(5).budget.epsilon == pytest.approx(2.0)
    predictor.predict(X[:2])
    assert predictor.compare_with_release(5).budget.epsilon == pytest.approx(1.0, abs=1e-3)
    predictor.predict(X[2:4])
    with pytest.raises(BudgetExhausted, match="nothing is left"):
        predictor.compare_with_release(5)
    assert predictor.compare_with_release(5, budget=(1.0, 0.0)).budget == Budget(1.0)


def test_what_cannot_be_compared_is_refused() -> None:
    predictor = fitted("stable, Laplace")
    with pytest.raises(InvalidInput, match="the ledger has no limit"):
        predictor.compare_with_release(5)
    with pytest.raises(InvalidInput, match="k=0"):
        predictor.compare_with_release(0, budget=(1.0, 0.0))
    with pytest.raises(InvalidInput, match="must be a pair"):
        predictor.compare_with_release(5, budget=1.0)
    with pytest.raises(MechanismRefused, match="delta > 0"):
        fitted("consensus").compare_with_release(5, budget=(1.0, 0.0))


def test_advice_is_frozen_and_draws_itself() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    advice = fitted("soft vote").compare_with_release(20, budget=(3.0, 1e-6))
    with pytest.raises(FrozenInstanceError):
        advice.queries = 3
    axes = advice.plot()
    assert axes.get_xlabel() == "questions"
    assert len(axes.lines) >= 2
    plt.close("all")


def facts(n: int) -> Facts:
    return Facts(Logistic(), L2(1.0), Bounds(1.0, 0.5, None, (0, 1)), n, 11)


def test_predicted_errors_fall_with_rows_and_epsilon_and_end_at_chance() -> None:
    errors = [answer_risk.of_soft_vote(facts(n), 50, 0.5) for n in (500, 5000, 50000)]
    assert errors == sorted(errors, reverse=True)
    errors = [answer_risk.of_soft_vote(facts(5000), 50, epsilon) for epsilon in (1e-9, 0.1, 1.0)]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] == pytest.approx(answer_risk.NO_BETTER_THAN_CHANCE, rel=1e-6)
    assert answer_risk.of_score(facts(10**9), 0.0) < 1e-4
    assert answer_risk.of_coin(facts(10**9), 10, 0.0) > 0.02  # a coin errs even at the right probability


def test_predicted_votes_agree_with_a_simulation_of_their_own_model() -> None:
    rng, voters, epsilon = np.random.default_rng(0), 40, 0.3
    each = answer_risk.Voters.of(facts(4000), voters)
    scores = 2.0 * rng.normal(size=20000)
    centre = each.kept * scores + math.sqrt(each.bias) * rng.normal(size=scores.size)
    votes = centre[:, None] + math.sqrt(each.variance) * rng.normal(size=(scores.size, voters))
    ones = 1 / (1 + np.exp(-epsilon * (np.sum(votes > 0, axis=1) - voters / 2)))
    wrong = np.where(scores > 0, 1 - ones, ones) * np.abs(np.tanh(scores / 2))
    assert answer_risk.of_soft_vote(facts(4000), voters, epsilon) == pytest.approx(float(np.mean(wrong)), rel=0.1)
