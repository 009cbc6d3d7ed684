"""Which rows a search by stability trains on and which it scores on: never the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise import tuning
from equipoise.estimators.search import stability_search
from equipoise.gate.choices.validate import validate
from equipoise.inside import Private, Records


def test_no_row_is_both_trained_on_and_scored_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, set[float]] = {}

    def watched(*given: Any) -> int:
        parts: tuple[Private[Records], Private[Records]] = given[3], given[4]
        for name, part in zip(("trained", "scored"), parts, strict=True):
            seen[name] = set(part.reveal().design.matvec(np.ones(1)).tolist())
        return validate(*given)

    monkeypatch.setattr(stability_search, "validate", watched)
    X = np.linspace(-1, 1, 300)[:, None]
    estimator = eq.LogisticRegression(epsilon=20.0, fit_intercept=False, classes=[0, 1])
    search = tuning.StabilitySearch(estimator, {"alpha": [0.1, 1.0]}, random_state=0)
    search.fit(X, (X[:, 0] > 0).astype(int))
    assert len(seen["trained"]) + len(seen["scored"]) == 300
    assert not seen["trained"] & seen["scored"]
