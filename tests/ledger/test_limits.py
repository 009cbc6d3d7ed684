"""The rule that refuses, against the accountant itself."""

from __future__ import annotations

import contextlib
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import BudgetExhausted
from equipoise.ledger import Ledger
from equipoise.theory.accounting.calibrate import gaussian_shift
from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.accounting.filters import SLACK
from equipoise.theory.events import ApproximateRelease, Event, GaussianRelease, PureRelease
from equipoise.theory.guarantees import Budget

LIMIT_EPSILON, LIMIT_DELTA = 2.0, 1e-5

events = st.one_of(
    st.builds(PureRelease, st.floats(1e-3, 1.5)),
    st.builds(GaussianRelease, st.floats(1e-3, 0.5), st.integers(1, 3)),
    st.builds(ApproximateRelease, st.floats(0.0, 1.0), st.floats(0.0, 6e-6)),
)


@pytest.mark.parametrize("prices", ["adaptive", "sums", "fixed"])
@settings(max_examples=20, deadline=None)
@given(tries=st.lists(events, max_size=5))
def test_whatever_is_tried_the_accepted_events_stay_within_the_limit(prices: str, tries: list[Event]) -> None:
    """A filter never accepts what the exact curve refuses: it would not even hold for prices settled beforehand."""
    ledger = Ledger(LIMIT_EPSILON, LIMIT_DELTA, prices=prices)
    for event in tries:
        with contextlib.suppress(BudgetExhausted):
            ledger.reserve(event)
    accepted = [record.event for record in ledger.entries()]
    assert total_spent(accepted, LIMIT_DELTA * (1 + SLACK)).epsilon <= LIMIT_EPSILON * (1 + SLACK)


@settings(max_examples=20, deadline=None)
@given(st.lists(events, max_size=5))
def test_settled_prices_are_refused_for_a_reason(tries: list[Event]) -> None:
    ledger = Ledger(LIMIT_EPSILON, LIMIT_DELTA, prices="fixed")
    for event in tries:
        try:
            ledger.reserve(event)
        except BudgetExhausted:
            with_it = [*(record.event for record in ledger.entries()), event]
            claimed = math.fsum(each.delta for each in with_it if isinstance(each, ApproximateRelease))
            assert total_spent(with_it, LIMIT_DELTA).epsilon > LIMIT_EPSILON or claimed > LIMIT_DELTA


@given(st.lists(st.floats(1e-4, 0.5), max_size=20))
@settings(max_examples=40, deadline=None)
def test_what_remains_is_never_overstated(epsilons: list[float]) -> None:
    ledger = Ledger(LIMIT_EPSILON)
    for epsilon in epsilons:
        try:
            ledger.reserve(PureRelease(epsilon))
        except BudgetExhausted:
            break
    left = ledger.remaining()
    assert left is not None
    assert left.epsilon <= LIMIT_EPSILON - ledger.spent().epsilon or left.epsilon == 0
    if left.epsilon > 0:
        ledger.reserve(PureRelease(left.epsilon))


def test_slack_is_granted_once_and_not_per_entry() -> None:
    ledger = Ledger(1.0)
    ledger.reserve(PureRelease(1.0))
    granted = 0.0
    for _ in range(100):
        try:
            ledger.reserve(PureRelease(1e-13))
        except BudgetExhausted:
            break
        granted += 1e-13
    assert 0 < granted <= SLACK * (1 + 1e-3)


def test_a_single_release_at_exactly_the_limit_fits() -> None:
    assert Ledger(0.1 + 0.2, 1e-6).reserve(ApproximateRelease(0.1 + 0.2, 1e-6)).open
    assert Ledger(1.0, 1e-6).reserve(PureRelease(1.0)).open


@pytest.mark.parametrize("count", [3, 7, 10, 49])
def test_equal_shares_of_a_budget_all_fit(count: int) -> None:
    ledger = Ledger(1.0, 1e-6, prices="sums")
    for _ in range(count):
        ledger.reserve(ApproximateRelease(1.0 / count, 1e-6 / count))
    assert len(ledger.entries()) == count


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-5), (0.1, 1e-6), (3.7, 1e-9), (0.1 + 0.2, 1e-6)])
def test_gaussian_release_calibrated_to_the_whole_limit_fits(epsilon: float, delta: float) -> None:
    ledger = Ledger(epsilon, delta)
    ledger.reserve(GaussianRelease(gaussian_shift(Budget(epsilon, delta))))
    with pytest.raises(BudgetExhausted):
        ledger.reserve(GaussianRelease(0.01))
