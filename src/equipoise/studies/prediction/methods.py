"""The lines of the prediction study: predictors of Dwork and Feldman, released models, and what protects nobody."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression as OpenRegression
from sklearn.linear_model import LogisticRegression as OpenClassifier
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from equipoise.answering import AveragingPredictor, SGDPredictor, StablePredictor, ThresholdPredictor, VotingPredictor
from equipoise.estimators import LinearRegression, LogisticRegression
from equipoise.studies.prediction.data import Table
from equipoise.theory.accounting.calibrate import gaussian_shift
from equipoise.theory.accounting.one_of_many import gaussian_price, pure_price
from equipoise.theory.accounting.prices import bounded_range_answers, pure_answers
from equipoise.theory.guarantees import Budget

Array = npt.NDArray[np.float64]
Make = Callable[[Budget, Table, int], Any]

DELTA = 1e-6
DEPTH = 4
SHARD_C = 10.0
OPEN_C = 1e3
ROUNDS = 4
"""A consensus splits its budget into so many rounds: so many contested questions can be afforded."""


@dataclass(frozen=True, slots=True)
class Method:
    """One line; `make(price, table, seed)` gives something with fit and predict, `price` being that of one answer.

    `law` says how many answers compose: "range" (a choice), "noise" (a number), "model" (released once), "rounds", or
    nothing for what is not private.
    """

    key: str
    label: str
    make: Make
    law: str
    classes: bool = True
    numbers: bool = False
    single: bool = False
    delta: float = 0.0
    one_answer: bool = True
    """Whether it has a place where the price of a single answer is what counts."""

    @property
    def predicts(self) -> bool:
        return self.law in ("range", "noise", "rounds")

    @property
    def private(self) -> bool:
        return self.law != ""

    def serves(self, table: Table) -> bool:
        return (self.classes if table.classifies else self.numbers) and (table.single is not None or not self.single)


def tree(table: Table) -> Any:
    """The tree that each shard trains: a classifier or a regressor, as the table has it."""
    kind = DecisionTreeClassifier if table.classifies else DecisionTreeRegressor
    return kind(max_depth=DEPTH, random_state=0)


def linear(table: Table) -> Any:
    """The linear model that each shard trains: logistic or ridge regression, as the table has it."""
    return OpenClassifier(C=SHARD_C, solver="liblinear") if table.classifies else Ridge(alpha=0.1)


def _vote(learner: Callable[[Table], Any], method: str = "soft") -> Make:
    def make(price: Budget, table: Table, seed: int) -> Any:
        return VotingPredictor(
            learner(table), price.epsilon, price.delta, method=method, n_jobs=1, random_state=seed
        )  # fmt: skip

    return make


def _average(learner: Callable[[Table], Any]) -> Make:
    def make(price: Budget, table: Table, seed: int) -> Any:
        bounds, delta = table.label_bounds, 0.0 if table.classifies else price.delta
        return AveragingPredictor(
            learner(table), price.epsilon, delta, bounds=bounds, n_jobs=1, random_state=seed
        )  # fmt: skip

    return make


def _stable(price: Budget, table: Table, seed: int) -> Any:
    if table.label_bounds is None:
        return StablePredictor(price.epsilon, price.delta, random_state=seed)
    return StablePredictor(
        price.epsilon, price.delta, loss="squared", label_bounds=table.label_bounds, random_state=seed
    )


def _sgd(price: Budget, table: Table, seed: int) -> Any:
    if table.label_bounds is None:
        return SGDPredictor(price.epsilon, price.delta, random_state=seed)
    return SGDPredictor(price.epsilon, price.delta, loss="squared", label_bounds=table.label_bounds, random_state=seed)


def _model(price: Budget, table: Table, seed: int) -> Any:
    if table.label_bounds is None:
        return LogisticRegression(price.epsilon, price.delta, classes=[0, 1], random_state=seed)
    return LinearRegression(price.epsilon, price.delta, label_bounds=table.label_bounds, random_state=seed)


def _open(_: Budget, table: Table, seed: int) -> Any:
    return OpenClassifier(C=OPEN_C, max_iter=1000) if table.classifies else OpenRegression()


def _guess(_: Budget, table: Table, seed: int) -> Any:
    return DummyClassifier() if table.classifies else DummyRegressor()


METHODS = (
    Method("vote-trees", "vote of trees", _vote(tree), "range"),
    Method("vote-linear", "vote of logistic models", _vote(linear), "range"),
    Method("vote-gaussian", "noisy maximum, trees", _vote(tree, "gaussian"), "noise", delta=DELTA, one_answer=False),
    Method("consensus", "consensus, trees", _vote(tree, "consensus"), "rounds", delta=DELTA, one_answer=False),
    Method("average-linear", "average of linear models", _average(linear), "noise", numbers=True),
    Method("average-trees", "average of trees", _average(tree), "noise", classes=False, numbers=True),
    Method("stable", "stable", _stable, "noise", numbers=True),
    Method("sgd", "one pass of SGD", _sgd, "noise", numbers=True),
    Method(
        "walk", "walk, one column", lambda price, _, seed: ThresholdPredictor(price.epsilon, random_state=seed),
        "range", single=True,
    ),
    Method("model", "released model", _model, "model", numbers=True),
    Method("model-delta", "released model, δ = 1e-6", _model, "model", numbers=True, delta=DELTA),
    Method("open", "no privacy", _open, "", numbers=True),
    Method("guess", "the same for all", _guess, "", numbers=True),
)  # fmt: skip
BY_KEY = {method.key: method for method in METHODS}


def price_of(method: Method, table: Table, total: Budget, count: int) -> Budget:
    """(ε, δ) of one of `count` answers within the total, by the tightest composition known for the method."""
    if method.law == "model":
        return total
    if method.law == "rounds":
        return Budget(total.epsilon / ROUNDS, total.delta / ROUNDS)
    if method.law == "range":
        return Budget(pure_price(bounded_range_answers, count, total))
    pure = Budget(pure_price(pure_answers, count, total))
    if method.delta > 0:
        return gaussian_price(count, total)
    if method.key.startswith("average") and table.classifies:  # a coin has no Gaussian kind
        return pure
    laplace, gaussian = math.sqrt(2) / pure.epsilon, math.sqrt(count) / gaussian_shift(total)
    return pure if laplace <= gaussian else gaussian_price(count, total)
