"""Every container becomes the same plain table, and is told wrong by its types, never by a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import equipoise as eq
from equipoise.rows.owned import LARGEST
from equipoise.rows.tables import own_labels, own_table

Array = npt.NDArray[np.float64]

GAPS = np.array([[1.0, np.nan], [-2.0, 4.0], [3.0, 0.0]])


class Offers:
    """Not an array, but gives one, with memory that it keeps."""

    def __init__(self, table: Array) -> None:
        self.table = table

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.table


def nullable(dtype: str) -> Callable[[Array], Any]:
    return lambda X: pd.DataFrame(X).astype(dtype)


CONTAINERS: dict[str, Callable[[Array], Any]] = {
    "array": lambda X: X,
    "object with an array": Offers,
    "list": lambda X: X.tolist(),
    "list with none": lambda X: [[None if cell != cell else cell for cell in row] for row in X.tolist()],
    "tuples of whole numbers": lambda X: tuple(tuple("?" if c != c else int(c) for c in row) for row in X.tolist()),
    "list of arrays": list,
    "masked": lambda X: np.ma.masked_invalid(X),
    "masked whole": lambda X: np.ma.masked_array(np.nan_to_num(X, nan=77).astype(int), mask=np.isnan(X)),
    "pandas": pd.DataFrame,
    "pandas Float64": nullable("Float64"),
    "pandas Int64": nullable("Int64"),
    "pandas pyarrow": nullable("double[pyarrow]"),
    "pandas sparse": lambda X: pd.DataFrame(X).astype(pd.SparseDtype("float64", 0.0)),
    "pandas categories": lambda X: pd.DataFrame(X).astype("category"),
    "pandas repeated names": lambda X: pd.DataFrame(X, columns=["a", "a"]),
    "polars": lambda X: pl.DataFrame(X, schema=["a", "b"]).fill_nan(None),
    "polars whole": lambda X: pl.DataFrame(X, schema=["a", "b"]).fill_nan(None).cast(pl.Int32),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_table_is_plain_ours_and_the_same(name: str) -> None:
    given = CONTAINERS[name](GAPS.copy())
    table = own_table(given, np.array([7.0, 8.0]))
    np.testing.assert_array_equal(table, [[1.0, 8.0], [-2.0, 4.0], [3.0, 0.0]])
    assert type(table) is np.ndarray
    assert table.dtype == np.float64
    assert table.flags.c_contiguous
    theirs = given.table if isinstance(given, Offers) else given
    assert not isinstance(theirs, np.ndarray) or not np.shares_memory(table, theirs)


WIDE: dict[str, Any] = {
    "int64": np.array([[np.iinfo(np.int64).min, 1]]),
    "uint64": np.array([[0, np.iinfo(np.uint64).max]], dtype=np.uint64),
    "subnormal": np.array([[5e-324, -0.0]]),
    "payload": np.frombuffer(np.array([0xFFF8DEADBEEF0001, 0], dtype=np.uint64).tobytes(), dtype=np.float64)[None],
    "long double": np.array([["1e4000", "-1e-4000"]], dtype=np.longdouble),
    "half": np.array([[np.inf, np.nan]], dtype=np.float16),
    "large in a list": [[10**400, -(10**400)]],
}


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.filterwarnings("error")
def test_every_number_is_finite_without_a_word(name: str) -> None:
    table = np.asarray(own_table(WIDE[name]))
    assert np.isfinite(table).all()
    assert np.abs(table).max() <= LARGEST


LABELS: dict[str, Callable[[list[Any]], Any]] = {
    "list": lambda y: y,
    "objects": lambda y: np.array(y, dtype=object),
    "pandas": lambda y: pd.Series(y, dtype="Float64"),
    "pandas whole": lambda y: pd.Series(y, dtype="Int64"),
    "pandas categories": lambda y: pd.Series(pd.Categorical(y)),
    "polars": pl.Series,
    "masked": lambda y: np.ma.masked_array([0 if each is None else each for each in y], [each is None for each in y]),
}


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("gap", [None, 1])
def test_a_missing_label_changes_no_other(name: str, gap: int | None) -> None:
    """Not even what they are compared as: a gap must not turn the others into text or other numbers."""
    model = eq.LogisticRegression(classes=[0, 1], random_state=0)
    X = np.linspace(-1, 1, 6)[:, None]
    found = model.fit(X, LABELS[name]([0, 1, gap, 1, 0, 1])).coef_
    plain = eq.LogisticRegression(classes=[0, 1], random_state=0).fit(X, [0, 1, 0 if gap is None else 1, 1, 0, 1])
    np.testing.assert_array_equal(found, plain.coef_)


@pytest.mark.parametrize("store", [lambda y: pd.Series(y, dtype="boolean"), pl.Series])
def test_missing_truths_are_false_and_truths_stay_truths(store: Any) -> None:
    assert own_labels(store([True, None, False])).tolist() == [True, False, False]
    assert own_labels(store([True, True, False])).dtype == bool


def test_words_beside_numbers_in_a_list_leave_the_numbers_alone() -> None:
    assert own_labels([1, "yes", 2.5, None]).tolist() == [1, "yes", 2.5, None]


@pytest.mark.parametrize(
    "given",
    [
        sparse.coo_array(np.ones(3)),
        np.ones((2, 2, 2)),
        [[1.0, 2.0], [3.0]],
        [[[1.0]], [[2.0]]],
        5.0,
        None,
        {"a": [1.0]},
        pl.DataFrame({"a": ["secret-7"]}),
        pl.DataFrame({"a": [None, None]}),
        pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}),
        pd.DataFrame({"a": pd.to_datetime(["2020-01-01"], utc=True)}),
    ],
)
def test_what_is_no_table_of_numbers_is_refused_by_its_type(given: Any) -> None:
    with pytest.raises(eq.InvalidInput, match=r"^X: "):
        own_table(given)


class Rude:
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        raise ZeroDivisionError("secret-7")


def test_an_objects_own_error_is_not_repeated() -> None:
    with pytest.raises(eq.InvalidInput, match="cannot be read") as caught:
        own_table(Rude())
    assert caught.value.__context__ is None
