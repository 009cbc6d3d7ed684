"""Asking or releasing, measured on the records themselves and paid for: the charged variant of the advice.

Both figures are means over held-out records: what an answer at the price of one of k would lose in expectation, and
what a pilot model lost.  The argument is docs/proofs/advice.md; when it pays is in
docs/explanation/prediction-or-release.md.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import is_classifier

from equipoise._checks import shown
from equipoise._docs import documented
from equipoise.errors import InvalidInput, LedgerFailure, MechanismRefused
from equipoise.estimators._inputs import private_rows, training_rows
from equipoise.estimators.answer import advice
from equipoise.estimators.answer.advice import Advice
from equipoise.estimators.answer.measuring import Pilot, copy_of, pilot_of
from equipoise.estimators.answer.protocol import PrivatePredictor
from equipoise.gate.answers.measure import Figure, MeasurePlan, release
from equipoise.inside.answers.expected import mean_of
from equipoise.inside.strangers import unseen
from equipoise.ledger import Spent
from equipoise.outside.inputs import same_columns
from equipoise.outside.pages import readable
from equipoise.rows.tables import own_table
from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.adjacency import Neighbours
from equipoise.theory.guarantees import ONE_ROW, Budget, Guarantee
from equipoise.theory.prediction.advice import WIDEST, shares

WRONG = "share of wrong answers"
SQUARED = "mean squared error, in units of the squared label range"

Labels = npt.NDArray[Any]
Part = tuple[Any, Any]
Price = Budget | tuple[float, float] | None


class WideInterval(UserWarning):
    """A figure was paid for that will be known too loosely to decide anything."""


@documented(record=True)
@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What k answers and a released model lose on held-out records, in `unit`, each with a 95 % interval.

    `answers` is of one of k new answers within `advice.budget`; `pilot` of `model`, a private model fitted for half of
    the `charge`: it is paid for and free to use.  `release_estimate` is no measurement but the pilot's figure less what
    a model for the whole budget is predicted to gain.  `advice` has the figures predicted from public facts alone.
    All was debited at once: `guarantee` is what model and figures promise together, `spent` what the ledger counts.
    """

    advice: Advice
    answers: Figure
    pilot: Figure
    predicted_gain: float
    unit: str
    train_rows: int
    held_out_rows: int
    charge: Budget
    pilot_budget: Budget
    model: Any
    guarantee: Guarantee
    spent: Spent

    @property
    def release_estimate(self) -> float:
        """For a model with the whole budget; never below 0."""
        return max(0.0, self.pilot.value - self.predicted_gain)

    @property
    def release(self) -> bool:
        """Whether one released model is the better buy for so many questions, by the measured figures."""
        return self.release_estimate <= self.answers.value

    @property
    def clear(self) -> bool:
        """Whether the intervals are apart, that of the pilot widened by the predicted gain."""
        return self.answers.low > self.pilot.high or self.answers.high < max(0.0, self.pilot.low - self.predicted_gain)

    def __str__(self) -> str:
        free, what = self.advice, "release a model" if self.release else "answer the questions one by one"
        lean = "" if self.clear else "not settled, but the figures lean towards: "
        sure = "The intervals are apart." if self.clear else "The intervals overlap; a larger charge narrows them."
        budget, price = free.budget, self.charge
        return (
            f"For {free.queries} new questions within epsilon={readable(budget.epsilon)}, "
            f"delta={readable(budget.delta)}: {lean}{what}. "
            f"Measured {self.unit} on {self.held_out_rows} held-out rows: {_told(self.answers)} for answers "
            f"({free.predictor}, epsilon={free.answer_epsilon:.3g} each), {_told(self.pilot)} for a pilot "
            f"model at epsilon={readable(self.pilot_budget.epsilon)}; a model with the whole budget is "
            f"estimated, not measured, at {self.release_estimate:.3g}. {sure} This cost "
            f"epsilon={readable(price.epsilon)}, delta={readable(price.delta)}. Predicted from public facts alone "
            f"({free.unit}): {free.answers_error:.3g} for answers, {free.release_error:.3g} for a released model."
        )


def compare(
    predictor: PrivatePredictor,
    k: int,
    budget: Price,
    train: Part | None,
    held_out: Part | None,
    charge: Price,
    model: Any,
) -> Advice | Measured:
    """Free advice, or with both parts given a measurement that is paid for."""
    if predictor._here().answerer.guarantee.unit != ONE_ROW:
        raise MechanismRefused("groups: answers for persons are not compared with a release, fit without groups")
    if (train is None) != (held_out is None):
        raise InvalidInput("train, held_out: give both, (X, y) each, to measure, or neither for free advice")
    predicted = advice.compare(predictor, k, advice.budget_of(predictor, budget))
    if train is not None and held_out is not None:
        return measure(predictor, predicted, train, held_out, charge_of(charge, predicted.budget), model)
    if charge is not None or model is not None:
        raise InvalidInput("charge, model: advice from public facts is free, give train and held_out to measure")
    return predicted


