"""The two sides of a measured comparison: a copy of the predictor at the price of one of k answers, and a pilot model.

What is settled here before the debit is public: parameters, numbers of rows and columns, the law of one answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_classifier

from equipoise.errors import InvalidInput, LedgerFailure, MechanismRefused
from equipoise.estimators.answer.averaging_predictor import AverageAnswers, AveragingPredictor
from equipoise.estimators.answer.linear_predictor import LinearPredictor
from equipoise.estimators.answer.protocol import Answerer, PrivatePredictor
from equipoise.estimators.answer.shards import shape, workers_for
from equipoise.estimators.answer.threshold_predictor import ThresholdPredictor, WalkAnswers
from equipoise.estimators.answer.votes import VoteAnswers
from equipoise.estimators.answer.voting_predictor import VotingPredictor
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.linear.classifier import PrivateClassifier
from equipoise.estimators.linear.huber_regression import HuberRegressor
from equipoise.estimators.linear.linear_regression import LinearRegression
from equipoise.estimators.linear.logistic_regression import LogisticRegression
from equipoise.estimators.linear.regressor import PrivateRegressor
from equipoise.estimators.linear.support_vector import LinearSVC
from equipoise.estimators.search.candidates import seeds_from
from equipoise.gate import MECHANISMS, Bits, noise_source
from equipoise.gate.answers.average import Coin
from equipoise.gate.answers.consensus import ConsensusVote
from equipoise.gate.answers.linear_answers import AnswerPlan, LinearAnswers, plan_one_pass, plan_stable
from equipoise.gate.answers.measure import score_losses
from equipoise.gate.answers.vote import NoisyMaximum, SoftVote
from equipoise.gate.answers.walk import WalkCoin
from equipoise.inside import Private, enter
from equipoise.inside.answers import expected
from equipoise.inside.answers.shards import Says, codes_of, numbers_of, sums, tallies
from equipoise.inside.answers.walk import stand_at
from equipoise.inside.scores.of_any_model import mean_score
from equipoise.ledger import Ledger
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget
from equipoise.theory.plan import Plan
from equipoise.theory.prediction import answer_risk
from equipoise.theory.prediction.advice import total_variation

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[Any]

CLASSIFIERS: dict[str, Any] = {"logistic": LogisticRegression, "hinge": LinearSVC, "smoothed_hinge": LinearSVC}
REGRESSORS: dict[str, Any] = {"squared": LinearRegression, "huber": HuberRegressor, "absolute": HuberRegressor}
"""The model to pilot, by the predictor's loss."""

SMOOTHING = 0.5
"""Of a piloted hinge: a rounded corner needs less noise."""

NO_FORMULA = 'has no formula for the chance of a wrong answer, measure with method="soft" instead'


@dataclass(frozen=True, slots=True)
class OneAnswer:
    """The public facts of one answer of the copy: its event, and what one training record can change in a chance."""

    event: Event
    moved: float


def copy_of(predictor: PrivatePredictor, price: Budget) -> Any:
    """Unfitted, at the price of one of k answers; classes are those the predictor has."""
    copy = clone(predictor).set_params(epsilon=price.epsilon, delta=price.delta, ledger=None, random_state=None)
    return copy.set_params(classes=_classes(predictor)) if is_classifier(predictor) else copy


def one_answer(copy: Any, predictor: PrivatePredictor, rows: int) -> OneAnswer:
    """Settled without a record; refuses what could not be learnt or has no formula."""
    if isinstance(copy, VotingPredictor):
        return _of_votes(copy, len(_classes(predictor)), rows, predictor.n_features_in_)
    if isinstance(copy, AveragingPredictor):
        return _of_average(copy, rows, predictor.n_features_in_)
    if isinstance(copy, ThresholdPredictor):
        return _usual(WalkCoin(copy.epsilon).event(1))
    learnt = predictor._here().answerer
    if isinstance(learnt, LinearAnswers):
        return _usual(_linear_plan(learnt.plan, Budget(copy.epsilon, copy.delta)).event(1))
    raise InvalidInput(f"{type(copy).__name__}: its answers cannot be measured")


def _linear_plan(plan: AnswerPlan, price: Budget) -> AnswerPlan:
    """The same learner at another price: what one answer costs follows from that alone."""
    if plan.step_size is not None:
        return plan_one_pass(plan.facts, price, plan.step_size)
    return plan_stable(plan.facts, price, plan.facts.penalty.strong_convexity)


def _usual(event: Event) -> OneAnswer:
    return OneAnswer(event, total_variation(event))


