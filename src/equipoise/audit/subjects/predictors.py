"""Answers to one query, where a shard holds one row, so that a row is a vote."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from equipoise import answering
from equipoise.audit.exact.audits import exact_discrete
from equipoise.audit.exact.discrete_laws import coin_law, vote_law, walk_law
from equipoise.audit.frozen.pairs_at_corners import Pair
from equipoise.audit.subjects.targets import Target, answers, corners
from equipoise.theory.prediction.shards import coin_floor

ALPHA = 1.0
QUERY = ((1.0,),)
NUMBERS = (-1.0, 1.0)
CLASSES = (0, 1)


def predictors(epsilon: float, delta: float, rows: int) -> list[Target]:
    """Every predictor, with every way it answers."""
    tree, leaf = DecisionTreeClassifier(max_depth=1), DecisionTreeRegressor(max_depth=1)
    vote = partial(answering.VotingPredictor, tree, epsilon, shards=rows, n_jobs=1)
    mean = partial(answering.AveragingPredictor, leaf, epsilon, shards=rows, n_jobs=1, bounds=NUMBERS)
    coin = partial(answering.AveragingPredictor, tree, epsilon, shards=rows, n_jobs=1)
    stable = partial(answering.StablePredictor, epsilon, alpha=ALPHA, fit_intercept=False)
    passes = partial(answering.SGDPredictor, epsilon, fit_intercept=False, coef_norm=1.0)
    squared = {"loss": "squared", "label_bounds": NUMBERS}
    answer = partial(_answer, epsilon, rows)
    return [
        answer("VotingPredictor, soft vote", vote, law=partial(_vote_law, epsilon)),
        answer("VotingPredictor, noisy maximum", partial(vote, method="gaussian", delta=delta), delta),
        answer("VotingPredictor, consensus", partial(vote, method="consensus", delta=delta), delta),
        answer("AveragingPredictor, Laplace", mean, labels=NUMBERS),
        answer("AveragingPredictor, Gaussian", partial(mean, delta=delta), delta, labels=NUMBERS),
        answer("AveragingPredictor, coin", coin, law=partial(_coin_law, epsilon, rows)),
        answer("StablePredictor, logistic", stable),
        answer("StablePredictor, squared", partial(stable, **squared), labels=NUMBERS),
        answer("StablePredictor, squared", partial(stable, delta=delta, **squared), delta, labels=NUMBERS),
        answer("SGDPredictor, logistic", passes),
        answer("SGDPredictor, squared", partial(passes, **squared), labels=NUMBERS),
        answer("ThresholdPredictor", partial(answering.ThresholdPredictor, epsilon), law=partial(_walk_law, epsilon)),
    ]


def _answer(
    epsilon: float,
    rows: int,
    name: str,
    make: Callable[..., Any],
    delta: float = 0.0,
    *,
    labels: tuple[Any, Any] = CLASSES,
    law: Callable[[Pair], float] | None = None,
) -> Target:
    return Target(
        name,
        epsilon,
        delta,
        answers(make, QUERY),
        corners(rows, labels=labels),
        law=law,
        labels=None if law else labels,
        speaks_of=(name.split(",")[0],),
    )


def _vote_law(epsilon: float, pair: Pair) -> float:
    """A tree that saw one row answers with that row's label."""
    left, right = (vote_law(np.bincount(table[1], minlength=2), epsilon) for table in (pair.left, pair.right))
    return exact_discrete(left, right)


def _coin_law(epsilon: float, rows: int, pair: Pair) -> float:
    floor = float(coin_floor(epsilon, rows))
    left, right = (coin_law(float(np.mean(table[1])), floor) for table in (pair.left, pair.right))
    return exact_discrete(left, right)


def _walk_law(epsilon: float, pair: Pair) -> float:
    """All rows lie at or below the query; eight steps stay within reach."""
    left, right = (walk_law(float(np.sum(2 * table[1] - 1)), epsilon) for table in (pair.left, pair.right))
    return exact_discrete(left, right)
