"""Malformed X and y: one line, no data in it.  Shapes and types are free to refuse; values cost the planned budget."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

import equipoise as eq

X = np.full((6, 2), 123456.789)
Y = np.array([0, 1, 0, 1, 1, 0])
TEXT = X.astype(object)
TEXT[3, 1] = "secret-7"
DICTIONARY = X.astype(object)
DICTIONARY[3, 1] = {"secret-7": 123456.789}

BAD_SHAPES: dict[str, tuple[Any, Any]] = {
    "X flat": (X[:, 0], Y),
    "X a number": (123456.789, Y),
    "X deep": (np.stack([X, X]), Y),
    "X none": (None, Y),
    "X empty": (X[:0], Y[:0]),
    "X without columns": (X[:, :0], Y),
    "X ragged": ([[123456.789, 1.0], [123456.789]], [0, 1]),
    "X complex": (X + 1j, Y),
    "X sparse complex": (sparse.csr_array(X + 1j), Y),
    "X text": (TEXT, Y),
    "X all text": (np.full((6, 2), "secret-7"), Y),
    "X bytes": (np.full((6, 2), b"secret-7"), Y),
    "X one word": ("secret-7", Y),
    "X of objects": (DICTIONARY, Y),
    "X pandas text": (pd.DataFrame({"a": ["secret-7"] * 6}), Y),
    "X polars text": (pl.DataFrame({"a": ["secret-7"] * 6}), Y),
    "X column names of several types": (pd.DataFrame({"a": X[:, 0], 1: X[:, 1]}), Y),
    "one record": (X[:1], Y[:1]),
    "y none": (X, None),
    "y shorter": (X, Y[:-1]),
    "y longer": (X, np.append(Y, 1)),
    "y of two columns": (X, X),
    "y complex": (X, X[:, 0] + 1j),
    "y sparse": (X, sparse.csr_array(X[:, :1])),
    "y a dictionary": (X, {"secret-7": 123456.789}),
    "y a number": (X, 123456.789),
}


def holding(value: float) -> np.typing.NDArray[np.float64]:
    rows = X.copy()
    rows[3, 1] = value
    return rows


BAD_VALUES: dict[str, tuple[Any, Any]] = {
    "NaN": (holding(np.nan), Y),
    "infinity": (holding(np.inf), Y),
    "minus infinity": (holding(-np.inf), Y),
    "NaN in singles": (holding(np.nan).astype(np.float32), Y),
    "NaN in float16": (np.full((6, 2), np.nan, dtype=np.float16), Y),
    "NaN in objects": (holding(np.nan).astype(object), Y),
    "NaN in CSR": (sparse.csr_array(holding(np.nan)), Y),
    "infinity in COO": (sparse.coo_matrix(holding(np.inf)), Y),
    "missing in pandas": (pd.DataFrame({"a": pd.array([1, None, 3, 4, 5, 6], dtype="Int64")}), Y),
    "missing in polars": (pl.DataFrame({"a": [1.0, None, 3.0, 4.0, 5.0, 6.0]}), Y),
    "NaN in y": (X, np.where(Y == 1, np.nan, 0.0)),
    "infinity in y": (X, np.where(Y == 1, np.inf, 0.0)),
    "missing in y": (X, pd.Series(pd.array([0, None, 0, 1, 1, 0], dtype="Int64"))),
    "text in y": (X, np.array(["secret-7", "b"] * 3)),
    "objects in y": (X, np.array(["secret-7", 3] * 3, dtype=object)),
}


@pytest.mark.parametrize("case", BAD_SHAPES)
def test_wrong_shape_or_type_is_refused_for_free(kind: Any, case: str, refused: Any) -> None:
    ledger = eq.Ledger()
    message = refused(kind(ledger=ledger), *BAD_SHAPES[case])
    assert message.startswith(("X", "y"))
    assert ledger.entries() == ()


@pytest.mark.parametrize("case", BAD_VALUES)
def test_refusing_a_value_costs_what_was_planned(kind: Any, case: str, refused: Any) -> None:
    ledger = eq.Ledger()
    message = refused(kind(0.5, ledger=ledger), *BAD_VALUES[case])
    assert message.startswith(("X", "y", "classes"))
    assert [record.state for record in ledger.entries()] == ["reserved"]
    assert ledger.spent().epsilon == pytest.approx(0.5)


@pytest.mark.parametrize("case", [*BAD_VALUES, "labels outside classes"])
def test_exhausted_budget_is_noticed_before_a_value_is_looked_at(kind: Any, case: str) -> None:
    ledger = eq.Ledger(0.5)
    rows, labels = BAD_VALUES.get(case, (X, Y + 5))
    with pytest.raises(eq.BudgetExhausted):
        kind(1.0, ledger=ledger).fit(rows, labels)
    assert ledger.entries() == ()


@pytest.mark.parametrize(
    ("classes", "labels"),
    [
        (["a", "b"], ["a", "b", "secret-7", "a", "b", "a"]),
        ([1, 2], [1, 2, 123456.789, 1, 2, 1]),
        ([0, 1], [0, 1, -1, 0, 1, 0]),
        ([0, 1], ["secret-7", "b"] * 3),
    ],
)
def test_label_outside_classes_is_refused_and_not_quoted(
    classifier: Any, classes: Any, labels: Any, refused: Any
) -> None:
    ledger = eq.Ledger()
    message = refused(classifier(classes=classes, ledger=ledger), X, np.array(labels))
    assert "outside classes" in message
    assert len(ledger.entries()) == 1


@pytest.mark.parametrize("labels", [[1, 2] * 3, ["secret-7", "b"] * 3, [-1, 0] * 3, [0.5, 123456.789] * 3])
def test_labels_that_follow_no_convention_must_be_listed(classifier: Any, labels: Any) -> None:
    with pytest.raises(eq.BoundsRequired, match="classes") as caught:
        classifier().fit(X, labels)
    assert "secret-7" not in str(caught.value)


@pytest.mark.parametrize(
    "labels", [X[:, 0], np.array([None, 1] * 3, dtype=object), np.array(["secret-7", 3] * 3, dtype=object)]
)
def test_labels_that_are_no_classes_cannot_be_observed(classifier: Any, labels: Any, refused: Any) -> None:
    labels = np.array(labels)
    labels[0] = labels[0] if labels.dtype == object else 0.25
    assert "Unknown label type" in refused(classifier(classes="observed"), X, labels)


def test_one_observed_class_is_refused(classifier: Any, refused: Any) -> None:
    assert "one class" in refused(classifier(classes="observed"), X, ["secret-7"] * 6)


def test_failed_fit_counts_as_not_fitted(kind: Any) -> None:
    model = kind()
    with pytest.raises(eq.InvalidInput):
        model.fit(holding(np.nan), Y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_failed_refit_keeps_the_former_model_whole(kind: Any, table: Any) -> None:
    model = kind(random_state=0).fit(*table)
    before = model.predict(table[0])
    with pytest.raises(eq.InvalidInput):
        model.fit(holding(np.nan), Y)
    assert model.n_features_in_ == 3
    np.testing.assert_array_equal(model.predict(table[0]), before)


BAD_QUERIES: dict[str, Any] = {
    "flat": X[0],
    "too few columns": X[:, :1],
    "NaN": np.full((2, 3), np.nan),
    "infinity": np.full((2, 3), np.inf),
    "text": np.full((2, 3), "secret-7", dtype=object),
    "complex": np.full((2, 3), 123456.789j),
    "nothing": np.zeros((0, 3)),
    "sparse with too many columns": sparse.csr_array(np.full((2, 4), 123456.789)),
}


@pytest.mark.parametrize("case", BAD_QUERIES)
@pytest.mark.parametrize("method", ["predict", "decision_function", "predict_proba", "predict_log_proba"])
def test_bad_query_is_one_line_too(
    kind: Any, method: str, case: str, table: Any, manners: Callable[[BaseException], str]
) -> None:
    model = kind(random_state=0).fit(*table)
    predict = getattr(model, method, model.predict)
    with pytest.raises(eq.InvalidInput) as caught:
        predict(BAD_QUERIES[case])
    assert manners(caught.value).startswith("X")


def test_changed_column_names_are_one_line(kind: Any, table: Any, manners: Callable[[BaseException], str]) -> None:
    frame = pd.DataFrame(table[0], columns=["age", "height", "weight"])
    model = kind(random_state=0).fit(frame, table[1])
    for changed in (frame.rename(columns={"age": "years"}), frame[["weight", "height", "age"]]):
        with pytest.raises(eq.InvalidInput, match="feature names") as caught:
            model.predict(changed)
        manners(caught.value)


def test_unreadable_model_files_are_one_line(
    kind: Any, table: Any, tmp_path: Path, manners: Callable[[BaseException], str]
) -> None:
    file = tmp_path / "model.json"
    kind(random_state=0).fit(*table).save(file)
    text = file.read_text()
    damaged = {
        "cut": text[: len(text) // 2],
        "newer": text.replace('"schema": 2', '"schema": 999'),
        "other": "[1, 2, 3]",
        "empty": "",
    }
    for name, content in damaged.items():
        (tmp_path / name).write_text(content)
        with pytest.raises(eq.UnreadableFile, match=name) as caught:
            eq.load(tmp_path / name)
        manners(caught.value)
    with pytest.raises(eq.UnreadableFile, match="no such file"):
        eq.load(tmp_path / "missing.json")
