"""Every release of this library at a size where attacks bite: few rows, one column, ε = 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from equipoise import answering, calibration, estimators, tuning
from equipoise.audit.frozen.pairs_at_corners import Array, Data, Pair
from equipoise.audit.subjects.additive_models import additive
from equipoise.audit.subjects.anchored import anchored
from equipoise.audit.subjects.densities import densities
from equipoise.audit.subjects.evened import evened
from equipoise.audit.subjects.found_first import found_first
from equipoise.audit.subjects.hard_tables import degenerate
from equipoise.audit.subjects.in_metric import in_metric
from equipoise.audit.subjects.lifted import lifted
from equipoise.audit.subjects.persons import persons
from equipoise.audit.subjects.predictors import predictors
from equipoise.audit.subjects.rankings import rankings
from equipoise.audit.subjects.schemas import by_schema
from equipoise.audit.subjects.seen_rows import seen_rows
from equipoise.audit.subjects.several_classes import several_classes
from equipoise.audit.subjects.simplices import simplices
from equipoise.audit.subjects.strangers import chosen_features, strangers
from equipoise.audit.subjects.targets import Target, corners, fits
from equipoise.theory.events import PureRelease

EPSILON, DELTA = 1.0, 1e-3
ROWS, ROWS_TO_SEARCH, ALPHA = 8, 24, 1.0
QUERY = ((1.0,),)
NUMBERS = (-1.0, 1.0)
CLASSES, SIGNS = (0, 1), (-1, 1)
THREE = (-1, 0, 1)


def library() -> tuple[Target, ...]:
    """In the order of the table."""
    return (
        *linear(),
        *anchored(EPSILON),
        *seen_rows(EPSILON),
        *in_metric(EPSILON),
        *several_classes(EPSILON),
        *evened(EPSILON),
        *found_first(EPSILON),
        *constants(),
        *persons(EPSILON, DELTA, ROWS),
        *additive(EPSILON, DELTA, ROWS),
        *lifted(EPSILON, DELTA, ROWS),
        *rankings(EPSILON, DELTA, ROWS),
        *densities(EPSILON, ROWS),
        *simplices(EPSILON, DELTA, ROWS),
        *predictors(EPSILON, DELTA, ROWS),
        *searches(),
        *the_rest(),
        *by_schema(),
        *strangers(EPSILON, DELTA, ROWS),
        *chosen_features(EPSILON, ROWS),
        *degenerate(),
    )


def linear() -> list[Target]:
    """Estimators that release coefficients, each with every mechanism that serves it."""
    logistic = partial(estimators.LogisticRegression, classes=SIGNS)  # with one class left, None would tell which
    capped = partial(logistic, slope_cap=0.5)
    squared = partial(estimators.LinearRegression, label_bounds=NUMBERS)
    huber = partial(estimators.HuberRegressor, label_bounds=NUMBERS)
    hinge = partial(estimators.LinearSVC, classes=SIGNS)
    rounded = partial(hinge, smoothing=0.5)
    net = partial(estimators.ElasticNet, label_bounds=NUMBERS)
    bridge = partial(estimators.BridgeRegressor, label_bounds=NUMBERS)
    classes_net = partial(estimators.ElasticNetClassifier, classes=SIGNS)
    ball = partial(squared, coef_norm=1.0)
    return [
        *_both("output", logistic),
        *_both("objective", logistic),
        _linear("noisy-gradient", logistic, DELTA, alpha=0.1, effort=0.05),
        _linear("output", capped, 0.0, note=" (slopes up to 0.5)"),
        *_both("objective", capped, " (slopes up to 0.5)"),
        _linear("noisy-gradient", capped, DELTA, alpha=0.1, effort=0.05, note=" (slopes up to 0.5)"),
        _linear("output", partial(logistic, classes=THREE), 0.0, note=" (three classes)", exact=False),
        _linear("objective", partial(logistic, classes=THREE), 0.0, note=" (three classes)", exact=False),
        _linear(
            "objective", partial(capped, classes=THREE), 0.0, note=" (three classes, slopes up to 0.5)", exact=False
        ),
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
        *(_linear("output", net, delta, exact=False) for delta in (0.0, DELTA)),
        *(_linear("output", bridge, delta, exact=False) for delta in (0.0, DELTA)),
        *(_linear("output", classes_net, delta, exact=False) for delta in (0.0, DELTA)),
        *_both("output", huber),
        *_both("objective", huber),
        *(
            _linear("sgd", each, delta, exact=False, effort=0.5)
            for each in (logistic, hinge, ball, huber)
            for delta in (0.0, DELTA)
        ),
        *(_linear("momentum", squared, delta, exact=False, effort=0.5) for delta in (0.0, DELTA)),
        _linear("noisy-gradient", huber, DELTA, alpha=0.1, effort=0.05),
    ]


def constants() -> list[Target]:
    """One number for everybody; it needs an intercept, which the rows above go without."""
    logistic = partial(estimators.LogisticRegression, EPSILON, mechanism="constant", classes=SIGNS)
    squared = partial(estimators.LinearRegression, EPSILON, mechanism="constant", label_bounds=NUMBERS)
    made = ("LogisticRegression", logistic, SIGNS), ("LinearRegression", squared, NUMBERS)
    return [
        Target(
            name=f"{name}, constant",
            epsilon=EPSILON,
            delta=0.0,
            release=fits(make),
            pairs=corners(ROWS, labels=labels),
            labels=labels,
            speaks_of=("constant",),
        )
        for name, make, labels in made
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
    regressor = isinstance(one, RegressorMixin)
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


def the_rest() -> list[Target]:
    """Functions that release by themselves."""
    pairs = corners(ROWS, labels=CLASSES)
    return [
        Target("reliability_curve", EPSILON, 0.0, _reliability, pairs, speaks_of=("reliability_curve",)),
        Target("count_clipped", EPSILON, 0.0, _clipped, _long_pairs(), speaks_of=("count_clipped",)),
        Target("brier_score", EPSILON, 0.0, _brier, pairs, speaks_of=("brier_score",)),
        Target("compare_with_release (Measured)", EPSILON, 0.0, _measured, pairs, effort=0.2, speaks_of=("Measured",)),
        Target("tune, two settings of a noisy mean", EPSILON, 0.0, _tune, _mean_pairs(), speaks_of=("tune",)),
    ]


class _Forecast:
    """A public forecaster: the second class is as likely as the row is long."""

    classes_ = np.array(CLASSES)
    n_features_in_ = 1

    def predict_proba(self, X: Any) -> Any:
        chance = np.clip(np.abs(np.asarray(X)[:, 0]), 0.0, 1.0)
        return np.column_stack([1 - chance, chance])


def _reliability(table: Data) -> Any:
    found = calibration.reliability_curve(_Forecast(), *table, bins=2, epsilon=EPSILON)
    return [found.counts, np.nan_to_num(found.observed, nan=-1.0), found.brier.value]


def _clipped(table: Data) -> Any:
    found = estimators.count_clipped(estimators.LogisticRegression(classes=CLASSES), *table, epsilon=EPSILON)
    return [found.rows_clipped, found.labels_clipped]


def _long_pairs() -> tuple[Pair, ...]:
    """Rows within their bound; one becomes too long, and its label none of the classes."""
    X, y = np.full((ROWS, 1), 0.5), np.zeros(ROWS, dtype=int)
    other, labels = X.copy(), y.copy()
    other[0], labels[0] = 9.0, 9
    return (
        Pair("all within; one row and its label beyond", (X, y), (other, labels)),
        Pair("all within; one row beyond", (X, y), (other, y)),
    )


def _brier(table: Data) -> Any:
    return calibration.brier_score(_Forecast(), *table, epsilon=EPSILON).value


def _measured(table: Data) -> Any:
    """Trained on the first half of the rows, judged on the second; the predictor that is asked knows neither."""
    X, y = table
    half, codes = ROWS // 2, np.arange(ROWS) % 2
    predictor = answering.StablePredictor(EPSILON, alpha=ALPHA, classes=CLASSES).fit(np.ones((ROWS, 1)), codes)
    parts = {"train": (X[:half], y[:half]), "held_out": (X[half:], y[half:])}
    found = predictor.compare_with_release(2, budget=(EPSILON, 0.0), charge=(EPSILON, 0.0), **parts)
    return [found.answers.value, found.pilot.value, found.model.coef_, found.model.intercept_]


def _mean_pairs() -> tuple[Pair, ...]:
    rows = np.zeros((ROWS, 1))
    other = rows.copy()
    other[-1] = 1.0
    first = np.roll(other, 1, axis=0)
    nobody = np.zeros(ROWS)
    return (
        Pair("rows of zeros; one to choose on becomes one", (rows, nobody), (other, nobody)),
        Pair("rows of zeros; one to train on becomes one", (rows, nobody), (first, nobody)),
    )


def _tune(table: Data) -> Any:
    """Half of ε chooses, half pays for a mean with Laplace noise."""
    values, half = table[0][:, 0], ROWS // 2
    procedure: tuning.Procedure[Array, float, float, Array] = tuning.Procedure(
        name="noisy mean",
        drawing=lambda bits: _laplace(int(bits.words(1)[0])),
        fit=lambda data, setting, noise: np.array([setting * (float(np.mean(data)) + noise * 2 / (EPSILON * ROWS))]),
        stated=lambda setting: setting * (1 + 1e-9) / half,
    )
    score: tuning.LipschitzScore[Array, Array] = tuning.LipschitzScore(
        "nearness", lambda model, held: -float(np.mean(np.clip(np.abs(held - model[0]), 0.0, 1.0))), 1.0, 1.0
    )
    best, model = tuning.tune(
        procedure,
        [0.5, 1.0],
        score,
        values[:half],
        values[half:],
        values,
        tuning.Rows(half, half),
        epsilon=EPSILON / 2,
        fit_event=PureRelease(EPSILON / 2),
    )
    return [str(best), model]


def _laplace(word: int) -> float:
    """A Laplace draw of scale one from 64 uniform bits: good enough for a table, too coarse for a release."""
    share = (word + 0.5) * 2.0**-64
    return math.copysign(math.log1p(-abs(2 * share - 1) * (1 - 1e-12)), 0.5 - share)
