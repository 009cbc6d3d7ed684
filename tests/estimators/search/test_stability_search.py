"""The stability search: one payment, nothing about losers, fresh noise, and a warning where it is not worth it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import equipoise as eq
from equipoise.estimators.search import far_rows, stability_search
from equipoise.estimators.search.parts import split_rows
from equipoise.estimators.search.stability_plan import SearchPlan
from equipoise.gate.choices.training import LinearTraining
from equipoise.theory.accounting import total_spent
from equipoise.theory.accounting.searches import dearest
from equipoise.theory.events import ApproximateRelease, Composed, GaussianRelease, PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.tuning import NoisyChoice, Score, StabilitySearch

Array = npt.NDArray[np.float64]
GRID = {"alpha": [0.3, 3.0, 30.0]}
N = 3000


def people(n: int = N, seed: int = 0) -> tuple[Array, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) / 2
    return X, (X[:, 0] - X[:, 1] / 2 + 0.05 * rng.normal(size=n) > 0).astype(np.int64)


def classifier(epsilon: float = 4.0, delta: float = 0.0, **settings: Any) -> eq.LogisticRegression:
    return eq.LogisticRegression(epsilon, delta, **({"mechanism": "output"} | settings))


def planned(search: StabilitySearch, n: int = N, d: int = 3) -> SearchPlan:
    plan = search.plan(n, d)
    assert isinstance(plan, SearchPlan)
    return plan


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("mechanism", ["output", "objective", "auto"])
def test_a_whole_search_is_debited_once_and_stays_within_the_budget(delta: float, mechanism: str) -> None:
    ledger = eq.Ledger(4.0, 1e-6)
    search = StabilitySearch(classifier(4.0, delta, mechanism=mechanism), GRID, ledger=ledger).fit(*people())
    (record,) = ledger.entries()
    assert record.state == "committed"
    assert record.event == planned(search).event
    assert isinstance(record.event, Composed)
    assert isinstance(record.event.parts[0], PureRelease)
    assert total_spent([record.event], delta).epsilon <= 4.0
    promise = search.guarantee_
    assert (promise.epsilon, promise.delta, promise.mechanism) == (4.0, delta, "stability search")
    assert promise.private
    assert promise.delta_numeric <= 2.0**-40


def test_gaussian_noise_and_the_choice_are_accounted_jointly() -> None:
    plan = planned(StabilitySearch(classifier(1.0, 1e-6), GRID, share=0.3))
    assert isinstance(plan.event, Composed)
    assert isinstance(plan.event.parts[1], GaussianRelease)
    assert plan.plans[0].budget.epsilon > 0.7 * 1.02


@pytest.mark.parametrize("epsilon", [0.05, 24.0, 30.0, 100.0])
def test_arithmetic_never_costs_more_than_it_may(epsilon: float) -> None:
    plan = planned(StabilitySearch(classifier(epsilon, 1e-6), GRID, share=0.2))
    assert plan.delta_numeric <= 2.0**-40
    assert total_spent([plan.event], 1e-6).epsilon <= epsilon


def test_the_debit_covers_whichever_candidate_is_chosen() -> None:
    mixed = StabilitySearch(classifier(1.0, 1e-6), {"alpha": [1.0], "mechanism": ["output", "objective"]}, share=0.25)
    plan = planned(mixed)
    assert {each.mechanism for each in plan.plans} == {"output", "objective"}
    assert all(each.budget.epsilon <= 0.75 for each in plan.plans)
    event = plan.event
    assert isinstance(event, Composed)
    assert isinstance(event.parts[1], ApproximateRelease)
    assert event.parts[1].epsilon == max(each.budget.epsilon for each in plan.plans)
    assert total_spent([event], 1e-6).epsilon <= 1.0
    pure = planned(StabilitySearch(classifier(1.0), GRID))
    dear = dearest([(each.event, each.budget) for each in pure.plans])
    assert dear.delta_numeric == max(each.event.delta_numeric for each in pure.plans)


def test_an_exhausted_budget_stops_the_search_before_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def looked(*given: Any) -> None:
        raise AssertionError("looked at records")

    monkeypatch.setattr(far_rows, "enter", looked)
    ledger = eq.Ledger(1.0)
    search = StabilitySearch(classifier(3.0), GRID, ledger=ledger)
    with pytest.raises(eq.BudgetExhausted):
        search.fit(*people())
    assert not ledger.entries()
    assert not [name for name in vars(search) if name.endswith("_")]


def test_one_guarantee_covers_the_search_and_the_model_carries_it(tmp_path: Path) -> None:
    search = StabilitySearch(classifier(4.0, 1e-6), GRID).fit(*people())
    promise, constants = search.guarantee_, search.guarantee_.constants
    assert constants["records"] == constants["records of all parts"] == N
    assert constants["records to choose on"] == N // 4
    assert constants["candidates"] == 3
    assert constants["score sensitivity"] >= 1 / (N // 4)
    assert search.best_estimator_.guarantee_ == search.best_estimator_.model_.guarantee == promise
    assert any("fresh noise" in note for note in promise.notes)
    assert any("the unit of privacy is the row" in note for note in promise.notes)
    assert "stability search" in str(search.best_estimator_.card())
    search.best_estimator_.save(tmp_path / "model.json")
    assert eq.load(tmp_path / "model.json").guarantee == promise


def test_nothing_about_the_losers_and_no_score_is_kept() -> None:
    search = StabilitySearch(classifier(), GRID).fit(*people())
    kept = {name for name in vars(search) if name.endswith("_")}
    assert kept == {"n_features_in_", "best_estimator_", "best_index_", "best_params_", "guarantee_", "cv_results_"}
    assert set(search.cv_results_) == {"params", "chosen"}
    assert search.cv_results_["params"] == [{"alpha": alpha} for alpha in GRID["alpha"]]
    assert np.flatnonzero(np.array(search.cv_results_["chosen"])).tolist() == [search.best_index_]
    released = {name: value for name, value in vars(search.best_estimator_).items() if name.endswith("_")}
    assert all(np.size(value) <= 4 for value in released.values() if isinstance(value, np.ndarray))


def test_the_noise_of_the_fit_is_fresh_so_intervals_stay_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over many searches the noise that was tried says nothing about the noise that was released."""
    tried: list[Array] = []
    original = LinearTraining.draw

    def watched(self: LinearTraining, bits: Any) -> Any:
        drawn = original(self, bits)
        tried.append(next(iter(drawn[0].values()))[0])
        return drawn

    monkeypatch.setattr(LinearTraining, "draw", watched)
    X, y = people(400)
    released = []
    for seed in range(30):
        search = StabilitySearch(classifier(20.0), {"alpha": [1.0, 1.0]}, random_state=seed, draws=1).fit(X, y)
        released.append(search.best_estimator_.coef_[0])
    coefficients = np.array(released)
    noise = coefficients - coefficients.mean(axis=0)
    assert np.unique(noise[:, 0]).size == 30
    related = [abs(np.corrcoef(noise[:, place], np.array(tried)[:, place])[0, 1]) for place in range(3)]
    assert max(related) < 0.8, "reused noise would be related by 1; this is beyond 4 standard errors of 30 pairs"
    assert search.best_estimator_.model_.uncertainty is not None


