"""Shards, studies and audits on the same workers: through joblib, which every one of them uses."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from distributed import Client
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from equipoise.answering import AveragingPredictor, VotingPredictor
from equipoise.audit import lower_bound
from equipoise.errors import InvalidInput
from equipoise.estimators.answer import shards
from equipoise.studies.common.resumable import complete


def table() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_200, 3))
    return X, (X[:, 0] + rng.logistic(size=1_200) > 0).astype(np.int64)


def busy(client: Client) -> int:
    """How many workers have trained a shard."""

    def trained() -> bool:
        return "equipoise.inside.answers.shards" in __import__("sys").modules

    assert "equipoise.inside.answers.shards" in sys.modules
    return sum(client.run(trained).values())


def test_shards_are_trained_by_workers_and_answer_as_those_trained_here(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each by its own rows and its own seed, so where does not matter; answers are drawn here."""
    monkeypatch.setattr(shards, "WORTH_A_POOL", 0.0)
    X, y = table()
    asked = np.random.default_rng(1).normal(size=(40, 3))
    made: list[Any] = [
        VotingPredictor(LogisticRegression(), shards=12, random_state=3),
        AveragingPredictor(DecisionTreeRegressor(max_depth=3), bounds=(0, 1), shards=12, random_state=3),
    ]
    for predictor in made:
        here = predictor.set_params(n_jobs=1).fit(X, y).predict(asked)
        with joblib.parallel_config("dask"):
            there = predictor.set_params(n_jobs=-1).fit(X, y).predict(asked)
        np.testing.assert_array_equal(here, there)
    assert busy(client) == 2


def test_a_study_is_computed_by_workers(client: Client, tmp_path: Path) -> None:
    from dataclasses import make_dataclass

    point = make_dataclass("point", [("task", int), ("where", int)])

    def measure(task: int, data: int) -> Any:
        import os

        return point(task + 0 * data, os.getpid())

    with joblib.parallel_config("dask"):
        found, computed = complete(
            list(range(8)), {}, measure, 0, tmp_path / "points.jsonl", "mark", 2, lambda done, of: None
        )
    assert computed == 8
    assert [one.task for one in found] == list(range(8))
    assert {one.where for one in found} <= set(client.run(__import__("os").getpid).values())


def release(data: float) -> float:
    return float(data + np.random.default_rng().laplace())


def test_an_audit_draws_on_workers(client: Client) -> None:
    def far(data: float) -> float:
        return float(data + __import__("numpy").random.default_rng().laplace())

    found = lower_bound(far, 0.0, 1.0, samples=400, jobs=2, backend="cluster")
    assert 0 <= found.epsilon <= 1.5


def test_without_a_client_no_audit_is_drawn_on_workers() -> None:
    with pytest.raises(InvalidInput, match=r"needs a distributed\.Client in force"):
        lower_bound(release, 0.0, 1.0, samples=40, jobs=2, backend="cluster")
