"""A row's budget, against the exact loss of a group under worst-case mechanisms."""

from __future__ import annotations

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import InvalidInput
from equipoise.theory.accounting import delta_gaussian, gaussian_shift
from equipoise.theory.accounting.groups import row_budget
from equipoise.theory.guarantees import Budget


def group_image(row: Budget, rows: int) -> tuple[mp.mpf, mp.mpf]:
    """(ε, δ) of `rows` rows at once, step by step, when each single row has (ε′, δ′)."""
    with mp.workdps(60):
        epsilon, delta = mp.mpf(0), mp.mpf(0)
        for _ in range(rows):
            delta = delta + mp.exp(epsilon) * mp.mpf(row.delta)
            epsilon += mp.mpf(row.epsilon)
        return epsilon, delta


@settings(deadline=None, max_examples=200)
@given(epsilon=st.floats(1e-6, 200.0), delta=st.floats(0.0, 0.5), largest=st.integers(1, 40))
def test_no_group_exceeds_the_budget(epsilon: float, delta: float, largest: int) -> None:
    budget = Budget(epsilon, delta)
    row = row_budget(budget, largest)
    for rows in {1, (largest + 1) // 2, largest}:
        together, leaked = group_image(row, rows)
        assert together <= epsilon
        assert leaked <= delta


@pytest.mark.parametrize(("epsilon", "delta", "largest"), [(1.0, 1e-6, 3), (0.1, 1e-5, 100), (8.0, 1e-9, 5)])
def test_the_group_gets_the_whole_budget(epsilon: float, delta: float, largest: int) -> None:
    together, leaked = group_image(row_budget(Budget(epsilon, delta), largest), largest)
    assert together >= epsilon * (1 - 1e-12)
    assert leaked >= delta * (1 - 1e-10)


def test_one_row_keeps_the_budget_and_pure_budgets_are_divided() -> None:
    assert row_budget(Budget(1.0, 1e-6), 1) == Budget(1.0, 1e-6)
    assert row_budget(Budget(1.0), 4) == Budget(0.25)


def test_gaussian_noise_at_the_rows_budget_protects_the_group() -> None:
    """A group of three shifts a Gaussian mechanism three times as far as one row does."""
    total = Budget(1.0, 1e-6)
    shift = gaussian_shift(row_budget(total, 3))
    assert delta_gaussian(total.epsilon, 3 * shift) <= total.delta


def test_dividing_delta_alone_would_be_noticed() -> None:
    """The defect: δ/m, which forgets that the shares of δ grow by e^ε′ from row to row."""
    naive = Budget(0.5, 1e-6 / 4)
    assert group_image(naive, 4)[1] > 1e-6
    assert group_image(row_budget(Budget(2.0, 1e-6), 4), 4)[1] <= 1e-6


@pytest.mark.parametrize("largest", [0, -1, 1.5, True])
def test_impossible_groups_are_refused(largest: int) -> None:
    with pytest.raises(InvalidInput, match="largest"):
        row_budget(Budget(1.0), largest)


def test_a_budget_too_small_to_divide_is_refused() -> None:
    with pytest.raises(InvalidInput, match="raise epsilon"):
        row_budget(Budget(5e-324), 2)
