"""Every release of this library at a size where attacks bite: few rows, one column, ε = 1."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from equipoise import answering, estimators, tuning
from equipoise.audit.exact.audits import exact_discrete
from equipoise.audit.exact.discrete_laws import coin_law, vote_law, walk_law
from equipoise.audit.frozen.pairs_at_corners import Data, Pair
from equipoise.audit.subjects.functions import the_rest
from equipoise.audit.subjects.hard_tables import degenerate
from equipoise.audit.subjects.targets import Target, answers, corners, density_corners, fits
from equipoise.theory.prediction.shards import coin_floor

EPSILON, DELTA = 1.0, 1e-3
ROWS, ROWS_TO_SEARCH, ALPHA = 8, 24, 1.0
PERSON_ROWS = 3
QUERY = ((1.0,),)
NUMBERS = (-1.0, 1.0)
CLASSES, SIGNS = (0, 1), (-1, 1)
THREE = (-1, 0, 1)


def library() -> tuple[Target, ...]:
    """In the order of the table."""
    return (*linear(), *persons(), *densities(), *predictors(), *searches(), *the_rest(), *degenerate())


def linear() -> list[Target]:
    """Estimators that release coefficients, each with every mechanism that serves it."""
    logistic = partial(estimators.LogisticRegression, classes=SIGNS)  # with one class left, None would tell which
    squared = partial(estimators.LinearRegression, label_bounds=NUMBERS)
    huber = partial(estimators.HuberRegressor, label_bounds=NUMBERS)
    hinge = partial(estimators.LinearSVC, classes=SIGNS)
    rounded = partial(hinge, smoothing=0.5)
    ball = partial(squared, coef_norm=1.0)
    return [
        *_both("output", logistic),
        *_both("objective", logistic),
        _linear("noisy-gradient", logistic, DELTA, alpha=0.1, effort=0.05),
        _linear("output", partial(logistic, classes=THREE), 0.0, note=" (three classes)", exact=False),
        _linear("objective", partial(logistic, classes=THREE), 0.0, note=" (three classes)", exact=False),
        *_both("output", hinge),
        _linear("output", rounded, 0.0, note=" (rounded hinge)"),
        *_both("objective", rounded, " (rounded hinge)"),
        _linear("noisy-gradient", rounded, DELTA, alpha=0.1, effort=0.05, note=" (rounded hinge)"),
        *_both("output", squared),
        _linear("output-as-printed", ball, 0.0),
        _linear("objective", ball, 0.0, exact=False),
        _linear("noisy-gradient", ball, DELTA, alpha=0.1, effort=0.05),
        _linear("sufficient-statistics", ball, 0.0, exact=False),
        _linear("sufficient-statistics", ball, DELTA, exact=False),
        _linear("functional", ball, 0.0, exact=False),
        _linear("projected-histogram", ball, 0.0, exact=False),
        *_both("output", huber),
        *_both("objective", huber),
        _linear("noisy-gradient", huber, DELTA, alpha=0.1, effort=0.05),
    ]


def _both(mechanism: str, make: Callable[..., Any], note: str = "") -> list[Target]:
    return [_linear(mechanism, make, delta, note=note) for delta in (0.0, DELTA)]


def _linear(
    mechanism: str,
    make: Callable[..., Any],
    delta: float,
    *,
    alpha: float = ALPHA,
    effort: float = 1.0,
    note: str = "",
    exact: bool = True,
) -> Target:
    build = partial(make, EPSILON, delta, mechanism=mechanism, alpha=alpha, fit_intercept=False)
    one = build()
    regressor = isinstance(one, estimators.LinearRegression | estimators.HuberRegressor)
    labels = NUMBERS if regressor else SIGNS
    plan = one.plan(ROWS, 1) if exact and mechanism != "noisy-gradient" else None
    return Target(
        name=f"{type(one).__name__}, {mechanism}{note}",
        epsilon=EPSILON,
        delta=delta,
        release=fits(build),
        pairs=corners(ROWS, labels=labels),
        labels=labels,
        plan=plan,
        effort=effort,
        speaks_of=(mechanism, type(one).__name__),
    )


def persons() -> list[Target]:
    """Each record of the audited table stands for a person with several equal rows."""
    made = [("output", 0.0), ("objective", 0.0), ("noisy-gradient", DELTA)]
    return [
        Target(
            f"LogisticRegression, {mechanism} (persons of {PERSON_ROWS} rows)",
            EPSILON,
            delta,
            partial(_persons, mechanism, delta),
            corners(ROWS, labels=SIGNS),
            effort=0.05 if mechanism == "noisy-gradient" else 0.4,
            speaks_of=(mechanism, "LogisticRegression"),
        )
        for mechanism, delta in made
    ]


def _persons(mechanism: str, delta: float, table: Data) -> Any:
    X, y = (np.repeat(part, PERSON_ROWS, axis=0) for part in table)
    model = estimators.LogisticRegression(
        EPSILON, delta, mechanism=mechanism, alpha=0.1, classes=SIGNS, fit_intercept=False, rows_per_person=PERSON_ROWS
    )
    return model.fit(X, y, groups=np.repeat(np.arange(len(table[0])), PERSON_ROWS)).coef_


def densities() -> list[Target]:
    """Histograms with given bins, with bins chosen privately, and merged afterwards."""
    made: list[tuple[str, dict[str, Any]]] = [
        ("bins given", {"bins": 2}),
        ("bins chosen", {"bins": "auto", "candidates": [1, 2]}),
        ("cells merged", {"bins": "coarsen", "candidates": [1, 2]}),
    ]
    return [
        Target(
            name=f"HistogramDensity, {name}",
            epsilon=EPSILON,
            delta=0.0,
            release=fits(partial(estimators.HistogramDensity, EPSILON, bounds=(0.0, 1.0), **options)),
            pairs=density_corners(ROWS),
            speaks_of=("HistogramDensity",),
        )
        for name, options in made
    ]


def predictors() -> list[Target]:
    """Answers to one query; a shard holds one row, so that a row is a vote."""
    tree, leaf = DecisionTreeClassifier(max_depth=1), DecisionTreeRegressor(max_depth=1)
    vote = partial(answering.VotingPredictor, tree, EPSILON, shards=ROWS, n_jobs=1)
    mean = partial(answering.AveragingPredictor, leaf, EPSILON, shards=ROWS, n_jobs=1, bounds=NUMBERS)
    coin = partial(answering.AveragingPredictor, tree, EPSILON, shards=ROWS, n_jobs=1)
    stable = partial(answering.StablePredictor, EPSILON, alpha=ALPHA, fit_intercept=False)
    passes = partial(answering.SGDPredictor, EPSILON, fit_intercept=False, coef_norm=1.0)
    squared = {"loss": "squared", "label_bounds": NUMBERS}
    return [
        _answer("VotingPredictor, soft vote", vote, law=_vote_law),
        _answer("VotingPredictor, noisy maximum", partial(vote, method="gaussian", delta=DELTA), DELTA),
        _answer("VotingPredictor, consensus", partial(vote, method="consensus", delta=DELTA), DELTA),
        _answer("AveragingPredictor, Laplace", mean, labels=NUMBERS),
        _answer("AveragingPredictor, Gaussian", partial(mean, delta=DELTA), DELTA, labels=NUMBERS),
        _answer("AveragingPredictor, coin", coin, law=_coin_law),
        _answer("StablePredictor, logistic", stable),
        _answer("StablePredictor, squared", partial(stable, **squared), labels=NUMBERS),
        _answer("StablePredictor, squared", partial(stable, delta=DELTA, **squared), DELTA, labels=NUMBERS),
        _answer("SGDPredictor, logistic", passes),
        _answer("SGDPredictor, squared", partial(passes, **squared), labels=NUMBERS),
        _answer("ThresholdPredictor", partial(answering.ThresholdPredictor, EPSILON), law=_walk_law),
    ]


def _answer(
    name: str,
    make: Callable[..., Any],
    delta: float = 0.0,
    *,
    labels: tuple[Any, Any] = CLASSES,
    law: Callable[[Pair], float] | None = None,
) -> Target:
    return Target(
        name,
        EPSILON,
        delta,
        answers(make, QUERY),
        corners(ROWS, labels=labels),
        law=law,
        labels=None if law else labels,
        speaks_of=(name.split(",")[0],),
    )


def _vote_law(pair: Pair) -> float:
    """A tree that saw one row answers with that row's label."""
    left, right = (vote_law(np.bincount(table[1], minlength=2), EPSILON) for table in (pair.left, pair.right))
    return exact_discrete(left, right)


