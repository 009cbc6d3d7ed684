"""Asking or releasing: which is predicted to err less for k questions within one budget.

Everything here follows from public facts: the number of rows and columns, the declared bounds, the mechanism, the
budget.  No record is looked at and nothing is charged.  The prediction is that of theory/prediction/answer_risk.py,
for answers and for the released model alike; it is a guide, no promise.  docs/explanation/prediction-or-release.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from equipoise._checks import at_most, shown
from equipoise._docs import documented
from equipoise.errors import BudgetExhausted, InvalidInput
from equipoise.estimators.answer.offers import Offer, Quote
from equipoise.estimators.answer.protocol import PrivatePredictor
from equipoise.gate import choose
from equipoise.gate.models.choose import MECHANISMS
from equipoise.outside.density.plot import BLUE, new_axes
from equipoise.outside.pages import readable
from equipoise.theory.guarantees import Budget
from equipoise.theory.prediction import answer_risk

MOST_QUESTIONS = 2**40
"""As many as a table may have rows."""

MOST = 10**9
"""A crossover is looked for up to so many questions."""

CLOSE = 0.02
"""A crossover is found within this share of itself."""

POINTS = 8
"""Of the curve that `plot` draws, besides k itself."""

ORANGE = "#D55E00"


@documented(record=True)
@dataclass(frozen=True, slots=True)
class Advice:
    """What k answers and one released model are predicted to be worth, at the same total budget.

    `answers_error` is with k new answers sharing the budget, each at `answer_epsilon` and `answer_delta`: the predictor
    would have to be fitted at that price.  Errors are in `unit`.  From `crossover` questions on, the released model is
    predicted to be no worse: 1 if it always is, infinity if it never is within a billion questions.
    """

    predictor: str
    queries: int
    budget: Budget
    answer_epsilon: float
    answer_delta: float
    answers_error: float
    release_error: float
    release_mechanism: str
    crossover: float
    unit: str
    curve: tuple[tuple[int, float], ...]
    notes: tuple[str, ...] = ()

    @property
    def release(self) -> bool:
        """Whether one released model is the better buy for so many questions."""
        return self.queries >= self.crossover

    def __str__(self) -> str:
        what = "release a model" if self.release else "answer the questions one by one"
        told = (
            f"For {self.queries} new questions within epsilon={readable(self.budget.epsilon)}, "
            f"delta={readable(self.budget.delta)}: {what}. Predicted {self.unit}: {self.answers_error:.3g} for answers "
            f"({self.predictor}, epsilon={self.answer_epsilon:.3g} each), {self.release_error:.3g} for a released "
            f"model ({self.release_mechanism}), whose predictions are free from then on. {self._turn()}"
        )
        return " ".join([told, *self.notes])

    def _turn(self) -> str:
        if self.crossover <= 1:
            return "Releasing is predicted to be better from the first question on."
        if math.isinf(self.crossover):
            return "Answering is predicted to be better for any number of questions that one could ask."
        return (
            f"From about {readable(float(f'{self.crossover:.2g}'))} questions on, releasing is predicted to be better."
        )

    @documented(returns="matplotlib axes: What it was drawn on.")
    def plot(self, ax: Any = None) -> Any:
        """Predicted error against the number of questions, for both; needs matplotlib."""
        axes = new_axes() if ax is None else ax
        asked, errors = zip(*self.curve, strict=True)
        axes.plot(asked, errors, color=BLUE, marker="o", markersize=3, label=f"answers: {self.predictor}")
        axes.axhline(self.release_error, color=ORANGE, label=f"released model: {self.release_mechanism}")
        if 1 < self.crossover < math.inf:
            axes.axvline(self.crossover, color="0.6", linestyle=":")
        axes.set(xscale="log", xlabel="questions", ylabel=self.unit, ylim=(0, None))
        axes.legend(frameon=False)
        return axes


def compare(predictor: PrivatePredictor, k: int, budget: Budget) -> Advice:
    """Advice on k new questions to a fitted predictor, all of `budget` to be spent on them or on one model."""
    k, offer = at_most(MOST_QUESTIONS, k=k), predictor._offer()
    mechanism, released = _released(offer, budget)
    quote = offer.quote(k, budget)
    crossover = _crossover(offer, budget, released, max(k, MOST))
    last = max(10 * k, 1000 if math.isinf(crossover) else round(10 * crossover))
    asked = sorted({k, *(max(1, round(last ** (step / (POINTS - 1)))) for step in range(POINTS))})
    curve = tuple((count, offer.quote(count, budget).error * offer.scale) for count in asked)
    return Advice(
        type(predictor).__name__,
        k,
        budget,
        quote.epsilon,
        quote.delta,
        quote.error * offer.scale,
        released * offer.scale,
        mechanism,
        crossover,
        offer.unit,
        curve,
        offer.notes,
    )


def budget_of(predictor: PrivatePredictor, given: Budget | tuple[float, float] | None) -> Budget:
    """The budget to share: the given one, or what the ledger has left."""
    if isinstance(given, Budget):
        return given
    if given is not None:
        try:
            epsilon, delta = given
        except (TypeError, ValueError):
            raise InvalidInput(f"budget={shown(given)}: must be a pair (epsilon, delta)") from None
        return Budget(epsilon, delta)
    left = predictor.ledger_.remaining()
    if left is None:
        raise InvalidInput("budget: the ledger has no limit, give budget=(epsilon, delta)")
    if left.epsilon <= 0:
        raise BudgetExhausted("budget: nothing is left in the ledger, give budget=(epsilon, delta) to compare anyway")
    return Budget(left.epsilon, left.delta)


def _released(offer: Offer, budget: Budget) -> tuple[str, float]:
    """The mechanism "auto" would take for the whole budget, and the predicted error of its model."""
    plan = choose(offer.facts, budget, "auto", None)
    error = answer_risk.of_score(
        replace(offer.facts, penalty=plan.facts.penalty), MECHANISMS[plan.mechanism].predict_risk(plan)
    )
    return plan.mechanism, error


def _crossover(offer: Offer, budget: Budget, released: float, most: int) -> float:
    """The least number of questions at which the model is predicted to be no worse, within a few per cent."""

    def worse(count: int) -> bool:
        return offer.quote(count, budget).error >= released

    if worse(1):
        return 1.0
    low, high = 1, 2
    while not worse(high):
        if high >= most:
            return math.inf
        low, high = high, min(most, high * 4)
    while high - low > max(1, CLOSE * low):
        middle = round(math.sqrt(low * high)) if high > 2 * low else (low + high) // 2
        low, high = (low, middle) if worse(middle) else (middle, high)
    return float(high)


__all__ = ["Advice", "Quote", "budget_of", "compare"]
