"""What the private regressors share on top of `PrivateLinear`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin

from equipoise.estimators._labels import clipped_labels, label_range, own_numbers
from equipoise.estimators.linear.base import MISSING, PrivateLinear
from equipoise.estimators.linear.given import check_flag
from equipoise.inside.labels import numbers_within
from equipoise.outside import LinearModel, Released
from equipoise.theory.bounds import Bounds
from equipoise.theory.plan import Plan

Array = npt.NDArray[np.float64]


class PrivateRegressor(RegressorMixin, PrivateLinear):
    """Abstract.  Labels are clipped to `label_bounds`, then centred and scaled by them to [−1, 1]; coefficients,
    intercept, `coef_norm` and `centre` are in the caller's units."""

    label_bounds: tuple[float, float] | None

    def _bounds(self) -> Bounds:
        check_flag(fit_intercept=self.fit_intercept)
        given = self._given_bounds()
        bounds = replace(given, label_range=label_range(self.label_bounds))
        ball = bounds.coef_norm if math.isinf(bounds.coef_norm) else bounds.coef_norm / bounds.label_scale
        return replace(bounds, coef_norm=ball)

    def _own_labels(self, y: Any) -> Array:
        return own_numbers(y, type(self).__name__)

    def _settled_labels(self, labels: npt.NDArray[Any]) -> Array:
        return numbers_within(labels, *label_range(self.label_bounds))

    def _model(self, value: Array, plan: Plan, released: Released, classes: tuple[Any, ...] | None) -> LinearModel:
        bounds = plan.facts.bounds
        coef, intercept = self._split(value, bounds)
        note = f"{clipped_labels(bounds)}; {MISSING}"
        return LinearModel(
            kind=plan.facts.loss.traits.task,
            estimator=type(self).__name__,
            coef=coef * bounds.label_scale,
            intercept=intercept * bounds.label_scale + bounds.label_centre,
            classes=None,
            link=plan.facts.loss.traits.link,
            loss=plan.facts.loss,
            guarantee=replace(released.guarantee, notes=(*released.guarantee.notes, note)),
            feature_names=self._names(),
            uncertainty=self._uncertainty(plan, released),
            row_bounds=self._row_bounds(plan),
            lift=plan.facts.bounds.lift,  # type: ignore[arg-type]  # one that files can hold
            origin=released.origin,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # at small ε honest noise can leave little of the signal
        return tags
