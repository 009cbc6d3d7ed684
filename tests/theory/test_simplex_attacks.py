"""Replace-one search for the log-ratios over the simplex: structured tables come close to the theorem, none beyond."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.lists.corner_attacks import evenly, facts_for, farthest, widest

from equipoise.audit.exact.corner_laws import corner_weights
from equipoise.theory import sensitivity
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic, Loss, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import Entropy


@pytest.mark.parametrize("loss", [Logistic(), Squared()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("rows", [1, 5])
@pytest.mark.parametrize("kappa", [10.0, 50.0])
def test_the_range_is_nearly_attained_and_never_exceeded(loss: Loss, rows: int, kappa: float) -> None:
    facts = facts_for(loss, kappa, 10_000_000, 4, rows)
    before, after = widest(facts, kappa)
    ratios = np.log(before / after)
    assert 0.9 < (ratios.max() - ratios.min()) / sensitivity.of_log_weights(facts).spread <= 1


@pytest.mark.parametrize("loss", [Logistic(), Squared()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("kappa", [30.0, 80.0])
def test_one_log_ratio_is_nearly_attained_and_never_exceeded(loss: Loss, kappa: float) -> None:
    facts = facts_for(loss, kappa, 10_000_000, 3)
    before, after = farthest(facts, kappa)
    ratios = np.log(before / after)
    assert 0.85 < np.abs(ratios).max() / sensitivity.of_log_weights(facts).each <= 1


def test_no_small_table_exceeds_the_bounds() -> None:
    """Every table of three rows at the corners, every exchange of one of them, both losses, three strengths."""
    signs = [np.array(row, dtype=float) for row in itertools.product((-1, 1), repeat=3)]
    rng = np.random.default_rng(0)
    worst = 0.0
    losses: tuple[Loss, ...] = (Logistic(), Squared())
    for loss, alpha in itertools.product(losses, (0.02, 0.3, 5.0)):
        facts = Facts(loss, Entropy(alpha), Bounds(1.0, coef_norm=1.0), 3, 3)
        bounds = sensitivity.of_log_weights(facts)
        for _ in range(60):
            rows = np.array([signs[place] for place in rng.integers(8, size=4)])
            labels = rng.choice([-1.0, 1.0], size=4)
            one, two = rows[:3], rows[[0, 1, 3]]
            ratios = np.log(
                corner_weights(one, labels[:3], loss, alpha) / corner_weights(two, labels[[0, 1, 3]], loss, alpha)
            )
            worst = max(worst, np.abs(ratios).max() / bounds.each, (ratios.max() - ratios.min()) / bounds.spread)
    assert 0.4 < worst <= 1


def test_weights_move_no_further_than_stated() -> None:
    """Attained in the limit by two corners and slopes that do not bend."""
    facts = facts_for(Logistic(), 0.001, 100_000, 2)
    before, after = evenly(facts)
    ratio = float(np.abs(before - after).sum()) / sensitivity.of_weights(facts).l2
    assert 0.9 < ratio <= 1
