"""Every field of what is written comes back: each is given a value that no default would bring back by luck."""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from pathlib import Path

import numpy as np
import pytest

import equipoise as eq
from equipoise.outside.density.files import load_density
from equipoise.outside.density.released_density import Density
from equipoise.outside.model import LinearModel
from equipoise.outside.origin import Account, Origin
from equipoise.outside.uncertainty import POPULATION, Uncertainty
from equipoise.rows import RowBounds
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.tables.density import Box

EVERYTHING = Guarantee(
    epsilon=0.37,
    delta=1.25e-7,
    delta_numeric=3e-13,
    adjacency=Adjacency.ADD_REMOVE,
    mechanism="sufficient-statistics",
    theorem="a theorem",
    sensitivity=0.0123,
    noise_scale=4.56,
    seeded=True,
    unit="one group of at most 7 rows",
    constants={"records": 321.0, "alpha": 1 / 3},
    notes=("first", "second"),
)


ORIGIN = Origin("2026-02-03", "7.8.9", "a table", Account("another", 0.5, 1e-7, 2.0, 1e-5))


@pytest.fixture
def model(noisy: LinearModel) -> LinearModel:
    known = noisy.uncertainty
    assert known is not None
    return replace(
        noisy, guarantee=EVERYTHING, feature_names=("age", "dose"), why=("because",),
        uncertainty=replace(known, covers=POPULATION, slack=0.25),
        row_bounds=RowBounds(1.25, ((0.0, 120.0), (-0.5, 3.0))), origin=ORIGIN,
    )  # fmt: skip


def test_no_field_of_the_example_has_its_default(model: LinearModel) -> None:
    for example in (EVERYTHING, model, model.uncertainty, ORIGIN, ORIGIN.account):
        for each in fields(example):  # type: ignore[arg-type]  # none of them is None
            if each.name in ("shapes", "lift"):  # files that have one are kept as model_schema_*_*.json, and read
                continue
            given = getattr(example, each.name)
            assert each.default is MISSING or given != each.default, each.name
            assert each.default_factory is MISSING or given != each.default_factory(), each.name


@pytest.mark.parametrize("field", [each.name for each in fields(Guarantee)])
def test_a_guarantee_comes_back_with_its(field: str, model: LinearModel, tmp_path: Path) -> None:
    density = Density(Box((0.0,), (2.0,)), np.array([0.25, 0.75]), EVERYTHING, ORIGIN)
    model.save(tmp_path / "model.json")
    density.save(tmp_path / "density.json")
    for found in (eq.load(tmp_path / "model.json").guarantee, load_density(tmp_path / "density.json").guarantee):
        assert getattr(found, field) == getattr(EVERYTHING, field)
    assert load_density(tmp_path / "density.json").origin == ORIGIN


@pytest.mark.parametrize("field", [each.name for each in fields(LinearModel)])
def test_a_model_comes_back_with_its(field: str, model: LinearModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model.json")
    found, wanted = (getattr(each, field) for each in (eq.load(tmp_path / "model.json"), model))
    if isinstance(wanted, Uncertainty):
        for each in fields(Uncertainty):
            np.testing.assert_array_equal(getattr(found, each.name), getattr(wanted, each.name))
    elif isinstance(wanted, np.ndarray):
        np.testing.assert_array_equal(found, wanted)
    else:
        assert found == wanted


def test_every_note_and_reason_is_on_the_card(model: LinearModel) -> None:
    card = replace(model, why=("a reason of the model's",)).card()
    for told in (*EVERYTHING.notes, "a reason of the model's", EVERYTHING.unit, EVERYTHING.theorem):
        assert told in card.text()
        assert told in str(card.to_json())
