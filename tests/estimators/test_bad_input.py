"""Malformed X and y: types and shapes are refused in one line, without data and for free; no value is an error."""

from __future__ import annotations

import re
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
    "X of objects that are numbers": (X.astype(object), Y),
    "X dates": (np.full((6, 2), "2020-01-01", dtype="datetime64[D]"), Y),
    "X records": (np.zeros((6, 2), dtype=[("a", float)]), Y),
    "X pandas categories of text": (pd.DataFrame({"a": pd.Categorical(["secret-7"] * 6)}), Y),
    "X pandas objects": (pd.DataFrame({"a": pd.Series([1.0] * 6, dtype=object)}), Y),
    "X list of text": ([["secret-7"]] * 6, Y),
    "y text": (X, np.array(["secret-7", "b"] * 3)),
    "y bytes": (X, np.array([b"secret-7", b"b"] * 3)),
    "y of objects": (X, np.array(["secret-7", 3] * 3, dtype=object)),
    "y of objects that are numbers": (X, Y.astype(object)),
    "y pandas text": (X, pd.Series(["secret-7", "b"] * 3)),
    "y list of text": (X, ["secret-7", "b"] * 3),
    "y dates": (X, np.full(6, "2020-01-01", dtype="datetime64[D]")),
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


def holding(value: float | None) -> np.typing.NDArray[np.float64]:
    rows = X.copy()
    rows[3, 1] = np.nan if value is None else value
    return rows


def column(*cells: Any) -> Any:
    """A list with a strange cell in the fourth of six rows."""
    return [[0.25, cell] for cell in (0.5, -0.5, 0.5, *cells, -0.5, 0.25)]


PLAIN = np.array([[0.25, cell] for cell in (0.5, -0.5, 0.5, 0.0, -0.5, 0.25)])


class Sly:
    """A cell with ideas of its own."""

    def __float__(self) -> float:
        raise SystemExit("secret-7")

    __int__ = __index__ = __len__ = __float__


STRANGE_ROWS: dict[str, tuple[Any, Any]] = {
    "NaN": (holding(np.nan), 0.0),
    "NaN in singles": (holding(np.nan).astype(np.float32), 0.0),
    "NaN in CSR": (sparse.csr_array(holding(np.nan)), 0.0),
    "infinity": (holding(np.inf), 1e300),
    "minus infinity": (holding(-np.inf), -1e300),
    "infinity in COO": (sparse.coo_matrix(holding(np.inf)), 1e300),
    "long double": (holding(np.nan).astype(np.longdouble) * np.longdouble("1e4000"), 0.0),
    "missing in pandas": (pd.DataFrame(holding(np.nan)).astype("Float64"), 0.0),
    "missing in polars": (pl.DataFrame(holding(None)).fill_nan(None), 0.0),
    "masked": (np.ma.masked_equal(holding(5.0), 5.0), 0.0),
    "none in a list": (column(None), 0.0),
    "text in a list": (column("secret-7"), 0.0),
    "a number too large in a list": (column(10**400), 1e300),
    "a complex number in a list": (column(1j), 0.0),
    "an object in a list": (column(Sly()), 0.0),
    "a dictionary in a list": (column({"secret-7": 1}), 0.0),
}
"""Rows, and what the strange cell counts as."""

STRANGE_LABELS: dict[str, Any] = {
    "NaN": np.array([0, 1, 0, np.nan, 1, 0]),
    "infinity": np.array([0, 1, 0, -np.inf, 1, 0]),
    "another number": np.array([0, 1, 0, 123456.789, 1, 0]),
    "missing in pandas": pd.Series(pd.array([0, 1, 0, None, 1, 0], dtype="Int64")),
    "missing in polars": pl.Series([0, 1, 0, None, 1, 0]),
    "masked": np.ma.masked_equal([0, 1, 0, 7, 1, 0], 7),
    "none in a list": [0, 1, 0, None, 1, 0],
    "text in a list": [0, 1, 0, "secret-7", 1, 0],
    "an object in a list": [0, 1, 0, Sly(), 1, 0],
    "a missing category": pd.Series(pd.Categorical([0, 1, 0, None, 1, 0])),
}


