"""What a caller states of somebody's estimator, checked as far as that needs no record."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, is_classifier, is_regressor

from equipoise.errors import BoundsRequired, InvalidInput, MechanismRefused
from equipoise.gate.models.stated_stability import StatedPlan
from equipoise.inside.stated.coefficients import Form
from equipoise.inside.stated.rehearsal import MOST_CELLS, failure, moved_most, refuted
from equipoise.theory.stability.bound import StabilityBound


def check_estimator(estimator: Any) -> None:
    """A classifier or regressor of scikit-learn's kind, not yet private."""
    if not isinstance(estimator, BaseEstimator) or not (is_classifier(estimator) or is_regressor(estimator)):
        raise InvalidInput(
            f"estimator of type {type(estimator).__name__}: must be a classifier or regressor of scikit-learn's kind"
        )


def stated_for(stability: Any, n: int) -> StabilityBound:
    """The claim for a table of so many rows; a bound that says what it bounds, never a bare number."""
    if stability is None:
        raise BoundsRequired("stability: nobody stated how far one row moves the coefficients, give a StabilityBound")
    bound = _asked(stability, n) if callable(stability) else stability
    if not isinstance(bound, StabilityBound):
        raise InvalidInput(
            f"stability of type {type(bound).__name__}: must be a StabilityBound, which says what is bounded and why"
        )
    return bound


def _asked(stability: Any, n: int) -> Any:
    """A caller's own function: of its errors nothing is told but the type, as of anybody's."""
    try:
        return stability(n)
    except Exception as problem:  # noqa: BLE001 - whatever it is
        failed = type(problem).__name__
    raise InvalidInput(f"stability: its function ended with {failed}, it must take the number of rows alone")


def form_of(estimator: Any, columns: int, classes: tuple[Any, ...] | None) -> Form:
    """What the fit must end with, from public facts: no intercept where the estimator is told to fit none."""
    outputs = 1 if classes is None or len(classes) == 2 else len(classes)
    intercept = estimator.get_params(deep=False).get("fit_intercept", True) is not False
    return Form(outputs, columns, intercept, 0 if classes is None else len(classes))


def try_claim(estimator: Any, form: Form, plan: StatedPlan, ends: tuple[float, float]) -> None:
    """Refuse an estimator without such coefficients, and a claim that made-up neighbours show to be false."""
    name = type(estimator).__name__
    failed = failure(estimator, form, plan.row_norm, ends)
    if failed:
        raise InvalidInput(
            f"estimator of type {name}: a fit of made-up rows must end with coef_ and intercept_ of the usual shapes,"
            f" it ended with {failed}"
        )
    if plan.records * form.columns > MOST_CELLS:
        return
    moved = moved_most(estimator, form, plan.records, plan.row_norm, ends)
    if refuted(moved, plan.stated.weights_l2()):
        raise MechanismRefused(
            f"stability={plan.stated.value:.6g}: one made-up row moved {name} by {moved:.6g}, the claim is false as it"
            " stands: a tolerance of its solver, an intercept without penalty or too small a bound"
        )
