"""Reliability curve and Brier score of a released binary classifier, on public rows or, charged, on private ones.

The argument is docs/proofs/calibration.md.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from equipoise._checks import at_most, fraction, positive
from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.estimators import _labels
from equipoise.estimators._account import checked_ledger
from equipoise.estimators._forecasts import private_forecasts, refuse_answering
from equipoise.estimators._spent import before_the_debit
from equipoise.gate import RandomState, bits_from
from equipoise.gate.tables.calibration import NoisyReliability, ReliabilityPlan, release
from equipoise.inside.strangers import unseen
from equipoise.inside.tables.calibration import enter_forecasts
from equipoise.ledger import Ledger, LedgerLike
from equipoise.outside.calibration import (
    Array,
    BrierScore,
    Calibration,
    brier_of,
    curve_of,
    middles_of,
    public_counts,
)
from equipoise.rows.lists import is_list, shape_of
from equipoise.theory.adjacency import Neighbours
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.tables.calibration import noise_reach

Labels = npt.NDArray[Any]

MOST_BINS = 1000


@runtime_checkable
class Forecaster(Protocol):
    """A released classifier: a `LinearModel`, or a fitted estimator."""

    classes_: Any
    n_features_in_: int

    def predict_proba(self, X: Any) -> Any: ...


@documented(returns="Calibration: Bins with intervals.")
def reliability_curve(
    model: Any,
    X: Any,
    y: Any,
    *,
    bins: int = 10,
    epsilon: float | None = None,
    delta: float = 0.0,
    level: float = 0.95,
    ledger: LedgerLike | None = None,
    random_state: RandomState = None,
) -> Calibration:
    """How often the second class came in each bin of its forecast chance, and the Brier score.

    With `epsilon=None` the rows are taken as public and the answer is exact.  With epsilon both are released
    ε-privately for one debit, under replace-one; intervals include the noise.  The model must not have been
    trained without privacy on these rows.
    """
    with before_the_debit():
        bins, level, labels = at_most(MOST_BINS, bins=bins), _own_level(level), _checked(model, X, y)
        if epsilon is None:
            return _public(model, X, labels, bins, level, ledger)
        plan = ReliabilityPlan(len(labels), bins, Budget(epsilon, delta))
    noisy, guarantee = _release(model, X, labels, plan, ledger, random_state)
    brier = _private_brier(noisy, plan, level, guarantee)
    reach = noise_reach(plan.cell_noise, (1 - level) / 4)
    return curve_of(noisy.counts, middles_of(bins), reach, brier, guarantee)


@documented(returns="BrierScore: With an interval.")
def brier_score(
    model: Any,
    X: Any,
    y: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    level: float = 0.95,
    ledger: LedgerLike | None = None,
    random_state: RandomState = None,
) -> BrierScore:
    """The mean of (p − y)²: exact on public rows, or all of epsilon spent on this one number."""
    with before_the_debit():
        level, labels = _own_level(level), _checked(model, X, y)
        if epsilon is None:
            return _public(model, X, labels, 1, level, ledger).brier
        plan = ReliabilityPlan(len(labels), 0, Budget(epsilon, delta))
    noisy, guarantee = _release(model, X, labels, plan, ledger, random_state)
    return _private_brier(noisy, plan, level, guarantee)


def _release(
    model: Any, X: Any, labels: Labels, plan: ReliabilityPlan, ledger: LedgerLike | None, random_state: RandomState
) -> tuple[NoisyReliability, Guarantee]:
    """One debit, then forecasts and labels enter; no value of theirs is an error."""
    with before_the_debit():
        given, bits = checked_ledger(ledger), bits_from(random_state)
        forecasts = private_forecasts(model, X, len(labels))
    account: LedgerLike = Ledger() if given is None else given
    about = Neighbours(plan.guarantee(bits.seeded).adjacency)
    with account.reserve(plan.event, label="reliability", neighbours=about) as entry, unseen():
        noisy = release(enter_forecasts(forecasts(), labels, _classes(model)), plan, entry, bits)
        entry.commit()
    return noisy, plan.guarantee(bits.seeded)


def _private_brier(noisy: NoisyReliability, plan: ReliabilityPlan, level: float, guarantee: Guarantee) -> BrierScore:
    reach = noise_reach(plan.sum_noise, (1 - level) / 2) / plan.records
    return brier_of(noisy.brier, plan.records, reach, level, guarantee)


def _public(model: Any, X: Any, labels: Labels, bins: int, level: float, ledger: LedgerLike | None) -> Calibration:
    """Exact, for rows that need no protection."""
    if ledger is not None:
        raise InvalidInput("ledger: nothing is charged for public rows, give epsilon to protect them")
    chance, came = np.clip(_chances(model, X, len(labels)), 0.0, 1.0), labels == np.asarray(model.classes_)[1]
    if not np.isfinite(chance).all():
        raise InvalidInput("X: a forecast is not finite, clean the rows first")
    if not np.isin(labels, np.asarray(model.classes_)).all():
        raise InvalidInput("y: holds a label that is none of the model's classes")
    counts, mean_predicted = public_counts(chance, came, bins)
    mean = math.fsum(((chance - came) ** 2).tolist()) / len(chance)
    return curve_of(counts, mean_predicted, 0.0, brier_of(mean, len(chance), 0.0, level, None), None)


def _chances(model: Any, X: Any, rows: int) -> Array:
    """The forecast chance of the second class, one for each public row."""
    try:
        table: npt.NDArray[Any] = np.asarray(model.predict_proba(X), dtype=np.float64)
    except InvalidInput:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's message may quote a value
        failure, table = type(error).__name__, np.zeros(0)
    else:
        failure = ""
    if failure:
        raise InvalidInput(f"model of type {type(model).__name__}: predict_proba failed with {failure} on these rows")
    if table.shape != (rows, 2):
        raise InvalidInput("model: predict_proba must give two columns, one row for each row of X")
    return table[:, 1]


def _own_level(level: float) -> float:
    return positive(level=fraction(level=level))


def _checked(model: Any, X: Any, y: Any) -> Labels:
    """Labels of our own, read once.  Shapes and types: nothing here looks at a value."""
    if not isinstance(model, Forecaster) or len(model.classes_) != 2:
        raise InvalidInput(
            f"model of type {type(model).__name__}: must be a fitted classifier of two classes with predict_proba"
        )
    refuse_answering(model)
    shape = _shape(X)
    if len(shape) != 2 or shape[1] != model.n_features_in_:
        raise InvalidInput(f"X: must have {model.n_features_in_} columns, one row for each label")
    labels = _own(model, y)
    if len(labels) != shape[0] or shape[0] < 1:
        raise InvalidInput("y: must be a flat list with one label for each row of X, at least one")
    return labels


def _shape(X: Any) -> tuple[int, ...]:
    if is_list(X):
        return shape_of(X)
    return tuple(getattr(X, "shape", ()))


def _classes(model: Any) -> tuple[Any, ...]:
    return tuple(np.asarray(model.classes_).tolist())


def _own(model: Any, y: Any) -> Labels:
    """Labels whose dtype can hold the model's classes."""
    return _labels.own_classes(y, _classes(model), type(model).__name__)
