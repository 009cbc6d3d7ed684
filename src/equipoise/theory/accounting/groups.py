"""Privacy for a person with several rows, from privacy for one row.  Proof: docs/proofs/accounting.md."""

from __future__ import annotations

import math
from fractions import Fraction

from equipoise._checks import shown, whole
from equipoise.errors import InvalidInput
from equipoise.theory.guarantees import Budget
from equipoise.theory.rounding import ONE_STEP


def row_budget(budget: Budget, largest: int) -> Budget:
    """The budget for one row that keeps `budget` for every group of up to `largest` rows; rounded down.

    ε′ = ε/m and δ′ = δ·(e^{ε′} − 1)/(e^{mε′} − 1).
    """
    largest = whole(largest=largest)
    if largest == 1:
        return budget
    epsilon = budget.epsilon / largest
    while Fraction(epsilon) * largest > Fraction(budget.epsilon):
        epsilon = math.nextafter(epsilon, 0.0)
    if epsilon == 0:
        raise InvalidInput(f"largest={shown(largest)}: nothing is left of epsilon for one row, raise epsilon")
    return Budget(epsilon, _share(budget, epsilon))


def _share(budget: Budget, epsilon: float) -> float:
    """δ′, written without e^ε so that it cannot overflow; the exponent may be off by a rounding of ε."""
    shrink = math.exp(epsilon - budget.epsilon) * math.expm1(-epsilon) / math.expm1(-budget.epsilon)
    return math.nextafter(budget.delta * shrink * (1 - ONE_STEP * (10 + 2 * min(budget.epsilon, 1e6))), 0.0)
