"""The constant: what one label can do to the sums, the law of their noise, and the prediction made of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

import equipoise as eq
from equipoise.errors import MechanismRefused
from equipoise.gate import bits_from
from equipoise.gate.door import add_noise
from equipoise.gate.models import constant
from equipoise.inside import Private, enter
from equipoise.inside.records import Records, weighed
from equipoise.inside.tables.labels import label_sums
from equipoise.ledger import Ledger
from equipoise.theory import sensitivity
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import CappedLogistic, CappedSoftmax, Hinge, Logistic, Loss, Softmax, Squared
from equipoise.theory.noise import Law
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]

FALSE_ALARM = 1e-6
ROWS = 40


def facts_of(loss: Loss, n: int = ROWS, adjacency: Adjacency = Adjacency.REPLACE_ONE) -> Facts:
    return Facts(loss, L2(1.0), Bounds(1.0, 0.5), n, 3, adjacency)


def records_of(labels: npt.ArrayLike, loss: Loss, seed: int = 0) -> Private[Records]:
    y = np.asarray(labels, dtype=float)
    X = np.random.default_rng(seed).standard_normal((len(y), 2))
    several = isinstance(loss, Softmax | CappedSoftmax)
    classes = tuple(float(place) for place in range(loss.outputs + 1)) if several else (-1.0, 1.0)
    named = (
        Bounds(1.0, 0.5, label_range=(-1.0, 1.0)) if isinstance(loss, Squared) else Bounds(1.0, 0.5, classes=classes)
    )
    return enter(X, y, named)


def sums_of(labels: npt.ArrayLike, loss: Loss, facts: Facts) -> Array:
    places = loss.outputs + 1 if isinstance(loss, Softmax) else 0
    return label_sums(weighed(records_of(labels, loss), facts), places).reveal()


@pytest.mark.parametrize("loss", [Squared(), Logistic(), Softmax(4)], ids=repr)
def test_one_label_moves_the_sums_by_the_stated_distance_and_no_further(loss: Loss) -> None:
    ends = (0.0, 3.0) if isinstance(loss, Softmax) else (-1.0, 1.0)
    rest = np.full(ROWS - 1, ends[0])
    facts = facts_of(loss)
    gap = sums_of([*rest, ends[0]], loss, facts) - sums_of([*rest, ends[1]], loss, facts)
    assert np.linalg.norm(gap) == pytest.approx(sensitivity.of_labels(facts).l2, rel=1e-9)
    added = replace(facts, adjacency=Adjacency.ADD_REMOVE, n=10 * ROWS)
    one_more = np.linalg.norm(sums_of([*rest, ends[1]], loss, added) - sums_of(rest, loss, added))
    assert 0.9 <= one_more <= sensitivity.of_labels(added).l2


@pytest.mark.parametrize("budget", [Budget(0.3), Budget(2.0, 1e-6)], ids=str)
@pytest.mark.parametrize("loss", [Squared(), Logistic(), Softmax(4)], ids=repr)
def test_the_noise_covers_the_distance_and_costs_epsilon_alone(loss: Loss, budget: Budget) -> None:
    plan = constant.plan(facts_of(loss), budget)
    assert plan.noise.law is (Law.SPHERICAL if isinstance(loss, Softmax) else Law.LAPLACE)
    assert plan.sensitivity.l2 / plan.noise.scale <= budget.epsilon
    assert plan.sensitivity.l2 / plan.noise.scale >= 0.999 * budget.epsilon
    assert plan.guarantee(seeded=False).delta_numeric == plan.event.delta_numeric


def test_what_is_released_is_the_sum_with_laplace_noise() -> None:
    """4,000 releases against the exact law, by Kolmogorov and Smirnov at FALSE_ALARM."""
    plan = constant.plan(facts_of(Squared()), Budget(1.0))
    labels = np.linspace(-1, 0.6, ROWS)
    records, found = records_of(labels, Squared()), []
    for seed in range(4000):
        with Ledger().reserve(plan.event) as entry:
            found.append(constant.release(records, plan, entry, bits_from(seed)).value[-1] * 0.5)
            entry.commit()
    law = stats.laplace(labels.sum() / ROWS, 2 / ROWS)
    inner = np.array(found)[np.abs(found) < 1]  # the mean is clipped to the labels' range
    cut = law.cdf(1) - law.cdf(-1)
    assert stats.kstest(inner, lambda x: (law.cdf(x) - law.cdf(-1)) / cut).pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    "loss", [Logistic(), CappedLogistic(0.5), Softmax(3), CappedSoftmax(3, 0.5), Hinge(), Squared()], ids=repr
)
def test_rows_are_not_looked_at_and_slopes_stay_zero(loss: Loss) -> None:
    plan, labels = constant.plan(facts_of(loss), Budget(1.0)), np.arange(ROWS) % 2.0
    values = []
    for rows_seed in (1, 2):
        with Ledger().reserve(plan.event) as entry:
            made = constant.release(records_of(labels, loss, rows_seed), plan, entry, bits_from(7))
            values.append(made.value.reshape(loss.outputs, -1))
            entry.commit()
    assert np.array_equal(values[0], values[1])
    assert not values[0][:, :-1].any()


@pytest.mark.parametrize("cap", [None, 0.5, 0.7])
@pytest.mark.parametrize("classes", [2, 4])
def test_predicted_chances_are_the_labels_shares(classes: int, cap: float | None) -> None:
    """At ε = 50 on 4,000 labels noise is far below the tolerance."""
    y = np.repeat(np.arange(classes), [2500, *(1500 // (classes - 1),) * (classes - 1)])
    X = np.random.default_rng(0).standard_normal((len(y), 2))
    model = eq.LogisticRegression(50.0, mechanism="constant", classes=list(range(classes)), slope_cap=cap).fit(X, y)
    shares = np.bincount(y) / len(y)
    assert np.allclose(model.predict_proba(X[:3]), shares, atol=2e-3)


def test_numbers_get_their_mean_in_their_own_units() -> None:
    y = np.random.default_rng(0).uniform(3, 9, 4000)
    model = eq.LinearRegression(50.0, mechanism="constant", label_bounds=(0, 20)).fit(np.ones((4000, 1)), y)
    assert model.predict([[0.3]])[0] == pytest.approx(y.mean(), abs=0.01)


def test_it_is_refused_without_a_place_for_its_answer_and_with_a_centre() -> None:
    with pytest.raises(MechanismRefused, match="fit_intercept"):
        eq.LogisticRegression(mechanism="constant", fit_intercept=False).plan(100, 2)
    with pytest.raises(MechanismRefused, match="centre"):
        eq.LogisticRegression(mechanism="constant", centre=[0.1, 0.2, 0.3]).plan(100, 2)


def test_auto_says_so_where_it_learns_no_slope_and_never_where_records_abound() -> None:
    few, many = (eq.LinearRegression(0.1, 1e-6, label_bounds=(-1, 1)).plan(n, 10) for n in (300, 30_000))
    assert few.mechanism == "constant"
    assert any("no slope is learnt" in note for note in few.notes)
    assert many.mechanism != "constant"


def test_auto_learns_slopes_of_classes_however_few_records_and_says_what_little_to_expect() -> None:
    few, many = (eq.LogisticRegression(0.1, 1e-6).plan(n, 30) for n in (455, 45_500))
    assert few.mechanism != "constant"
    assert any("hardly better than a constant" in note for note in few.notes)
    assert not any("hardly better" in note for note in many.notes)


def test_a_mean_that_noise_carried_away_is_no_certainty() -> None:
    """One label of each class at ε = 0.01: chances stay within bounds that the noise explains."""
    plan = constant.plan(facts_of(Logistic(), n=2), Budget(0.01))
    for sums in (-1e6, 1e6):
        (score,) = constant.scores(np.array([sums]), plan)
        assert math.isfinite(score)
    (usual,) = constant.scores(np.array([plan.noise.rms]), plan)
    assert abs(usual) < 8


@pytest.mark.parametrize("rows", [0, ROWS, 64 * ROWS, 64 * ROWS + 1, 1000 * ROWS])
@pytest.mark.parametrize("loss", [Logistic(), Softmax(4)], ids=repr)
def test_what_leaves_is_bounded_however_many_rows_there_are(
    loss: Loss, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where their number is secret the rounding of the sums must not grow with it."""
    plan, opened = constant.plan(facts_of(loss, adjacency=Adjacency.ADD_REMOVE), Budget(1.0)), []

    def tapped(value: Private[Array], *given: Any) -> Array:
        opened.append(value.reveal())
        return add_noise(value, *given)

    monkeypatch.setattr(constant, "add_noise", tapped)
    labels = np.full(rows, 3.0 if isinstance(loss, Softmax) else 1.0)
    with Ledger().reserve(plan.event, neighbours=plan.facts.neighbours) as entry:
        constant.release(records_of(labels, loss), plan, entry, bits_from(0))
    assert np.abs(opened[0]).sum() <= plan.facts.total * plan.facts.n * (1 + 1e-9)
