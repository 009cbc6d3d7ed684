"""A table with a curve, a column of words and gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import equipoise as eq

BOUNDS = {"age": (20, 80), "dose": (0, 10)}
CATEGORIES = {"site": ["north", "south"]}
STATED: dict[str, Any] = {"column_bounds": BOUNDS, "categories": CATEGORIES, "knots": 8}


@pytest.fixture(scope="session")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "age": rng.uniform(15, 90, 600),
            "site": rng.choice(["north", "south", "west"], 600),
            "dose": rng.uniform(-1, 11, 600),
        }
    )
    table.loc[::17, "dose"] = np.nan
    table.loc[5::23, "site"] = None
    return table


@pytest.fixture(scope="session")
def outcome(frame: pd.DataFrame) -> Any:
    """A hill over age, and a little of the site."""
    rng = np.random.default_rng(4)
    score = 3 - ((frame["age"] - 50) / 12) ** 2 + (frame["site"] == "south")
    return (score + rng.logistic(size=len(frame)) > 0).astype(int).to_numpy()


@pytest.fixture(params=["classifier", "regressor"])
def made(request: pytest.FixtureRequest) -> Any:
    """Either estimator, with whatever else is asked for."""

    def make(epsilon: float = 20.0, delta: float = 1e-5, **more: Any) -> Any:
        given = STATED | {"random_state": 0} | more
        if request.param == "classifier":
            return eq.AdditiveClassifier(epsilon, delta, **given)
        return eq.AdditiveRegressor(epsilon, delta, label_bounds=(0, 1), **given)

    return make
