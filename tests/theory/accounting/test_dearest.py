"""One event that stands for whichever of several is chosen is as dear as the dearest, however many steps they take."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.accounting.searches import dearest
from equipoise.theory.events import Event, GaussianRelease, PureRelease
from equipoise.theory.guarantees import Budget

DELTA = 1e-6
PRICES, STEPS = st.floats(0.01, 2.0), st.integers(1, 400)


@given(
    st.one_of(
        st.lists(st.builds(PureRelease, PRICES, st.just(0.0), STEPS), min_size=1, max_size=4),
        st.lists(st.builds(GaussianRelease, PRICES, STEPS), min_size=1, max_size=4),
    )
)
def test_no_fit_costs_more_than_the_event_that_stands_for_it(events: list[Event]) -> None:
    stands = total_spent([dearest([(event, Budget(1.0, DELTA)) for event in events])], DELTA).epsilon
    alone = [total_spent([event], DELTA).epsilon for event in events]
    assert stands >= max(alone)
    if all(isinstance(event, GaussianRelease) for event in events):  # of pure steps many cost less than their sum
        assert stands == pytest.approx(max(alone), rel=1e-9)
