"""Additive estimators: shapes are learnt, released, drawn and scored alike, from frames, arrays and files."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import equipoise as eq
from equipoise import tuning


def test_a_curve_is_found_that_no_line_has(frame: pd.DataFrame, outcome: Any, made: Any) -> None:
    model = made().fit(frame, outcome)
    hill = next(shape for shape in model.shapes_ if shape.name == "age")
    middle, ends = hill.values[3:5].mean(), hill.values[[0, -1]].mean()
    assert middle > ends + 0.3
    assert next(iter(model.importances_)) == "age"


def test_it_beats_a_line_where_the_truth_bends(frame: pd.DataFrame, outcome: Any) -> None:
    ages = frame[["age"]]
    model = eq.AdditiveClassifier(20.0, 1e-5, column_bounds={"age": (20, 80)}, random_state=0).fit(ages, outcome)
    assert model.score(ages, outcome) > LogisticRegression().fit(ages, outcome).score(ages, outcome) + 0.05


def test_a_loaded_model_scores_exactly_as_the_fitted_one(
    frame: pd.DataFrame, outcome: Any, made: Any, tmp_path: Path
) -> None:
    model = made(pairs=[("age", "site")]).fit(frame, outcome)
    model.save(tmp_path / "m.json")
    loaded = eq.load(tmp_path / "m.json")
    assert isinstance(loaded, eq.LinearModel)
    assert np.array_equal(loaded.decision_function(frame), model.model_.decision_function(frame))
    assert np.array_equal(loaded.predict(frame), model.predict(frame))
    for ours, theirs in zip(model.shapes_, loaded.shapes_, strict=True):
        assert ours.grid == theirs.grid
        assert np.array_equal(ours.values, theirs.values)


def test_a_score_is_the_intercept_and_the_shapes_values(frame: pd.DataFrame, outcome: Any, made: Any) -> None:
    model = made().fit(frame, outcome)
    age, site, dose = model.shapes_
    asked = pd.DataFrame({"age": [20.0, 999.0, 50.0], "site": ["south", "nowhere", None], "dose": [0.0, np.nan, 5.0]})
    found = model.model_.decision_function(asked)
    start = float(np.ravel(model.intercept_)[0])
    assert found[0] == pytest.approx(start + age.values[0] + site.values[1] + dose.values[0])
    assert found[1] == pytest.approx(start + age.values[-1] + site.other + dose.missing)
    between = np.interp(50.0, age.grid[0], age.values) + np.interp(5.0, dose.grid[0], dose.values)
    assert found[2] == pytest.approx(start + between + site.missing)


@pytest.mark.parametrize("container", [list, tuple, deque])
@pytest.mark.parametrize("cells", ["words", "codes", "gaps"])
def test_where_words_are_listed_a_list_is_refused_by_its_type_and_never_by_what_it_holds(
    frame: pd.DataFrame, outcome: Any, made: Any, container: Any, cells: str
) -> None:
    """A word in a list counts as missing, so that a column of them was learnt as a column of nothing, in silence."""
    held = {"words": frame["site"], "codes": frame["site"].eq("south").astype(int), "gaps": frame["age"] * np.nan}
    rows = container(frame.assign(site=held[cells]).to_numpy().tolist())
    ledger = eq.Ledger(5.0, 1e-4)
    by_place = {"categories": {1: ["north", "south"]}, "column_bounds": {0: (20, 80), 2: (0, 10)}}
    with pytest.raises(eq.EquipoiseError, match=r"words are read from data frames.*nothing was spent"):
        made(**by_place, ledger=ledger).fit(rows, outcome)
    assert not ledger.entries()
    model = made().fit(frame, outcome)
    for predict in (model.predict, model.model_.predict):
        with pytest.raises(eq.EquipoiseError, match="words are read from data frames"):
            predict(rows)


def test_lists_of_numbered_categories_are_read(frame: pd.DataFrame, outcome: Any, made: Any) -> None:
    given = {"categories": {1: [0, 1]}, "column_bounds": {0: (20, 80), 2: (0, 10)}}
    numbered = frame.assign(site=frame["site"].map({"north": 0.0, "south": 1.0}))
    listed = made(**given).fit(numbered.to_numpy().tolist(), outcome)
    assert np.array_equal(listed.coef_, made(**given).fit(numbered.to_numpy(), outcome).coef_)


def test_frames_and_arrays_of_codes_say_the_same(frame: pd.DataFrame, outcome: Any, made: Any) -> None:
    codes = frame["site"].map({"north": 0.0, "south": 1.0, "west": 7.0}).to_numpy()
    array = np.column_stack([frame["age"], codes, frame["dose"]])
    model = made().fit(frame, outcome)
    polar = pl.from_pandas(frame)
    places = {"column_bounds": {0: (20, 80), 2: (0, 10)}, "categories": {1: ["north", "south"]}}
    again = made(**places).fit(array, outcome)
    assert np.array_equal(model.coef_, again.coef_)
    assert np.array_equal(model.coef_, made().fit(polar, outcome).coef_)
    for other in (polar, array):
        assert np.array_equal(model.model_.decision_function(frame), model.model_.decision_function(other))
    assert np.array_equal(model.predict(frame), model.predict(polar))


def test_centred_shapes_have_mean_zero_over_their_grid(frame: pd.DataFrame, outcome: Any, made: Any) -> None:
    for shape in made().fit(frame, outcome).shapes_:
        assert np.mean(shape.values) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("direction", [1, -1])
def test_a_monotone_shape_never_turns(frame: pd.DataFrame, outcome: Any, made: Any, direction: int) -> None:
    model = made(epsilon=0.5, monotone={"dose": direction}, smoothness=0.4).fit(frame, outcome)
    free = made(epsilon=0.5, smoothness=0.4).fit(frame, outcome)
    steps = [np.diff(fitted.shapes_[2].values) * direction for fitted in (model, free)]
    assert (steps[0] >= -1e-12).all()
    assert (steps[1] < 0).any()
    assert np.array_equal(model.shapes_[1].values, free.shapes_[1].values)


def test_a_pair_learns_what_neither_column_tells() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(3000, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    alone, together = (
        eq.AdditiveClassifier(20.0, 1e-5, column_bounds=(-1, 1), pairs=pairs, random_state=0).fit(X, y).score(X, y)
        for pairs in (None, [(0, 1)])
    )
    assert alone < 0.6
    assert together > 0.85


def test_more_than_two_classes_have_a_shape_each() -> None:
    x = np.random.default_rng(0).uniform(0, 3, size=(3000, 1))
    y = np.array(["low", "middle", "high"])[x[:, 0].astype(int)]
    model = eq.AdditiveClassifier(
        20.0, 1e-5, classes=["low", "middle", "high"], column_bounds=(0, 3), random_state=0
    ).fit(x, y)
    assert model.score(x, y) > 0.85
    assert model.shapes_[0].values.shape == (3, 16)
    assert model.shapes_[0].noise is None
    assert np.allclose(model.predict_proba(x).sum(axis=1), 1)


def test_the_guarantee_the_ledger_and_the_plan_tell_one_story(frame: pd.DataFrame, outcome: Any, made: Any) -> None:
    ledger = eq.Ledger()
    estimator = made(epsilon=0.7, ledger=ledger, random_state=None, smoothness=0.4)
    plan = estimator.plan(len(frame), 3)
    model = estimator.fit(frame, outcome)
    assert plan.facts.dim == 9 + 4 + 9 + 1
    assert plan.constants()["row norm"] == 1.0
    assert model.guarantee_.constants == plan.constants()
    assert (model.guarantee_.epsilon, model.guarantee_.delta, model.guarantee_.seeded) == (0.7, 1e-5, False)
    assert [entry.event for entry in ledger.entries()] == [plan.event]
    text = " ".join(str(model.card()).split())
    assert "has its own value" in text
    assert "middle of its column" not in text


def test_few_records_have_straight_shapes_and_the_card_says_so(frame: pd.DataFrame, outcome: Any, made: Any) -> None:
    """Straight or bent is a matter of public facts: rows, epsilon, terms."""
    few, many = (made(epsilon=epsilon).fit(frame, outcome) for epsilon in (0.49, 0.51))
    wide = {rows: made(epsilon=0.49).plan(rows, 3).facts.dim for rows in (600, 700, 7000)}
    assert wide == {600: 1 + 4 + 1 + 1, 700: 8 + 3 + 8 + 1, 7000: 8 + 3 + 8 + 1}
    turns = np.abs(np.diff(np.sign(np.diff(few.shapes_[0].values)))).sum()
    assert turns <= 2
    assert "are straight" in " ".join(str(few.card()).split())
    assert "are straight" not in " ".join(str(many.card()).split())
    assert few.predict(frame).shape == (600,)


def test_bends_go_by_the_nominal_size_where_the_number_of_rows_is_secret(
    frame: pd.DataFrame, outcome: Any, made: Any
) -> None:
    """Otherwise the number of released numbers would tell how many rows there are."""
    how = {"epsilon": 0.6, "adjacency": "add-remove", "public_n": 600}
    whole, part = (made(**how).fit(frame[:rows], outcome[:rows]) for rows in (600, 300))
    assert whole.guarantee_.constants == part.guarantee_.constants
    assert "are straight" not in " ".join(str(part.card()).split())


@pytest.mark.parametrize("mechanism", ["output", "objective", "noisy-gradient"])
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_every_mechanism_and_adjacency_serves(
    frame: pd.DataFrame, outcome: Any, made: Any, mechanism: str, adjacency: str
) -> None:
    model = made(2.0, mechanism=mechanism, adjacency=adjacency, public_n=600, alpha=0.05).fit(frame, outcome)
    assert model.guarantee_.mechanism == mechanism
    assert str(model.guarantee_.adjacency) == adjacency
    assert model.shapes_[0].noise is not None


def test_pure_privacy_is_served(frame: pd.DataFrame, outcome: Any, made: Any) -> None:
    assert made(delta=0.0).fit(frame, outcome).guarantee_.delta == 0.0


def test_shapes_are_drawn(frame: pd.DataFrame, outcome: Any, made: Any, tmp_path: Path) -> None:
    made(pairs=[("age", "site")]).fit(frame, outcome).plot_shapes(tmp_path / "shapes.png")
    assert (tmp_path / "shapes.png").stat().st_size > 5000


def test_a_fit_with_names_remembers_them(frame: pd.DataFrame, outcome: Any, made: Any) -> None:
    model = made().fit(frame, outcome)
    assert model.feature_names_in_.tolist() == ["age", "site", "dose"]
    assert model.n_features_in_ == model.model_.n_features_in_ == 3
    with pytest.raises(eq.InvalidInput, match="feature names"):
        model.predict(frame[["dose", "age", "site"]])


@pytest.mark.parametrize("cell", [np.nan, np.inf, -np.inf, 1e300, -1e300, 5e-324])
def test_no_number_is_an_error(cell: float, made: Any) -> None:
    X = np.full((20, 3), 30.0)
    X[3] = cell
    places = {"column_bounds": {0: (20, 80), 2: (0, 10)}, "categories": {1: [1, 2]}}
    model = made(epsilon=1.0, **places).fit(X, np.zeros(20))
    assert np.isfinite(model.model_.decision_function(X)).all()


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"column_bounds": None}, eq.BoundsRequired, "column_bounds"),
    ({"column_bounds": {"age": (20, 80)}}, eq.BoundsRequired, "column_bounds: column 'dose'"),
    ({"column_bounds": {"age": (80, 20), "dose": (0, 1)}}, eq.InvalidInput, "column_bounds"),
    ({"column_bounds": {"age": 3, "dose": (0, 1)}}, eq.InvalidInput, "column_bounds"),
    ({"column_bounds": [(0, 1)]}, eq.InvalidInput, "column_bounds: give one"),
    ({"column_bounds": {"height": (0, 1)}}, eq.InvalidInput, "no column is called 'height'"),
    ({"categories": {"site": "north"}}, eq.InvalidInput, "categories"),
    ({"categories": {"site": ["a", "a"]}}, eq.InvalidInput, "categories"),
    ({"categories": {9: ["a"]}}, eq.InvalidInput, "categories: 9 is no column"),
    ({"categories": {"site": ["a"], 1: ["b"]}}, eq.InvalidInput, "twice"),
    ({"knots": 1}, eq.InvalidInput, "knots"),
    ({"knots": "many"}, eq.InvalidInput, "knots"),
    ({"knots": {"age": [3, 2, 1]}}, eq.InvalidInput, "knots"),
    ({"pairs": [("age",)]}, eq.InvalidInput, "pairs"),
    ({"pairs": [("age", "age")]}, eq.InvalidInput, "pairs"),
    ({"pairs": "age"}, eq.InvalidInput, "pairs"),
    ({"monotone": {"site": 1}}, eq.InvalidInput, "monotone"),
    ({"monotone": {"age": 2}}, eq.InvalidInput, "monotone"),
    ({"monotone": {"age": 1}, "pairs": [("age", "dose")]}, eq.InvalidInput, "monotone"),
    ({"smoothness": 1.0}, eq.InvalidInput, "smoothness"),
    ({"smoothness": "very"}, eq.InvalidInput, "smoothness"),
    ({"fit_intercept": 1}, eq.InvalidInput, "fit_intercept"),
    ({"mechanism": "sufficient-statistics"}, eq.MechanismRefused, "sufficient-statistics"),
]


@pytest.mark.parametrize(("given", "error", "said"), REFUSED)
def test_what_is_stated_wrongly_is_refused_before_the_debit(
    given: dict[str, Any], error: type[Exception], said: str, frame: pd.DataFrame, outcome: Any, made: Any, refused: Any
) -> None:
    ledger = eq.Ledger()
    estimator = made(**given, ledger=ledger)
    message = refused(estimator, frame, outcome)
    assert said in message
    assert not ledger.entries()
    with pytest.raises(error):
        estimator.fit(frame, outcome)


def test_sparse_tables_objects_and_nameless_columns_are_refused(made: Any, refused: Any) -> None:
    y = np.array([0, 1] * 5)
    places = {"column_bounds": (0, 1), "categories": None}
    assert "dense" in refused(made(**places), csr_array(np.eye(10)), y)
    assert "object" in refused(made(**places), np.full((10, 2), "a", dtype=object), y)
    assert "no column names" in refused(made(), np.zeros((10, 3)), y)
    assert "no column names" in refused(made(**places, knots={"b": 5, "a": 5}), np.zeros((10, 2)), y)
    model = made(**places).fit(np.zeros((10, 2)), y)
    with pytest.raises(eq.InvalidInput, match="dense"):
        model.predict(csr_array(np.eye(2)))
    with pytest.raises(eq.InvalidInput, match="shapes_"):
        model.standard_errors()


def test_labels_need_bounds() -> None:
    with pytest.raises(eq.BoundsRequired, match="label_bounds"):
        eq.AdditiveRegressor(column_bounds=(0, 1)).plan(10, 2)


def test_monotone_is_for_two_classes(refused: Any) -> None:
    model = eq.AdditiveClassifier(column_bounds=(0, 1), monotone={0: 1}, classes=[1, 2, 3])
    assert "two classes" in refused(model, np.zeros((10, 2)), np.arange(10) % 3 + 1)


def test_searches_refuse_shapes(frame: pd.DataFrame, outcome: Any, made: Any) -> None:
    search = tuning.DataSplitSearch(made(), {"alpha": [0.1, 1.0]})
    with pytest.raises(eq.InvalidInput, match="this one has shapes; give it alpha"):
        search.fit(frame, outcome)


def test_a_clone_is_unfitted_and_states_the_same(made: Any) -> None:
    assert clone(made()).get_params() == made().get_params()


def test_what_is_kept_holds_no_row(frame: pd.DataFrame, outcome: Any, made: Any) -> None:
    model = made().fit(frame, outcome)
    kept = [value for name, value in vars(model).items() if name.endswith("_")]
    assert not [value for value in kept if isinstance(value, np.ndarray) and len(frame) in value.shape]
