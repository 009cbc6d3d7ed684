"""The two sides of a measured comparison: a copy of the predictor at the price of one of k answers, and a pilot model.

What is settled here before the debit is public: parameters, numbers of rows and columns.  Each predictor says for
itself what one answer costs, what it loses and which model stands against it (`_one_answer`, `_expected_losses`,
`_usual_model`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_classifier

from equipoise.errors import InvalidInput, LedgerFailure, MechanismRefused
from equipoise.estimators.answer.protocol import PrivatePredictor
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.linear.classifier import PrivateClassifier
from equipoise.estimators.linear.regressor import PrivateRegressor
from equipoise.estimators.search.candidates import seeds_from
from equipoise.gate import MECHANISMS, Bits, noise_source
from equipoise.inside import Private
from equipoise.inside.answers.shards import codes_of, numbers_of
from equipoise.inside.scores.of_any_model import mean_score
from equipoise.ledger import Ledger
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget
from equipoise.theory.plan import Plan
from equipoise.theory.prediction import answer_risk

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[Any]


def copy_of(predictor: PrivatePredictor, price: Budget) -> Any:
    """Unfitted, at the price of one of k answers; classes are those the predictor has."""
    copy = clone(predictor).set_params(epsilon=price.epsilon, delta=price.delta, ledger=None, random_state=None)
    return copy.set_params(classes=predictor._listed()) if is_classifier(predictor) else copy


@dataclass(frozen=True, slots=True)
class Pilot:
    """A private model to be fitted for its share of the charge."""

    estimator: PrivateLinear
    plan: Plan
    gain: float
    """By how much a model for the whole budget is predicted to lose less, in the unit that is measured."""
    outcomes: tuple[Any, ...] | tuple[float, float]
    """The classes, or the label bounds."""

    @property
    def classifies(self) -> bool:
        return isinstance(self.estimator, PrivateClassifier)

    def fit(self, X: Any, y: Labels, names: Any) -> None:
        """Under an account of its own, which must show the very event that the comparison's debit holds.

        X and y are tables of our own, read before the debit; `names` are those of the columns, or None.
        """
        account = Ledger()
        self.estimator.set_params(ledger=account).fit(X, y)
        self.estimator.set_params(ledger=None)
        if names is not None:
            self.estimator.feature_names_in_ = names
            self.estimator._publish(replace(self.estimator.model_, feature_names=self.estimator._names()))
        if [record.event for record in account.entries()] != [self.plan.event]:
            raise LedgerFailure("comparison: the pilot has another price than was settled, nothing was measured")

    def losses(self, X: Any, y: Labels) -> Private[Array]:
        """The mean loss of the fitted model on held-out records."""
        if self.classifies:
            codes = codes_of(y, self.outcomes)
            return mean_score(
                lambda rows: codes_of(self.estimator.model_.predict(rows), self.outcomes), X, codes, lambda a, b: a != b
            )
        low, high = self.outcomes
        targets = numbers_of(y, (low, high))
        return mean_score(
            self.estimator.model_.predict, X, targets, lambda a, b: ((np.clip(b, low, high) - a) / (high - low)) ** 2
        )


def pilot_of(
    predictor: PrivatePredictor, model: Any, share: Budget, full: Budget, size: tuple[int, int], bits: Bits
) -> Pilot:
    """The given model, or the one that matches the predictor, at its share; refuses what could not be fitted."""
    given = predictor._usual_model() if model is None else _checked(model, predictor)
    (seed,) = seeds_from(bits, 1)
    pilot = clone(given).set_params(epsilon=share.epsilon, delta=share.delta, ledger=None, random_state=seed)
    if is_classifier(predictor):
        pilot.set_params(classes=predictor._listed())
    if pilot._adjacency() is not Adjacency.REPLACE_ONE:
        raise MechanismRefused('model: the comparison takes numbers of rows as public, use adjacency="replace-one"')
    noise_source(pilot.noise, seed)
    outcomes = predictor._listed() if is_classifier(predictor) else pilot._bounds().label_range
    classes = len(outcomes) if is_classifier(predictor) else 2
    plan = pilot._plan(*size, classes)
    best = clone(pilot).set_params(epsilon=full.epsilon, delta=full.delta)._plan(*size, classes)
    less, least = _predicted(plan), _predicted(best)
    gain = less - least if is_classifier(predictor) else (less**2 - least**2) / 4
    return Pilot(pilot, plan, max(0.0, gain), outcomes)


def _predicted(plan: Plan) -> float:
    return answer_risk.of_score(plan.facts, MECHANISMS[plan.mechanism].predict_risk(plan))


def _checked(model: Any, predictor: PrivatePredictor) -> Any:
    kind = PrivateClassifier if is_classifier(predictor) else PrivateRegressor
    if isinstance(model, kind):
        return model
    wanted = "classifier, such as LogisticRegression()" if is_classifier(predictor) else "regressor"
    raise InvalidInput(f"model: must be an unfitted private {wanted} of this library")
