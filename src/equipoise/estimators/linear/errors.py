"""What a release states about the error of its numbers, in the caller's units (docs/proofs/uncertainty.md)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.linalg import block_diag

from equipoise.estimators.linear.units import in_own_columns, in_units
from equipoise.outside.released import Released
from equipoise.outside.uncertainty import FROM_THE_MIDDLE, MINIMISER, NOISELESS, POPULATION, Uncertainty
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses.links import OF_MANY
from equipoise.theory.losses.softmax import zero_sum_basis
from equipoise.theory.noise import Law
from equipoise.theory.plan import GradientPlan, OutputPlan, Plan, StatisticsPlan, TiltedPlan, WalkPlan

Array = npt.NDArray[np.float64]
Split = Callable[[Array, Bounds], tuple[Array, Array]]
"""Released rows as coefficients and intercepts, in the columns' own units."""


def uncertainty_of(plan: Plan, released: Released, split: Split) -> Uncertainty | None:
    """The error of the released numbers; None where nobody can say, or doubles cannot hold it."""
    if released.covariance is None:
        return None
    law, covers, slack = _about(plan)
    bounds = plan.facts.bounds
    value, errors = released.value[None], [released.covariance]
    if plan.facts.loss.outputs > 1:
        if plan.facts.loss.traits.link not in OF_MANY or law is not Law.GAUSSIAN:
            return None  # a class's error is a sum of released numbers' errors: only the normal law stays what it is
        turn = zero_sum_basis(plan.facts.loss.outputs + 1).T
        value = turn @ released.value.reshape(plan.facts.loss.outputs, -1)
        errors = list(turn**2 @ released.covariance.reshape(plan.facts.loss.outputs, -1))
    coef, intercept = split(value * bounds.label_scale, bounds)
    estimate = np.column_stack([coef, intercept + bounds.label_centre])
    found = [_in_own_units(each, bounds, estimate.shape[1]) for each in errors]
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return None
    flat = all(each.ndim == 1 for each in known)
    return Uncertainty(estimate, np.concatenate(known) if flat else block_diag(*known), law, covers, slack)


def _about(plan: Plan) -> tuple[Law, str, float]:
    """The law of the error, what it is the error of, and what solving and rounding add in standard errors."""
    if isinstance(plan, OutputPlan):
        return plan.noise.law, MINIMISER, (plan.radius + plan.noise.step / 2) / plan.noise.rms
    if isinstance(plan, TiltedPlan):
        return plan.tilt.law, NOISELESS, 0.0
    if isinstance(plan, WalkPlan):
        return plan.noise.law, NOISELESS, 0.0
    if isinstance(plan, GradientPlan):
        return Law.GAUSSIAN, NOISELESS if plan.middle is None else FROM_THE_MIDDLE, 0.0
    assert isinstance(plan, StatisticsPlan)
    return Law.GAUSSIAN, POPULATION, 0.0


def _in_own_units(covariance: Array, bounds: Bounds, size: int) -> Array | None:
    units = np.full(len(covariance), bounds.label_scale)
    if bounds.intercept > 0:
        units[-1] *= bounds.intercept
    scaled = in_units(covariance, units, size)
    return scaled if scaled is None or not bounds.moved else in_own_columns(scaled, bounds)
