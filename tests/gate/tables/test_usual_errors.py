"""A usual size of errors attacked: scores move by one, all of it costs epsilon, and a greedy twin is caught."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.lists.replays import furthest

import equipoise as eq
from equipoise.audit.subjects.schemas import MANY, by_schema
from equipoise.errors import LedgerFailure
from equipoise.gate import bits_from
from equipoise.gate.tables.evaluation import EvaluationPlan, release_usual
from equipoise.inside import Private
from equipoise.inside.tables.evaluation import scores_of, within_usual
from equipoise.ledger import Ledger
from equipoise.outside.evaluation import root_error_of
from equipoise.schema import Number, Range
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.tables.calibration import noise_reach, of_squared_errors
from equipoise.theory.tables.usual_errors import LEVELS, UsualErrors, clipped_at, offer, square_of

CHOICE = UsualErrors(0.3, 0.1)
SQUARES = st.one_of(st.floats(0, 1), st.integers(0, 2 * LEVELS).map(lambda level: 2.0**-level))


@given(st.lists(SQUARES, min_size=1, max_size=12), SQUARES, st.floats(0.01, 0.1))
def test_replacing_an_error_moves_no_score_by_more_than_one(each: list[float], other: float, beyond: float) -> None:
    choice = UsualErrors(0.3, beyond)
    before, after = (scores_of(np.array(squares), choice) for squares in (each, [other, *each[1:]]))
    assert np.abs(before - after).max() <= 1 + 1e-9


def test_an_error_that_grows_moves_a_score_by_all_of_one() -> None:
    each = np.concatenate([np.full(60, 4.0**-5), np.ones(40)])
    other = np.append(each[1:], 1.0)
    assert np.abs(scores_of(each, CHOICE) - scores_of(other, CHOICE)).max() == pytest.approx(1.0)


@given(st.lists(SQUARES, min_size=1, max_size=8), st.integers(0, LEVELS - 1))
def test_terms_of_a_usual_size_lie_between_zero_and_one_and_are_exact_below_it(each: list[float], level: int) -> None:
    terms = within_usual(Private(np.array(each)), level).reveal()
    assert ((terms >= 0) & (terms <= 1)).all()
    for square, term in zip(each, terms.tolist(), strict=True):
        assert term == min(1.0, square * 4.0**level)


@pytest.mark.parametrize("size", [0.4, 0.05, 0.004, 1e-5])
def test_the_size_that_nearly_all_errors_have_is_best(size: float) -> None:
    errors = np.abs(np.random.default_rng(0).normal(0, size, 5000)).clip(0, 1)
    best = int(np.argmax(scores_of(errors**2, CHOICE)))
    assert np.mean(errors > 2.0**-best) <= 0.1
    assert best == LEVELS - 1 or np.mean(errors > 2.0 ** -(best + 1)) > 0.1


@pytest.mark.parametrize("epsilon", [0.05, 1 / 3, 1.0, 9.0])
@pytest.mark.parametrize(("records", "together"), [(30_000, 1), (10**6, 7)])
def test_choice_and_sum_never_cost_more_than_epsilon_together(epsilon: float, records: int, together: int) -> None:
    found = offer(records, epsilon, together)
    assert found is not None
    plan = EvaluationPlan(records, Budget(epsilon), None if together == 1 else together, found)
    spent = Fraction(of_squared_errors(records, together)) / Fraction(plan.noise.scale) + Fraction(found.epsilon)
    spent += Fraction(of_squared_errors(records, together)) / Fraction(plan.count_noise.scale)
    assert Fraction(0.99) * Fraction(epsilon) <= spent <= Fraction(epsilon)
    assert 0 < found.epsilon <= 0.2 * epsilon
    assert found.epsilon * found.beyond * records >= 21.9 * together


def test_few_rows_have_no_choice() -> None:
    assert offer(1000, 1.0, 1) is None
    assert offer(1200, 1.0, 1) is not None
    assert offer(1200, 1.0, 2) is None
    assert offer(10**6, 1e9, 1) is None


def released(plan: EvaluationPlan, squares: Any, seed: int) -> tuple[float, float]:
    with Ledger().reserve(plan.event) as entry:
        found = release_usual(Private(np.array(squares)), plan, entry, bits_from(seed))
    return found.mean, found.square


def loss_seen(plan: EvaluationPlan, rows: int, runs: int = 3000) -> float:
    """A lower bound, but for one chance in a million, of what two neighbouring tables are told apart by: every square
    that is chosen, and whether the mean lies below a line that is best for telling."""
    tables = [np.zeros(rows), np.append(np.ones(1), np.zeros(rows - 1))]
    seen = [np.array([released(plan, table, seed) for seed in range(runs)]) for table in tables]
    worst = 0.0
    for square in np.unique(np.concatenate(seen)[:, 1]):
        for line in (math.inf, *(np.quantile(seen[0][:, 0], (0.25, 0.5, 0.75)))):
            counts = [int(np.sum((part[:, 1] == square) & (part[:, 0] < line))) for part in seen]
            for one, other in (counts, counts[::-1]):
                low = stats.beta.ppf(1e-6, one, runs - one + 1) if one else 0.0
                high = stats.beta.ppf(1 - 1e-6, other + 1, runs - other) if other < runs else 1.0
                worst = max(worst, math.log(low / high) if low > 0 else 0.0)
    return worst


def test_neighbours_are_not_told_apart_by_more_than_epsilon_and_a_twin_that_chooses_for_nothing_is() -> None:
    choice = UsualErrors(0.5, 0.1)
    assert loss_seen(EvaluationPlan(4, Budget(1.0), None, choice), 4) <= 1.0
    greedy = UsualErrors(20.0, 0.1)
    plan = EvaluationPlan(4, Budget(25.0), None, greedy)  # more than the ε of one that promises one
    assert loss_seen(plan, 4) > 1.0


def test_a_person_of_many_rows_is_no_clearer_than_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores that move by as many as rows of a person are chosen among with coins for that."""
    asked = []

    def chosen(scores: Any, sensitivity: float, epsilon: float, *rest: Any) -> int:
        asked.append((sensitivity, epsilon))
        return 3

    monkeypatch.setattr("equipoise.gate.tables.evaluation.permute_and_flip", chosen)
    for rows in (None, 1, 7):
        released(EvaluationPlan(2000, Budget(1.0), rows, CHOICE), np.zeros(2000), 0)
    assert asked == [(1.0, 0.3), (1.0, 0.3), (7.0, 0.3)]


