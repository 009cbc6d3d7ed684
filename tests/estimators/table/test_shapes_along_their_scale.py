"""Shapes are drawn along the scale that a schema states, with marks in the column's unit; effects in the label's."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import equipoise as eq
from equipoise.cli.table.curves import curves_of, score_of, shapes_are
from equipoise.cli.table.written import effects_of
from equipoise.outside.additive.plot import _draw
from equipoise.outside.report import shapes as drawn
from equipoise.outside.table.shapes import marks_along
from equipoise.schema import Number
from equipoise.schema.encoding.numbers import Along

N = 400
COLUMNS: dict[str, dict[str, Any]] = {
    "pay": {"kind": "number", "bounds": [0, 1_000_000], "scale": "log1p", "unit": "dollars"},
    "dose": {"kind": "number", "bounds": [0.01, 100], "scale": "log", "unit": "mg"},
    "visits": {"kind": "number", "bounds": [0, 500], "scale": "knots", "knots": [0, 1, 5, 50, 500]},
    "age": {"kind": "number", "bounds": [18, 90], "unit": "years"},
    "site": {"kind": "category", "values": ["a", "b"]},
}
TARGETS: dict[str, dict[str, Any]] = {
    "charge": {"column": "charge", "bounds": [0, 10], "unit": "1000 dollars"},
    "grade": {"column": "charge", "bounds": [0, 10]},
    "ill": {"column": "ill", "classes": ["no", "yes"]},
}


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    pay, dose = np.exp(rng.uniform(0, 13, N)), np.exp(rng.uniform(-4, 4, N))
    return pd.DataFrame(
        {
            "pay": pay,
            "dose": dose,
            "visits": rng.integers(0, 60, N),
            "age": rng.uniform(18, 90, N),
            "site": rng.choice(["a", "b"], N),
            "charge": np.clip(np.log(pay) / 2 + rng.normal(0, 1, N), 0, 10),
            "ill": np.where(dose > 1, "yes", "no"),
        }
    )


def fitted(target: str = "charge", **how: Any) -> Any:
    left = "ill" if target != "ill" else "charge"
    schema = eq.Schema.from_dict({"target": TARGETS[target], "columns": COLUMNS | {left: {"kind": "ignored"}}})
    return eq.fit(table(), schema, 50.0, 1e-6, random_state=0, **how)


@pytest.fixture(scope="module")
def additive() -> Any:
    return fitted(model="additive", interactions=[("pay", "age")])


def test_columns_that_are_not_straight_have_an_axis_of_places_and_others_none(additive: Any) -> None:
    axes = {shape.name: shape.axis for shape in additive.shapes()}
    assert {name for name, axis in axes.items() if axis is not None} == {"pay", "dose", "visits"}
    for shape in additive.shapes():
        if shape.axis is None:
            continue
        scale = Along(additive.schema.columns[shape.name])
        assert scale.place(np.array(shape.grid[0], dtype=float)) == pytest.approx(np.array(shape.axis.at), abs=1e-9)
        assert shape.axis.at == pytest.approx(np.linspace(-1, 1, len(shape.axis.at)))


@pytest.mark.parametrize("name", ["pay", "dose", "visits"])
def test_marks_are_round_numbers_in_the_columns_unit_where_its_scale_has_them(additive: Any, name: str) -> None:
    scale = Along(additive.schema.columns[name])
    marks = marks_along(scale.value)
    low, high = additive.schema.columns[name].bounds
    assert (marks[0], marks[-1]) == ((-1.0, low), (1.0, high))
    assert len(marks) >= 4
    for (place, number), (next_place, _) in pairwise(marks):
        assert next_place - place >= 0.199
        assert float(scale.place(np.array([number]))[0]) == pytest.approx(place, abs=2e-3)
    assert {f"{number:e}"[0] for _, number in marks[1:-1]} <= {"1", "2", "5"}
    assert all(float(f"{number:.0e}") == number for _, number in marks[1:-1])


def test_an_axis_below_nought_has_marks_too() -> None:
    scale = Along(Number((-500.0, 1000.0), scale="knots", knots=(-500.0, -10.0, 0.0, 10.0, 1000.0)))
    numbers = [number for _, number in marks_along(scale.value)]
    assert numbers == sorted(numbers)
    assert {-500.0, -5.0, 0.0, 5.0, 1000.0} <= set(numbers)


def test_the_picture_has_curves_along_their_scale_and_marks_in_their_unit(additive: Any, tmp_path: Path) -> None:
    (pay,) = (shape for shape in additive.shapes() if shape.name == "pay")
    panel: Any = Figure().subplots()
    _draw(panel, pay, None)
    across = panel.lines[0].get_xdata()
    assert np.ptp(np.diff(across)) < 1e-9  # no spike at the left edge
    assert [each.get_text() for each in panel.get_xticklabels()] == [f"{number:g}" for _, number in pay.axis.marks]
    additive.plot_shapes(tmp_path / "shapes.png")
    assert (tmp_path / "shapes.png").stat().st_size > 10_000


def test_the_report_draws_the_same_marks_and_drops_those_that_would_run_into_each_other(additive: Any) -> None:
    (pay,) = (shape for shape in curves_of(additive) if shape.name == "pay")
    page = drawn.draw(pay)
    assert ">0<" in page
    assert ">1000<" in page
    assert ">1000000<" in page
    assert ">100000<" not in page  # there is no room beside a million


@pytest.mark.parametrize(
    ("target", "words"), [("charge", "charge (1000 dollars)"), ("grade", "charge"), ("ill", "the score")]
)
def test_effects_add_to_the_label_in_its_unit_and_to_a_score_where_there_are_classes(target: str, words: str) -> None:
    model = fitted(target)
    assert score_of(model) == words
    assert f"adds to {words}." in effects_of(model)[1]
    assert f"adds to {words}, numbers as curves" in shapes_are(model)
