"""Elastic nets: as near to scikit-learn's as the rounded corners allow, as steady as the ridge, and released alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn import linear_model
from sklearn.base import clone

import equipoise as eq
from equipoise.audit.subjects.derived import derived_again
from equipoise.audit.subjects.stored import audit_model
from equipoise.inside import Private, Records, minimise, point_of
from equipoise.inside.design import design_from
from equipoise.theory import sensitivity
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Hinge, Logistic, Loss, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import Elastic

Array = npt.NDArray[np.float64]
ALPHA, RATIO = 0.05, 0.3


def table(n: int = 3000, d: int = 6) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n, d)) / np.sqrt(d)
    return X, np.clip(2 * X[:, 0] - X[:, 1] + rng.normal(size=n) / 10, -1, 1)


def minimiser(X: Array, y: Array, loss: Loss, penalty: Elastic, radius: float = 1e-9) -> Array:
    records = Private(Records(design_from(X, 1.0, 0.0), y))
    return point_of(minimise(records, loss, penalty, len(y), radius)).reveal()


def test_the_minimiser_is_scikit_learns_but_for_the_corners() -> None:
    """Their objective is half of ours: mean squared error/2 + a·r‖w‖₁ + a(1 − r)/2·‖w‖²."""
    X, y = table()
    penalty = Elastic.of(ALPHA, RATIO / (1 - RATIO), 1.0, len(y), spared=False)
    theirs = linear_model.ElasticNet(
        alpha=ALPHA / (1 - RATIO) / 2, l1_ratio=RATIO, fit_intercept=False, tol=1e-12, max_iter=100_000
    ).fit(X, y)
    ours = minimiser(X, y, Squared(), penalty)
    assert np.allclose(ours, theirs.coef_, atol=3 * penalty.width)
    assert np.sum(np.abs(theirs.coef_) == 0) >= 3
    assert np.all(np.abs(ours[theirs.coef_ == 0]) <= penalty.width), "what is zero there is within a corner here"


def test_two_classes_agree_with_scikit_learn_too() -> None:
    X, y = table()
    labels = np.where(y > 0, 1.0, -1.0)
    alpha, ratio, n = 0.01, 0.4, len(y)
    penalty = Elastic.of(alpha, ratio / (1 - ratio), 1.0, n, spared=False)
    theirs = linear_model.LogisticRegression(
        solver="saga", C=(1 - ratio) / (alpha * n), l1_ratio=ratio, fit_intercept=False, tol=1e-9, max_iter=100_000
    ).fit(X, labels)
    assert np.allclose(minimiser(X, labels, Logistic(), penalty), theirs.coef_[0], atol=5 * penalty.width + 1e-4)


@pytest.mark.parametrize(("loss", "steep"), [(Hinge(), 1.0), (Logistic(), None)])
def test_no_neighbours_move_it_further_than_stated_and_the_worst_nearly_as_far(loss: Loss, steep: Any) -> None:
    """Rows all alike keep every coefficient off its corner; the L1 part then pulls alike on both sides."""
    n, alpha = 50, 1.0
    penalty = Elastic.of(alpha, 0.2, 1.0, n, spared=False)
    solved = loss.stand_in()
    stated = sensitivity.of_minimiser(Facts(solved, penalty, Bounds(1.0), n, 2)).l2
    rng, most = np.random.default_rng(1), 0.0
    for attempt in range(40):
        X = np.tile([[1.0, 0.0]], (n, 1)) if attempt < 10 else rng.normal(size=(n, 2))
        X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
        y = np.ones(n) if attempt < 10 else rng.choice([-1.0, 1.0], size=n)
        other, names = X.copy(), y.copy()
        names[0] = -1.0
        other[0] = rng.normal(size=2) if attempt % 10 else (1.0, 0.0)
        other[0] /= np.linalg.norm(other[0])
        ends = [minimiser(*pair, solved, penalty, 1e-8) for pair in ((X, y), (other, names))]
        most = max(most, float(np.linalg.norm(ends[0] - ends[1])))
    assert most <= stated
    if steep:
        assert most >= 0.8 * stated


def test_the_l1_part_costs_no_privacy_and_buys_none() -> None:
    known: dict[str, Any] = {"mechanism": "output", "alpha": 0.1}
    plain = eq.LogisticRegression(1.0, **known).plan(5000, 8)
    elastic = eq.ElasticNetClassifier(1.0, **known, l1_ratio=0.5).plan(5000, 8)
    assert elastic.sensitivity == plain.sensitivity
    assert elastic.noise_scale == pytest.approx(plain.noise_scale, rel=1e-2)
    assert elastic.constants()["l1"] == pytest.approx(0.1)
    assert eq.ElasticNetClassifier(1.0, **known, l1_ratio=0.0).plan(5000, 8).constants() == plain.constants()


@pytest.mark.parametrize("n", [100, 10_000, 1_000_000, 100_000_000])
@pytest.mark.parametrize("alpha", [1e-4, 1e-2, 1.0])
def test_the_radius_stays_a_small_part_of_the_noise(n: int, alpha: float) -> None:
    plan = eq.ElasticNetClassifier(1.0, mechanism="output", alpha=alpha, l1_ratio=0.5).plan(n, 10)
    if alpha * n >= 1:
        assert 2 * plan.constants()["solver radius"] <= 0.2 * plan.noise_scale


def test_weak_coefficients_are_shrunk_where_a_ridge_keeps_them() -> None:
    """With noise of a thousandth: what says little is nearly zero, what says much stays."""
    X, y = table(20_000)
    settings: dict[str, Any] = {"label_bounds": (-1, 1), "alpha": ALPHA, "random_state": 3}
    net = eq.ElasticNet(1e4, l1_ratio=0.3, mechanism="output", **settings).fit(X, y)
    ridge = eq.LinearRegression(1e4, mechanism="output", **settings).fit(X, y)
    assert np.abs(net.coef_[2:]).max() < 0.5 * np.abs(ridge.coef_[2:]).max()
    assert np.abs(net.coef_[:2]).min() > 10 * np.abs(net.coef_[2:]).max()


@pytest.mark.parametrize("mechanism", ["objective", "noisy-gradient", "constant", "sufficient-statistics"])
def test_mechanisms_for_a_ridge_are_refused_by_name(mechanism: str) -> None:
    with pytest.raises(eq.MechanismRefused, match="covers a ridge alone"):
        eq.ElasticNet(1.0, 1e-6, mechanism=mechanism, label_bounds=(-1, 1)).plan(1000, 3)


@pytest.mark.parametrize("share", [1.0, -0.1, 2.0, float("nan"), "half"])
def test_a_share_of_one_and_what_is_no_share_are_refused(share: Any) -> None:
    with pytest.raises(eq.InvalidInput, match="l1_ratio"):
        eq.ElasticNetClassifier(l1_ratio=share).plan(1000, 3)


def test_more_than_two_classes_are_refused_before_the_debit() -> None:
    ledger = eq.Ledger(5.0)
    with pytest.raises(eq.MechanismRefused, match="Only binary"):
        eq.ElasticNetClassifier(classes=[0, 1, 2], ledger=ledger).fit(np.ones((9, 2)), np.arange(9) % 3)
    assert ledger.entries() == ()


@pytest.mark.parametrize("make", [eq.ElasticNetClassifier(), eq.ElasticNet(label_bounds=(-1, 1))])
def test_it_is_released_stored_and_read_as_the_others_are(make: Any, tmp_path: Any) -> None:
    X, y = table(400, 3)
    labels = (y > 0).astype(int) if isinstance(make, eq.ElasticNetClassifier) else y
    ledger = eq.Ledger(5.0)
    model = clone(make).set_params(ledger=ledger, rows_per_person=2).fit(X, labels, groups=np.arange(400) // 2)
    assert model.guarantee_.mechanism == "output"
    assert model.guarantee_.unit == "one person with at most 2 rows"
    assert len(ledger.entries()) == 1
    assert "weight of ‖w‖₁" in model.card().text()
    model.save(tmp_path / "model.json")
    assert np.array_equal(eq.load(tmp_path / "model.json").predict(X), model.predict(X))
    assert model.confidence_intervals().coef_high.shape == model.coef_.shape


def test_a_stored_net_is_audited_with_its_own_constants() -> None:
    X, y = table(400, 3)
    model = eq.ElasticNet(label_bounds=(-1, 1), alpha=0.1, mechanism="output").fit(X, y).model_
    assert audit_model(model, "a net").survived
    assert derived_again(model).held is True