def test_no_choice_without_an_open_entry_that_paid_for_it() -> None:
    plan = EvaluationPlan(2000, Budget(1.0), None, offer(2000, 1.0, 1))
    for paid in (0.001, 2.0):
        with Ledger().reserve(PureRelease(paid)) as wrong, pytest.raises(LedgerFailure):
            release_usual(Private(np.ones(2000)), plan, wrong, bits_from(0))


def test_intervals_hold_through_choice_sampling_and_noise() -> None:
    """300 samples of 1,500 rows at ε = 1 and level .8: for the root of the mean of clipped squares."""
    rng, level, rows, missed = np.random.default_rng(3), 0.8, 1500, 0
    plan = EvaluationPlan(rows, Budget(1.0), None, offer(rows, 1.0, 1))
    reach = noise_reach(plan.noise, (1 - level) / 2) / rows
    whole = rng.normal(0, 0.01, 10**6)
    for seed in range(300):
        mean, square = released(plan, rng.choice(whole, rows) ** 2, seed)
        found = root_error_of(mean, 1.0, "", rows, reach, level, None, square=square, sizes=LEVELS)
        truth = math.sqrt(np.mean(np.minimum(whole**2, square)))
        missed += not found.low <= truth <= found.high
    assert missed <= 0.2 * 300


def test_clipping_is_a_level_above_the_size_and_squares_are_powers_of_four() -> None:
    assert [clipped_at(level) for level in (0, 1, 2, LEVELS - 1)] == [0, 0, 1, LEVELS - 2]
    assert square_of(3) == 1 / 64


DOSES = eq.Schema({"age": Number((0, 100))}, Range("dose", (0, 1000), "mg"))


def clinic(rows: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    age = rng.uniform(0, 100, rows)
    return {"age": age, "dose": 20 + 0.3 * age + rng.normal(0, 5, rows)}


@pytest.fixture(scope="module")
def model() -> Any:
    return eq.fit(clinic(20_000, 0), DOSES, 50.0, random_state=0)


def test_an_error_that_is_small_in_its_bounds_is_seen(model: Any) -> None:
    test, ledger = clinic(2000, 1), eq.Ledger()
    exact = eq.evaluate(model, test, public=True)
    found = [eq.evaluate(model, test, epsilon=1.0, ledger=ledger, random_state=seed) for seed in range(8)]
    assert ledger.spent().epsilon == pytest.approx(8.0)
    for each in found:
        assert each.value == pytest.approx(exact.value, rel=0.25)
        assert each.low < exact.value < each.high < 2 * exact.value
        assert each.clipped is not None
        assert f"errors beyond {each.clipped:.4g} mg (at most " in str(each)
        assert each.guarantee is not None
        assert each.guarantee.epsilon == 1.0
        assert "privacy of the usual errors" in each.guarantee.constants
    assert exact.clipped is None


def test_how_many_errors_are_clipped_is_told(model: Any) -> None:
    """One row in twenty errs by far: the number is too small, and says what is left out."""
    test = clinic(4000, 1)
    test["dose"] = test["dose"] + np.where(np.arange(4000) % 20 == 0, 500.0, 0.0)
    for seed in range(6):
        found = eq.evaluate(model, test, epsilon=1.0, random_state=seed)
        assert found.clipped is not None
        assert found.clipped < 200
        assert found.clipped_part is not None
        assert 0.05 <= found.clipped_part < 0.12


def test_noise_that_swallows_an_error_is_not_said_to_be_nought(model: Any) -> None:
    test = clinic(400, 1)
    said = [str(eq.evaluate(model, test, epsilon=0.2, random_state=seed)) for seed in range(6)]
    assert all("error 0 " not in each and "(0 to" not in each for each in said)
    assert any(each.startswith("root mean squared error below ") for each in said)


def test_what_is_audited_finds_a_usual_size_and_moves_no_further_than_was_paid_for() -> None:
    (target,) = (each for each in by_schema() if "a usual size" in each.name)
    assert 0.2 < furthest(target) <= 1
    assert offer(MANY, target.epsilon, 1) is not None
