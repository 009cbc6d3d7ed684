"""Private answers from a regularised linear model that never leaves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy.typing as npt

from equipoise._checks import is_word, positive
from equipoise._docs import documented
from equipoise.errors import BoundsRequired
from equipoise.estimators.answer.answerer import Answerer
from equipoise.estimators.answer.linear_predictor import LinearPredictor, usual_penalty
from equipoise.gate import Bits, RandomState
from equipoise.gate.answers.linear_answers import AnswerPlan, learn_stable, plan_stable
from equipoise.inside import enter
from equipoise.ledger import LedgerLike
from equipoise.rows.persons import People
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Absolute, Hinge, Huber, Logistic, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.prediction.linear_answers import alpha_by_corollary, risk_of_minimiser


@documented("predictor")
class StablePredictor(LinearPredictor):
    """Minimises mean loss + (alpha/2)‖w‖², keeps w inside and adds noise to each answer.

    One record moves the answer to a query x by at most ‖x‖·D·B/(alpha·n), whatever the number of features, so the
    noise depends on the query's own length and not on the dimension.  Laplace noise when `delta=0`, else Gaussian,
    which composes better over many answers.  Queries are clipped to `row_norm` as the rows were; numbers are clipped
    to `label_bounds`.  `coef_norm` bounds the coefficients of smooth losses and need not be given.  `alpha="auto"` is
    that of least predicted risk; `"corollary"` Dwork and Feldman's formula, corrected, with `coef_norm` for its radius.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)) / 2
    >>> y = (X[:, 0] > 0).astype(int)
    >>> predictor = StablePredictor(epsilon=0.5, random_state=1).fit(X, y)  # a seed is for demonstrations only
    >>> predictor.predict([[0.9, 0.0, 0.0], [-0.9, 0.0, 0.0]]).tolist()
    [1, 0]
    >>> predictor.predict([0.9, 0.0, 0.0], explain_cost=True).new  # asked before: free
    0
    """

    _losses = (Logistic(), Hinge(), Squared(), Huber(0.5), Absolute())
    """Huber's threshold is a quarter of the label range."""

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        loss: str = "logistic",
        alpha: float | str = "auto",
        row_norm: float = 1.0,
        fit_intercept: bool = True,
        label_bounds: tuple[float, float] | None = None,
        classes: Sequence[Any] | str | None = None,
        coef_norm: float | None = None,
        rows_per_person: int | None = None,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.loss = loss
        self.alpha = alpha
        self.row_norm = row_norm
        self.fit_intercept = fit_intercept
        self.label_bounds = label_bounds
        self.classes = classes
        self.coef_norm = coef_norm
        self.rows_per_person = rows_per_person
        self.ledger = ledger
        self.random_state = random_state

    def _learn(self, rows: Any, labels: npt.NDArray[Any], bits: Bits, people: People | None = None) -> Answerer:
        loss, classes = self._chosen_loss(), self._declared(labels)
        facts = self._facts(loss, rows.shape[0], rows.shape[1], classes, self._given_ball(math.inf))
        plan = plan_stable(facts, self._budget(), self._alpha(facts))
        learnt = learn_stable(enter(rows, labels, facts.bounds), plan, bits.seeded)
        self._publish(facts)
        return learnt

    def _excess(self, facts: Facts, price: Budget) -> float:
        plan = plan_stable(facts, price, None)
        return risk_of_minimiser(replace(usual_penalty(facts), penalty=plan.facts.penalty), plan.spread)

    def _same_plan(self, plan: AnswerPlan, price: Budget) -> AnswerPlan:
        return plan_stable(plan.facts, price, plan.facts.penalty.strong_convexity)

    def _alpha(self, facts: Facts) -> float | None:
        if is_word(self.alpha, "auto"):
            return None
        if not is_word(self.alpha, "corollary"):
            return positive(alpha=self.alpha)
        if math.isinf(facts.bounds.coef_norm):
            raise BoundsRequired('alpha="corollary": the formula needs the norm of good coefficients, give coef_norm')
        return alpha_by_corollary(facts, facts.bounds.coef_norm, self._budget().epsilon)
