"""The objective over records in parts: the same function as `Objective`, a pass over the parts for each derivative.

No vector as long as the table is ever held.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.sums import Gradient, GradientAndHessian, Hessian, HessianTimes, SlopeAlong, ValueAndGradient


@dataclass(frozen=True, eq=False, repr=False)
class PartedObjective(Objective):
    """What solvers may ask of it are its value, its derivatives and their products; scores it has none."""

    def value(self, w: Array) -> float:
        return self._both(w)[0]

    def gradient(self, w: Array) -> Array:
        return self.with_penalty(self.records.summed(Gradient(self.loss, w, self.evened)) / self.divisor, w)

    def seen_from(self, w: Array) -> tuple[float | None, Array]:
        """The value too where reading the records costs more than what is summed of them."""
        return self._both(w) if self.records.read_anew else (None, self.gradient(w))

    def _both(self, w: Array) -> tuple[float, Array]:
        sums = self.records.summed(ValueAndGradient(self.loss, w, self.evened)) / self.divisor
        return self._with_ridge(w, float(sums[0])), self.with_penalty(sums[1:], w)

    def hessian(self, w: Array) -> Array:
        return self._with_bend(self.records.summed(Hessian(self.loss, w, self.evened)) / self.divisor, w)

    def bent_at(self, w: Array) -> tuple[Array, Array]:
        sums = self.records.summed(GradientAndHessian(self.loss, w, self.evened)) / self.divisor
        return self.with_penalty(sums[0], w), self._with_bend(sums[1:], w)

    def hessian_product(self, w: Array) -> Callable[[Array], Array]:
        ridge = self.strong_convexity + self.penalty.bent(w)
        return lambda v: self.records.summed(HessianTimes(self.loss, w, v, self.evened)) / self.divisor + ridge * v

    def slope_along(self, w: Array, step: Array) -> Callable[[float], float]:
        tilt = 0.0 if self.tilt is None else float(self.tilt @ step)
        constant, growth = self.pressure * float(w @ step) + tilt, self.pressure * float(step @ step)

        def slope(t: float) -> float:
            (data,) = self.records.summed(SlopeAlong(self.loss, w, step, t, self.evened)) / self.divisor
            return float(data) + float(self.penalty.gradient(w + t * step) @ step) + constant + growth * t

        return slope
