"""What the linear predictors share: bounds, labels, and one noisy score behind every way of asking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from equipoise._checks import one_of, positive, shown
from equipoise._docs import documented
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.estimators import _labels
from equipoise.estimators.answer.answerer import Answerer, OneAnswer, one_answer, own
from equipoise.estimators.answer.offers import DISTANCE, WRONG, Offer, Quote
from equipoise.estimators.answer.protocol import PrivatePredictor
from equipoise.estimators.linear.base import INTERCEPT_SHARE, PrivateLinear
from equipoise.estimators.linear.given import check_flag
from equipoise.estimators.linear.huber_regression import HuberRegressor
from equipoise.estimators.linear.linear_regression import LinearRegression
from equipoise.estimators.linear.logistic_regression import LogisticRegression
from equipoise.estimators.linear.support_vector import LinearSVC
from equipoise.gate.answers.linear_answers import AnswerPlan, LinearAnswers
from equipoise.gate.answers.measure import score_losses
from equipoise.inside import Private, enter
from equipoise.outside.model import label_array
from equipoise.rows.shorten import shorten
from equipoise.theory.accounting.one_of_many import gaussian_price, pure_price
from equipoise.theory.accounting.prices import pure_answers
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Link, Loss, is_regression
from equipoise.theory.plan import Facts
from equipoise.theory.prediction import answer_risk
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]


class LinearPredictor(PrivatePredictor):
    """Abstract.  `loss` decides the task: a classifier of two classes, or a regressor.  Final classes list theirs."""

    _losses: ClassVar[tuple[Loss, ...]]
    """What `loss` may name.  Labels are scaled to [−1, 1]."""
    loss: str
    row_norm: float
    fit_intercept: bool
    label_bounds: tuple[float, float] | None
    classes: Sequence[Any] | str | None
    coef_norm: float | None
    rows_per_person: int | None

    _warning: ClassVar[tuple[str, ...]] = ()
    """What a reader of its predicted errors should know."""

    def _excess(self, facts: Facts, price: Budget) -> float:
        """The predicted excess risk of an answer at that price, where every choice is left to the library."""
        self._not_stated("what its answers are worth at another price")

    def _same_plan(self, plan: AnswerPlan, price: Budget) -> AnswerPlan:
        """The same learner at another price: what one answer costs follows from that alone."""
        self._not_stated("what one of its answers costs")

    @documented(returns="array of shape (n,): Paid for once, with `predict`.")
    def decision_function(self, X: Any) -> Any:
        """The noisy score behind `predict`: asking for both costs once."""
        self._for_classifiers("decision_function")
        rows, single = self._queries(X)
        scores = self._ask(rows)
        return scores[0] if single else scores

    @documented(returns="array of shape (n, 2): In the order of `classes_`.")
    def predict_proba(self, X: Any) -> Any:
        """Probabilities in the order of `classes_`, from the same noisy score; for the logistic loss."""
        if self._chosen_loss().traits.link is not Link.LOGISTIC:
            raise InvalidInput(f"predict_proba: loss={shown(self.loss)} has no probabilities, use predict")
        scores = np.asarray(self.decision_function(X))
        return np.stack([expit(-scores), expit(scores)], axis=-1)

    def _for_classifiers(self, asked: str) -> None:
        if is_regression(self._chosen_loss()):
            raise InvalidInput(f"{asked}: loss={shown(self.loss)} predicts numbers, use predict")

    def _budget(self) -> Budget:
        return Budget(self.epsilon, self.delta)

    def _chosen_loss(self) -> Loss:
        """The loss of that name, or an error: never another."""
        return self._known()[one_of(tuple(self._known()), loss=self.loss)]

    def _known(self) -> dict[str, Loss]:
        return {loss.name.replace("-", "_"): loss for loss in self._losses}

    def _facts(self, loss: Loss, rows: int, columns: int, classes: tuple[Any, ...] | None, ball: float) -> Facts:
        row_norm = positive(row_norm=self.row_norm)
        intercept = INTERCEPT_SHARE * row_norm if check_flag(fit_intercept=self.fit_intercept) else 0.0
        bounds = Bounds(row_norm, intercept, self._label_range(), classes, ball)
        features, persons = columns + (1 if intercept > 0 else 0), self.rows_per_person
        return Facts(loss, L2(1.0), bounds, rows, features, person_rows=persons)

    def _label_range(self) -> tuple[float, float] | None:
        if not is_regression(self._chosen_loss()):
            return None
        return _labels.label_range(self.label_bounds)

    def _given_ball(self, usual: float) -> float:
        """`coef_norm` is in the labels' units; the fit scales labels to [−1, 1]."""
        if self.coef_norm is None:
            return usual
        ball = positive(coef_norm=self.coef_norm)
        label_range = self._label_range()
        if label_range is None:
            return ball
        return ball / Bounds(1.0, 1.0 if self.fit_intercept else 0.0, label_range).label_scale

    def _declared(self, labels: npt.NDArray[Any]) -> tuple[Any, ...] | None:
        """The two classes, from the caller or by convention 0/1: never found in the data, since nothing is paid."""
        if is_regression(self._chosen_loss()):
            return None
        listed = _labels.declared(self.classes, labels)
        if len(listed) > 2:
            raise MechanismRefused("classes: this predictor tells two classes apart, use VotingPredictor for more")
        return listed

    def _publish(self, facts: Facts) -> None:
        """Public facts that turn a score into an answer."""
        self._bounds = facts.bounds
        if facts.bounds.classes is not None:
            self.classes_ = label_array(tuple(facts.bounds.classes))  # type: ignore[arg-type]
        elif "classes_" in vars(self):
            del self.classes_

    def _bring(self, part: Array) -> None:
        """Clipped, so that queries which count as the same are one.  An answer clips its row by itself."""
        shorten(part, self._bounds.row_norm)

    def _queries(self, X: Any) -> tuple[Array, bool]:
        """As they are: a cell that is missing is settled where its row is compared, and where it is answered."""
        return self._read(X)

    def _show(self, answers: Array) -> npt.NDArray[Any]:
        """The class on the score's side, or the number in the labels' units, brought back into their bounds."""
        if not is_regression(self._chosen_loss()):
            return np.take(self.classes_, (answers > 0).astype(np.intp))
        bounds = self._bounds
        low, high = bounds.label_range or (-math.inf, math.inf)
        return np.clip(answers * bounds.label_scale + bounds.label_centre, low, high)

    def _offer(self) -> Offer:
        plan = own(self._here().answerer, LinearAnswers).plan
        facts, laplace = plan.facts, plan.mu is None
        usual = usual_penalty(facts)

        def quote(count: int, budget: Budget) -> Quote:
            price = Budget(pure_price(pure_answers, count, budget)) if laplace else gaussian_price(count, budget)
            return Quote(price.epsilon, price.delta, answer_risk.of_score(usual, self._excess(facts, price)))

        released = replace(usual, bounds=replace(facts.bounds, coef_norm=math.inf))
        if facts.bounds.label_range is None:
            return Offer(released, quote, WRONG, notes=self._warning)
        return Offer(released, quote, DISTANCE, facts.bounds.label_scale, self._warning)

    def _one_answer(self, fitted: Self, rows: int) -> OneAnswer:
        plan = own(fitted._here().answerer, LinearAnswers).plan
        return one_answer(self._same_plan(plan, self._budget()).event(1))

    def _expected_losses(self, learnt: Answerer, X: npt.NDArray[np.floating], y: npt.NDArray[Any]) -> Private[Array]:
        mine = own(learnt, LinearAnswers)
        return score_losses(mine, enter(X, y, mine.plan.facts.bounds))

    def _usual_model(self) -> PrivateLinear:
        traits, norm, intercept = self._chosen_loss().traits, self.row_norm, self.fit_intercept
        if traits.link is Link.LOGISTIC:
            return LogisticRegression(row_norm=norm, fit_intercept=intercept)
        if traits.link is Link.SIGN:
            return LinearSVC(row_norm=norm, fit_intercept=intercept)
        if traits.link is Link.IDENTITY:
            kind = LinearRegression if traits.quadratic else HuberRegressor
            return kind(row_norm=norm, fit_intercept=intercept, label_bounds=self.label_bounds)
        raise InvalidInput(f"loss={shown(self.loss)}: no model is known to go with it, give one as model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        chosen = (
            self._known().get(self.loss) if isinstance(self.loss, str) else None
        )  # a name that is not known is refused when fitting
        tags.estimator_type = None if chosen is None else str(chosen.traits.task)
        return tags


def usual_penalty(facts: Facts) -> Facts:
    """With the penalty of a released model: a plan puts its own in its place."""
    return replace(facts, penalty=L2(1.0))
