"""Functions that release by themselves, at the size of the audit table."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from equipoise import answering, calibration, estimators, tuning
from equipoise.audit.frozen.pairs_at_corners import Array, Data, Pair
from equipoise.audit.subjects.targets import Target, corners
from equipoise.theory.events import PureRelease

EPSILON, ROWS, ALPHA = 1.0, 8, 1.0
CLASSES = (0, 1)


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
