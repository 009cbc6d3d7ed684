"""Soft counts attacked: neighbours reach the sensitivity, the noise has its law, twins are caught."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from equipoise.errors import InvalidInput, LedgerFailure
from equipoise.gate import bits_from
from equipoise.gate.door import add_noise
from equipoise.gate.tables.scaling import ScalingPlan, release
from equipoise.inside.tables.scaling import enter_places, soft_counts
from equipoise.ledger import Ledger
from equipoise.theory.events import GaussianRelease, PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.noise import Law
from equipoise.theory.tables.scaling import MOST_RECORDS, soft_counts_moved, soft_weights, standing

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected.  All tests are seeded, so none flickers."""

CELLS = st.one_of(st.just(-1.0), st.just(1.0), st.just(-0.5), st.just(math.nan), st.floats())


def sums(rows: list[list[float]]) -> npt.NDArray[np.float64]:
    return soft_counts(enter_places([np.array(column) for column in zip(*rows, strict=True)])).reveal()


@given(st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=6), st.tuples(CELLS, CELLS))
def test_replacing_a_record_never_moves_the_sums_further_than_stated(
    rows: list[tuple[float, float]], other: tuple[float, float]
) -> None:
    left, right = [list(row) for row in rows], [list(other), *(list(row) for row in rows[1:])]
    assert float(np.linalg.norm(sums(left) - sums(right))) <= soft_counts_moved(2, len(rows))


@pytest.mark.parametrize("columns", [1, 2, 7])
@pytest.mark.parametrize("together", [1, 3])
def test_the_sensitivity_is_attained_from_bound_to_bound(columns: int, together: int) -> None:
    low, high = [[-1.0] * columns] * together, [[1.0] * columns] * together
    rest = [[0.3] * columns] * 2
    moved = float(np.linalg.norm(sums([*low, *rest]) - sums([*high, *rest])))
    stated = soft_counts_moved(columns, together + 2, together)
    assert 1 - 1e-9 <= moved / stated <= 1.0


@given(st.floats())
def test_a_record_weighs_one_whatever_it_holds_and_nothing_where_it_is_missing(place: float) -> None:
    weights = soft_weights(np.array([[place]])).ravel()
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(0.0 if math.isnan(place) else 1.0, abs=1e-15)


def test_the_sums_tell_count_mean_and_variance() -> None:
    values = np.random.default_rng(0).uniform(-0.9, 0.4, 500)
    found = standing(sums([[value] for value in [*values, math.nan]]), 0.0)
    assert found.centre == pytest.approx(values.mean())
    assert found.spread == pytest.approx(values.std())


def test_a_spread_is_never_smaller_than_the_noise_could_hide() -> None:
    exact = sums([[0.25]] * 1000)
    assert standing(exact, 0.0).spread == pytest.approx(0.0, abs=1e-6)
    assert standing(exact, 10.0).spread == pytest.approx(2 * math.sqrt(20 / 1000))


@given(st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=3), st.floats(0, 1e9))
def test_any_noisy_sums_give_a_place_on_the_scale(noisy: list[float], noise: float) -> None:
    found = standing(np.array(noisy), noise)
    assert -1.0 <= found.centre <= 1.0
    assert 0.0 <= found.spread <= 1.0


@pytest.mark.parametrize(("delta", "kind"), [(0.0, PureRelease), (1e-6, GaussianRelease)])
def test_the_sums_leave_with_noise_of_the_planned_law_and_half_of_it_is_caught(delta: float, kind: type) -> None:
    plan = ScalingPlan(4, 1, Budget(0.5, delta))
    law, event = plan.law
    assert isinstance(event, kind)
    private, exact, seen = enter_places([np.array([-1.0, 1.0, 0.0, math.nan])]), sums([[-1], [1], [0], [math.nan]]), []
    for seed in range(800):
        with Ledger().reserve(event) as entry:
            noisy = add_noise(soft_counts(private), law.noise, event, entry, bits_from(seed))
        seen.append(float(np.linalg.norm(noisy - exact)))
    length = {Law.SPHERICAL: stats.gamma(3), Law.GAUSSIAN: stats.chi(3)}[law.noise.law]
    assert stats.kstest(np.array(seen) / law.noise.scale, length.cdf).pvalue > FALSE_ALARM
    assert stats.kstest(np.array(seen) / law.noise.scale * 2, length.cdf).pvalue < FALSE_ALARM


def test_the_noise_pays_for_what_a_record_moves() -> None:
    """Pure noise: moved/scale is all of ε but for the grid; a plan for persons has the cap's multiple of noise."""
    plan, persons = ScalingPlan(1000, 3, Budget(1.0)), ScalingPlan(1000, 3, Budget(1.0), 4)
    law, _ = plan.law
    assert law.noise.law is Law.SPHERICAL
    assert 0.999 <= math.sqrt(6) / law.noise.scale <= 1.0
    assert persons.law[0].noise.scale == pytest.approx(4 * law.noise.scale, rel=1e-6)
    assert persons.guarantee(seeded=False).unit == "one person with at most 4 rows"


def test_no_release_without_an_open_entry_that_paid_for_it() -> None:
    plan, places = ScalingPlan(2, 1, Budget(1.0)), enter_places([np.zeros(2)])
    with Ledger().reserve(PureRelease(2.0)) as wrong, pytest.raises(LedgerFailure):
        release(places, plan, wrong, bits_from(0))
    with Ledger().reserve(plan.event) as closed:
        pass
    with pytest.raises(LedgerFailure):
        release(places, plan, closed, bits_from(0))


def test_more_rows_than_sums_are_exact_for_are_refused_by_their_number() -> None:
    with pytest.raises(InvalidInput, match="more than"):
        ScalingPlan(MOST_RECORDS + 1, 1, Budget(1.0))
