"""Private answers from one pass of gradient steps that never leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from equipoise._checks import is_word, positive
from equipoise._docs import documented
from equipoise.estimators.answer.answerer import Answerer
from equipoise.estimators.answer.linear_predictor import LinearPredictor
from equipoise.gate import Bits, RandomState
from equipoise.gate.answers.linear_answers import AnswerPlan, learn_one_pass, plan_one_pass
from equipoise.inside import enter
from equipoise.ledger import LedgerLike
from equipoise.rows.persons import People
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Huber, Logistic, SmoothedHinge, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.prediction.linear_answers import risk_of_one_pass


@documented("predictor")
class SGDPredictor(LinearPredictor):
    """Projected gradient steps over the rows, once, in their order; the average of the iterates stays inside.

    One record moves the answer to a query x by at most ‖x‖·D·step_size·(n − 1)/n, with D the widest a record's
    gradient can change within the ball of radius `coef_norm`.  This holds for the rows in the order given, so that
    order must not depend on their content.  Smooth losses only, and `step_size` at most 2/(curvature·B²): beyond it
    steps can drive points apart, and the fit is refused.  `step_size="auto"` stays within.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 3)) / 2
    >>> y = (X[:, 0] > 0).astype(int)
    >>> predictor = SGDPredictor(epsilon=1.0, random_state=1).fit(X, y)  # a seed is for demonstrations only
    >>> predictor.predict([[0.9, 0.0, 0.0], [-0.9, 0.0, 0.0]]).tolist()
    [1, 0]
    """

    _losses = (Logistic(), SmoothedHinge(), Squared(), Huber(0.5))
    """Huber's threshold is a quarter of the label range."""
    _warning = ("The figure for answers includes a worst-case regret.",)

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        loss: str = "logistic",
        step_size: float | str = "auto",
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
        self.step_size = step_size
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
        step_size = None if is_word(self.step_size, "auto") else positive(step_size=self.step_size)
        ball = self._given_ball(loss.traits.usual.ball / positive(row_norm=self.row_norm))
        facts = self._facts(loss, rows.shape[0], rows.shape[1], classes, ball)
        plan = plan_one_pass(facts, self._budget(), step_size)
        learnt = learn_one_pass(enter(rows, labels, facts.bounds), plan, bits.seeded)
        self._publish(facts)
        return learnt

    def _excess(self, facts: Facts, price: Budget) -> float:
        plan = plan_one_pass(facts, price, None)
        return risk_of_one_pass(facts, plan.step_size or 0.0, plan.spread)

    def _same_plan(self, plan: AnswerPlan, price: Budget) -> AnswerPlan:
        return plan_one_pass(plan.facts, price, plan.step_size)
