"""Public parameters from all over the range of doubles: a caller sees the same of every table.

What is refused is refused before the debit, in one line and for every table alike; what is released is a model, without
a warning, whatever the records hold and however the noise fell.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import equipoise as eq
from equipoise.estimators.linear.units import within_doubles
from equipoise.theory.bounds import Bounds

Array = npt.NDArray[Any]
Random = np.random.Generator
GENERAL = ["auto", "output", "output", "output", "objective", "noisy-gradient", "constant"]
QUADRATIC = ["sufficient-statistics", "functional", "projected-histogram"]


def _anything(rng: Random, widest: float) -> float:
    """At the very edge half of the time: overflow needs several extremes at once."""
    return float(10.0 ** (widest * (rng.uniform(-1, 1) if rng.random() < 0.5 else rng.choice([-0.99, 0.99]))))


def _extreme(index: int) -> Any:
    rng = np.random.default_rng([5, index])
    row_norm = _anything(rng, 30)
    given: dict[str, Any] = {
        "epsilon": float(10.0 ** rng.uniform(-8, 9)),
        "delta": float(rng.choice([0.0, 1e-6])),
        "row_norm": row_norm,
        "fit_intercept": bool(rng.random() < 0.7),
        "random_state": index,
    }
    if rng.random() < 0.8:
        given["alpha"] = float(np.clip(row_norm**2 * 10.0 ** rng.uniform(-90, 20), 1e-59, 1e59))
    if rng.random() < 0.2:
        given["coef_norm"] = _anything(rng, 30)
    if rng.random() < 0.3:
        given |= {"adjacency": "add-remove", "public_n": int(rng.choice([1, 30, 10**6, 2**40]))}
    if rng.random() < 0.2:
        lows = [float(rng.choice([-1, 1])) * _anything(rng, 28) for _ in range(2)]
        given["column_bounds"] = [(low, low + abs(low) * _anything(rng, 2) + 1e-20) for low in lows]
    kind = int(rng.choice([0, 1, 2, 3, 3, 3, 4]))
    given["mechanism"] = str(rng.choice(GENERAL + (QUADRATIC if kind > 2 else [])))
    if kind < 2:
        return eq.LogisticRegression(classes=[0, 1, 2][: 2 + kind], **given)
    if kind == 2:
        return eq.LinearSVC(classes=[0, 1], **given)
    edge = 1e209 if rng.random() < 0.6 else _anything(rng, 209)
    given["label_bounds"] = (-edge, edge) if rng.random() < 0.5 else (edge, 3 * edge)
    return (eq.LinearRegression if kind == 3 else eq.HuberRegressor)(**given)


def _tables(model: Any, rng: Random) -> list[tuple[Array, Array]]:
    """The last is a neighbour of the second."""
    low, high = getattr(model, "label_bounds", None) or (0, 1)
    X = rng.normal(size=(30, 2)) * model.row_norm
    y = np.where(X[:, 0] > 0, high, low)
    beside, other = X.copy(), y.copy()
    beside[0], other[0] = model.row_norm * np.array([1e9, -1.0]), high + low - y[0]
    return [(np.zeros((30, 2)), np.full(30, low)), (X, y), (beside, other)]


def _seen(model: Any, X: Array, y: Array) -> tuple[str, bool, tuple[str, ...]]:
    """What a caller is told, whether anything was spent, and every warning."""
    ledger, told = eq.Ledger(), ""
    with warnings.catch_warnings(record=True) as heard, np.errstate(all="warn"):
        warnings.simplefilter("always")
        try:
            model.set_params(ledger=ledger).fit(X, y)
        except eq.EquipoiseError as error:
            told = str(error)
    if not told:
        assert np.all(np.isfinite(model.coef_))
        assert np.all(np.isfinite(model.intercept_))
    return told, ledger.spent().epsilon > 0, tuple(str(each.message) for each in heard)


def _check(first: int, count: int) -> int:
    """How many were released."""
    released = 0
    for index in range(first, first + count):
        model = _extreme(index)
        seen = {_seen(model, *table) for table in _tables(model, np.random.default_rng(index))}
        assert len(seen) == 1, (index, seen)
        ((told, spent, heard),) = seen
        assert heard == (), (index, heard)
        assert "\n" not in told
        assert spent == (told == ""), (index, told)
        released += spent
    return released


def test_neighbouring_tables_look_alike_under_extreme_parameters() -> None:
    assert _check(0, 120) > 30


@pytest.mark.parametrize("mechanism", sorted({*GENERAL, *QUADRATIC}))
def test_numbers_beyond_doubles_in_the_callers_units_are_released_without_a_word(mechanism: str) -> None:
    """The intercept overflowed after the debit: a warning or an error, by how the noise fell."""
    for seed in range(4):
        model = eq.LinearRegression(
            1.0,
            1e-6 if mechanism == "noisy-gradient" else 0.0,
            mechanism=mechanism,
            alpha=1e-42,
            row_norm=1e15,
            label_bounds=(-1e209, 1e209),
            random_state=seed,
        )
        seen = {_seen(model, *table) for table in _tables(model, np.random.default_rng(seed))}
        assert len(seen) == 1
        ((told, spent, heard),) = seen
        assert heard == ()
        assert spent == (told == "")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 6_000, 500))
def test_thousands_of_tables_look_alike_under_extreme_parameters(first: int) -> None:
    assert _check(first, 500) > 100


def test_what_cuts_released_numbers_leaves_those_of_ordinary_units_alone() -> None:
    value = np.array([-1e30, 0.0, 1e-300, 1e60])
    for bounds in (Bounds(1.0), Bounds(1e30, 1.0, (-1e30, 1e30)), Bounds(1.0, 1.0, columns=((1e29, 2e29),) * 3)):
        np.testing.assert_array_equal(within_doubles(value, bounds), value)
