"""A tilt longer than the solver's radius was planned for: too rare to matter, counted all the same, and shortened."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from equipoise.gate import laws
from equipoise.gate.door import draw_tilt
from equipoise.gate.models import objective_perturbation
from equipoise.gate.noise import SeededBits
from equipoise.ledger import Ledger
from equipoise.theory.accounting.room import TILT_TAIL, longest
from equipoise.theory.accounting.slack import Slack, delta_numeric
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Logistic
from equipoise.theory.noise import Law, Noise
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import L2


@pytest.mark.parametrize("dim", [1, 2, 5, 30, 1000, 2**20])
@pytest.mark.parametrize("law", [Law.GAUSSIAN, Law.SPHERICAL])
def test_the_chance_of_a_longer_tilt_is_below_what_is_counted(law: Law, dim: int) -> None:
    """Exact tails: χ with dim degrees, and Gamma of shape dim."""
    noise = Noise(law, 3.0, 3.0 * 2.0**-30, dim)
    units = (longest(noise) / 3.0) / (1 + 2e-6)
    tail = stats.chi(dim).logsf(units) if law is Law.GAUSSIAN else stats.gamma(dim).logsf(units)
    assert tail / np.log(2) <= -101
    assert TILT_TAIL == 2.0**-100
    # And not absurdly long: a few times the usual length, or a hundred scales.
    assert longest(noise) <= 3.0 * (3 * dim + 150)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_plan_counts_the_clamp(delta: float) -> None:
    facts = Facts(Logistic(), L2(0.1), Bounds(1.0), 50, 1)
    plan = objective_perturbation.plan(facts, Budget(20.0, delta))
    least = delta_numeric(20.0 * (1 - plan.blur), Slack(0.0, TILT_TAIL))
    assert plan.event.delta_numeric >= 0.9 * least
    assert least > 2.0**-75


def test_a_draw_beyond_the_longest_is_shortened_and_others_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = Facts(Logistic(), L2(0.1), Bounds(1.0), 50, 3)
    plan = objective_perturbation.plan(facts, Budget(1.0))
    assert plan.tilt is not None
    usual = laws.draw(plan.tilt, SeededBits(1))
    with Ledger().reserve(plan.event) as entry:
        kept = draw_tilt(plan.tilt, plan.event, entry, SeededBits(1)).reveal()
        np.testing.assert_array_equal(kept, usual * plan.tilt.step)
        monkeypatch.setattr(laws, "draw", lambda noise, bits: usual * 1000)
        cut = draw_tilt(plan.tilt, plan.event, entry, SeededBits(1)).reveal()
    assert float(np.linalg.norm(cut)) == pytest.approx(longest(plan.tilt))
    np.testing.assert_allclose(cut / np.linalg.norm(cut), kept / np.linalg.norm(kept), rtol=1e-12)


def test_every_row_of_a_matrix_is_shortened_by_itself() -> None:
    values = np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]])
    np.testing.assert_allclose(laws.clamped(values, 1.0), [[0.6, 0.8], [0.3, 0.4], [0.0, 0.0]])