def _of_votes(copy: VotingPredictor, classes: int, rows: int, columns: int) -> OneAnswer:
    mechanism = copy._mechanism(classes)
    if isinstance(mechanism, ConsensusVote):
        raise MechanismRefused(f'method="consensus": {NO_FORMULA}')
    if isinstance(mechanism, NoisyMaximum) and classes > 2:
        raise MechanismRefused(f'method="gaussian": with {classes} classes it {NO_FORMULA}')
    made = shape(rows, copy.shards, copy._wished(mechanism))
    workers_for(copy.estimator, made, columns, Says.LABEL, classes, copy.n_jobs, held_out=True)
    return _usual(mechanism.event(1))


def _of_average(copy: AveragingPredictor, rows: int, columns: int) -> OneAnswer:
    law = copy._law()
    made = shape(rows, copy.shards, copy._wished(law))
    mechanism = copy._mechanism(law, made.count)
    says, classes = (Says.PROBABILITY, 2) if isinstance(mechanism, Coin) else (Says.NUMBER, 0)
    workers_for(copy.estimator, made, columns, says, classes, copy.n_jobs, held_out=True)
    usual = _usual(mechanism.event(1))
    # A coin's chance is the mean of the voters' and one record changes one of them.
    return OneAnswer(usual.event, min(usual.moved, 1 / made.count)) if isinstance(mechanism, Coin) else usual


def expected_losses(copy: Any, learnt: Answerer, X: npt.NDArray[np.floating], y: Labels) -> Private[Array]:
    """What each held-out record's answer would lose; what is wrong with the records' values is found here."""
    if isinstance(learnt, LinearAnswers):
        return score_losses(learnt, enter(X, y, learnt.plan.facts.bounds))
    rows = expected.held_rows(X)
    if isinstance(copy, ThresholdPredictor) and isinstance(learnt, WalkAnswers):
        codes, stands = codes_of(y, _classes(copy)), stand_at(learnt.walk, np.clip(rows[:, 0], *copy._range()))
        return expected.by_walk(stands, learnt.coin.epsilon / 2, codes)
    if isinstance(learnt, VoteAnswers):
        codes, counts = codes_of(y, _classes(copy)), tallies(learnt.voters, rows, learnt.classes)
        if isinstance(learnt.mechanism, SoftVote):
            return expected.by_weights(counts, learnt.mechanism.epsilon / 2, codes)
        return expected.by_lead(counts, learnt.mechanism.noise.scale, codes)
    if isinstance(learnt, AverageAnswers):
        return _average_losses(copy, learnt, rows, y)
    raise InvalidInput(f"{type(copy).__name__}: its answers cannot be measured")


def _average_losses(copy: Any, learnt: AverageAnswers, rows: Array, y: Labels) -> Private[Array]:
    said, mechanism = sums(learnt.voters, rows, learnt.bounds, learnt.says), learnt.mechanism
    if isinstance(mechanism, Coin):
        return expected.by_coin(said, mechanism.voters, float(mechanism.floor), codes_of(y, _classes(copy)))
    low, high = learnt.bounds
    targets = (numbers_of(y, learnt.bounds) - low) / (high - low)
    return expected.by_mean(said, mechanism.voters, mechanism.noise, targets)


def _classes(predictor: Any) -> tuple[Any, ...]:
    return tuple(np.asarray(predictor.classes_).tolist())


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

    def fit(self, X: Any, y: Labels) -> None:
        """Under an account of its own, which must show the very event that the comparison's debit holds."""
        account = Ledger()
        self.estimator.set_params(ledger=account).fit(X, y)
        self.estimator.set_params(ledger=None)
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
    given = default_model(predictor) if model is None else _checked(model, predictor)
    (seed,) = seeds_from(bits, 1)
    pilot = clone(given).set_params(epsilon=share.epsilon, delta=share.delta, ledger=None, random_state=seed)
    if is_classifier(predictor):
        pilot.set_params(classes=_classes(predictor))
    if pilot._adjacency() is not Adjacency.REPLACE_ONE:
        raise MechanismRefused('model: the comparison takes numbers of rows as public, use adjacency="replace-one"')
    noise_source(pilot.noise, seed)
    outcomes = _classes(predictor) if is_classifier(predictor) else pilot._bounds().label_range
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


def default_model(predictor: PrivatePredictor) -> Any:
    """With the predictor's public bounds; predictors on shards have none, and rows are taken to be of norm one."""
    if isinstance(predictor, LinearPredictor):
        kind = REGRESSORS.get(predictor.loss) or CLASSIFIERS[predictor.loss]
        made = kind(row_norm=predictor.row_norm, fit_intercept=predictor.fit_intercept)
        if isinstance(made, LinearSVC):
            return made.set_params(smoothing=SMOOTHING)
        return made if is_classifier(predictor) else made.set_params(label_bounds=predictor.label_bounds)
    if isinstance(predictor, ThresholdPredictor) and predictor.bounds is not None:
        return LogisticRegression(column_bounds=[predictor._range()])
    if isinstance(predictor, AveragingPredictor) and not is_classifier(predictor):
        return LinearRegression(label_bounds=predictor._range())
    return LogisticRegression()
