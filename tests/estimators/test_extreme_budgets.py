"""Budgets from all over the range of doubles: told before the debit, in one line, or kept, and more is never refused.

Noise that no sampler draws was planned, paid for and then refused; sums of ε beyond doubles ended fits as well.
"""

from __future__ import annotations

import inspect
import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge
from tests.estimators.test_odd_parameters import is_free
from tests.lists.subjects import CALLS, CLASSES, ESTIMATORS, RANGE, X, fit

import equipoise as eq
from equipoise import answering, tuning

EPSILONS = (5e-324, 1e-300, 1e-10, 1e-3, 1.0, 1e6, 1e12, 1e300, 1.7e308)
DELTAS = (0.0, 1e-300, 1e-6)
ADDED = {"adjacency": "add-remove", "public_n": 40}
MECHANISMS = (
    *("output", "objective", "noisy-gradient", "constant", "sgd", "momentum", "sufficient-statistics", "functional"),
    *("projected-histogram", "output-as-printed"),
)
SEARCHES = [kind for kind, given in ESTIMATORS.items() if "param_grid" in given and kind is not tuning.OracleSearch]
SEARCHED: list[Any] = [
    eq.LinearSVC(),
    *(eq.LogisticRegression(mechanism=name) for name in ("output", "objective", "noisy-gradient")),
]

CASES: list[tuple[Any, dict[str, Any]]] = [
    *((kind, {}) for kind in (*ESTIMATORS, *CALLS) if kind is not tuning.OracleSearch),
    *((eq.LogisticRegression, {"mechanism": name}) for name in MECHANISMS),
    *((eq.LinearRegression, {"mechanism": name, **RANGE}) for name in MECHANISMS),
    *((eq.LinearRegression, {"mechanism": name, "coef_norm": 1.0, **RANGE}) for name in MECHANISMS),
    *((kind, ADDED) for kind in ESTIMATORS if "adjacency" in inspect.signature(kind).parameters),
    *((search, {"estimator": each}) for search in SEARCHES for each in SEARCHED),
]


def _settings(kind: Any, given: dict[str, Any], epsilon: float, delta: float) -> dict[str, Any]:
    settings = {"random_state": 0} | (CALLS | ESTIMATORS)[kind] | given | {"epsilon": epsilon, "delta": delta}
    if "param_grid" in settings:
        settings["estimator"] = clone(settings["estimator"]).set_params(epsilon=epsilon, delta=delta)
    return {name: each for name, each in settings.items() if name in inspect.signature(kind).parameters}


def _tried(kind: Any, settings: dict[str, Any], groups: Any = None) -> tuple[str, eq.Ledger]:
    """What is told of a refusal, and the ledger.  Whatever else there is to hear ends the test."""
    ledger, refused = eq.Ledger(), ""
    with warnings.catch_warnings(), np.errstate(all="warn", under="ignore"):
        warnings.simplefilter("error")
        for ours in (eq.PrivacyWarning, tuning.NoisyChoice):
            warnings.simplefilter("ignore", ours)
        try:
            if groups is not None:
                kind(**settings, ledger=ledger).fit(X, CLASSES, groups=groups)
            elif kind in CALLS:
                kind(**settings, ledger=ledger)
            else:
                fit(kind, settings | {"ledger": ledger})
        except eq.EquipoiseError as told:
            refused = str(told)
    assert not refused or (is_free(refused) and ledger.entries() == ()), (refused, settings)
    return refused, ledger


@pytest.mark.parametrize(("kind", "given"), CASES, ids=lambda each: getattr(each, "__name__", str(each)[:50]))
def test_any_budget_is_refused_before_the_debit_or_kept_and_more_is_never_refused(
    kind: Any, given: dict[str, Any]
) -> None:
    twice = 2 if given is ADDED or _answers_twice(kind) else 1
    for delta in DELTAS:
        served = False
        for epsilon in EPSILONS:
            told, ledger = _tried(kind, _settings(kind, given, epsilon, delta))
            beyond_doubles = twice * epsilon == np.inf
            assert not (told and served) or beyond_doubles, (epsilon, delta, told)
            served = served or not told
            if told:
                continue
            assert len(ledger.entries()) > 0
            if delta == 0 and not beyond_doubles:
                assert ledger.spent(0.0).epsilon <= twice * epsilon * (1 + 1e-9)
                assert kind is eq.SimplexFTRL or ledger.spent(0.0).epsilon >= 0.99 * epsilon


def _answers_twice(kind: Any) -> bool:
    """Those that answer two questions here, at the price each."""
    return inspect.isclass(kind) and issubclass(kind, answering.PrivatePredictor)


@pytest.mark.parametrize("search", SEARCHES)
def test_persons_in_a_search_are_served_at_any_larger_budget(search: Any) -> None:
    for delta, epsilon in itertools.product((0.0, 1e-6), (1.0, 13.0, 30.0, 1e3, 1e12, 1.7e308)):
        settings = _settings(search, {}, epsilon, delta)
        told, ledger = _tried(search, settings, np.arange(40) // 2)
        assert told == ""
        if delta == 0:
            assert ledger.spent(0.0).epsilon == pytest.approx(epsilon)


@pytest.mark.parametrize("row_norm", [1e-30, 1e-29, 1e29, 1e30])
@pytest.mark.parametrize("kind", [eq.LogisticRegression, eq.LinearSVC, eq.LinearRegression, eq.ElasticNet])
def test_the_shortest_and_the_longest_rows_are_fitted(kind: Any, row_norm: float) -> None:
    told, _ = _tried(kind, ESTIMATORS[kind] | {"row_norm": row_norm})
    assert told == ""


@pytest.mark.parametrize("kind", [eq.AdditiveClassifier, eq.AdditiveRegressor, eq.PeelingSelector])
@pytest.mark.parametrize("edge", [1e31, 1e300, 1e308, 1.7e308])
def test_ranges_beyond_all_units_are_told_by_their_name(kind: Any, edge: float) -> None:
    for low in (-edge, 0.0):
        bounds = [(low, edge)] * 2
        told, _ = _tried(kind, ESTIMATORS[kind] | {"column_bounds": bounds})
        assert told.startswith("column_bounds=")


@pytest.mark.parametrize("epsilon", [1e3, 1e12, 1.7e308])
def test_nothing_is_clamped_away_however_fine_the_noise(epsilon: float) -> None:
    """Grids as fine as the noise held next to nothing: at 1e12 a count of forty was four."""
    rows = np.tile([[0.25, 0.25], [0.75, 0.75]], (20, 1))
    density = eq.HistogramDensity(epsilon, bins=2, bounds=[(0, 1), (0, 1)], random_state=0).fit(rows)
    np.testing.assert_allclose(np.exp(density.score_samples([[0.25, 0.25], [0.75, 0.75]])), [2.0, 2.0], rtol=0.01)
    near, far = np.tile([[0.1, 0.2]], (40, 1)), np.full(40, 0.5)
    mean = answering.AveragingPredictor(Ridge(), epsilon=epsilon, shards=4, bounds=(-1, 1), random_state=0)
    assert mean.fit(near, far).predict(near[:1]) == pytest.approx([0.5], abs=0.01)