@pytest.mark.parametrize("case", BAD_SHAPES)
def test_wrong_shape_or_type_is_refused_for_free(kind: Any, case: str, refused: Any) -> None:
    ledger = eq.Ledger()
    message = refused(kind(ledger=ledger), *BAD_SHAPES[case])
    assert message.startswith(("X", "y", "classes"))
    assert ledger.entries() == ()


@pytest.mark.parametrize("case", STRANGE_ROWS)
def test_a_strange_cell_is_no_error_and_counts_as_its_rule_says(kind: Any, case: str) -> None:
    rows, counts_as = STRANGE_ROWS[case]
    settled = PLAIN.copy() if case.endswith("list") else X.copy()
    settled[3, 1] = counts_as
    ledger = eq.Ledger()
    found = kind(ledger=ledger, random_state=0).fit(rows, Y)
    assert [record.state for record in ledger.entries()] == ["committed"]
    np.testing.assert_allclose(found.coef_, kind(random_state=0).fit(settled, Y).coef_, atol=1e-5)


@pytest.mark.parametrize("case", STRANGE_LABELS)
def test_a_strange_label_is_no_error_and_counts_as_its_rule_says(kind: Any, case: str) -> None:
    is_regressor = kind in (eq.LinearRegression, eq.HuberRegressor)
    settings: dict[str, Any] = {"label_bounds": (-1, 1)} if is_regressor else {}
    number = {"infinity": -1.0, "another number": 1.0}.get(case, 0.0)
    settled = np.array([0, 1, 0, number if is_regressor else 0, 1, 0])
    ledger = eq.Ledger()
    found = kind(ledger=ledger, random_state=0, **settings).fit(PLAIN, STRANGE_LABELS[case])
    assert [record.state for record in ledger.entries()] == ["committed"]
    same = kind(random_state=0, **settings).fit(PLAIN, settled)
    np.testing.assert_array_equal(found.coef_, same.coef_)
    assert found.guarantee_ == same.guarantee_
    assert sorted(vars(found)) == sorted(vars(same))


@pytest.mark.parametrize("case", STRANGE_ROWS)
def test_exhausted_budget_is_noticed_whatever_the_values(kind: Any, case: str) -> None:
    ledger = eq.Ledger(0.5)
    with pytest.raises(eq.BudgetExhausted):
        kind(1.0, ledger=ledger).fit(STRANGE_ROWS[case][0], Y)
    assert ledger.entries() == ()


@pytest.mark.parametrize(
    ("classes", "labels"),
    [(["a", "b"], Y), ([1, 2], np.array(["1", "2"] * 3)), ([0, 1], np.array(["secret-7", "b"] * 3))],
)
def test_a_dtype_that_can_hold_no_class_is_refused_for_free(
    classifier: Any, classes: Any, labels: Any, refused: Any
) -> None:
    ledger = eq.Ledger()
    assert "holds none of classes=" in refused(classifier(classes=classes, ledger=ledger), X, labels)
    assert ledger.entries() == ()


@pytest.mark.parametrize(
    "labels", [["secret-7", "b"] * 3, np.array(["secret-7", "b"] * 3), np.array([0, 1] * 3, dtype=object)]
)
def test_labels_that_are_no_numbers_must_be_listed(classifier: Any, labels: Any) -> None:
    ledger = eq.Ledger()
    with pytest.raises(eq.BoundsRequired, match="classes") as caught:
        classifier(ledger=ledger).fit(X, labels)
    assert "secret-7" not in str(caught.value)
    assert ledger.entries() == ()


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
        model.fit(TEXT, Y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_failed_refit_keeps_the_former_model_whole(kind: Any, table: Any) -> None:
    model = kind(random_state=0).fit(*table)
    before = model.predict(table[0])
    with pytest.raises(eq.InvalidInput):
        model.fit(TEXT, Y)
    assert model.n_features_in_ == 3
    np.testing.assert_array_equal(model.predict(table[0]), before)


BAD_QUERIES: dict[str, Any] = {
    "flat": X[0],
    "too few columns": X[:, :1],
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
        "newer": re.sub(r'"schema": \d+', '"schema": 999', text),
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
