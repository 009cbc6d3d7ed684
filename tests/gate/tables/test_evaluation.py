"""Evaluation attacked: neighbours reach the sensitivity, the noise has its law, intervals cover, twins are caught."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from equipoise.errors import LedgerFailure
from equipoise.gate import bits_from
from equipoise.gate.tables.evaluation import EvaluationPlan, release
from equipoise.inside import Private
from equipoise.inside.tables.evaluation import right_or_wrong, squared_shares, summed
from equipoise.ledger import Ledger
from equipoise.outside.evaluation import accuracy_of
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.tables.calibration import noise_reach, of_squared_errors

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected.  All tests are seeded, so none flickers."""


def total(terms: Private[npt.NDArray[np.float64]]) -> float:
    return float(summed(terms).reveal()[0])


def test_replacing_a_row_reaches_the_sensitivity_and_never_passes_it() -> None:
    rng, worst = np.random.default_rng(1), {"classes": 0.0, "number": 0.0}
    for _ in range(300):
        said, labels = rng.choice([0.0, 3.0, 10.0, -7.0, 99.0], 6), rng.choice([0.0, 3.0, 10.0, np.nan, 99.0], 6)
        other, label = said.copy(), labels.copy()
        other[0], label[0] = rng.choice([0.0, 3.0, 10.0, -7.0]), rng.choice([0.0, 3.0, 10.0, np.nan, np.inf])
        classes = [total(right_or_wrong(a, b, (0, 3, 10))) for a, b in ((said, labels), (other, label))]
        numbers = [total(squared_shares(a, b, 0.0, 10.0)) for a, b in ((said, labels), (other, label))]
        worst["classes"] = max(worst["classes"], abs(classes[0] - classes[1]))
        worst["number"] = max(worst["number"], abs(numbers[0] - numbers[1]))
    assert worst["classes"] == 1.0
    assert 1.0 <= worst["number"] <= of_squared_errors(6)


@given(
    st.lists(st.tuples(st.floats(), st.floats()), min_size=1, max_size=5),
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e6),
)
def test_every_term_lies_between_zero_and_one(rows: list[tuple[float, float]], low: float, width: float) -> None:
    said, labels = np.array(rows).T
    terms = squared_shares(said, labels, low, low + width).reveal()
    assert ((terms >= 0) & (terms <= 1)).all()


def test_a_label_that_is_no_class_is_the_first_and_a_missing_number_the_middle() -> None:
    assert right_or_wrong(np.array(["a", "b"]), np.array(["x", "b"]), ("a", "b")).reveal().tolist() == [1.0, 1.0]
    assert squared_shares(np.array([5.0, 0.0]), np.array([np.nan, np.nan]), 0.0, 10.0).reveal().tolist() == [0.0, 0.25]


@pytest.mark.parametrize("epsilon", [0.01, 1 / 3, 1.0, 9.0])
def test_the_sum_never_costs_more_than_epsilon(epsilon: float) -> None:
    plan = EvaluationPlan(1000, Budget(epsilon))
    spent = Fraction(of_squared_errors(1000)) / Fraction(plan.noise.scale)
    assert Fraction(0.99) * Fraction(epsilon) <= spent <= Fraction(epsilon)


def released(plan: EvaluationPlan, terms: list[float], seed: int) -> float:
    with Ledger().reserve(plan.event) as entry:
        return release(Private(np.array(terms)), plan, entry, bits_from(seed))


def test_the_mean_leaves_with_noise_of_its_law_and_half_the_noise_is_caught() -> None:
    plan = EvaluationPlan(4, Budget(0.5))
    noise = [released(plan, [1.0, 0.0, 1.0, 0.5], seed) * 4 - 2.5 for seed in range(1500)]
    assert stats.kstest(noise, stats.laplace(scale=2.0).cdf).pvalue > FALSE_ALARM
    assert stats.kstest(noise, stats.laplace(scale=1.0).cdf).pvalue < FALSE_ALARM


def test_no_release_without_an_open_entry_that_paid_for_it() -> None:
    plan, terms = EvaluationPlan(2, Budget(1.0)), Private(np.ones(2))
    with Ledger().reserve(PureRelease(2.0)) as wrong, pytest.raises(LedgerFailure):
        release(terms, plan, wrong, bits_from(0))
    with Ledger().reserve(plan.event) as closed:
        pass
    with pytest.raises(LedgerFailure):
        release(terms, plan, closed, bits_from(0))


def test_intervals_cover_through_sampling_and_noise_and_short_ones_are_caught() -> None:
    """400 samples of 200 rows at ε = .5 and level .8: at most 20 % miss."""
    rng, plan, level, truth = np.random.default_rng(3), EvaluationPlan(200, Budget(0.5)), 0.8, 0.7
    reach, missed, twin = noise_reach(plan.noise, (1 - level) / 2) / 200, 0, 0
    for seed in range(400):
        mean = released(plan, (rng.random(200) < truth).astype(float).tolist(), seed)
        found, short = accuracy_of(mean, 200, reach, level, None), accuracy_of(mean, 200, 0.0, 0.1, None)
        missed += not found.low <= truth <= found.high
        twin += not short.low <= truth <= short.high
    assert missed <= 0.2 * 400
    assert twin > 0.2 * 400


@pytest.mark.parametrize("records", [1, 10**6, 10**10, 10**12])
@pytest.mark.parametrize("epsilon", [0.001, 0.01, 1.0, 30.0])
def test_the_noise_covers_what_the_guarantee_says_a_record_moves(records: int, epsilon: float) -> None:
    """The rounding of the sum too, which grows with its length."""
    plan = EvaluationPlan(records, Budget(epsilon))
    assert plan.noise.scale * epsilon >= plan.guarantee(seeded=False).sensitivity
    assert plan.guarantee(seeded=False).sensitivity >= 1 + records * 2.0**-52