def test_a_seed_on_either_side_marks_the_whole_search() -> None:
    X, y = people()
    for search in (
        StabilitySearch(classifier(), GRID, random_state=3),
        StabilitySearch(classifier(random_state=3), GRID),
    ):
        first, second = clone(search).fit(X, y), clone(search).fit(X, y)
        assert first.guarantee_.seeded
        assert first.best_params_ == second.best_params_
        assert np.array_equal(first.best_estimator_.coef_, second.best_estimator_.coef_)
    assert not StabilitySearch(classifier(), GRID).fit(X, y).guarantee_.seeded


def test_the_winner_has_the_callers_parameters_back() -> None:
    ledger = eq.Ledger()
    search = StabilitySearch(eq.LogisticRegression(4.0, ledger=ledger), GRID).fit(*people())
    settings = search.best_estimator_.get_params()
    assert settings["ledger"] is ledger
    assert (settings["classes"], settings["random_state"]) == (None, None)
    assert (settings["epsilon"], settings["mechanism"]) == (4.0, "auto")
    assert settings["alpha"] == search.best_params_["alpha"]
    assert len(ledger.entries()) == 1


KINDS = ["two classes", "three classes", "hinge", "smoothed hinge", "regression", "huber"]


@pytest.mark.parametrize("kind", KINDS)
def test_with_next_to_no_privacy_the_sensible_setting_wins(kind: str) -> None:
    X, y = people(2000)
    numbers = np.clip(X[:, 0] - X[:, 1] / 2, -1, 1)
    thirds = np.array(["a", "b", "c"])[np.digitize(numbers, [-0.2, 0.2])]
    cases: dict[str, tuple[Any, npt.NDArray[Any]]] = {
        "two classes": (eq.LogisticRegression(50.0), y),
        "three classes": (eq.LogisticRegression(50.0, classes=["a", "b", "c"]), thirds),
        "hinge": (eq.LinearSVC(50.0), y),
        "smoothed hinge": (eq.LinearSVC(50.0, smoothing=0.5), np.where(y > 0, 1, -1)),
        "regression": (eq.LinearRegression(50.0, label_bounds=(-1, 2)), numbers),
        "huber": (eq.HuberRegressor(50.0, label_bounds=(-1, 1)), numbers),
    }
    estimator, labels = cases[kind]
    grid = {"alpha": [1e3, 0.1, 3e3]}
    search = StabilitySearch(estimator, grid, random_state=1, share=0.3, prior="flat").fit(X, labels)
    assert search.best_params_ == {"alpha": 0.1}
    assert search.best_index_ == 1
    assert search.score(X, labels) > 0.6
    assert np.array_equal(search.predict(X), search.best_estimator_.predict(X))
    assert (is_classifier(search), is_regressor(search)) == (is_classifier(estimator), is_regressor(estimator))


