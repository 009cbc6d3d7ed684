"""Choosing features by a threshold on released coefficients: free, and with known chances to err.

docs/proofs/stability.md, section 5: Lemma 16 of Watson et al. 2020, corrected, for every law of noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtr

from equipoise._checks import not_negative, number, positive
from equipoise.outside.uncertainty import quantile, spherical_tail
from equipoise.theory.noise import Law


@dataclass(frozen=True, slots=True)
class Threshold:
    """Keep a feature if its released coefficient is larger than `value`; one coordinate's noise is of `law`, with
    standard deviation `error`, in `dim` numbers released together."""

    value: float
    law: Law
    dim: int
    error: float

    @classmethod
    def for_rate(cls, rate: float, law: Law, dim: int, error: float) -> Threshold:
        """The threshold that a coefficient of exactly zero passes with this chance."""
        return cls(positive(error=error) * quantile(law, dim, 1 - rate), law, dim, error)

    def kept(self, coefficient: float) -> float:
        """The chance that a feature whose coefficient without noise is this one is kept."""
        size = abs(number(coefficient=coefficient))
        return min(1.0, self._above(self.value - size) + self._above(self.value + size))

    def disagrees(self, coefficient: float) -> float:
        """The chance that it is kept though its coefficient is zero, or dropped though it is not."""
        kept = self.kept(coefficient)
        return kept if coefficient == 0 else 1 - kept

    def _above(self, x: float) -> float:
        """P(noise > x)."""
        return self._beyond(x) / 2 if x >= 0 else 1 - self._beyond(-x) / 2

    def _beyond(self, x: float) -> float:
        """P(|noise| > x) for x ≥ 0."""
        sizes = not_negative(x=x) / self.error
        if self.law is Law.GAUSSIAN:
            return 2 * float(ndtr(-sizes))
        if self.law is Law.LAPLACE or self.dim == 1:
            return math.exp(-sizes * math.sqrt(2))
        return spherical_tail(self.dim, sizes * math.sqrt(self.dim + 1))
