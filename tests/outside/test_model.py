from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from equipoise.errors import InvalidInput
from equipoise.outside import LinearModel
from equipoise.rows import RowBounds
from equipoise.theory.losses import Hinge

X = np.array([[1.0, 0.5, -1.0], [0.0, -1.0, 2.0], [3.0, 3.0, 3.0]])
NAMES = ["age", "height", "weight"]


def test_binary_scores_are_rows_times_coefficients_plus_intercept(binary: LinearModel) -> None:
    expected = X @ np.array([0.1, -2.0, 1 / 3]) + 0.25
    np.testing.assert_allclose(binary.decision_function(X), expected, rtol=1e-14)


def test_binary_prediction_is_the_second_class_when_the_score_is_positive(binary: LinearModel) -> None:
    scores = binary.decision_function(X)
    assert binary.predict(X).tolist() == ["yes" if score > 0 else "no" for score in scores]


def test_logistic_probabilities_sum_to_one_and_follow_the_score(binary: LinearModel) -> None:
    probabilities = binary.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(np.log(probabilities[:, 1] / probabilities[:, 0]), binary.decision_function(X))


def test_softmax_prediction_is_the_likeliest_class(joint: LinearModel) -> None:
    rows = np.array([[0.0, 0.0], [5.0, 5.0], [-9.0, 1.0]])
    probabilities = joint.predict_proba(rows)
    assert probabilities.shape == (3, 3)
    assert joint.predict(rows).tolist() == joint.classes_[probabilities.argmax(axis=1)].tolist() == [10, 30, 10]


def test_sign_link_has_no_probabilities(binary: LinearModel) -> None:
    model = replace(binary, link="sign", estimator="LinearSVC", loss=Hinge())
    assert model.predict(X).tolist() == binary.predict(X).tolist()
    with pytest.raises(InvalidInput, match="LinearSVC has no probabilities"):
        model.predict_proba(X)


def test_regressor_predicts_the_score(regressor: LinearModel) -> None:
    np.testing.assert_allclose(regressor.predict([[2.0, 2.0]]), [7.0])
    with pytest.raises(AttributeError, match="classes_"):
        _ = regressor.classes_


def test_shapes_follow_scikit_learn(binary: LinearModel, joint: LinearModel, regressor: LinearModel) -> None:
    assert binary.coef_.shape == (1, 3)
    assert np.shape(binary.intercept_) == (1,)
    assert joint.coef_.shape == (3, 2)
    assert np.shape(joint.intercept_) == (3,)
    assert regressor.coef_.shape == (2,)
    assert regressor.intercept_ == 5.0
    assert (binary.n_features_in_, joint.n_features_in_) == (3, 2)
    assert binary.guarantee_ is binary.guarantee
    assert binary.feature_names_in_.tolist() == NAMES


def test_arrays_and_fields_cannot_be_changed(binary: LinearModel) -> None:
    with pytest.raises(ValueError, match="read-only"):
        binary.coef_[0, 0] = 1.0
    with pytest.raises(FrozenInstanceError):
        binary.link = "sign"  # type: ignore[misc]


@pytest.mark.parametrize(
    "same",
    [
        X.tolist(),
        X.astype(np.float32),
        sparse.csr_array(X),
        sparse.csc_matrix(X),
        pd.DataFrame(X, columns=NAMES),
        pl.DataFrame(X, schema=NAMES),
        pd.DataFrame(X),
    ],
    ids=["lists", "float32", "csr", "csc", "pandas", "polars", "unnamed"],
)
def test_any_table_gives_the_same_scores(binary: LinearModel, same: Any) -> None:
    np.testing.assert_allclose(binary.decision_function(same), binary.decision_function(X), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint64, np.float16])
def test_narrow_types_are_read_exactly(binary: LinearModel, dtype: type) -> None:
    rows = np.array([[1, 0, 1]])
    np.testing.assert_array_equal(binary.predict_proba(rows.astype(dtype)), binary.predict_proba(rows))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_renamed_columns_are_refused_by_name(binary: LinearModel, frame: Any) -> None:
    renamed = frame(dict(zip(["age", "height", "mass"], X.T, strict=True)))
    with pytest.raises(InvalidInput, match=r"feature names should match.*mass, weight"):
        binary.predict(renamed)


def test_columns_in_another_order_are_refused(binary: LinearModel) -> None:
    with pytest.raises(InvalidInput, match="order changed"):
        binary.predict(pd.DataFrame(X, columns=NAMES[::-1]))


def test_wrong_number_of_columns_is_refused(binary: LinearModel) -> None:
    with pytest.raises(InvalidInput, match="X has 2 features, but LogisticRegression is expecting 3 features"):
        binary.predict(X[:, :2])


@pytest.mark.parametrize("rows", [X[0], X[None], 3.0], ids=["flat", "cube", "number"])
def test_rows_must_be_two_dimensional(binary: LinearModel, rows: Any) -> None:
    with pytest.raises(InvalidInput, match="2D"):
        binary.predict(rows)