@pytest.mark.parametrize("score", ["hinge", "logistic", Score("tanh", lambda margin: 1 - np.tanh(margin), 1.0, 2.0)])
def test_other_scores_serve_as_well(score: Any) -> None:
    search = StabilitySearch(classifier(50.0), {"alpha": [300.0, 0.1]}, score=score, share=0.3, random_state=0)
    assert search.fit(*people()).best_params_ == {"alpha": 0.1}


def test_predicted_risk_helps_where_the_data_cannot_and_only_there() -> None:
    grid = {"alpha": [1e-4, 0.1, 300.0]}
    X, y = people(600)
    chosen: dict[str, list[int]] = {"predicted": [], "flat": []}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoisyChoice)
        for prior, found in chosen.items():
            for seed in range(12):
                search = StabilitySearch(classifier(0.5), grid, prior=prior, random_state=seed).fit(X, y)
                found.append(search.best_index_)
    assert chosen["predicted"].count(1) >= 9
    assert chosen["flat"].count(1) <= 8


def test_the_plan_is_public_printable_and_what_fit_does() -> None:
    search = StabilitySearch(classifier(2.0, 1e-6), GRID, share=0.25)
    text = repr(planned(search))
    for word in ("epsilon of choosing", "records to choose on", "score sensitivity", "expected loss", "alpha 0.3"):
        assert word in text
    plan = planned(search)
    search.fit(*people())
    assert search.guarantee_.constants["epsilon of choosing"] == plan.choosing == 0.5
    assert search.guarantee_.constants["score sensitivity"] == plan.constants()["score sensitivity"]
    assert search.guarantee_.constants["sensitivity"] == plan.plans[search.best_index_].sensitivity.l2


def test_the_default_share_is_a_function_of_public_facts_and_none_of_the_others_promises_more() -> None:
    search = StabilitySearch(classifier(2.0), GRID)
    chosen = planned(search)
    others = [planned(clone(search).set_params(share=share)) for share in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)]
    assert chosen.promise == min(each.promise for each in others)
    assert planned(search).choosing == chosen.choosing


def test_a_validation_part_that_is_too_small_is_warned_about_before_anything_is_spent() -> None:
    ledger = eq.Ledger()
    search = StabilitySearch(classifier(0.1), {"alpha": [0.001, 0.01]}, ledger=ledger)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NoisyChoice)
        with pytest.raises(NoisyChoice, match="may fall short of the best by"):
            search.fit(*people(100))
    assert not ledger.entries()
    with pytest.warns(NoisyChoice):
        search.fit(*people(100))
    assert len(ledger.entries()) == 1


def test_one_candidate_is_fitted_on_everything_and_nothing_is_charged_for_choosing() -> None:
    ledger = eq.Ledger()
    search = StabilitySearch(classifier(1.0, 1e-6, mechanism="auto"), {"alpha": [0.5]}, ledger=ledger).fit(*people())
    assert search.best_params_ == {"alpha": 0.5}
    assert search.guarantee_.constants["records"] == N
    assert any("one candidate" in note for note in search.guarantee_.notes)
    expected = eq.LogisticRegression(1.0, 1e-6, alpha=0.5).plan(N, 3)
    assert [record.event for record in ledger.entries()] == [expected.event]
    assert search.plan(N, 3).event == expected.event
    assert search.guarantee_.epsilon == 1.0


