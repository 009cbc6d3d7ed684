"""Whole numbers beyond 2⁵³ are classes like others, whatever they are held in and whatever stands beside them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import equipoise as eq
from equipoise.estimators._labels import own_classes, settled

pytestmark = pytest.mark.filterwarnings("ignore:A column-vector y")

FIRST, SECOND = 2**53, 2**53 + 1
"""One double."""

HELD: dict[str, Callable[[list[Any]], Any]] = {
    "a list": list,
    "polars": lambda held: pl.Series(held, dtype=pl.Int64),
    "a frame of polars": lambda held: pl.DataFrame({"y": pl.Series(held, dtype=pl.UInt64)}),
    "pandas": lambda held: pd.Series(held, dtype="Int64"),
    "pandas of arrow": lambda held: pd.Series(held, dtype=pd.ArrowDtype(pa.int64())),
    "arrow": lambda held: pa.array(held, type=pa.int64()),
    "arrow in chunks": lambda held: pa.chunked_array([pa.array(held, type=pa.uint64())]),
    "decimals": lambda held: pa.array([None if one is None else Decimal(one) for one in held], pa.decimal128(20)),
    "a dictionary of arrow": lambda held: pa.array(held, type=pa.int64()).dictionary_encode(),
    "categories": lambda held: pd.Series(pd.Categorical(held, categories=[FIRST, SECOND, 7])),
    "masked": lambda held: np.ma.array([one or 0 for one in held], mask=[one is None for one in held]),
}


@pytest.mark.parametrize("beside", [[], [None], [7], [None, 7]], ids=str)
@pytest.mark.parametrize("name", HELD)
def test_each_is_told_apart_whatever_stands_beside_it(name: str, beside: list[Any]) -> None:
    y, classes = [FIRST, SECOND, SECOND, FIRST], [FIRST, SECOND]
    labels = own_classes(HELD[name]([*y, *beside]), classes, "a test")
    assert settled(labels.reshape(-1), tuple(classes)).tolist() == [*y, *[FIRST] * len(beside)]


@pytest.mark.parametrize("name", HELD)
def test_how_large_a_label_is_decides_no_refusal(name: str) -> None:
    """A type of numbers is one of numbers, whatever they are."""
    X = np.linspace(-0.5, 0.5, 4)[:, None]
    for label in (1, SECOND) if name != "categories" else (SECOND,):
        y = HELD[name]([FIRST if name == "categories" else 0, label, None, label])
        eq.LogisticRegression().fit(X, y)
        eq.LinearRegression(label_bounds=(0, 1)).fit(X, y)
        if name != "a list":
            with pytest.raises(eq.InvalidInput, match="holds none of classes"):
                eq.LogisticRegression(classes=["no", "yes"]).fit(X, y)
