"""What a search books: for a group no less than what its rows cost one after another, arithmetic's part included."""

from __future__ import annotations

import math

import numpy as np
import pytest

from equipoise.estimators.search.charges import for_one_row, whole_event
from equipoise.estimators.search.parts import Groups
from equipoise.theory.guarantees import Budget

NUMERIC = 1e-16


@pytest.mark.parametrize("largest", [1, 2, 5, 20])
@pytest.mark.parametrize("budget", [Budget(0.5, 1e-6), Budget(3.0, 1e-6)], ids=str)
def test_a_group_is_charged_for_every_row_one_after_another(budget: Budget, largest: int) -> None:
    """From table to table, a row at a time: the j-th change adds δ·e^(jε′), of arithmetic's δ as of the other."""
    groups = Groups(np.repeat(np.arange(3), largest).astype(np.intp), np.full(3, largest, dtype=np.intp))
    row = for_one_row(budget, groups)
    grown = math.fsum(math.exp(j * row.epsilon) for j in range(largest))
    assert row.epsilon * largest <= budget.epsilon
    assert row.delta * grown <= budget.delta * (1 + 1e-12)
    for pure in (True, False):
        event = whole_event(budget, pure, NUMERIC, groups)
        assert event.delta_numeric >= NUMERIC * grown * (1 - 1e-9)
        assert event.delta_numeric <= NUMERIC * grown * (1 + 1e-9)


def test_single_rows_are_charged_as_they_are() -> None:
    budget = Budget(1.0, 1e-6)
    assert for_one_row(budget, None) == budget
    assert whole_event(budget, False, NUMERIC, None).delta_numeric == NUMERIC
