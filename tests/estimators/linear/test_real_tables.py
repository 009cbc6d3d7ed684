"""Utility on real tables, so that a change which wastes accuracy is seen.

Floors are some standard errors below what was measured with the encodings of `benchmarks/tables.py`; each test
averages a few fits.
The folder is EQUIPOISE_DATA, or shared/data beside the project.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import equipoise as eq

ROOT = Path(__file__).parents[3]


def load_tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("equipoise_tables", ROOT / "benchmarks" / "tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


TABLES = load_tables()
needs_data = pytest.mark.skipif(not TABLES.FOLDER.is_dir(), reason="no folder of real tables: set EQUIPOISE_DATA")


def score(name: str, epsilon: float, fits: int) -> float:
    table = TABLES.TABLES[name]()
    values = []
    for seed in range(fits):
        order = np.random.default_rng(seed).permutation(len(table.y))
        train, test = np.split(order, [int(0.8 * len(order))])
        model: Any
        if table.label_bounds is None:
            model = eq.LogisticRegression(epsilon, 1e-6, classes=sorted(set(table.y.tolist())), random_state=seed)
        else:
            model = eq.LinearRegression(epsilon, 1e-6, label_bounds=table.label_bounds, random_state=seed)
        model.fit(table.X[train], table.y[train])
        values.append(model.score(table.X[test], table.y[test]))
    return float(np.mean(values))


@needs_data
@pytest.mark.parametrize(
    ("name", "epsilon", "fits", "floor"),
    [
        ("adult", 0.1, 2, 0.815),
        ("adult", 1.0, 1, 0.835),
        ("magic", 0.1, 5, 0.75),
        ("magic", 1.0, 3, 0.775),
        ("warfarin", 0.3, 6, 0.15),
        ("warfarin", 3.0, 4, 0.38),
        ("farm-ads", 3.0, 2, 0.75),
    ],
)
def test_defaults_are_worth_having_on_real_tables(name: str, epsilon: float, fits: int, floor: float) -> None:
    assert score(name, epsilon, fits) > floor