def test_groups_are_kept_whole_and_pay_together() -> None:
    X, y = people()
    groups = np.repeat(np.arange(N // 3), 3)
    ledger = eq.Ledger()
    search = StabilitySearch(classifier(9.0, 1e-6), GRID, ledger=ledger, random_state=0).fit(X, y, groups=groups)
    (record,) = ledger.entries()
    assert record.event == ApproximateRelease(9.0, 1e-6, record.event.delta_numeric)
    promise = search.guarantee_
    assert (promise.epsilon, promise.delta) == (9.0, 1e-6)
    assert promise.unit == "one group of at most 3 rows"
    assert promise.constants["rows of the largest group"] == 3
    assert promise.constants["epsilon of choosing"] + promise.constants["epsilon of the fit alone"] < 3.3
    assert promise.constants["records to choose on"] % 3 == 0
    alone = StabilitySearch(classifier(9.0), {"alpha": [1.0]}).fit(X, y, groups=groups).guarantee_
    assert (alone.epsilon, alone.unit) == (9.0, "one group of at most 3 rows")


def test_splits_never_part_a_group(monkeypatch: pytest.MonkeyPatch) -> None:
    parts: list[list[Any]] = []
    original = split_rows

    def watched(*given: Any) -> Any:
        parts.append(original(*given))
        return parts[-1]

    monkeypatch.setattr(stability_search, "split_rows", watched)
    groups = np.random.default_rng(0).permutation(N) // 5
    StabilitySearch(classifier(30.0), GRID).fit(*people(), groups=groups)
    left, right = parts[0]
    assert not set(groups[left]) & set(groups[right])
    assert sorted(np.concatenate(parts[0])) == list(range(N))


def test_frames_sparse_rows_and_pipelines_work() -> None:
    X, y = people()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    named = StabilitySearch(classifier(), GRID).fit(frame, pd.Series(y))
    assert named.best_estimator_.model_.feature_names == ("a", "b", "c")
    assert named.predict(frame).shape == (N,)
    assert StabilitySearch(classifier(), GRID).fit(sparse.csr_matrix(X), y).predict(X).shape == (N,)
    piped = make_pipeline(FunctionTransformer(lambda rows: rows / 2), StabilitySearch(classifier(), GRID)).fit(X, y)
    assert piped.score(X, y) > 0.7


def test_parameters_can_be_read_set_and_cloned_although_score_is_also_a_method() -> None:
    search = StabilitySearch(classifier(), GRID, score="hinge", share=0.2)
    assert search.get_params()["score"] == "hinge"
    assert clone(search).get_params()["score"] == "hinge"
    assert clone(search).set_params(score="logistic", share=0.3).get_params()["score"] == "logistic"
    assert "score='hinge'" in repr(search)
    assert callable(search.score)


UNSTEADY = ("noisy-gradient", "sgd", "sufficient-statistics", "functional", "projected-histogram", "momentum")

BAD: list[tuple[dict[str, Any], str]] = [
    ({"param_grid": {}}, "param_grid"),
    ({"param_grid": {"alpha": []}}, "param_grid"),
    ({"param_grid": {"epsilon": [1.0, 5.0]}}, "epsilon"),
    ({"param_grid": {"alpha": [1.0, -1.0]}}, "alpha"),
    ({"score": "accuracy"}, '"ramp", "hinge", "logistic"'),
    ({"score": "roc_auc"}, "jumps"),
    ({"score": "squared"}, "score"),
    ({"score": len}, "states no stability"),
    ({"validation": 0.0}, "validation"),
    ({"validation": 1.5}, "validation"),
    ({"validation": 0.0001}, "rows are too few"),
    ({"share": 0.0}, "share"),
    ({"share": 1.0}, "share"),
    ({"draws": 0}, "draws"),
    ({"prior": "mine"}, "prior"),
    ({"estimator": object()}, "estimator"),
    ({"estimator": classifier(adjacency="add-remove", public_n=600)}, "adjacency"),
    ({"estimator": classifier(-1.0)}, "epsilon"),
    ({"estimator": classifier(ledger=eq.Ledger())}, "different ones"),
    *(({"estimator": eq.LinearRegression(1.0, 1e-6, mechanism=name, label_bounds=(-1, 1))}, name) for name in UNSTEADY),
    ({"param_grid": {"mechanism": ["output", "noisy-gradient"]}}, 'use "auto", "output", "objective"'),
    ({"estimator": eq.LinearSVC(1.0, mechanism="objective", smoothing=0)}, "kink"),
]


@pytest.mark.parametrize(("wrong", "named"), BAD, ids=[f"{index} {named}" for index, (_, named) in enumerate(BAD)])
def test_refusals_are_one_line_and_spend_nothing(wrong: dict[str, Any], named: str, refused: Any) -> None:
    ledger = eq.Ledger(100.0, 1e-3)
    settings: dict[str, Any] = {"estimator": classifier(), "param_grid": GRID, "ledger": ledger} | wrong
    assert named in refused(StabilitySearch(**settings), *people(60))
    assert not ledger.entries()


def test_the_budget_of_a_row_is_what_the_plan_divides() -> None:
    plan = planned(StabilitySearch(classifier(2.0, 1e-6), GRID))
    assert plan.question.budget == Budget(2.0, 1e-6)
    assert plan.question.rows.training + plan.question.rows.validation == N