def _coin_law(pair: Pair) -> float:
    floor = float(coin_floor(EPSILON, ROWS))
    left, right = (coin_law(float(np.mean(table[1])), floor) for table in (pair.left, pair.right))
    return exact_discrete(left, right)


def _walk_law(pair: Pair) -> float:
    """All rows lie at or below the query; eight steps stay within reach."""
    left, right = (walk_law(float(np.sum(2 * table[1] - 1)), EPSILON) for table in (pair.left, pair.right))
    return exact_discrete(left, right)


def searches() -> list[Target]:
    """Two settings of one estimator."""
    logistic = partial(estimators.LogisticRegression, EPSILON, mechanism="output", classes=SIGNS, fit_intercept=False)
    grid = {"alpha": [0.5, 1.0]}
    made: list[tuple[type[Any], float]] = [
        (tuning.DataSplitSearch, 0.4),
        (tuning.BudgetSplitSearch, 0.4),
        (tuning.RandomSearch, 0.4),
        (tuning.RandomStopSearch, 0.15),
        (tuning.StabilitySearch, 0.2),
    ]
    return [
        Target(
            name=f"{kind.__name__}, two settings",
            epsilon=EPSILON,
            delta=0.0,
            release=fits(partial(_search, kind, logistic, grid)),
            pairs=corners(ROWS_TO_SEARCH, labels=SIGNS),
            labels=SIGNS,
            effort=effort,
            speaks_of=(kind.__name__,),
        )
        for kind, effort in made
    ]


def _search(kind: type[Any], estimator: Callable[[], Any], grid: dict[str, list[float]]) -> Any:
    return kind(estimator(), grid)
