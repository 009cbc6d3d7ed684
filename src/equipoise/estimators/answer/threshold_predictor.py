"""Private answers about one feature: on which side of a threshold, inside or outside some intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin

from equipoise._checks import number, shown, whole
from equipoise._docs import documented
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.estimators import _labels
from equipoise.estimators.answer.answerer import Answerer, OneAnswer, one_answer, own
from equipoise.estimators.answer.offers import Offer, Quote, usual_facts
from equipoise.estimators.answer.protocol import PrivatePredictor
from equipoise.estimators.answer.shards import guarantee_of
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.linear.logistic_regression import LogisticRegression
from equipoise.gate import Bits, RandomState
from equipoise.gate.answers.walk import WalkCoin
from equipoise.inside import Private
from equipoise.inside.answers import expected
from equipoise.inside.answers.shards import codes_of
from equipoise.inside.answers.walk import Walk, stand_at, walk_along
from equipoise.ledger import Entry, LedgerLike
from equipoise.outside.model import label_array
from equipoise.rows.persons import People
from equipoise.theory.accounting.one_of_many import pure_price
from equipoise.theory.accounting.prices import bounded_range_answers
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.prediction import answer_risk
from equipoise.theory.prediction.sample_size import WalkSetting, walk_bound
from equipoise.theory.prediction.shards import walk_error, walk_reach

Array = npt.NDArray[np.float64]

MOVED = 2.0
"""How far one record moves the walk."""

UPPER_BOUND = "The figure for answers is an upper bound."


@dataclass(frozen=True, eq=False, repr=False)
class WalkAnswers:
    """The walk, kept inside, and its coin."""

    walk: Private[Walk]
    coin: WalkCoin
    guarantee: Guarantee

    def event(self, count: int) -> Event:
        return self.coin.event(count)

    def answer(self, queries: Array, entry: Entry, bits: Bits) -> Array:
        """0 or 1 for each query."""
        return self.coin.release(stand_at(self.walk, queries[:, 0]), entry, bits).astype(np.float64)


@documented("predictor")
class ThresholdPredictor(ClassifierMixin, PrivatePredictor):
    """Walks along one sorted feature, up for every second class and down for every first, at most T from zero.

    A query x is answered with the second class with probability sigmoid(ε·v/2), where v is where the walk stands
    after all rows up to x.  It follows thresholds and unions of intervals alike; `intervals` only enters the error
    told in `guarantee_`.  T comes from `accuracy` and `epsilon`.  With `bounds=(low, high)` rows and queries are
    clipped to them.  `delta` only says at which δ costs are told.

    Several features: one walk per feature answers only about its own, and asking k walks costs k answers.  Fit one
    predictor per column with the same `ledger`, which composes their prices.

    >>> import numpy as np
    >>> X = np.linspace(0, 1, 2000)[:, None]
    >>> walk = ThresholdPredictor(epsilon=1.0, random_state=0).fit(X, (X[:, 0] > 0.5).astype(int))
    >>> walk.predict([[0.1], [0.9]]).tolist()  # a seed is for demonstrations only
    [0, 1]
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        accuracy: float = 0.05,
        intervals: int = 1,
        bounds: tuple[float, float] | None = None,
        rows_per_person: int | None = None,
        classes: Sequence[Any] | str | None = None,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.accuracy = accuracy
        self.intervals = intervals
        self.bounds = bounds
        self.rows_per_person = rows_per_person
        self.classes = classes
        self.ledger = ledger
        self.random_state = random_state

    def _learn(self, rows: Any, labels: npt.NDArray[Any], bits: Bits, people: People | None = None) -> Answerer:
        if rows.shape[1] != 1:
            raise MechanismRefused(
                f"X: a walk takes one feature, not {rows.shape[1]}: one walk per feature must be composed, fit one "
                "ThresholdPredictor per column with the same ledger"
            )
        classes = _labels.declared(self.classes, labels)
        if len(classes) > 2:
            raise MechanismRefused("classes: a walk tells two classes apart, use VotingPredictor for more")
        coin, (low, high) = self._coin(), self._range()
        reach = walk_reach(coin.per_row, self.accuracy)
        guarantee = self._promise(reach, rows.shape[0], bits.seeded, people)
        walk = walk_along(_column(rows), codes_of(labels, classes), reach, (low, high))
        self.classes_ = label_array(classes)
        return WalkAnswers(walk, coin, guarantee)

    def _coin(self) -> WalkCoin:
        rows = 1 if self.rows_per_person is None else whole(rows_per_person=self.rows_per_person)
        return WalkCoin(Budget(self.epsilon).epsilon, rows)

    def _range(self) -> tuple[float, float]:
        if self.bounds is None:
            return -math.inf, math.inf
        try:
            low, high = self.bounds
        except (TypeError, ValueError):
            raise InvalidInput(f"bounds={shown(self.bounds)}: must be a pair (low, high)") from None
        if not number(low=low) < number(high=high):
            raise InvalidInput(f"bounds={shown(self.bounds)}: low must be below high")
        return float(low), float(high)

    def _middles(self) -> float:
        low, high = self._range()
        return low / 2 + high / 2 if math.isfinite(high - low) else 0.0

    def _promise(self, reach: int, rows: int, seeded: bool, people: People | None) -> Guarantee:
        budget, coin = Budget(self.epsilon), self._coin()
        error = walk_error(rows, coin.per_row, self.accuracy, self.intervals)
        named = {
            "records": float(rows),
            "reach of the walk": float(reach),
            "expected error at most, if intervals fit all rows": error,
        }
        theorem, moved = "exponential projected walk, bounded range", MOVED * coin.rows
        return guarantee_of(
            "walk", theorem, budget, coin.event(1), moved, moved / budget.epsilon, named, (), seeded, people
        )

    def _brought_within(self, rows: Array) -> Array:
        low, high = self._range()
        return np.clip(rows, low, high)

    def _show(self, answers: Array) -> npt.NDArray[Any]:
        return np.take(self.classes_, answers.astype(np.intp))

    def _offer(self) -> Offer:
        rows = round(self._here().answerer.guarantee.constants["records"])
        accuracy, intervals = float(self.accuracy), int(self.intervals)

        def quote(count: int, budget: Budget) -> Quote:
            most, best = pure_price(bounded_range_answers, count, budget), answer_risk.BEST_ERROR
            slower = [WalkSetting(most / 2**halved, accuracy) for halved in range(8)]  # which follow wrong labels less
            errors = [walk_bound(rows, setting, intervals, best) - best for setting in slower]
            place = errors.index(min(errors))
            return Quote(slower[place].epsilon, 0.0, min(errors[place], answer_risk.NO_BETTER_THAN_CHANCE))

        return Offer(usual_facts(rows, 1, 2, None), quote, notes=(UPPER_BOUND,))

    def _one_answer(self, fitted: Self, rows: int) -> OneAnswer:
        return one_answer(WalkCoin(self.epsilon).event(1))

    def _expected_losses(self, learnt: Answerer, X: npt.NDArray[np.floating], y: npt.NDArray[Any]) -> Private[Array]:
        mine, rows = own(learnt, WalkAnswers), expected.held_rows(X)
        codes, stands = codes_of(y, self._listed()), stand_at(mine.walk, np.clip(rows[:, 0], *self._range()))
        return expected.by_walk(stands, mine.coin.epsilon / 2, codes)

    def _usual_model(self) -> PrivateLinear:
        return LogisticRegression() if self.bounds is None else LogisticRegression(column_bounds=[self._range()])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _column(rows: Any) -> Array:
    sparse: bool = issparse(rows)
    return np.asarray(rows.toarray() if sparse else rows, dtype=np.float64)[:, 0]
