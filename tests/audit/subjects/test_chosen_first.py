"""Files of fits that found out something first: honest ones survive, and choices are a part of what is claimed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise.audit.subjects.stored import audit_model

RNG = np.random.default_rng(0)
X = np.clip(RNG.normal(size=(9000, 4)), -2, 2)
Y = 30 + 7 * X[:, 0] + RNG.normal(size=9000)


def fitted(kind: Any = eq.LinearRegression, labels: Any = Y, **more: Any) -> Any:
    settings: dict[str, Any] = {"row_norm": 5.0, "label_bounds": (0.0, 3000.0)} | more
    return kind(1.0, **settings).fit(X, labels).model_


def outcomes(model: Any) -> dict[str, bool | None]:
    return {each.name: each.held for each in audit_model(model, "x").attempts}


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize(
    "ends",
    [
        (0.0, 3000.0),
        (-3000.0, 60.0),
        (1700000000.1, 1700000100.3),
        (299792.458, 299792.468),
        (1000000.1, 1000000.2),
        (6378137.0, 6378137.001),
        (-1e-9, 1e-9),
        (0.0, 1e12),
    ],
)
@pytest.mark.parametrize("part", [0.01, 0.5])
def test_honest_files_are_never_broken(ends: tuple[float, float], part: float, delta: float) -> None:
    """Wherever bounds lie, and whether or not a range was found."""
    labels = ends[0] + (ends[1] - ends[0]) * (0.3 + part * np.clip(X[:, 0] / 4, -0.5, 0.5))
    model = fitted(labels=labels, label_bounds=ends, delta=delta)
    assert "privacy of the usual labels" in model.guarantee.constants
    assert ("usual label lower bound" in model.guarantee.constants) is (part < 0.1)
    assert False not in outcomes(model).values()


CASES = [
    (eq.LinearRegression, "output", 0.0),
    (eq.LinearRegression, "output", 1e-6),
    (eq.ElasticNet, "output", 0.0),
    (eq.ElasticNet, "output", 1e-6),
    (eq.LinearRegression, "noisy-gradient", 1e-6),
    (eq.LinearRegression, "objective", 0.0),
    (eq.LinearRegression, "objective", 1e-6),
]


@pytest.mark.parametrize(("kind", "mechanism", "delta"), CASES)
def test_a_file_that_adds_choices_to_a_whole_fit_is_found_out(kind: Any, mechanism: str, delta: float) -> None:
    """Noise for all of ε, and choices on top: more was spent than is claimed.  What tilts an objective is a part of
    what it promises, so that its noise alone tells less; the file cannot be derived again."""
    honest = fitted(delta=delta).guarantee.constants
    chosen = {name: value for name, value in honest.items() if "usual label" in name or "usual ones" in name}
    assert len(chosen) == 4
    whole = fitted(kind, delta=delta, mechanism=mechanism)
    assert False not in outcomes(whole).values()
    lie = replace(whole.guarantee, constants=whole.guarantee.constants | chosen)
    found = outcomes(replace(whole, guarantee=lie))
    assert False in found.values() or (mechanism == "objective" and found["constants derived again"] is None)
