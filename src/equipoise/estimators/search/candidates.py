"""What searches over settings share: the candidates, the parts of the table, and how a fitted model is scored."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from equipoise._checks import fraction, quoted
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.estimators._columns import every_range, refuse_nameless
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.linear.classifier import PrivateClassifier
from equipoise.estimators.linear.given import fit_centre, may_see
from equipoise.estimators.search.parts import Groups, Index, split_rows
from equipoise.gate import Bits
from equipoise.inside.scores.of_linear_models import RecordLoss
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Softmax, Squared
from equipoise.theory.plan import Plan
from equipoise.theory.sensitivity import largest_squared_loss

Array = npt.NDArray[np.float64]
Settings = dict[str, Any]

MAY_VARY = ("alpha", "coef_norm", "mechanism")
"""Anything else would change what is promised, or the units in which models are compared."""

FEWEST = 2
"""Rows in a part, at least."""


def checked_estimator(estimator: Any) -> PrivateLinear:
    """One of ours, under the adjacency that parts of fixed size need."""
    if not isinstance(estimator, PrivateLinear):
        raise InvalidInput(f"estimator of type {type(estimator).__name__}: must be an estimator of this library")
    if not estimator._searchable:
        raise InvalidInput(
            f"estimator of type {type(estimator).__name__}: searches compare coefficients of columns, and this one has"
            f' {estimator._instead}; give it alpha, or leave "auto" to choose from public facts'
        )
    if estimator._adjacency() is not Adjacency.REPLACE_ONE:
        raise MechanismRefused('adjacency: parts of known size need a public number of rows, use "replace-one"')
    if may_see(estimator.middle):
        raise InvalidInput('middle="auto": candidates are compared on rows as they are, leave it out')
    return estimator


def by_places(estimator: PrivateLinear, columns: int, names: tuple[str, ...] | None) -> PrivateLinear:
    """The same with a range for each column in its place: parts of the table have no names."""
    refuse_nameless(estimator.column_bounds, names)
    found = every_range(estimator.column_bounds, columns, names)
    if found is None:
        return estimator
    stated = copy(estimator)  # whose ledger is to stay the same one
    stated.column_bounds = list(found)
    return stated


def candidates_from(param_grid: Any) -> list[Settings]:
    """Every combination, in scikit-learn's order."""
    try:
        found = list(ParameterGrid(param_grid))
    except (TypeError, ValueError):
        found = []
    if not found or found == [{}]:
        raise InvalidInput("param_grid: holds no candidate, give each parameter a list of at least one value")
    unknown = sorted({name for settings in found for name in settings} - set(MAY_VARY))
    if unknown:
        raise InvalidInput(f"param_grid: {quoted(unknown[0])} cannot be searched over, only {', '.join(MAY_VARY)}")
    return found


def part_sizes(rows: int, candidates: int, validation: float | None) -> tuple[int, ...]:
    """Rows for each candidate and, last, for choosing among them; one candidate needs no choice and takes all."""
    if candidates == 1:
        return (rows, 0)
    kept = rows // (candidates + 1) if validation is None else int(fraction(validation=validation) * rows)
    least, more = divmod(rows - kept, candidates)
    return checked_sizes([*(least + (place < more) for place in range(candidates)), kept], candidates)


def two_sizes(rows: int, validation: float, candidates: int = 2) -> tuple[int, int]:
    """Rows to fit on and rows to choose on."""
    kept = int(fraction(validation=validation) * rows)
    checked_sizes([rows - kept, kept], candidates)
    return rows - kept, kept


def two_parts(rows: int, candidates: int, validation: float, groups: Groups | None, bits: Bits) -> tuple[Index, Index]:
    """Rows to fit on and rows to choose on, at random; one candidate needs no choice and takes all."""
    if candidates == 1:
        return np.arange(rows), np.arange(0)
    trained, kept = split_rows(two_sizes(rows, validation, candidates), groups, bits)
    checked_sizes([len(trained), len(kept)], candidates)
    return trained, kept


def checked_sizes(sizes: Sequence[int], candidates: int) -> tuple[int, ...]:
    """Refuses parts with next to nothing in them; groups may be why."""
    if candidates > 1 and min(sizes) < FEWEST:
        raise InvalidInput(
            f"X: {sum(sizes)} rows are too few for {candidates} candidates and a part to choose on, each part needs at"
            f" least {FEWEST}: give more rows, fewer candidates or smaller groups"
        )
    return tuple(sizes)


def prepared(estimator: PrivateLinear, settings: Settings, names: tuple[Any, ...] | None, seed: int | None) -> Any:
    """A copy for an inner fit: the search has paid, so it has no ledger, and its labels are settled for all parts."""
    inner = clone(estimator).set_params(**settings, ledger=None, random_state=seed)
    if estimator.rows_per_person is not None:  # the search has applied the cap, and pays for persons itself
        inner.set_params(rows_per_person=None)
    inner._alone = False
    return inner if names is None else inner.set_params(classes=list(names))


def seeds_from(bits: Bits, count: int) -> list[int | None]:
    """A seed for each inner fit, so that none depends on what another drew; none when the bits are secure."""
    return [int(word) for word in bits.words(count)] if bits.seeded else [None] * count


def record_loss(estimator: PrivateLinear, classes: int) -> RecordLoss:
    """Squared error in units of half the label range, or 1 for a wrong class."""
    if not isinstance(estimator, PrivateClassifier):
        return Squared().value
    return _wrong_sign if classes == 2 else lambda scores, labels: _wrong_class(scores, labels, classes)


def loss_cap(estimator: PrivateLinear, plans: Sequence[Plan]) -> float:
    """What one record's loss is clipped to: its largest value within the largest ball of all candidates."""
    if isinstance(estimator, PrivateClassifier):
        return 1.0
    bounds = plans[0].facts.bounds
    balls = [plan.facts.bounds.coef_norm for plan in plans]
    usual = plans[0].facts.loss.traits.usual.ball / bounds.row_norm
    return largest_squared_loss(max(ball if math.isfinite(ball) else usual for ball in balls), bounds.norm)


def flat_model(fitted: Any, bounds: Bounds, classes: int) -> Array:
    """Released coefficients in the units of the rows that candidates are compared on: their own fits may have had other
    constant columns."""
    rows = np.atleast_2d(fitted.coef_)
    if bounds.intercept > 0:
        rows = np.column_stack([rows, np.atleast_1d(fitted.intercept_)])
    return np.array(fit_centre(rows, bounds, classes))


def _wrong_sign(scores: Array, labels: Array) -> Array:
    return np.asarray((scores > 0) != (labels > 0), dtype=np.float64)


def _wrong_class(scores: Array, labels: Array, classes: int) -> Array:
    return np.asarray(Softmax(classes).logits(scores).argmax(axis=1) != labels, dtype=np.float64)
