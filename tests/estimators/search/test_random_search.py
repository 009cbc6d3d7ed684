"""A setting drawn at random: nothing is spent on choosing, and no record has a say."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

import equipoise as eq
from equipoise.tuning import RandomSearch

FALSE_ALARM = 1e-6
GRID = {"alpha": [0.5, 1.0, 2.0, 4.0]}


def people(n: int = 60, seed: int = 0) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) / 2
    return X, np.clip(X[:, 0], -1, 1)


def regression(epsilon: float = 1.0, delta: float = 0.0, **settings: Any) -> eq.LinearRegression:
    return eq.LinearRegression(epsilon, delta, mechanism="output", **{"label_bounds": (-1, 1)} | settings)


def test_every_candidate_is_equally_likely() -> None:
    X, y = people(12)
    seen = Counter(RandomSearch(regression(), GRID, random_state=seed).fit(X, y).best_index_ for seed in range(120))
    assert stats.chisquare([seen[place] for place in range(4)]).pvalue > FALSE_ALARM


def test_records_have_no_say_in_the_draw() -> None:
    for seed in range(8):
        search = RandomSearch(regression(), GRID, random_state=seed)
        first = search.fit(*people(seed=1)).best_index_
        assert search.fit(*people(seed=2)).best_index_ == first


def test_it_costs_what_the_drawn_fit_costs_on_all_rows() -> None:
    ledger = eq.Ledger()
    search = RandomSearch(regression(1.0, 1e-6), GRID, ledger=ledger).fit(*people())
    plan = regression(1.0, 1e-6, **search.best_params_).plan(60, 2)
    assert [record.event for record in ledger.entries()] == [plan.event]
    promise = search.guarantee_
    assert (promise.mechanism, promise.epsilon, promise.delta) == ("random search", 1.0, 1e-6)
    assert promise.noise_scale == plan.noise_scale
    assert any("drawn at random" in note for note in promise.notes)


def test_standard_errors_survive_a_choice_that_did_not_look() -> None:
    search = RandomSearch(regression(5.0), GRID).fit(*people())
    errors, _ = search.best_estimator_.standard_errors()
    assert np.all(errors > 0)


def test_secure_bits_draw_differently_every_time() -> None:
    X, y = people()
    assert len({RandomSearch(regression(), GRID).fit(X, y).best_index_ for _ in range(30)}) > 1
