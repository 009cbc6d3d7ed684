"""Queries are read as a fit reads its rows, whatever they are held in, and names are compared where both have them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import equipoise as eq
from equipoise.answering import AveragingPredictor, SGDPredictor, StablePredictor, ThresholdPredictor, VotingPredictor
from equipoise.tuning import DataSplitSearch

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, size=(60, 3)) / 2
Y = (X[:, 0] > 0).astype(int)
NAMES = ["a", "b", "c"]

FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "a batch": lambda columns: pa.RecordBatch.from_pydict({name: pa.array(held) for name, held in columns.items()}),
}


def framed(kind: str, names: list[str], rows: Any = X) -> Any:
    """The columns named so, in this order."""
    return FRAMES[kind]({name: np.asarray(rows)[:, NAMES.index(name)] for name in names})


@pytest.mark.parametrize("asked", FRAMES)
@pytest.mark.parametrize("fitted", FRAMES)
def test_names_are_kept_and_compared_in_every_frame(fitted: str, asked: str, tmp_path: Path) -> None:
    model = eq.LogisticRegression(5.0, random_state=0).fit(framed(fitted, NAMES), Y)
    assert model.feature_names_in_.tolist() == NAMES
    model.save(tmp_path / "model.json")
    search = DataSplitSearch(eq.LogisticRegression(5.0), {"alpha": [0.1, 1.0]}).fit(framed(fitted, NAMES), Y)
    votes = VotingPredictor(LogisticRegression(), 5.0, shards=3, n_jobs=1).fit(framed(fitted, NAMES), Y)
    for one in (model, eq.load(tmp_path / "model.json"), search, votes):
        assert len(one.predict(framed(asked, NAMES))) == len(X)
        with pytest.raises(eq.InvalidInput, match="their order changed"):
            one.predict(framed(asked, NAMES[::-1]))
        with pytest.raises(eq.InvalidInput, match="these differ: c"):
            one.predict(framed(asked, NAMES[:2]))


@pytest.mark.parametrize(
    "twice",
    [
        pd.DataFrame(X, columns=["a", "b", "a"]),
        pa.table([pa.array(column) for column in X.T], names=["a", "b", "a"]),
        pa.RecordBatch.from_arrays([pa.array(column) for column in X.T], names=["a", "b", "a"]),
    ],
    ids=["pandas", "arrow", "a batch"],
)
def test_a_name_that_is_there_twice_is_called_that(twice: Any) -> None:
    for fit in (eq.LogisticRegression().fit, VotingPredictor(LogisticRegression(), shards=3).fit):
        with pytest.raises(eq.InvalidInput, match="two columns have one name"):
            fit(twice, Y)


def test_a_name_that_is_no_text_is_told_in_our_words() -> None:
    mixed = pd.DataFrame(X, columns=["a", 1, "c"])
    for fit in (eq.LogisticRegression().fit, VotingPredictor(LogisticRegression(), shards=3).fit):
        with pytest.raises(eq.InvalidInput, match=r"^X: column names must all be strings[^\n]*$"):
            fit(mixed, Y)


def test_a_lazy_frame_is_told_how_to_become_one() -> None:
    lazy = pl.DataFrame(X, schema=NAMES).lazy()
    with pytest.raises(eq.InvalidInput, match=r"X: a lazy frame has no rows yet, give X.collect\(\)"):
        eq.LogisticRegression().fit(lazy, Y)
    with pytest.raises(eq.InvalidInput, match=r"y: a lazy frame has no rows yet, give y.collect\(\)"):
        eq.LogisticRegression().fit(X, lazy)
    model = eq.LogisticRegression().fit(X, Y)
    votes = VotingPredictor(LogisticRegression(), shards=3, n_jobs=1).fit(X, Y)
    for predict in (model.predict, votes.predict):
        with pytest.raises(eq.InvalidInput, match="lazy frame"):
            predict(lazy)


PREDICTORS: dict[str, Callable[[], Any]] = {
    "stable": lambda: StablePredictor(1e6, classes=[0, 1]),
    "sgd": lambda: SGDPredictor(1e6, classes=[0, 1]),
    "votes": lambda: VotingPredictor(LogisticRegression(), 1e6, shards=3, n_jobs=1),
    "mean": lambda: AveragingPredictor(Ridge(), 1e6, bounds=(0, 1), shards=3, n_jobs=1),
}
HIDDEN = X[:8].copy()
HIDDEN[::2, 0] = 1e6
MASK = HIDDEN > 1e5
GAPS = np.where(MASK, np.nan, HIDDEN)

QUERIES: dict[str, Any] = {
    "masked": np.ma.array(HIDDEN, mask=MASK),
    "masked rows": list(np.ma.array(HIDDEN, mask=MASK)),
    "a list with gaps": [[None if np.isnan(cell) else cell for cell in row] for row in GAPS.tolist()],
    "a matrix": GAPS.view(np.matrix),
    "pandas' sparse": pd.DataFrame({name: pd.arrays.SparseArray(GAPS[:, place]) for place, name in enumerate("xyz")}),
    "nullable": pd.DataFrame(GAPS).astype("Float64"),
    "polars": pl.DataFrame(GAPS, nan_to_null=True),
    "arrow": pa.table({name: pa.array(GAPS[:, place], from_pandas=True) for place, name in enumerate("xyz")}),
    "single": GAPS.astype(np.longdouble),
}


@pytest.mark.filterwarnings("ignore::equipoise.PrivacyWarning", "ignore:X has feature names")
@pytest.mark.parametrize("held", QUERIES)
@pytest.mark.parametrize("name", PREDICTORS)
def test_a_query_is_the_same_in_whatever_it_is_held(name: str, held: str) -> None:
    """A query that was asked before costs nothing, so the second batch tells whether it was read as the first."""
    predictor = PREDICTORS[name]().fit(X, Y)
    first = predictor.predict(GAPS)
    assert predictor.predict(QUERIES[held]).tolist() == first.tolist()
    assert (predictor.last_cost_.new, predictor.last_cost_.repeated) == (0, 8)


@pytest.mark.filterwarnings("ignore::equipoise.PrivacyWarning")
@pytest.mark.parametrize("name", PREDICTORS)
def test_a_missing_cell_ends_no_fit_of_a_predictor(name: str) -> None:
    rows = np.concatenate([GAPS, X])
    assert len(PREDICTORS[name]().fit(rows, np.concatenate([Y[:8], Y])).predict(X[:2])) == 2


@pytest.mark.filterwarnings("ignore::equipoise.PrivacyWarning")
def test_a_masked_point_of_a_line_is_a_missing_one() -> None:
    asked = ThresholdPredictor(1e3).fit(X[:, :1], Y)
    asked.predict(np.array([[0.4], [np.nan]]))
    asked.predict(np.ma.array([[0.4], [0.9]], mask=[[False], [True]]))
    assert asked.last_cost_.new == 0


@pytest.mark.parametrize("what", ["pdf", "cdf", "score_samples"])
def test_a_density_is_not_asked_about_a_masked_point(what: str) -> None:
    density = eq.HistogramDensity(1.0, bounds=(-1, 1)).fit(X[:, 0])
    ask = getattr(density, what)
    with pytest.raises(eq.InvalidInput, match="contains NaN"):
        ask(np.ma.array([0.1, 0.2], mask=[False, True]))
    assert ask(np.ma.array([0.1, 0.2])).tolist() == ask([0.1, 0.2]).tolist()
