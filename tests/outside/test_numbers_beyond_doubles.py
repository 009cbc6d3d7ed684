"""Whole numbers that no double holds, in parameters and in files: one line, before anything is spent."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equipoise as eq

HUGE = 10**400
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)) / 2
Y = (X[:, 0] > 0).astype(int)
MODELS: dict[str, Any] = {
    "linear": lambda: eq.LogisticRegression(1.0).fit(X, Y),
    "additive": lambda: eq.AdditiveClassifier(1.0, column_bounds={0: (-1, 1), 1: (-1, 1)}, categories={2: [0, 1]}).fit(
        X, Y
    ),
    "simplex": lambda: eq.SimplexClassifier(1.0).fit(X, Y),
    "tasks": lambda: eq.MultiTaskRegressor(1.0, tasks=[0, 1], label_bounds=(0, 1)).fit(np.column_stack([Y, X]), Y),
}


def places(held: Any) -> Iterator[tuple[Any, Any]]:
    """Every list or mapping with a key or place in it that holds a number."""
    pairs = held.items() if isinstance(held, dict) else enumerate(held[:3]) if isinstance(held, list) else ()
    for name, inner in list(pairs):
        if isinstance(inner, int | float):
            yield held, name
        yield from places(inner)


@pytest.mark.parametrize("name", MODELS)
def test_in_a_file(name: str, tmp_path: Path) -> None:
    path, rows = tmp_path / "model.json", np.zeros((1, 4 if name == "tasks" else 3))
    MODELS[name]().save(path)
    held = json.loads(path.read_text(encoding="utf-8"))
    for where, key in places(held):
        kept, where[key] = where[key], HUGE
        path.write_text(json.dumps(held), encoding="utf-8")
        with contextlib.suppress(eq.EquipoiseError):
            eq.load(path).predict(rows)
        where[key] = kept


@pytest.mark.parametrize("setting", ["epsilon", "delta", "alpha", "row_norm", "coef_norm", "centre", "slope_cap"])
def test_in_a_parameter(setting: str) -> None:
    ledger, given = eq.Ledger(1.0), {setting: HUGE}
    with pytest.raises(eq.EquipoiseError) as told:
        eq.LogisticRegression(ledger=ledger).set_params(**given).fit(X, Y)
    assert len(str(told.value)) < 200
    assert ledger.spent().epsilon == 0


def test_values_that_doubles_do_not_tell_apart_are_no_categories() -> None:
    with pytest.raises(eq.EquipoiseError, match="differ as doubles"):
        eq.AdditiveClassifier(1.0, categories={0: [2**53, 2**53 + 1]}).plan(100, 1)


@pytest.mark.filterwarnings("ignore::equipoise.PrivacyWarning")
def test_what_hardly_fits_a_double_is_planned_or_refused() -> None:
    assert "epsilon" in str(eq.LogisticRegression(1e308).plan(60, 3))
    eq.SimplexClassifier(1.0, coef_norm=1e12).fit(X, Y)
    with pytest.raises(eq.EquipoiseError, match="centre"):
        eq.LogisticRegression(1.0, centre=[]).fit(X, Y)


@pytest.mark.filterwarnings("ignore::equipoise.PrivacyWarning")
@pytest.mark.parametrize("delta", [0.0, 1e-6, 1e-3])
@pytest.mark.parametrize("made", [{}, {"epsilon": 50.0, "delta": 0.01}])
def test_a_model_of_any_account_is_saved_and_read_again(made: dict[str, Any], delta: float, tmp_path: Path) -> None:
    """One without a limit has spent without bound at δ = 0, once an entry is Gaussian."""
    rows = np.random.default_rng(0).uniform(-1, 1, (3000, 12))
    ledger = eq.Ledger(**made)
    model = eq.LinearRegression(1.0, delta, row_norm=6.0, label_bounds=(-1, 1), ledger=ledger).fit(rows, rows[:, 0])
    model.save(tmp_path / "model.json")
    assert eq.load(tmp_path / "model.json").origin == model.model_.origin
    assert json.dumps(model.card().to_json(), allow_nan=False)
