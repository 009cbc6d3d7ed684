"""Columns chosen one after the other: the exact law of small cases, the sensitivity attained, and what it costs."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse, stats
from sklearn.pipeline import make_pipeline

import equipoise as eq
from equipoise.errors import BoundsRequired, BudgetExhausted, InvalidInput, LedgerFailure
from equipoise.gate import bits_from
from equipoise.gate.choices.peel import PeelingPlan, release
from equipoise.gate.choices.select import coins_of
from equipoise.inside import Private
from equipoise.inside.scores.covariances import covariance_sizes, within_one
from equipoise.theory.accounting.prices import bounded_range_answers, pure_answers
from equipoise.theory.guarantees import Budget
from equipoise.theory.sensitivity import of_covariances

Array = npt.NDArray[np.float64]
FALSE_ALARM = 1e-6


def sizes(X: Array, y: Array) -> Array:
    return covariance_sizes(X, y).reveal()


def flips(exponents: list[float]) -> Array:
    """The exact law of permute-and-flip: over all orders, the first whose coin shows."""
    chances, law = np.exp(-np.array(exponents)), np.zeros(len(exponents))
    orders = list(itertools.permutations(range(len(exponents))))
    for order in orders:
        left = 1.0
        for place in order:
            law[place] += left * chances[place] / len(orders)
            left *= 1 - chances[place]
    return law


def weights(exponents: list[float]) -> Array:
    law = np.exp(-np.array(exponents))
    return np.asarray(law / law.sum())


def law_of(plan: PeelingPlan, scores: Array) -> dict[tuple[int, ...], float]:
    """The exact law of what is chosen, in its order."""
    found: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(plan.k):
        grown: dict[tuple[int, ...], float] = {}
        for chosen, chance in found.items():
            left = [place for place in range(plan.columns) if place not in chosen]
            exponents = [float(each) for each in coins_of(scores[left], plan.moved, plan.share).exponents]
            one = weights(exponents) if plan.by_weights else flips(exponents)
            grown |= {(*chosen, place): chance * part for place, part in zip(left, one, strict=True)}
        found = grown
    return found


PLANS = {
    "pure": PeelingPlan(6, 3, 2, Budget(1.5)),
    "by weights": PeelingPlan(6, 4, 3, Budget(0.5, 0.2)),
}


@pytest.mark.parametrize("name", PLANS)
def test_what_is_drawn_has_the_exact_law(name: str) -> None:
    """False alarms: one in a million, by a chi-squared test."""
    plan, count = PLANS[name], 1000
    assert plan.by_weights == (name == "by weights")
    scores = np.array([0.0, 3.0, 5.0, 1.0])[: plan.columns]
    law, bits = law_of(plan, scores), bits_from(7)
    assert sum(law.values()) == pytest.approx(1)
    seen: Counter[tuple[int, ...]] = Counter()
    with eq.Ledger().reserve(plan.event, label="x", neighbours=plan.neighbours) as entry:
        for _ in range(count):
            seen[release(Private(scores), plan, entry, bits)] += 1
        entry.commit()
    expected = np.array([chance * count for chance in law.values()])
    statistic = float(np.sum((np.array([seen[each] for each in law]) - expected) ** 2 / expected))
    assert stats.chi2.sf(statistic, len(law) - 1) > FALSE_ALARM


def tables(columns: int, rows: int) -> list[tuple[Array, Array]]:
    """Every table of a few rows at the corners, up to the order of all but the first."""
    corners = list(itertools.product((-1.0, 1.0), repeat=columns + 1))
    others = itertools.combinations_with_replacement(corners, rows - 1)
    return [(np.array([first, *rest])[:, :-1], np.array([first, *rest])[:, -1]) for rest in others for first in corners]


def test_the_exact_law_keeps_epsilon_on_every_pair_of_small_tables_and_comes_near_it() -> None:
    """Pairs that differ in the first row; both columns may turn at once, which two choices among two never tell."""
    plan = PeelingPlan(4, 2, 1, Budget(1.0))
    held: dict[tuple[Any, ...], list[Array]] = {}
    for X, y in tables(2, 4):
        law = law_of(plan, sizes(X, y))
        held.setdefault((X[1:].tobytes(), y[1:].tobytes()), []).append(np.array([law[(0,)], law[(1,)]]))
    worst = max(
        float(np.max(np.abs(np.log(left) - np.log(right))))
        for laws in held.values()
        for left, right in itertools.combinations(laws, 2)
    )
    assert 0.3 <= worst <= 1.0


def test_no_row_moves_a_score_further_than_stated_and_one_attains_it() -> None:
    rng, n = np.random.default_rng(0), 9
    largest = 0.0
    for attempt in range(400):
        X, y = rng.choice([-1.0, 1.0], size=(n, 3)), rng.choice([-1.0, 1.0], size=n)
        if attempt % 2:
            X[1:], y[1:] = -1.0, -1.0
        other, labels = X.copy(), y.copy()
        other[0], labels[0] = rng.choice([-1.0, 1.0], size=3), rng.choice([-1.0, 1.0])
        largest = max(largest, float(np.max(np.abs(sizes(X, y) - sizes(other, labels)))))
    assert 0.999 * of_covariances(n, 1) <= largest <= of_covariances(n, 1)
    assert of_covariances(n, 3) == pytest.approx(3 * of_covariances(n, 1), rel=1e-6)


@pytest.mark.parametrize("name", PLANS)
def test_wrong_sets_are_as_rare_as_the_plan_says(name: str) -> None:
    """Against the exact law, for two levels of scores and for scores that spread."""
    plan = PLANS[name]
    for gap in (0.5, 1.0, 2.0, 5.0):
        for spread in (0.0, 0.7):
            scores = np.full(plan.columns, 1.0) - spread * np.arange(plan.columns)
            scores[: plan.k] = 1.0 + gap * plan.records + spread * np.arange(plan.k)
            right = set(range(plan.k))
            wrong = sum(chance for chosen, chance in law_of(plan, scores).items() if set(chosen) != right)
            assert wrong <= plan.wrong(gap) + 1e-5
            if plan.by_weights and spread == 0 and wrong > 1e-4:
                assert wrong >= 0.99 * plan.wrong(gap)


def test_delta_buys_sharper_choices_and_the_event_says_which_law_was_drawn() -> None:
    pure, many = PeelingPlan(1000, 50, 20, Budget(1.0)), PeelingPlan(1000, 50, 20, Budget(1.0, 1e-6))
    assert pure.event == pure_answers(pure.share, 20)
    assert many.event == bounded_range_answers(many.share, 20)
    assert many.share > 1.2 * pure.share
    assert many.wrong(0.2) < pure.wrong(0.2)
    few = PeelingPlan(1000, 50, 1, Budget(1.0, 1e-6))
    assert not few.by_weights or few.share > 1.0
    with pytest.raises(LedgerFailure), eq.Ledger().reserve(pure.event, label="x", neighbours=pure.neighbours) as entry:
        release(Private(np.arange(50.0)), many, entry, bits_from(0))


def table(rows: int = 4000) -> tuple[Array, npt.NDArray[np.int_]]:
    X = np.random.default_rng(1).uniform(-1, 1, size=(rows, 8))
    return X, (X[:, 2] + X[:, 5] > 0).astype(int)


def test_it_finds_what_matters_and_costs_the_choice_alone() -> None:
    X, y = table()
    ledger = eq.Ledger(epsilon=3.0)
    selector = eq.PeelingSelector(2, 1.0, ledger=ledger).fit(X, y)
    assert set(selector.chosen_) == {2, 5}
    assert selector.get_support().tolist() == [place in (2, 5) for place in range(8)]
    assert selector.transform(X).shape == (4000, 2)
    assert ledger.spent().epsilon == pytest.approx(1.0)
    assert "covariance" in str(selector.card())
    assert selector.plan(4000, 8).wrong(0.05) < 1e-3
    assert "chance of a wrong set" in repr(selector.plan(4000, 8))
    last = eq.LogisticRegression(2.0, ledger=ledger)
    piped = make_pipeline(eq.PeelingSelector(2, 1.0, ledger=ledger), last)
    with pytest.raises(BudgetExhausted):
        piped.fit(X, y)


def test_ranges_missing_cells_words_and_sparse_rows() -> None:
    X, y = table()
    own = X * [1, 10, 100, 1, 1, 1000, 1, 1] + 5
    ranges = [(5 - width, 5 + width) for width in (1, 10, 100, 1, 1, 1000, 1, 1)]
    own[::50, 3] = np.nan
    words = np.where(y > 0, "yes", "no")
    selector = eq.PeelingSelector(2, 1.0, column_bounds=ranges, classes=["no", "yes"]).fit(own, words)
    assert set(selector.chosen_) == {2, 5}
    assert set(eq.PeelingSelector(2, 1.0).fit(sparse.csr_array(X), y).chosen_) == {2, 5}
    numbers = eq.PeelingSelector(2, 1.0, label_bounds=(-2, 2)).fit(X, X[:, 2] - X[:, 5])
    assert set(numbers.chosen_) == {2, 5}
    np.testing.assert_array_equal(within_one(np.array([[9.0, -9.0]]), None), [[1.0, -1.0]])
    dense, thin = sizes(X, y.astype(float)), covariance_sizes(sparse.csr_array(X), y.astype(float)).reveal()
    np.testing.assert_allclose(dense, thin)
    np.testing.assert_allclose(dense, np.abs(len(y) * np.cov(X.T, y, bias=True)[-1, :-1]))


def test_persons_are_protected_with_all_of_their_rows() -> None:
    X, y = table(300)
    selector = eq.PeelingSelector(2, 1.0, rows_per_person=2).fit(X, y, groups=np.arange(300) // 3)
    assert selector.guarantee_.sensitivity == pytest.approx(of_covariances(200, 2))
    assert "person" in selector.guarantee_.unit


@pytest.mark.parametrize(
    ("made", "problem", "words"),
    [
        ({"k": 0}, InvalidInput, "k="),
        ({"k": 8}, InvalidInput, "below the number of columns"),
        ({"epsilon": 0.0}, InvalidInput, "epsilon"),
        ({"column_bounds": [(0, 1)]}, InvalidInput, "each of the 8 columns"),
        ({"column_bounds": 3}, InvalidInput, "pairs"),
        ({"label_bounds": (1, 0)}, InvalidInput, "label"),
        ({"classes": [0, 1, 2]}, InvalidInput, "binary"),
        ({"rows_per_person": 2}, InvalidInput, "groups="),
        ({"ledger": "file.db"}, InvalidInput, "must be a ledger"),
    ],
)
def test_bad_parameters_are_refused_before_the_debit(made: dict[str, Any], problem: Any, words: str) -> None:
    ledger = eq.Ledger(epsilon=1.0)
    with pytest.raises(problem, match=words):
        eq.PeelingSelector(2, ledger=ledger).set_params(**made).fit(*table(50))
    assert ledger.spent().epsilon == 0


def test_labels_that_nobody_listed_are_refused() -> None:
    X, y = table(50)
    with pytest.raises(BoundsRequired):
        eq.PeelingSelector(2).fit(X, np.where(y > 0, "yes", "no"))
    with pytest.raises(InvalidInput, match="2\\*\\*30"):
        PeelingPlan(2**31, 3, 1, Budget(1.0))


def test_rounding_of_long_sums_is_part_of_the_sensitivity() -> None:
    assert of_covariances(2**30, 1) > 4.001
    assert math.isclose(of_covariances(1000, 1), 4 * 0.999, rel_tol=1e-6)
