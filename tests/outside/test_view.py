"""A model whose rows are seen from a middle: saved, read back, scored and described."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import equipoise as eq
from equipoise.errors import UnreadableFile
from equipoise.outside.uncertainty import FROM_THE_MIDDLE

COLUMNS = 18


@pytest.fixture(scope="module")
def rows() -> Any:
    return 0.15 + np.random.default_rng(0).normal(size=(900, COLUMNS)) / 9


@pytest.fixture(scope="module", params=["rows as they come", "ranges of columns"])
def model(request: pytest.FixtureRequest, rows: Any) -> Any:
    ranges = [(-1.0, 1.0 + place) for place in range(COLUMNS)] if request.param.startswith("ranges") else None
    labels = (rows[:, 0] > rows[:, 1]).astype(int)
    fitted = eq.LogisticRegression(3.0, 1e-3, column_bounds=ranges, middle="auto", random_state=2).fit(rows, labels)
    assert fitted.model_.row_bounds is not None
    assert fitted.model_.row_bounds.view is not None
    return fitted


def test_a_file_gives_back_the_same_scores(model: Any, rows: Any, tmp_path: Path) -> None:
    model.save(tmp_path / "model.json")
    again = eq.load(tmp_path / "model.json")
    assert again.row_bounds == model.model_.row_bounds
    assert np.array_equal(again.decision_function(rows), model.decision_function(rows))


def test_a_file_of_the_first_version_with_views_stays_readable() -> None:
    model = eq.load(Path(__file__).parent / "model_schema_8_view.json")
    assert model.row_bounds is not None
    assert model.row_bounds.view is not None
    assert model.row_bounds.view.reach == 0.4
    scores = model.decision_function(np.outer([1.0, -3.0], np.ones(COLUMNS)) / 9)
    assert scores == pytest.approx([0.14367603663809608, -1.1764784352121302], rel=1e-9)


def test_a_row_is_scored_by_itself_however_it_is_given(model: Any, rows: Any) -> None:
    whole = model.decision_function(rows)
    assert np.allclose(model.decision_function(rows[5:6]), whole[5:6], rtol=0, atol=1e-12)
    assert np.array_equal(model.decision_function(pd.DataFrame(rows)), whole)
    wild = rows[:4].copy()
    wild[0, 0], wild[1, 1], wild[2, 2] = np.nan, np.inf, -1e300
    assert np.isfinite(model.decision_function(wild)).all()
    assert np.allclose(model.decision_function(wild)[3:], whole[3:4], rtol=0, atol=1e-12)
    if model.column_bounds is None:
        assert np.allclose(model.decision_function(sparse.csr_array(rows)), whole, rtol=0, atol=1e-12)


def test_coefficients_hold_for_rows_within_reach(model: Any, rows: Any) -> None:
    """And for the others at the point where they are brought."""
    bounds = model.model_.row_bounds
    near = bounds.brought_within(rows)
    assert np.allclose(near @ model.coef_[0] + model.intercept_[0], model.decision_function(rows), rtol=0, atol=1e-9)
    assert np.allclose(bounds.brought_within(near), near, rtol=0, atol=1e-9)
    shown = model.confidence_intervals()
    assert (shown.coef_low < shown.coef_high).all()
    assert shown.covers == model.model_.covers == FROM_THE_MIDDLE


def test_the_card_says_from_where_rows_are_seen(model: Any) -> None:
    text = " ".join(str(model.card()).split())
    assert "rows seen from a private middle, up to 0.4 away" in text
    assert "reach around the middle" in text


@pytest.mark.parametrize(
    "view",
    [
        {"reach": 0.4, "middle": [0.0] * (COLUMNS - 1)},
        {"reach": 0.4, "middle": ["0"] * COLUMNS},
        {"reach": 0.4},
        {"reach": 0.0, "middle": [0.0] * COLUMNS},
        {"reach": 0.4, "middle": [1e200] * COLUMNS},
        {"reach": 0.4, "middle": [0.0] * COLUMNS, "more": 1},
        "0.4",
    ],
    ids=["too short", "words", "none", "no reach", "too far", "more", "text"],
)
def test_a_damaged_view_is_one_clear_line(model: Any, view: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    model.save(path)
    fields = json.loads(path.read_text())
    fields["row_bounds"]["view"] = view
    path.write_text(json.dumps(fields))
    with pytest.raises(UnreadableFile, match="not a usable model"):
        eq.load(path)


def test_a_middle_by_another_name_is_refused_before_anything_is_spent(rows: Any) -> None:
    ledger, wrong = eq.Ledger(epsilon=1.0, delta=1e-3), list[Any](("mean", np.array(["auto", "x"]), 1))
    for given in wrong:
        with pytest.raises(eq.EquipoiseError, match="middle="):
            eq.LogisticRegression(1.0, 1e-3, middle=given, ledger=ledger).fit(rows, np.arange(len(rows)) % 2)
    assert ledger.spent(1e-3).epsilon == 0


def test_searches_and_tables_take_rows_as_they_are_and_say_so(rows: Any) -> None:
    """Candidates are compared in the units of one fit; a table's coefficients hold for every row.  Asked for a middle
    they refuse, for nothing: they used to drop it without a word."""
    labels = (rows[:, 0] > rows[:, 1]).astype(int)
    estimator = eq.LogisticRegression(3.0, 1e-3, middle="auto", random_state=2)
    grid = {"alpha": [0.01, 0.1]}
    ledger = eq.Ledger(10.0, 0.1)
    with pytest.raises(eq.InvalidInput, match="rows as they are"):
        eq.tuning.DataSplitSearch(estimator, grid, random_state=2, ledger=ledger).fit(rows, labels)
    names = [f"x{place}" for place in range(COLUMNS)]
    columns = {name: {"kind": "number", "bounds": [-1, 1]} for name in names}
    schema = eq.Schema.from_dict({"target": {"column": "y", "classes": ["0", "1"]}, "columns": columns})
    table = dict(zip(names, rows.T.tolist(), strict=True)) | {"y": [str(label) for label in labels]}
    with pytest.raises(eq.InvalidInput, match="is for arrays"):
        eq.fit(table, schema, 3.0, 1e-3, estimator=estimator, random_state=3, ledger=ledger)
    assert ledger.entries() == ()
