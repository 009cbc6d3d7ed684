"""A plan of noisy gradients is the same in whatever units rows come."""

from __future__ import annotations

import pytest

import equipoise as eq


@pytest.mark.parametrize("row_norm", [1e-12, 1e-3, 0.03, 30.0, 1e12])
@pytest.mark.parametrize("columns", [4, 16])
def test_units_change_neither_steps_nor_what_a_ridge_weighs(row_norm: float, columns: int) -> None:
    def plan(row_norm: float) -> dict[str, float]:
        mechanism = "auto" if columns == 16 else "noisy-gradient"
        model = eq.LogisticRegression(1.0, 1e-5, row_norm=row_norm, mechanism=mechanism, middle="auto")
        return model.plan(2000, columns).constants()

    here, there = plan(1.0), plan(row_norm)
    assert there["steps"] == here["steps"]
    assert there["alpha"] / row_norm**2 == pytest.approx(here["alpha"], rel=1e-9)
    assert there["step size"] * row_norm**2 == pytest.approx(here["step size"], rel=1e-9)
