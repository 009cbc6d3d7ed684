"""Private answers by the average of models, each trained on rows of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import ClassifierTags, RegressorTags

from equipoise._checks import number, one_of
from equipoise.errors import BoundsRequired, InvalidInput, MechanismRefused
from equipoise.estimators import _labels
from equipoise.estimators.answer.protocol import Answerer, PrivatePredictor
from equipoise.estimators.answer.shards import Shape, guarantee_of, shape, taught, workers_for
from equipoise.gate import Bits, RandomState
from equipoise.gate.answers.average import Coin, NoisyMean
from equipoise.inside import Private
from equipoise.inside.answers.shards import Says, Voters, codes_of, numbers_of, sums
from equipoise.ledger import Entry, LedgerLike
from equipoise.outside.model import label_array
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.prediction.shards import coin_voters, noisy_mean_voters

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

    def _learn(self, rows: Any, labels: npt.NDArray[Any], bits: Bits) -> Answerer:
        law, says = self._law(), Says.PROBABILITY if is_classifier(self.estimator) else Says.NUMBER
        bounds = PROBABILITIES if says is Says.PROBABILITY else self._range()
        classes = self._two_classes(labels) if says is Says.PROBABILITY else ()
        made = shape(rows.shape[0], self.shards, self._wished(law))
        mechanism = self._mechanism(law, made.count)
        workers = workers_for(self.estimator, made, rows.shape[1], says, len(classes), self.n_jobs)
        targets = codes_of(labels, classes) if classes else numbers_of(labels, bounds)
        middle = bounds[0] + (bounds[1] - bounds[0]) / 2
        voters = taught(self.estimator, rows, targets, made, says, middle, workers, bits)
        self._publish(bounds, classes)
        return AverageAnswers(voters, mechanism, bounds, says, self._promise(mechanism, made, bits.seeded))

    def _law(self) -> str:
        """Which noise, once the task is known."""
        law = one_of(NOISES, noise=self.noise)
        if is_classifier(self.estimator):
            if law not in ("auto", "coin"):
                raise MechanismRefused(f'noise="{law}": a classifier answers with a class, use noise="coin"')
            return "coin"
        if not is_regressor(self.estimator):
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
            raise InvalidInput(f"bounds={self.bounds!r}: must be a pair (low, high)") from None
        low, high = number(low=low), number(high=high)
        if not (low < high and math.isfinite(high - low)):
            raise InvalidInput(f"bounds={self.bounds!r}: low must be below high")
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
        if is_classifier(self.estimator):
            return np.take(self.classes_, answers.astype(np.intp))
        low, high = self._bounds
        return np.clip(low + (high - low) * answers, low, high)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if is_classifier(self.estimator):
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags(multi_class=False)
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags
