"""Private kernel machines: curved boundaries, Theorem 4's constant, and frequencies that know no record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.sparse import csr_array
from sklearn.svm import SVC

import equipoise as eq
from equipoise.estimators.kernel.usual import MOST, usual_frequencies
from equipoise.inside import enter
from equipoise.inside.objective import Objective
from equipoise.inside.solvers import solve
from equipoise.rows import RowBounds
from equipoise.rows.lifts.fourier import Fourier
from equipoise.theory import sensitivity
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic, Loss, SmoothedHinge
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]
BOX = [(-1.0, 1.0)] * 2


@pytest.fixture(scope="module")
def quadrants() -> tuple[Array, npt.NDArray[np.int64]]:
    """No line tells them apart."""
    X = np.random.default_rng(0).uniform(-1, 1, size=(4000, 2))
    return X, (X[:, 0] * X[:, 1] > 0).astype(np.int64)


@pytest.mark.parametrize("kernel", ["rbf", "laplace"])
@pytest.mark.parametrize(("epsilon", "delta"), [(2.0, 0.0), (1.0, 1e-6)])
def test_it_follows_what_no_line_can(quadrants: Any, kernel: str, epsilon: float, delta: float) -> None:
    X, y = quadrants
    known: dict[str, Any] = {"column_bounds": BOX, "random_state": 1}
    curved = eq.KernelClassifier(epsilon, delta, kernel=kernel, **known).fit(X[:3000], y[:3000])
    straight = eq.LogisticRegression(epsilon, delta, **known).fit(X[:3000], y[:3000])
    assert curved.score(X[3000:], y[3000:]) > 0.85
    assert straight.score(X[3000:], y[3000:]) < 0.6


def test_without_noise_to_speak_of_it_is_the_kernel_machine_of_others(quadrants: Any) -> None:
    """Half a percent of rows apart would be seen; many frequencies, much epsilon, and the same ridge: C = 1/(αn)."""
    X, y = quadrants[0][:1000], quadrants[1][:1000]
    model = eq.KernelClassifier(
        1e7, loss="hinge", mechanism="output", alpha=0.01, bandwidth=0.5, frequencies=2000,
        fit_intercept=False, column_bounds=BOX, random_state=0,
    ).fit(X, y)  # fmt: skip
    scaled = X / np.sqrt(2)
    other = SVC(C=1 / (0.01 * len(X)), gamma=1 / (2 * 0.5**2)).fit(scaled, y)
    assert np.mean(model.predict(X) == other.predict(scaled)) > 0.98
    assert np.corrcoef(model.decision_function(X), other.decision_function(scaled))[0, 1] > 0.99


@pytest.mark.parametrize("loss", [Logistic(), SmoothedHinge(0.0625)])
def test_one_record_moves_the_minimiser_as_far_as_theorem_4_says_and_no_further(loss: Loss) -> None:
    """2Lκ/(λn) and its refined forms, κ = 1: at least 90 % of them are reached by a label that turns round."""
    n, rng, worst = 40, np.random.default_rng(3), 0.0
    for seed in range(6):
        lift = Fourier(RowBounds(1.0), 2, "rbf", 0.5, 8, seed=seed)
        bounds = Bounds(1.0, classes=(0, 1), lift=lift)
        facts = Facts(loss, L2(20.0), bounds, n, lift.features)
        X, y = rng.normal(size=(n, 2)), rng.integers(0, 2, size=n)
        claimed = sensitivity.of_minimiser(facts).l2
        for turned in (True, False):
            other, labels = X.copy(), y.copy()
            labels[0] = 1 - y[0]
            if not turned:
                other[0] = rng.normal(size=2)
            moved = np.linalg.norm(minimiser(facts, X, y) - minimiser(facts, other, labels))
            assert moved <= claimed
            worst = max(worst, float(moved / claimed))
    assert worst > 0.9


def minimiser(facts: Facts, X: Array, y: npt.NDArray[np.int64]) -> Array:
    found = enter(X, y, facts.bounds).map(
        lambda inner: solve(Objective(facts.loss, facts.penalty, inner, facts.n), 1e-9).point
    )
    return np.asarray(found._Private__value)  # type: ignore[attr-defined]


def test_a_plan_is_that_of_a_linear_model_on_rows_of_norm_one() -> None:
    known: dict[str, Any] = {"alpha": 0.1, "mechanism": "output"}
    for row_norm in (1e-3, 1.0, 1e6):
        plan = eq.KernelClassifier(1.0, frequencies=5, row_norm=row_norm, **known).plan(1000, 3)
        plain = eq.LogisticRegression(1.0, **known).plan(1000, 10)
        assert plan.sensitivity.l2 == plain.sensitivity.l2
        assert plan.constants()["released numbers"] == 11
    assert plan.facts.bounds.norm == plain.facts.bounds.norm


@pytest.mark.parametrize("mechanism", ["auto", "output", "objective", "noisy-gradient", "sgd", "constant"])
def test_every_mechanism_of_linear_classifiers_serves(quadrants: Any, mechanism: str) -> None:
    X, y = quadrants
    delta = 1e-6 if mechanism == "noisy-gradient" else 0.0
    ledger = eq.Ledger()
    model = eq.KernelClassifier(1.0, delta, mechanism=mechanism, frequencies=8, ledger=ledger).fit(X, y)
    assert ledger.spent(1e-6).epsilon == pytest.approx(1.0, rel=1e-3)
    assert mechanism in ("auto", model.guarantee_.mechanism)
    assert model.predict_proba(X[:3]).shape == (3, 2)


def test_frequencies_are_drawn_anew_and_kept_with_the_model(quadrants: Any, tmp_path: Path) -> None:
    X, y = quadrants
    lifts: list[Any] = [eq.KernelClassifier(1.0, frequencies=4).fit(X, y).model_.lift for _ in range(3)]
    seeds = {lift.seed for lift in lifts}
    assert len(seeds) == 3
    same = [eq.KernelClassifier(1.0, frequencies=4, random_state=5).fit(X, y) for _ in range(2)]
    assert np.array_equal(same[0].coef_, same[1].coef_)
    assert same[0].model_.lift == same[1].model_.lift
    same[0].save(tmp_path / "model.json")
    again = eq.load(tmp_path / "model.json")
    assert again.lift == same[0].model_.lift
    assert np.array_equal(again.predict_proba(X), same[0].predict_proba(X))


def test_frequencies_are_the_same_whatever_the_records_are(quadrants: Any) -> None:
    X, y = quadrants
    one = eq.KernelClassifier(1.0, random_state=2).fit(X, y).model_.lift
    assert eq.KernelClassifier(1.0, random_state=2).fit(np.zeros_like(X) + 7, 1 - y).model_.lift == one


def test_rows_are_settled_alike_in_fit_and_prediction(quadrants: Any) -> None:
    X, y = quadrants
    model = eq.KernelClassifier(1.0, column_bounds=BOX, random_state=0).fit(X, y)
    odd = np.array([[np.nan, 5.0], [0.0, 1.0], [np.inf, -np.inf], [1.0, -1.0]])
    scores = model.decision_function(odd)
    assert scores[0] == scores[1]
    assert scores[2] == scores[3]


def test_sparse_rows_and_more_classes(quadrants: Any) -> None:
    X, _ = quadrants
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.3)
    dense = eq.KernelClassifier(1.0, classes=[0, 1, 2], frequencies=6, random_state=0).fit(X, y)
    sparse = eq.KernelClassifier(1.0, classes=[0, 1, 2], frequencies=6, random_state=0).fit(csr_array(X), y)
    assert np.array_equal(dense.coef_, sparse.coef_)
    assert dense.predict_proba(X[:5]).sum(axis=1) == pytest.approx(1.0)
    assert sparse.predict(csr_array(X[:5])).shape == (5,)


def test_persons_are_protected_together(quadrants: Any) -> None:
    X, y = quadrants
    model = eq.KernelClassifier(1.0, rows_per_person=2, frequencies=4).fit(X, y, groups=np.arange(len(y)) // 2)
    assert "one person" in model.guarantee_.unit


def test_more_records_or_epsilon_never_mean_fewer_frequencies() -> None:
    counts = [usual_frequencies(n, 1.0, 0.0) for n in (10, 1000, 10_000, 100_000, 10**9)]
    assert counts == sorted(counts)
    assert counts[-1] == MOST
    assert usual_frequencies(5000, 1.0, 1e-6) > usual_frequencies(5000, 0.1, 1e-6)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"kernel": "poly"}, "kernel"),
        ({"kernel": None}, "kernel"),
        ({"bandwidth": 0.0}, "bandwidth"),
        ({"bandwidth": "wide"}, "bandwidth"),
        ({"frequencies": 0}, "frequencies"),
        ({"frequencies": 1.5}, "frequencies"),
        ({"loss": "squared"}, "loss"),
        ({"loss": "hinge", "classes": [0, 1, 2]}, "loss"),
        ({"column_bounds": [(0, 1)]}, "column_bounds"),
        ({"alpha": -1}, "alpha"),
    ],
)
def test_what_makes_no_kernel_machine_is_refused_for_free(quadrants: Any, wrong: dict[str, Any], named: str) -> None:
    X, y = quadrants
    ledger = eq.Ledger(1.0)
    with pytest.raises(eq.EquipoiseError, match=named) as caught:
        eq.KernelClassifier(1.0, ledger=ledger, **wrong).fit(X, y)
    assert "\n" not in str(caught.value)
    assert ledger.spent().epsilon == 0


def test_the_hinge_has_no_probabilities(quadrants: Any) -> None:
    model = eq.KernelClassifier(1.0, loss="hinge", frequencies=4).fit(*quadrants)
    assert not hasattr(model, "predict_proba")
    assert model.decision_function(quadrants[0][:2]).shape == (2,)


def test_the_card_tells_of_the_frequencies(quadrants: Any) -> None:
    model = eq.KernelClassifier(1.0, frequencies=4).fit(*quadrants)
    assert "4 frequencies of the rbf kernel, drawn without the records" in str(model.card())


@pytest.mark.parametrize("damage", [{"kind": "wavelet"}, {"seed": "xyz"}, {"width": 0}, {"bandwidth": -1.0}])
def test_a_damaged_lift_is_refused_by_name(quadrants: Any, tmp_path: Path, damage: dict[str, Any]) -> None:
    place = tmp_path / "model.json"
    eq.KernelClassifier(1.0, frequencies=4).fit(*quadrants).save(place)
    fields = json.loads(place.read_text())
    fields["lift"] |= damage
    place.write_text(json.dumps(fields))
    with pytest.raises(eq.UnreadableFile, match=next(iter(damage))):
        eq.load(place)


def test_a_table_with_a_schema_has_curves_of_all_columns(quadrants: Any, tmp_path: Path) -> None:
    X, y = quadrants
    table = {"a": X[:, 0].tolist(), "b": X[:, 1].tolist(), "side": np.where(y == 1, "in", "out").tolist()}
    number = {"kind": "number", "bounds": [-1, 1]}
    facts = {"target": {"column": "side", "classes": ["out", "in"]}, "columns": {"a": number, "b": number}}
    schema = eq.Schema.from_dict(facts)
    model = eq.fit(table, schema, 2.0, model="kernel", random_state=0)
    assert np.mean(model.predict(table) == table["side"]) > 0.85
    model.save(tmp_path / "model.json")
    assert np.array_equal(eq.load(tmp_path / "model.json").predict(table), model.predict(table))
    with pytest.raises(eq.InvalidInput, match="belong to no column"):
        model.coefficients()
    with pytest.raises(eq.InvalidInput, match="does not go with LogisticRegression"):
        eq.fit(table, schema, 1.0, model="kernel", estimator=eq.LogisticRegression())
    numbers = eq.Schema.from_dict(facts | {"target": {"column": "b", "bounds": [0, 1]}, "columns": {"a": number}})
    with pytest.raises(eq.InvalidInput, match="learns classes"):
        eq.fit(table, numbers, 1.0, model="kernel")


def test_features_are_not_selected_by_numbers_that_belong_to_no_column(quadrants: Any) -> None:
    with pytest.raises(eq.MechanismRefused, match="belong to no column"):
        eq.FeatureSelector(eq.KernelClassifier(mechanism="output")).fit(*quadrants)
