"""What is saved is what was released; the card says it in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import equipoise as eq


@pytest.mark.parametrize("mechanism", ["auto", "output"])
def test_saved_model_predicts_the_same(kind: Any, mechanism: str, table: Any, tmp_path: Path) -> None:
    X, y = table
    model = kind(1.0, 1e-6, mechanism=mechanism).fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = eq.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    assert loaded.guarantee == model.guarantee_
    assert str(loaded.card()) == str(model.card())


def test_saved_words_and_column_names_come_back(classifier: Any, table: Any, tmp_path: Path) -> None:
    X, y = table
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = classifier(classes=["no", "yes"]).fit(frame, np.where(y == 1, "yes", "no"))
    model.save(tmp_path / "model.json")
    loaded = eq.load(tmp_path / "model.json")
    assert loaded.classes == ("no", "yes")
    assert loaded.feature_names == ("a", "b", "c")
    assert loaded.predict(frame).tolist() == model.predict(frame).tolist()


def test_saved_probabilities_are_equal(table: Any, tmp_path: Path) -> None:
    X, y = table
    model = eq.LogisticRegression(classes=[0, 1, 2]).fit(X, y)
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(eq.load(tmp_path / "model.json").predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("mechanism", ["output", "objective", "noisy-gradient"])
def test_card_states_the_guarantee(kind: Any, mechanism: str, table: Any) -> None:
    smooth = {"smoothing": 0.5} if kind is eq.LinearSVC else {}
    model = kind(0.75, 1e-6, mechanism=mechanism, **smooth).fit(*table)
    text = str(model.card())
    for words in (kind.__name__, mechanism, "0.75", "1e-6", "replace-one", "not covered", "one row"):
        assert words in text
    facts = model.card().to_json()
    assert (facts["mechanism"], facts["epsilon"], facts["delta"]) == (mechanism, 0.75, 1e-6)
    assert set(model.guarantee_.constants) <= set(json.loads(json.dumps(facts))["constants"])


def test_card_says_why_the_choice_was_made(kind: Any, table: Any) -> None:
    text = " ".join(str(kind(1.0, 1e-6).fit(*table).card()).split())
    assert "mechanism chosen by predicted excess risk" in text
    assert "chosen by predicted excess risk" in text.split("Why these choices")[1]


@pytest.mark.parametrize("method", ["predict", "save", "card", "decision_function", "predict_proba"])
def test_nothing_can_be_done_before_fitting(kind: Any, method: str, tmp_path: Path) -> None:
    model = kind()
    action = getattr(model, method, model.predict)
    arguments = [] if method == "card" else [tmp_path / "model.json"]
    with pytest.raises(NotFittedError):
        action(*arguments)
