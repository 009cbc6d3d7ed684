"""Arrays, sparse matrices and data frames of the same numbers give the same model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

NAMES = ["age", "height", "weight"]
Array = npt.NDArray[np.float64]


class Twice(np.ndarray):
    """Calculates as it likes."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **settings: Any) -> Any:
        plain = [np.asarray(each) for each in inputs]
        return getattr(ufunc, method)(*plain, **settings) * 2


SAME: dict[str, Callable[[Array], Any]] = {
    "lists": lambda X: X.tolist(),
    "column-major": np.asfortranarray,
    "long doubles": lambda X: X.astype(np.longdouble),
    "other bytes first": lambda X: X.astype(">f8"),
    "a subclass": lambda X: X.view(Twice),
    "nothing masked": np.ma.masked_invalid,
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "pandas nullable": lambda X: pd.DataFrame(X, columns=NAMES).astype("Float64"),
    "pandas pyarrow": lambda X: pd.DataFrame(X, columns=NAMES).astype("double[pyarrow]"),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
}

SPARSE: dict[str, Callable[[Array], Any]] = {
    "csr_array": sparse.csr_array,
    "csr_matrix": sparse.csr_matrix,
    "csc_array": sparse.csc_array,
    "coo_matrix": sparse.coo_matrix,
    "lil_array": sparse.lil_array,
    "csr of singles": lambda X: sparse.csr_array(X.astype(np.float32)),
}


@pytest.mark.parametrize("container", SAME)
def test_dense_containers_agree_exactly(kind: Any, container: str, table: Any) -> None:
    X, y = table
    plain = kind(random_state=0).fit(X, y)
    model = kind(random_state=0).fit(SAME[container](X), y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    np.testing.assert_allclose(model.predict(SAME[container](X)), plain.predict(X), rtol=1e-12)


@pytest.mark.parametrize("container", SPARSE)
def test_sparse_containers_agree_up_to_rounding(kind: Any, container: str, table: Any) -> None:
    X, y = table
    X = np.where(np.abs(X) > 0.3, X, 0.0)
    plain = kind(random_state=0).fit(X, y)
    model = kind(random_state=0).fit(SPARSE[container](X), y)
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-5)
    np.testing.assert_allclose(model.predict(SPARSE[container](X)), plain.predict(X), atol=1e-5)


def test_singles_agree_up_to_their_precision(kind: Any, table: Any) -> None:
    X, y = table
    single = kind(random_state=0).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(single.coef_, kind(random_state=0).fit(X, y).coef_, atol=1e-5)


LABELS: dict[str, Callable[[Any], Any]] = {
    "list": lambda y: y.tolist(),
    "pandas": pd.Series,
    "pandas nullable": lambda y: pd.Series(y, dtype="Int64"),
    "pandas odd index": lambda y: pd.Series(y, index=range(100, 100 + len(y))),
    "polars": pl.Series,
}


@pytest.mark.parametrize("container", LABELS)
def test_label_containers_agree(kind: Any, container: str, table: Any) -> None:
    X, y = table
    model = kind(random_state=0).fit(X, LABELS[container](y))
    np.testing.assert_array_equal(model.coef_, kind(random_state=0).fit(X, y).coef_)


@pytest.mark.parametrize(
    "container",
    [
        pd.Series,
        lambda words: pd.Series(words, dtype="category"),
        lambda words: pd.Series(words, dtype="string"),
        pl.Series,
        lambda words: np.array(words, dtype=object),
    ],
)
def test_words_as_labels_agree(classifier: Any, container: Any, table: Any) -> None:
    X, y = table
    words = np.where(y == 1, "yes", "no").tolist()
    model = classifier(classes=["no", "yes"], random_state=0).fit(X, container(words))
    np.testing.assert_array_equal(model.coef_, classifier(random_state=0).fit(X, y).coef_)
    assert set(model.predict(X)) <= {"no", "yes"}


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_column_names_are_kept(kind: Any, container: str, table: Any) -> None:
    model = kind(random_state=0).fit(SAME[container](table[0]), table[1])
    assert model.feature_names_in_.tolist() == NAMES
    assert model.n_features_in_ == 3
    with pytest.warns(UserWarning, match="feature names"):
        model.predict(table[0])


def test_refitting_without_names_forgets_them(kind: Any, table: Any) -> None:
    model = kind(random_state=0).fit(SAME["pandas"](table[0]), table[1]).fit(*table)
    assert "feature_names_in_" not in vars(model)
    assert model.model_.feature_names is None


def test_booleans_are_a_convention_of_their_own(classifier: Any, table: Any) -> None:
    X, y = table
    model = classifier(random_state=0).fit(X, y == 1)
    assert model.classes_.tolist() == [False, True]
    assert model.predict(X).dtype == bool


def test_without_classes_signs_are_learnt_and_scored_but_told_as_0_and_1(classifier: Any, table: Any) -> None:
    """Which of the two codings there is could only be found by looking at the labels."""
    X, y = table
    signed, usual = classifier(random_state=0).fit(X, 2 * y - 1), classifier(random_state=0).fit(X, y)
    assert signed.classes_.tolist() == usual.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(signed.coef_, usual.coef_)
    assert signed.score(X, 2 * y - 1) == usual.score(X, y)
    listed = classifier(classes=[-1, 1], random_state=0).fit(X, 2 * y - 1)
    np.testing.assert_array_equal(listed.coef_, usual.coef_)
    assert set(listed.predict(X)) <= {-1, 1}


@pytest.mark.parametrize("other", [0, -1])
def test_nothing_tells_a_table_of_ones_from_its_neighbours(classifier: Any, table: Any, other: int) -> None:
    X, ones = table[0], np.ones(len(table[0]), dtype=int)
    neighbour = ones.copy()
    neighbour[5] = other
    left, right = (classifier(random_state=0).fit(X, labels) for labels in (ones, neighbour))
    assert left.classes_.tolist() == right.classes_.tolist()
    assert left.guarantee_ == right.guarantee_
    assert left.predict(X).dtype == right.predict(X).dtype


def test_listed_classes_keep_their_order(classifier: Any, table: Any) -> None:
    X = np.tile(table[0], (30, 1))
    y = np.tile(table[1], 30)
    back = classifier(30.0, classes=[1, 0], random_state=0).fit(X, y)
    assert back.classes_.tolist() == [1, 0]
    assert back.score(X, y) > 0.9


def test_a_copy_of_the_data_is_clipped_never_the_callers_own(kind: Any, table: Any) -> None:
    X, y = table[0] * 1e3, table[1].copy()
    before = X.copy()
    kind(random_state=0).fit(X, y)
    np.testing.assert_array_equal(X, before)
    matrix = sparse.csr_array(X)
    kind(random_state=0).fit(matrix, y)
    np.testing.assert_array_equal(matrix.toarray(), before)
