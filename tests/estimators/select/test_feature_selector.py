"""Features chosen from released coefficients: free, a selector of scikit-learn's kind, with the rates it states."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import equipoise as eq

Array = npt.NDArray[np.float64]


def table(n: int = 20_000, d: int = 10) -> tuple[Array, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n, d)) / np.sqrt(d)
    return X, (4 * X[:, 1] - 4 * X[:, 4] + rng.logistic(size=n) / 4 > 0).astype(np.int64)


def net(epsilon: float = 3.0, **more: Any) -> Any:
    settings: dict[str, Any] = {"mechanism": "output", "alpha": 0.01, "l1_ratio": 0.3, "random_state": 1} | more
    return eq.ElasticNetClassifier(epsilon, **settings)


def test_features_that_matter_are_kept_and_their_model_is_the_only_cost() -> None:
    ledger = eq.Ledger(10.0)
    selector = eq.FeatureSelector(net(ledger=ledger), false_rate=0.01).fit(*table())
    assert selector.get_support()[[1, 4]].all()
    assert selector.get_support().sum() <= 4
    assert [record.state for record in ledger.entries()] == ["committed"]
    assert selector.guarantee_ == selector.estimator_.guarantee_
    assert "Model card" in selector.card().text()


def test_with_no_signal_at_all_features_are_kept_at_the_stated_rate() -> None:
    """2,000 decisions at 0.2, ten of one vector at a time: the share is within 0.06 but for one time in a million."""
    X, y = np.zeros((200, 10)), np.arange(200) % 2
    kept = [eq.FeatureSelector(net(random_state=s), false_rate=0.2).fit(X, y).get_support().mean() for s in range(200)]
    assert abs(float(np.mean(kept)) - 0.2) < 0.06


def test_a_threshold_of_ones_own_is_used_as_it_is() -> None:
    X, y = table()
    selector = eq.FeatureSelector(net(), threshold=1.0).fit(X, y)
    assert np.array_equal(selector.get_support(), np.abs(selector.coef_) > 1.0)
    assert np.array_equal(selector.threshold_, np.ones(10))


def test_it_stands_in_a_pipeline_where_each_step_pays() -> None:
    X, y = table()
    ledger = eq.Ledger(10.0)
    last = eq.LogisticRegression(2.0, ledger=ledger)
    piped = make_pipeline(eq.FeatureSelector(net(ledger=ledger)), last).fit(X, y)
    assert piped.score(X, y) > 0.8
    assert ledger.spent().epsilon == pytest.approx(5.0)
    assert piped[0].transform(X).shape[1] == piped[-1].n_features_in_ < 10
    assert clone(piped[0]).get_params()["false_rate"] == 0.05


def test_the_plan_says_how_often_noise_decides() -> None:
    plan = eq.FeatureSelector(net(), false_rate=0.05).plan(20_000, 10)
    assert plan.threshold.disagrees(0.0) == pytest.approx(0.05, rel=1e-6)
    assert plan.threshold.disagrees(5 * plan.threshold.value) < 0.05
    assert "chance that noise decides wrongly" in repr(plan)


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        (eq.FeatureSelector(), "estimator of type"),
        (eq.FeatureSelector(LogisticRegression()), "private linear estimator"),
        (eq.FeatureSelector(eq.LogisticRegression(1.0, mechanism="objective")), 'mechanism="output"'),
        (eq.FeatureSelector(eq.LogisticRegression(mechanism="output", classes=[0, 1, 2])), "two classes"),
        (eq.FeatureSelector(net(), threshold=0.0), "threshold"),
        (eq.FeatureSelector(net(), false_rate=0.0), "false_rate"),
        (eq.FeatureSelector(net(), false_rate=1.0), "false_rate"),
    ],
)
def test_what_cannot_choose_is_refused_before_the_debit(selector: Any, words: str) -> None:
    with pytest.raises(eq.EquipoiseError, match=words) as told:
        selector.fit(*table(50))
    assert str(told.value).endswith("nothing was spent")
    assert not hasattr(selector, "coef_")


def test_persons_are_protected_by_the_estimator() -> None:
    X, y = table(300)
    selector = eq.FeatureSelector(net(rows_per_person=2)).fit(X, y, groups=np.arange(300) // 3)
    assert selector.guarantee_.unit == "one person with at most 2 rows"
