"""A certificate must cover what doubles hide: near a minimiser the computed gradient is mostly rounding."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from equipoise.inside import enter
from equipoise.inside.certificate import smooth
from equipoise.inside.objective import Objective
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Squared
from equipoise.theory.regularisers import L2

ALPHA = 0.25
ROWS = 40


def test_the_distance_covers_the_exact_gradient_where_the_computed_one_is_smaller() -> None:
    """Least squares in exact fractions, one coefficient; at points a few units apart around the minimiser."""
    rng = np.random.default_rng(3)
    records = enter(
        rng.uniform(-1, 1, (ROWS, 1)), rng.uniform(-1, 1, ROWS), Bounds(1.0, label_range=(-1.0, 1.0))
    ).reveal()
    objective = Objective(Squared(), L2(ALPHA), records, ROWS)
    rows = [Fraction(float(x)) for x in records.design.matvec(np.ones(1))]
    labels = [Fraction(float(y)) for y in records.labels]
    bend = 2 * sum((x * x for x in rows), Fraction(0)) / ROWS + Fraction(ALPHA)
    pull = 2 * sum((x * y for x, y in zip(rows, labels, strict=True)), Fraction(0)) / ROWS
    nearest, understated = float(pull / bend), 0
    for steps in range(-40, 41):
        w = nearest + steps * math.ulp(nearest)
        gradient = objective.gradient(np.array([w]))
        exact = abs(bend * Fraction(w) - pull)
        understated += abs(float(gradient[0])) < float(exact)
        assert smooth(objective, np.array([w]), gradient).distance >= float(exact) / ALPHA
    assert understated > 5, "the computed gradient alone would have lied"
