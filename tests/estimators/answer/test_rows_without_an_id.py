"""Whoever lost their id leaves a slot that brings no rows: nothing but the answers, which are paid for, may show it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier

from equipoise.answering import AveragingPredictor, VotingPredictor

PEOPLE = 24
RNG = np.random.default_rng(3)
X = RNG.normal(size=(PEOPLE, 3)) / 3
Y = (X[:, 0] > 0).astype(int)

LARGE = 0.0417
"""A δ above one over the people, and below one over all of them but one: a warning counts them."""

SHARDED: dict[str, tuple[Any, dict[str, Any]]] = {
    "soft": (VotingPredictor, {"estimator": LogisticRegression()}),
    "gaussian": (VotingPredictor, {"estimator": LogisticRegression(), "method": "gaussian", "delta": LARGE}),
    "consensus": (VotingPredictor, {"estimator": LogisticRegression(), "method": "consensus", "delta": LARGE}),
    "words": (VotingPredictor, {"estimator": DecisionTreeClassifier(max_depth=1), "classes": [1, 0, 7]}),
    "coin": (AveragingPredictor, {"estimator": LogisticRegression(), "classes": [0, 1]}),
    "mean": (AveragingPredictor, {"estimator": Ridge(), "bounds": (0, 1), "delta": LARGE}),
}


def shows(name: str, ids: list[Any], shards: int, jobs: int = 1) -> list[str]:
    """All that a fit and the shape of its answers tell: errors, warnings, the promise."""
    kind, settings = SHARDED[name]
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            fitted = kind(**settings, shards=shards, n_jobs=jobs).fit(X, Y, groups=ids)
            told = [repr(fitted.guarantee_), str(fitted.predict(X[:2]).shape)]
        except Exception as error:  # noqa: BLE001 - whatever it is, it shows
            told = [repr(error)]
    return told + [str(each.message) for each in heard]


@pytest.mark.parametrize("name", SHARDED)
@settings(max_examples=12)
@given(
    lost=st.sets(st.integers(0, PEOPLE - 1)),
    gone=st.sampled_from([None, float("nan")]),
    shards=st.sampled_from([2, 24]),
)
def test_whoever_lost_their_id_does_not_show(name: str, lost: set[int], gone: Any, shards: int) -> None:
    """With as many shards as people every lost id leaves a shard without a row."""
    ids = [gone if place in lost else f"p{place}" for place in range(PEOPLE)]
    assert shows(name, ids, shards) == shows(name, [f"p{place}" for place in range(PEOPLE)], shards)


@pytest.mark.parametrize("name", SHARDED)
@pytest.mark.parametrize("lost", [1, PEOPLE])
def test_not_with_other_processes_either(name: str, lost: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.estimators.answer.shards.WORTH_A_POOL", 0.0)
    ids: list[Any] = [None] * lost + list(range(PEOPLE - lost))
    assert shows(name, ids, PEOPLE, jobs=2) == shows(name, list(range(PEOPLE)), PEOPLE, jobs=2)
