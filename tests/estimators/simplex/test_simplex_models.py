"""SimplexRegressor and SimplexClassifier: promises, bounds, refusals, files, and what they learn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse
from sklearn.base import clone
from tests.estimators.test_any_values_fit import CASES, CONTAINERS

import equipoise as eq
from equipoise.audit.frozen.replay import replay
from equipoise.theory import sensitivity
from equipoise.theory.events import ApproximateRelease, BoundedRangeRelease, PureRelease
from equipoise.theory.simplex.draws import weights_error
from equipoise.theory.simplex.plans import SamplePlan, WolfePlan
from equipoise.theory.simplex.solving import exponent_reach

Array = npt.NDArray[np.float64]
N, D = 400, 6
RNG = np.random.default_rng(0)
X = np.sign(RNG.normal(size=(N, D)))
MECHANISMS = ("sample", "frank-wolfe")


def regressor(epsilon: float = 50.0, delta: float = 0.0, **settings: Any) -> Any:
    made = {"label_bounds": (-1, 1), "coef_norm": 1.0, "fit_intercept": False, "mechanism": "sample", **settings}
    return eq.SimplexRegressor(epsilon, delta, **made)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_column_that_is_the_label_is_found(mechanism: str, delta: float) -> None:
    model = regressor(delta=delta, mechanism=mechanism, random_state=0).fit(X, X[:, 2])
    assert int(np.argmax(model.coef_)) == 2
    assert model.score(X, X[:, 2]) > 0.8
    assert model.sparse_coef_.shape == (1, D)
    np.testing.assert_array_equal(model.sparse_coef_.toarray()[0], model.coef_)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_model_is_a_point_of_its_set(mechanism: str) -> None:
    plain = regressor(3.0, mechanism=mechanism, coef_norm=0.7, random_state=1).fit(X, -X[:, 2])
    assert (plain.coef_ >= 0).all()
    assert plain.coef_.sum() == pytest.approx(0.7)
    ball = regressor(50.0, mechanism=mechanism, coef_norm=0.7, signed=True, random_state=1).fit(X, -X[:, 2])
    assert np.abs(ball.coef_).sum() <= 0.7 + 1e-12
    assert ball.coef_[2] < -0.4


def test_the_classifier_learns_and_gives_chances() -> None:
    y = np.where(X[:, 1] > 0, "yes", "no")
    model = eq.SimplexClassifier(50.0, classes=["no", "yes"], random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert model.coef_.shape == (1, D)
    assert list(model.classes_) == ["no", "yes"]
    np.testing.assert_array_equal(model.decision_function(X) > 0, model.predict(X) == "yes")


def test_an_intercept_is_learnt_in_the_labels_units() -> None:
    y = np.full(N, 7.0)
    model = eq.SimplexRegressor(80.0, label_bounds=(0, 10), signed=True, random_state=0).fit(X, y)
    assert model.intercept_ == pytest.approx(7.0, abs=1.0)
    assert model.predict(X).mean() == pytest.approx(7.0, abs=1.0)


def test_entries_beyond_the_bound_are_clipped_in_fits_and_predictions_alike() -> None:
    wild = X * RNG.uniform(1, 1e300, size=X.shape)
    wild[0, 0], wild[1, 1] = np.inf, np.nan
    tame = X.copy()
    tame[1, 1] = 0.0
    one, two = (regressor(random_state=3).fit(rows, X[:, 2]) for rows in (wild, tame))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.predict(wild), two.predict(tame))


def test_entries_a_little_beyond_the_bound_count_as_the_bound() -> None:
    longer = 3 * X
    for mechanism in MECHANISMS:
        one, two = (regressor(mechanism=mechanism, random_state=3).fit(rows, X[:, 2]) for rows in (longer, X))
        np.testing.assert_array_equal(one.coef_, two.coef_)
        np.testing.assert_array_equal(one.predict(longer), two.predict(X))


def test_sparse_rows_give_what_dense_ones_give() -> None:
    rows = np.where(RNG.random(X.shape) < 0.5, X, 0.0)
    for mechanism in MECHANISMS:
        one, two = (
            regressor(mechanism=mechanism, signed=True, random_state=4).fit(table, X[:, 2])
            for table in (rows, sparse.csr_array(rows))
        )
        np.testing.assert_array_equal(one.coef_, two.coef_)
        np.testing.assert_allclose(one.predict(rows), two.predict(sparse.csr_matrix(rows)))


def test_a_plan_states_its_event_and_its_draws() -> None:
    pure, mixed = regressor(2.0).plan(N, D), regressor(2.0, 1e-6).plan(N, D)
    assert isinstance(pure, SamplePlan)
    assert pure.event == PureRelease(2.0)
    assert mixed.event == ApproximateRelease(2.0, 1e-6)
    assert pure.draws.count * pure.draws.ratios.each <= 2.0
    solved = sensitivity.of_log_weights(pure.facts, pure.course.residual)
    error = weights_error(pure.corners.count, exponent_reach(pure.facts))
    assert pure.draws.ratios.each >= solved.each + 2 * error
    assert pure.draws.ratios.spread >= solved.spread + 4 * error
    stepping = regressor(2.0, 1e-6, mechanism="frank-wolfe").plan(N, D)
    assert isinstance(stepping, WolfePlan)
    assert stepping.event == BoundedRangeRelease(stepping.draws.ratios.spread, stepping.steps)
    assert 2 * stepping.rate * stepping.sensitivity.l2 <= stepping.draws.ratios.spread
    for plan in (pure, mixed, stepping):
        assert "corners" in repr(plan)
        assert plan.guarantee(False).delta_numeric == 0.0


def test_auto_takes_the_mechanism_of_less_predicted_risk_and_alpha_asks_for_draws() -> None:
    few = eq.SimplexClassifier(1.0, mechanism="auto").plan(1000, 50)
    many = eq.SimplexClassifier(2.0, 1e-6, mechanism="auto").plan(20_000, 50)
    assert (few.mechanism, many.mechanism) == ("sample", "frank-wolfe")
    assert eq.SimplexClassifier(2.0, 1e-6, alpha=0.5).plan(20_000, 50).mechanism == "sample"
    with pytest.raises(eq.InvalidInput, match="no entropy"):
        eq.SimplexClassifier(mechanism="frank-wolfe", alpha=0.5).plan(100, 5)


def test_not_one_draw_is_refused_for_free_and_says_what_would_do() -> None:
    ledger = eq.Ledger(5.0)
    model = regressor(0.1, alpha=0.01, ledger=ledger)
    with pytest.raises(eq.MechanismRefused, match=r"one draw costs epsilon [\d.]+.*nothing was spent") as caught:
        model.fit(X, X[:, 0])
    assert ledger.entries() == ()
    words = str(caught.value)
    needed_epsilon = float(words.split("one draw costs epsilon ")[1].split(",")[0])
    needed_rows = int(words.split("that, n to ")[1].split(",")[0])
    assert regressor(1.001 * needed_epsilon, alpha=0.01).plan(N, D).draws.count == 1
    assert regressor(0.1, alpha=0.01).plan(needed_rows, D).draws.count >= 1
    with pytest.raises(eq.MechanismRefused):
        regressor(0.1, alpha=0.01).plan(int(0.95 * needed_rows), D)


def test_not_one_draw_at_any_alpha_says_which_epsilon_or_how_many_rows_would_do() -> None:
    with pytest.raises(eq.MechanismRefused, match="not one draw at any alpha") as caught:
        regressor(1e-4).plan(2, D)
    epsilon, rows = str(caught.value).split("raise epsilon to ")[1].split(" or n to ")
    assert regressor(1.01 * float(epsilon)).plan(2, D).draws.count >= 1
    assert regressor(1e-4).plan(int(rows), D).draws.count >= 1
    with pytest.raises(eq.MechanismRefused):
        regressor(1e-4).plan(int(0.95 * int(rows)), D)


def test_what_no_theorem_covers_is_refused_before_the_debit() -> None:
    ledger = eq.Ledger(5.0)
    refused: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"adjacency": "add-remove"}, eq.MechanismRefused),
        ({"mechanism": "output"}, eq.InvalidInput),
        ({"label_bounds": None}, eq.BoundsRequired),
        ({"signed": "yes"}, eq.InvalidInput),
        ({"alpha": 1e-40, "epsilon": 1e30}, eq.MechanismRefused),
    ]
    for settings, kind in refused:
        with pytest.raises(kind, match="nothing was spent"):
            regressor(**settings, ledger=ledger).fit(X, X[:, 0])
    with pytest.raises(eq.InvalidInput, match="List two"):
        eq.SimplexClassifier(classes=[1, 2, 3], ledger=ledger).fit(X, np.ones(N))
    assert ledger.entries() == ()


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_neighbours_are_no_further_apart_than_stated_when_noise_is_frozen(mechanism: str, delta: float) -> None:
    rows, labels = np.ones((8, 2)), np.ones(8)
    other, told = rows.copy(), labels.copy()
    other[0], told[0] = [-1.0, 1.0], -1.0
    shape = {
        "mechanism": mechanism,
        "signed": True,
        "fit_intercept": True,
        "alpha": 6.0 if mechanism == "sample" else "auto",
    }
    found = replay(lambda table: regressor(1.0, delta, **shape).fit(*table), (rows, labels), (other, told))
    assert found.holds, str(found)
    assert found.ratio > 0.05


def test_persons_with_several_rows_have_fewer_draws() -> None:
    plans = [regressor(5.0, rows_per_person=rows).plan(N, D) for rows in (None, 4)]
    assert all(isinstance(plan, SamplePlan) for plan in plans)
    assert plans[1].facts.together == 4
    same = [regressor(5.0, alpha=1.0, rows_per_person=rows).plan(N, D).draws for rows in (None, 4)]
    assert same[1].ratios.each == pytest.approx(4 * same[0].ratios.each, rel=1e-6)
    model = regressor(20.0, rows_per_person=2, random_state=0).fit(X, X[:, 2], groups=np.repeat(np.arange(N // 4), 4))
    assert "person" in model.guarantee_.unit
    assert model.guarantee_.constants["records"] == N / 2


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_files_keep_a_model_and_refuse_weights_that_are_none(mechanism: str, tmp_path: Path) -> None:
    model = regressor(mechanism=mechanism, signed=True, fit_intercept=True, random_state=0).fit(X, X[:, 2])
    path = tmp_path / "model.json"
    model.save(path)
    read = eq.load(path)
    np.testing.assert_array_equal(read.coef_, model.coef_)
    np.testing.assert_array_equal(read.predict(X), model.predict(X))
    assert read.guarantee == model.guarantee_
    assert "SimplexRegressor" in str(read.card())
    fields = json.loads(path.read_text())
    size = len(fields["weights"])
    for broken in (
        {"weights": [-w for w in fields["weights"]]},
        {"weights": [0.5 * w for w in fields["weights"]]},
        {"weights": fields["weights"][:-1]},
        {"places": list(range(10**6, 10**6 + size))},
        {"places": [0] * size if size > 1 else [-1]},
        {"schema": 9},
        {"loss": {"name": "logistic"}},
    ):
        path.write_text(json.dumps(fields | broken))
        with pytest.raises(eq.UnreadableFile):
            eq.load(path)


def test_debits_come_first_and_failed_fits_leave_nothing() -> None:
    ledger = eq.Ledger(1.0)
    model = regressor(0.9, ledger=ledger, random_state=0).fit(X, X[:, 2])
    assert ledger.spent().epsilon == pytest.approx(0.9)
    with pytest.raises(eq.BudgetExhausted):
        clone(model).set_params(ledger=ledger).fit(X, X[:, 2])
    fresh = regressor()
    with pytest.raises(eq.InvalidInput):
        fresh.fit(X, X[:-1, 0])
    assert not hasattr(fresh, "n_features_in_")


def test_wide_tables_need_no_more_than_a_few_vectors() -> None:
    """A hundred thousand columns: the model is small, and its file too."""
    wide = sparse.random_array((300, 100_000), density=1e-4, format="csr", rng=np.random.default_rng(1))
    model = eq.SimplexClassifier(5.0, 1e-6, mechanism="sample", random_state=0).fit(wide, np.arange(300) % 2)
    assert model.sparse_coef_.nnz <= model.guarantee_.constants["draws"]
    assert model.predict(wide).shape == (300,)


@pytest.mark.parametrize("case", CASES)
def test_values_never_stop_a_fit(case: str) -> None:
    rows, labels = CASES[case]
    made: list[tuple[Any, dict[str, Any]]] = [
        (eq.SimplexClassifier, {}),
        (eq.SimplexRegressor, {"label_bounds": (0, 1), "signed": True}),
    ]
    for kind, more in made:
        for mechanism, convert in zip((*MECHANISMS, "sample"), CONTAINERS.values(), strict=True):
            model = kind(0.5, mechanism=mechanism, random_state=1, **more).fit(convert(rows), labels)
            assert np.isfinite(model.coef_).all()
            assert len(model.predict(np.ones((2, rows.shape[1])))) == 2


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("epsilon", [1e-3, 100.0, 1e4])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_extreme_budgets_fit(mechanism: str, epsilon: float, delta: float) -> None:
    model = regressor(epsilon, delta, mechanism=mechanism).fit(X, X[:, 2])
    assert np.isfinite(model.coef_).all()
    assert model.guarantee_.delta_numeric == 0.0
