"""Loss × penalty × records: the function that is minimised, and its derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equipoise.inside.compiled.slopes import TIMES, Law, Several, law_of, several_of
from equipoise.inside.compiled.sweep import Sweep
from equipoise.inside.design.contract import Array, Turn
from equipoise.inside.records import Records
from equipoise.theory.evening import Evening
from equipoise.theory.losses import Loss
from equipoise.theory.regularisers import Penalty

UNIT = 2.0**-53
MARGIN = 10.0
"""The rounding allowance is this many times the bound that docs/proofs/certificates.md derives."""


def scores(loss: Loss, records: Records, w: Array) -> Array:
    """(n,), or (n, outputs) for the flat w of a loss with several scores per row."""
    return records.design.matvec(w if loss.outputs == 1 else w.reshape(loss.outputs, -1).T)


def pull_back(records: Records, divisor: float, per_score: Array) -> Array:
    """Xᵀ(per score)/divisor, flat."""
    return records.design.rmatvec(per_score).T.reshape(-1) / divisor


def data_gradient(loss: Loss, records: Records, divisor: float, w: Array, evened: Evening | None = None) -> Array:
    """∇ of Σ loss/divisor, no penalty; in one pass.  `evened` says by what records count, if not once."""
    law = law_of(loss) or several_of(loss)
    at_once = None if law is None else _swept(records, w, law, records.labels, evened)
    if at_once is not None:
        return at_once / divisor

    def turn(scores: Array, part: slice) -> Array:
        return records.counted(loss.slope(scores, records.labels[part]), evened, part)

    return _pulled(loss, records, divisor, w, turn)


def _swept(
    records: Records, w: Array, law: Law | Several, labels: Array, evened: Evening | None = None
) -> Array | None:
    """Xᵀ law(scores) by a compiled pass, where there is one."""
    return records.design.swept(Sweep(_whole(w), law, _whole(labels), records.counts(evened)))


def _whole(numbers: Array) -> Array:
    """In one piece and aligned, as passes read them: what came over a network may lie at any byte."""
    return np.require(numbers, requirements=["C", "A"])


def data_value_and_gradient(
    loss: Loss, records: Records, divisor: float, w: Array, evened: Evening | None = None
) -> tuple[float, Array]:
    """Σ loss/divisor and its gradient, no penalty; both in one pass."""
    sums: dict[int, float] = {}  # by their first row: threads turn parts in any order

    def turn(scores: Array, part: slice) -> Array:
        labels = records.labels[part]
        sums[part.start or 0] = float(np.sum(records.counted(loss.value(scores, labels), evened, part)))
        return records.counted(loss.slope(scores, labels), evened, part)

    data = _pulled(loss, records, divisor, w, turn)
    return sum(sums[first] for first in sorted(sums)) / divisor, data


def _pulled(loss: Loss, records: Records, divisor: float, w: Array, turn: Turn) -> Array:
    """Xᵀ turn(scores)/divisor, flat."""
    shaped = w if loss.outputs == 1 else w.reshape(loss.outputs, -1).T
    return records.design.pulled(shaped, turn).T.reshape(-1) / divisor


@dataclass(frozen=True, eq=False, repr=False)
class Objective:
    """J(w) = Σ count·loss(x·w, y)/divisor + penalty(w) + tilt·w + (pressure/2)‖w‖².

    w is flat: with several scores per row it is the (outputs × columns) matrix, row after row.  `pressure` is
    the multiplier with which a solver keeps w in a ball.  A record counts once or, where they are `evened` to a norm,
    the more the shorter its row is (theory/evening.py).
    """

    loss: Loss
    penalty: Penalty
    records: Records
    divisor: float
    tilt: Array | None = None
    pressure: float = 0.0
    evened: Evening | None = None

    @property
    def size(self) -> int:
        return self.loss.outputs * self.records.design.columns

    @cached_property
    def centre(self) -> Array:
        return np.zeros(self.size) if self.penalty.centre is None else np.asarray(self.penalty.centre, dtype=float)

    @property
    def strong_convexity(self) -> float:
        return self.penalty.strong_convexity + self.pressure

    @property
    def smoothness(self) -> float:
        """A bound on the Hessian's eigenvalues."""
        weight = self.records.design.rows / self.divisor
        data = self.loss.facts(math.inf).curvature * self.longest_row**2 * weight
        return data + self.strong_convexity + self.penalty.bend

    @property
    def longest_row(self) -> float:
        """No record pulls, nor bends, harder than a row of this norm that counts once."""
        return self.records.longest_row if self.evened is None else self.evened.norm

    @property
    def heaviest(self) -> float:
        """The most that a record counts."""
        return 1.0 if self.evened is None else self.evened.heaviest

    def scores(self, w: Array) -> Array:
        return scores(self.loss, self.records, w)

    def slopes(self, scores: Array) -> Array:
        """Of every record at these scores, times what it counts."""
        return self.records.counted(self.loss.slope(scores, self.records.labels), self.evened)

    def bends(self, scores: Array) -> Array:
        """The same of second derivatives: (n,) or (n, outputs, outputs)."""
        return self.records.counted(self.loss.curvature(scores, self.records.labels), self.evened)

    def _pull_back(self, per_score: Array) -> Array:
        return pull_back(self.records, self.divisor, per_score)

    def value(self, w: Array) -> float:
        values = self.records.counted(self.loss.value(self.scores(w), self.records.labels), self.evened)
        return self._with_ridge(w, float(np.sum(values)) / self.divisor)

    def gradient(self, w: Array) -> Array:
        return self.with_penalty(data_gradient(self.loss, self.records, self.divisor, w, self.evened), w)

    def seen_from(self, w: Array) -> tuple[float | None, Array]:
        """The gradient, and the value where it comes with it for nothing: here it would cost a fifth of the pass."""
        return None, self.gradient(w)

    def _with_ridge(self, w: Array, data: float) -> float:
        """The value at w, given the data's part of it."""
        ridge = self.penalty.value(w) + 0.5 * self.pressure * float(w @ w)
        return data + ridge + (0.0 if self.tilt is None else float(self.tilt @ w))

    def with_penalty(self, data: Array, w: Array) -> Array:
        """The gradient at w, given the data's part of it."""
        result = data + (self.penalty.gradient(w) + self.pressure * w)
        return result if self.tilt is None else result + self.tilt

    def curvature(self, w: Array) -> Array:
        """The loss's second derivative in the scores, by what a record counts; of squares it is the same anywhere."""
        return self.bends(self.records.labels if self.loss.traits.quadratic else self.scores(w))

    def hessian(self, w: Array) -> Array:
        """Dense, size × size."""
        curvature, outputs, columns = self.curvature(w), self.loss.outputs, self.records.design.columns
        bent = curvature.reshape(-1, outputs, outputs)
        result = np.empty((outputs, columns, outputs, columns))
        for a in range(outputs):
            for b in range(a + 1):
                result[a, :, b, :] = self.records.design.weighted_gram(np.ascontiguousarray(bent[:, a, b]))
                result[b, :, a, :] = result[a, :, b, :].T
        return self._with_bend(result.reshape(self.size, self.size) / self.divisor, w)

    def bent_at(self, w: Array) -> tuple[Array, Array]:
        """The gradient and the Hessian, in one pass where a pass is dear."""
        return self.gradient(w), self.hessian(w)

    def _with_bend(self, data: Array, w: Array) -> Array:
        """The Hessian at w, given the data's part of it, which is changed."""
        data[np.diag_indices(self.size)] += self.strong_convexity + self.penalty.bent(w)
        return data

    def hessian_product(self, w: Array) -> Callable[[Array], Array]:
        """v ↦ ∇²J(w) v, without the matrix."""
        curvature = self.curvature(w)
        # A number where it will do: beside a wide table every vector counts.
        ridge = self.strong_convexity + (self.penalty.bent(w) if self.penalty.bend > 0 else 0.0)

        def product(v: Array) -> Array:
            at_once = _swept(self.records, v, TIMES, curvature) if self.loss.outputs == 1 else None
            if at_once is not None:
                return at_once / self.divisor + ridge * v
            moved = self.scores(v)
            bent = curvature * moved if self.loss.outputs == 1 else np.einsum("nab,nb->na", curvature, moved)
            return self._pull_back(bent) + ridge * v

        return product

    def slope_along(self, w: Array, step: Array) -> Callable[[float], float]:
        """t ↦ d/dt J(w + t·step), without touching the design again."""
        start, change = self.scores(w), self.scores(step)
        tilt = 0.0 if self.tilt is None else float(self.tilt @ step)
        constant, growth = self.pressure * float(w @ step) + tilt, self.pressure * float(step @ step)

        def slope(t: float) -> float:
            data = float(np.sum(self.slopes(start + t * change) * change))
            ridge = float(self.penalty.gradient(w + t * step) @ step)
            return data / self.divisor + ridge + constant + growth * t

        return slope

    @property
    def push(self) -> float:
        """The tilt's length."""
        return 0.0 if self.tilt is None else float(np.linalg.norm(self.tilt))

    def rounding(self, w: Array) -> float:
        """How far the gradient computed in doubles can be from the true one at w, ten times over."""
        return self.rounding_within(float(np.linalg.norm(w)))

    def rounding_within(self, norm: float) -> float:
        """The same anywhere up to this distance from zero."""
        design = self.records.design
        reach = self.longest_row * norm
        facts = self.loss.facts(reach)
        per_row = (design.column_depth + 16 + self.loss.outputs) * facts.slope
        per_row += ((design.row_depth + 16 + self.loss.outputs) * reach + 16) * facts.curvature
        data = per_row * self.longest_row * design.rows / self.divisor
        ridge = self.penalty.steepness(norm, self.size) + self.pressure * norm
        return MARGIN * UNIT * (data + 16 * (ridge + self.push))

    def rounding_nearby(self, norm: float) -> float:
        """The same where w itself is a few units off: that moves the penalty's gradient by its curvature."""
        return self.rounding_within(norm) + MARGIN * UNIT * 16 * self.penalty.bend * norm
