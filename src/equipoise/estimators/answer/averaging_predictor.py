"""Private answers by the average of models, each trained on rows of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import ClassifierTags, RegressorTags

from equipoise._checks import number, one_of, shown
from equipoise._docs import documented
from equipoise.errors import BoundsRequired, InvalidInput, MechanismRefused
from equipoise.estimators import _labels
from equipoise.estimators.answer.answerer import Answerer, OneAnswer, one_answer, own
from equipoise.estimators.answer.kinds import classifies, regresses
from equipoise.estimators.answer.offers import DISTANCE, Offer, Quote, usual_facts
from equipoise.estimators.answer.protocol import PrivatePredictor
from equipoise.estimators.answer.shards import (
    LINEAR_VOTERS,
    Shape,
    guarantee_of,
    of_persons,
    rows_of,
    shape,
    taught,
    voters_at,
    workers_for,
)
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.linear.linear_regression import LinearRegression
from equipoise.estimators.linear.logistic_regression import LogisticRegression
from equipoise.gate import Bits, RandomState
from equipoise.gate.answers.average import Coin, NoisyMean
from equipoise.inside import Private
from equipoise.inside.answers import expected
from equipoise.inside.answers.shards import Says, Voters, codes_of, numbers_of, sums
from equipoise.ledger import Entry, LedgerLike
from equipoise.outside.model import label_array
from equipoise.rows.persons import People, people_in
from equipoise.theory.accounting.one_of_many import gaussian_price, pure_price
from equipoise.theory.accounting.prices import pure_answers
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.plan import Facts
from equipoise.theory.prediction import answer_risk
from equipoise.theory.prediction.shards import coin_floor, coin_voters, noisy_mean_voters

Array = npt.NDArray[np.float64]
Bounds = tuple[float, float]

NOISES = ("auto", "laplace", "gaussian", "coin")
PROBABILITIES: Bounds = (0.0, 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class AverageAnswers:
    """Voters, and how the sum of their predictions leaves."""

    voters: Private[Voters]
    mechanism: NoisyMean | Coin
    bounds: Bounds
    says: Says
    guarantee: Guarantee

    def event(self, count: int) -> Event:
        return self.mechanism.event(count)

    def answer(self, queries: Array, entry: Entry, bits: Bits) -> Array:
        """A share of the range, or 0 or 1, for each query."""
        said = sums(self.voters, queries, self.bounds, self.says)
        return self.mechanism.release(said, entry, bits).astype(np.float64)


@documented("predictor")
class AveragingPredictor(PrivatePredictor):
    """Trains `estimator` on each of `shards` disjoint parts of the rows and answers by the mean of their predictions.

    A regressor needs `bounds=(low, high)`, public: labels and predictions are clipped to them.  Its answers carry
    Laplace noise, or Gaussian when `delta` > 0.  A classifier must give probabilities and tell two classes apart: the
    answer is the second class with the mean probability, kept a little away from 0 and 1 (`noise="coin"`).
    `shards=None` takes as many as bring noise, or the coin's floor, below `accuracy`, if the rows allow.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X = np.linspace(0, 1, 5000)[:, None]
    >>> mean = AveragingPredictor(DecisionTreeRegressor(max_depth=4), bounds=(0, 1), random_state=0)
    >>> bool(abs(mean.fit(X, X[:, 0]).predict([0.5]) - 0.5) < 0.2)  # a seed is for demonstrations only
    True
    """

    def __init__(
        self,
        estimator: Any,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        shards: int | None = None,
        accuracy: float = 0.05,
        bounds: tuple[float, float] | None = None,
        noise: str = "auto",
        classes: Sequence[Any] | str | None = None,
        n_jobs: int = -1,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.epsilon = epsilon
        self.delta = delta
        self.shards = shards
        self.accuracy = accuracy
        self.bounds = bounds
        self.noise = noise
        self.classes = classes
        self.n_jobs = n_jobs
        self.ledger = ledger
        self.random_state = random_state

    def _people(self, groups: Any, rows: int) -> People | None:
        """A person's rows go to one shard, however many they are, so no cap is needed."""
        return None if groups is None else people_in(groups, rows)

    def _learn(self, rows: Any, labels: npt.NDArray[Any], bits: Bits, people: People | None = None) -> Answerer:
        law, says = self._law(), Says.PROBABILITY if classifies(self.estimator) else Says.NUMBER
        bounds = PROBABILITIES if says is Says.PROBABILITY else self._range()
        classes = self._two_classes(labels) if says is Says.PROBABILITY else ()
        made = shape(rows.shape[0] if people is None else people.count, self.shards, self._wished(law))
        mechanism = self._mechanism(law, made.count)
        workers = workers_for(self.estimator, made, rows.shape[1], says, len(classes), self.n_jobs)
        targets = codes_of(labels, classes) if classes else numbers_of(labels, bounds)
        middle = bounds[0] + (bounds[1] - bounds[0]) / 2
        voters = taught(self.estimator, rows, targets, made, says, middle, workers, bits, people)
        self._publish(bounds, classes)
        promise = of_persons(self._promise(mechanism, made, bits.seeded), people)
        return AverageAnswers(voters, mechanism, bounds, says, promise)

    def _law(self) -> str:
        """Which noise, once the task is known."""
        law = one_of(NOISES, noise=self.noise)
        if classifies(self.estimator):
            if law not in ("auto", "coin"):
                raise MechanismRefused(f'noise="{law}": a classifier answers with a class, use noise="coin"')
            return "coin"
        if not regresses(self.estimator):
            raise InvalidInput("estimator: must be a scikit-learn regressor or classifier")
        usual = "gaussian" if self.delta > 0 else "laplace"
        if law == "coin":
            raise MechanismRefused('noise="coin": a coin answers with a class, use "laplace" or "gaussian"')
        if law == "gaussian" and usual == "laplace":
            raise MechanismRefused('noise="gaussian": needs delta > 0, use "laplace" for delta=0')
        return usual if law == "auto" else law

    def _range(self) -> Bounds:
        if self.bounds is None:
            raise BoundsRequired("bounds: a regressor's outputs are unbounded, give the public range (low, high)")
        try:
            low, high = self.bounds
        except (TypeError, ValueError):
            raise InvalidInput(f"bounds={shown(self.bounds)}: must be a pair (low, high)") from None
        low, high = number(low=low), number(high=high)
        if not (low < high and math.isfinite(high - low)):
            raise InvalidInput(f"bounds={shown(self.bounds)}: low must be below high")
        return low, high

    def _two_classes(self, labels: npt.NDArray[Any]) -> tuple[Any, ...]:
        classes = _labels.declared(self.classes, labels)
        if len(classes) > 2:
            raise MechanismRefused("classes: a coin tells two classes apart, use VotingPredictor for more")
        return classes

    def _wished(self, law: str) -> int:
        """Shards that bring the root mean square of the noise, or the coin's floor, below the accuracy."""
        if law == "coin":
            return coin_voters(self.epsilon, self.accuracy)
        mean = self._mechanism(law, 1)
        return noisy_mean_voters(mean.noise.rms if isinstance(mean, NoisyMean) else 1.0, self.accuracy)

    def _mechanism(self, law: str, voters: int) -> NoisyMean | Coin:
        budget = Budget(self.epsilon, self.delta)
        if law == "coin":
            return Coin(budget.epsilon, voters)
        return NoisyMean(budget.epsilon, budget.delta if law == "gaussian" else 0.0, voters)

    def _promise(self, mechanism: NoisyMean | Coin, made: Shape, seeded: bool) -> Guarantee:
        named = {"shards": float(made.count), "rows in the smallest shard": float(min(made.sizes))}
        moved, one, notes = 1 / made.count, mechanism.event(1), (made.note,)
        if isinstance(mechanism, Coin):
            named["floor of the coin"] = float(mechanism.floor)
            budget, theorem = Budget(mechanism.epsilon), "mean probability of disjoint shards, coin with a floor"
            return guarantee_of("coin", theorem, budget, one, moved, float(mechanism.floor), named, notes, seeded)
        noise = mechanism.noise
        named |= {"noise scale of the sum, in ranges": noise.scale, "grid step, in ranges": noise.step}
        budget, theorem = (
            Budget(mechanism.epsilon, mechanism.delta),
            f"mean of disjoint shards, {noise.law.value} noise",
        )
        scale = noise.scale / made.count
        return guarantee_of("noisy-mean", theorem, budget, one, moved, scale, named, notes, seeded)

    def _publish(self, bounds: Bounds, classes: tuple[Any, ...]) -> None:
        self._bounds = bounds
        if classes:
            self.classes_ = label_array(classes)
        elif "classes_" in vars(self):
            del self.classes_

    def _show(self, answers: Array) -> npt.NDArray[Any]:
        """The class, or the number, brought back into the bounds."""
        if classifies(self.estimator):
            return np.take(self.classes_, answers.astype(np.intp))
        low, high = self._bounds
        return np.clip(low + (high - low) * answers, low, high)

    def _offer(self) -> Offer:
        answerer = own(self._here().answerer, AverageAnswers)
        rows, columns = rows_of(answerer.guarantee), self.n_features_in_
        given, accuracy = self.shards, float(self.accuracy)
        if isinstance(answerer.mechanism, Coin):
            return _coin_offer(usual_facts(rows, columns, 2, None), given, accuracy)
        facts, laplace = usual_facts(rows, columns, 0, answerer.bounds), answerer.mechanism.delta == 0

        def quote(count: int, budget: Budget) -> Quote:
            price = Budget(pure_price(pure_answers, count, budget)) if laplace else gaussian_price(count, budget)
            spread = NoisyMean(price.epsilon, price.delta, 1).noise.rms
            voters = voters_at(given, rows, noisy_mean_voters(spread, accuracy))
            return Quote(price.epsilon, price.delta, answer_risk.of_mean(facts, voters, 2 * spread / voters))

        return Offer(facts, quote, DISTANCE, facts.bounds.label_scale, (LINEAR_VOTERS,))

    def _one_answer(self, fitted: Self, rows: int) -> OneAnswer:
        law = self._law()
        made = shape(rows, self.shards, self._wished(law))
        mechanism = self._mechanism(law, made.count)
        says, classes = (Says.PROBABILITY, 2) if isinstance(mechanism, Coin) else (Says.NUMBER, 0)
        workers_for(self.estimator, made, fitted.n_features_in_, says, classes, self.n_jobs, held_out=True)
        usual = one_answer(mechanism.event(1))
        # A coin's chance is the mean of the voters' and one record changes one of them.
        return OneAnswer(usual.event, min(usual.moved, 1 / made.count)) if isinstance(mechanism, Coin) else usual

    def _expected_losses(self, learnt: Answerer, X: npt.NDArray[np.floating], y: npt.NDArray[Any]) -> Private[Array]:
        mine = own(learnt, AverageAnswers)
        said, mechanism = sums(mine.voters, expected.held_rows(X), mine.bounds, mine.says), mine.mechanism
        if isinstance(mechanism, Coin):
            return expected.by_coin(said, mechanism.voters, float(mechanism.floor), codes_of(y, self._listed()))
        low, high = mine.bounds
        targets = (numbers_of(y, mine.bounds) - low) / (high - low)
        return expected.by_mean(said, mechanism.voters, mechanism.noise, targets)

    def _usual_model(self) -> PrivateLinear:
        if classifies(self.estimator):
            return LogisticRegression()
        return LinearRegression(label_bounds=self._range())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if classifies(self.estimator):
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags(multi_class=False)
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags


def _coin_offer(facts: Facts, given: int | None, accuracy: float) -> Offer:
    def floor(epsilon: float, voters: int) -> float:
        try:
            return float(coin_floor(epsilon, voters))
        except MechanismRefused:
            return 0.5

    def quote(count: int, budget: Budget) -> Quote:
        epsilon = pure_price(pure_answers, count, budget)
        voters = voters_at(given, facts.n, coin_voters(epsilon, accuracy))
        return Quote(epsilon, 0.0, answer_risk.of_coin(facts, voters, floor(epsilon, voters)))

    return Offer(facts, quote, notes=(LINEAR_VOTERS,))