def measure(
    predictor: PrivatePredictor, predicted: Advice, train: Part, held_out: Part, charge: Budget, model: Any
) -> Measured:
    """Settle everything from public facts, debit once, then look."""
    state = predictor._here()
    copy = copy_of(predictor, Budget(predicted.answer_epsilon, predicted.answer_delta))
    (table, labels), (held, outcomes) = _parts(copy, predictor, train, held_out)
    rows = own_table(table, copy._middles())
    one = copy._one_answer(predictor, rows.shape[0])
    with state.lock:
        bits = state.bits.spawn()
    fit, answers, figure = shares(charge)
    pilot = pilot_of(predictor, model, fit, predicted.budget, (rows.shape[0], rows.shape[1]), bits)
    pilot.estimator._refuse_filling(rows)
    plan = MeasurePlan(charge, pilot.plan.event, answers, figure, one.moved, held.shape[0])
    _warn_if_wide(plan, predicted.queries)
    label, about = f"{type(predictor).__name__}: comparison with a release", Neighbours(plan.guarantee(False).adjacency)
    with state.ledger.reserve(plan.event, label=label, neighbours=about) as entry, unseen():
        learnt = copy._learn(rows, labels, bits)
        if learnt.event(1) != one.event:
            raise LedgerFailure("comparison: an answer has another price than was settled, nothing was measured")
        pilot.fit(table, labels, vars(copy).get("feature_names_in_"))
        losses = mean_of(copy._expected_losses(learnt, held, outcomes))
        found = release(losses, pilot.losses(held, outcomes), plan, entry, bits)
        entry.commit()
    return _measured(predictor, predicted, plan, pilot, found, rows.shape[0], bits.seeded)


def _measured(
    predictor: PrivatePredictor,
    predicted: Advice,
    plan: MeasurePlan,
    pilot: Pilot,
    found: tuple[Figure, Figure],
    rows: int,
    seeded: bool,
) -> Measured:
    limit = predictor.ledger_.limit
    return Measured(
        predicted,
        *found,
        pilot.gain,
        WRONG if is_classifier(predictor) else SQUARED,
        rows,
        plan.records,
        plan.charge,
        Budget(pilot.estimator.epsilon, pilot.estimator.delta),
        pilot.estimator,
        plan.guarantee(seeded),
        total_spent([plan.event], plan.charge.delta if limit is None else limit.delta),
    )


def charge_of(given: Price, budget: Budget) -> Budget:
    """What measuring may cost: a fifth of the budget unless said otherwise."""
    if given is None:
        return Budget(budget.epsilon / 5, budget.delta / 5)
    if isinstance(given, Budget):
        return given
    try:
        epsilon, delta = given
    except (TypeError, ValueError):
        raise InvalidInput(f"charge={shown(given)}: must be a pair (epsilon, delta)") from None
    return Budget(epsilon, delta)


def _parts(copy: Any, predictor: PrivatePredictor, train: Part, held_out: Part) -> tuple[tuple[Any, Labels], ...]:
    """Shapes and types, checked without looking at a value; the copy learns the columns' names from `train`.

    Missing cells of the rows to train on are still missing: predictor and pilot have each their own middles.
    """
    (X, y), (held, outcomes) = _pair(train, "train"), _pair(held_out, "held_out")
    if issparse(held):
        raise InvalidInput("held_out: sparse rows are not served, give them as an array (X.toarray())")
    rows, labels = training_rows(copy, X, copy._own_labels(y), 2, np.nan)
    if rows.shape[1] != predictor.n_features_in_:
        raise InvalidInput(f"train: X has {rows.shape[1]} columns, not the predictor's {predictor.n_features_in_}")
    names = vars(copy).get("feature_names_in_")
    same_columns(held, None if names is None else tuple(str(name) for name in names))
    asked, told = private_rows(copy, held, copy._middles(), fewest=1, reset=False), copy._own_labels(outcomes)
    if asked.shape[0] != told.shape[0]:
        raise InvalidInput("held_out: X and y have inconsistent numbers of samples, give one label per row")
    return (rows, labels), (asked, told)


def _pair(part: Any, name: str) -> Part:
    if isinstance(part, tuple | list) and len(part) == 2:
        return part[0], part[1]
    raise InvalidInput(f"{name}: must be a pair (X, y)")


def _warn_if_wide(plan: MeasurePlan, queries: int) -> None:
    if plan.half_width <= WIDEST:
        return
    warnings.warn(
        f"charge=({readable(plan.charge.epsilon)}, {readable(plan.charge.delta)}): with k={queries} the figure for "
        f"answers will be known within ±{plan.half_width:.2g} only; raise the charge, ask about more questions or hold "
        "out more rows",
        WideInterval,
        stacklevel=5,
    )


def _told(figure: Figure) -> str:
    return f"{figure.value:.3g} ({figure.low:.3g} to {figure.high:.3g})"