BOUNDED = RowBounds(2.0)
RANGED = RowBounds(2.0, ((0.0, 4.0), (-1.0, 1.0), (-3.0, 1.0)))


def test_a_model_that_knows_no_bounds_refuses_missing_values(binary: LinearModel) -> None:
    with pytest.raises(InvalidInput, match="does not say what a missing value counts as"):
        binary.predict([[1.0, np.nan, 2.0]])


@pytest.mark.parametrize("rows", [X, sparse.csr_array(X)], ids=["dense", "sparse"])
def test_rows_are_scored_as_long_as_the_fit_took_them(binary: LinearModel, rows: Any) -> None:
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    assert (lengths > 2).any()
    clipped = X * np.minimum(1, 2 / lengths)
    found = replace(binary, row_bounds=BOUNDED).decision_function(rows)
    np.testing.assert_allclose(found, binary.decision_function(clipped), rtol=1e-9)


def test_cells_are_scored_within_their_ranges(binary: LinearModel) -> None:
    low, high = np.array(RANGED.columns).T
    found = replace(binary, row_bounds=RANGED).decision_function(X)
    np.testing.assert_allclose(found, binary.decision_function(np.clip(X, low, high)), rtol=1e-12)


@pytest.mark.parametrize(("bounds", "counts_as"), [(BOUNDED, 0.0), (RANGED, -1.0)])
def test_a_missing_cell_counts_as_in_the_fit(binary: LinearModel, bounds: RowBounds, counts_as: float) -> None:
    model = replace(binary, row_bounds=bounds)
    missing = [[0.5, 0.1, np.nan]]
    np.testing.assert_array_equal(model.predict_proba(missing), model.predict_proba([[0.5, 0.1, counts_as]]))


@pytest.mark.parametrize("bounds", [BOUNDED, RANGED])
def test_an_infinite_cell_is_only_a_large_one(binary: LinearModel, bounds: RowBounds) -> None:
    model = replace(binary, row_bounds=bounds)
    infinite = model.decision_function([[0.5, np.inf, 0.0]])
    np.testing.assert_allclose(infinite, model.decision_function([[0.5, 1e30, 0.0]]), rtol=1e-9)


def test_sparse_rows_do_not_go_with_ranges(binary: LinearModel) -> None:
    with pytest.raises(InvalidInput, match="would fill a sparse X"):
        replace(binary, row_bounds=RANGED).predict(sparse.csr_array(X))


def test_ranges_go_with_the_coefficients(binary: LinearModel) -> None:
    with pytest.raises(InvalidInput, match="one range for each column"):
        replace(binary, row_bounds=RowBounds(1.0, ((0.0, 1.0),)))


@pytest.mark.parametrize(
    "rows", [[["a", "secret-value", "b"]], np.array([["1", "2", "secret-value"]]), [[1, 2], [3]], [[{}, {}, {}]]]
)
def test_what_is_not_numeric_is_refused_without_quoting_it(binary: LinearModel, rows: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^X: ") as caught:
        binary.predict(rows)
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("rows", [X * 1j, sparse.csr_array(X * 1j)], ids=["dense", "sparse"])
def test_complex_numbers_are_refused(binary: LinearModel, rows: Any) -> None:
    with pytest.raises(InvalidInput, match="Complex"):
        binary.predict(rows)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"kind": "ranker"}, "kind"),
        ({"link": "probit"}, "link"),
        ({"link": "identity"}, "does not go with"),
        ({"classes": None}, "does not go with"),
        ({"classes": ("a", "a")}, "different labels"),
        ({"classes": ("a", "b", "c")}, "does not go with 3 classes"),
        ({"classes": (None, "b")}, "labels must be"),
        ({"coef": np.array([[np.nan, 0.0, 0.0]])}, "coef: must be finite"),
        ({"coef": np.zeros(3)}, "coef: must have 2"),
        ({"coef": np.zeros((1, 0))}, "coef: must have 2"),
        ({"intercept": np.zeros(2)}, "intercept"),
        ({"feature_names": ("a",)}, "feature_names"),
    ],
)
def test_a_model_that_contradicts_itself_is_refused(binary: LinearModel, change: dict[str, Any], rule: str) -> None:
    with pytest.raises(InvalidInput, match=rule):
        replace(binary, **change)


@pytest.mark.parametrize("labels", [(True, False), (0, 1), (0.5, 1.5), ("b", "a"), (1, "a")])
def test_labels_keep_type_and_order(binary: LinearModel, labels: tuple[Any, Any]) -> None:
    model = replace(binary, classes=labels)
    assert model.classes_.tolist() == list(labels)
    assert [type(label) for label in model.classes_.tolist()] == [type(label) for label in labels]


def test_numpy_labels_become_plain_ones(binary: LinearModel) -> None:
    model = replace(binary, classes=(np.int32(0), np.int32(1)))  # type: ignore[arg-type]
    assert model.classes is not None
    assert [type(label) for label in model.classes] == [int, int]
