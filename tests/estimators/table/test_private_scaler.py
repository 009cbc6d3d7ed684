"""Scaling for those who would standardise: found, charged, and used."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import equipoise as eq
from equipoise.schema import Category, Classes, Number, Person

WIDE = eq.Schema(
    {
        "pay": Number((0, 1e6), scale="log1p", missing=3),
        "age": Number((-100, 300), source="a guess"),
        "sex": Category(("f", "m")),
    },
    Classes("ill", ("no", "yes")),
)


def clinic(rows: int = 6000) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.normal(50, 15, rows)
    ill = np.where(age + rng.normal(0, 5, rows) > 50, "yes", "no")
    return pd.DataFrame({"pay": rng.lognormal(8, 0.5, rows), "age": age, "sex": "f", "ill": ill})


def bounds(schema: eq.Schema, name: str) -> tuple[float, float]:
    column = schema.columns[name]
    assert isinstance(column, Number)
    return column.bounds


def test_encoded_columns_are_centred_and_of_one_spread() -> None:
    found = eq.PrivateScaler(WIDE, 4.0, random_state=0).fit(clinic())
    rows = found.transform(clinic()) * math.sqrt(3)  # the weight of three columns
    assert np.abs(rows[:, :2].mean(axis=0)).max() < 0.05
    assert rows[:, :2].std(axis=0) == pytest.approx([1 / 3, 1 / 3], rel=0.25)
    low, high = bounds(found.schema_, "age")
    assert low == pytest.approx(5, abs=5)
    assert high == pytest.approx(95, abs=5)
    assert found.schema_.columns["age"].source == "a guess; found privately for epsilon 4"
    assert found.schema_.columns["sex"] == WIDE.columns["sex"]
    assert found.centre_["age"] == pytest.approx(-0.25, abs=0.02)
    assert found.spread_["age"] == pytest.approx(15 / 200, abs=0.02)
    assert "private-scaling" in str(found.card())


def test_scaling_and_model_are_charged_to_one_ledger_in_a_pipeline() -> None:
    ledger, table = eq.Ledger(epsilon=3.0), clinic()
    pipe = make_pipeline(
        eq.PrivateScaler(WIDE, 1.0, columns=["age"], ledger=ledger),
        eq.LogisticRegression(2.0, classes=["no", "yes"], ledger=ledger),
    )
    pipe.fit(table, table["ill"])
    assert ledger.spent().epsilon == pytest.approx(3.0)
    assert pipe.score(table, table["ill"]) > 0.85
    with pytest.raises(eq.BudgetExhausted):
        clone(pipe[0]).fit(table)


def test_a_delta_buys_gaussian_noise_and_persons_pay_for_their_rows() -> None:
    people = eq.Schema(WIDE.columns, person=Person("who", 3))
    table = clinic(900).assign(who=np.arange(900) // 9)
    found = eq.PrivateScaler(people, 1.0, 1e-6, ledger=eq.Ledger(5.0, 1e-3, unit="person")).fit(table)
    assert "Gaussian" in found.guarantee_.theorem
    assert found.guarantee_.unit == "one person with at most 3 rows"
    assert found.guarantee_.constants["records"] == 300.0
    assert found.guarantee_.sensitivity == pytest.approx(3 * 2.0)


def test_any_cell_is_settled_and_bounds_stay_a_range() -> None:
    cells: list[Any] = [None, "x", math.inf, -math.inf, math.nan, "7", object()]
    table = {"pay": cells, "age": cells, "sex": cells}
    tiny = eq.Schema({**WIDE.columns, "age": Number((0, 1e-29))})
    for seed in range(5):
        for schema in (WIDE, tiny):
            found = eq.PrivateScaler(schema, 1.0, random_state=seed, reach=1e-9).fit(table)
            for name in ("pay", "age"):
                low, high = bounds(found.schema_, name)
                assert low < high
            assert np.isfinite(found.transform(table)).all()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"columns": ["sex"]}, "columns: must be numbers"),
        ({"reach": 0.0}, "reach"),
        ({"epsilon": 0}, "epsilon"),
        ({"schema": 7}, "schema: must be an equipoise.Schema"),
        ({"ledger": "book.db"}, "must be a ledger"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_spent(more: dict[str, Any], said: str) -> None:
    ledger = eq.Ledger(epsilon=9.0)
    given: dict[str, Any] = {"schema": WIDE, "ledger": ledger} | more
    made = eq.PrivateScaler(**given)
    with pytest.raises(eq.EquipoiseError, match=f"{said}.*nothing was spent"):
        made.fit(clinic(10))
    assert ledger.spent().epsilon == 0
    assert not hasattr(made, "schema_")


def test_nothing_of_the_table_stays_behind() -> None:
    found = eq.PrivateScaler(WIDE, 1.0).fit(clinic(50))
    left = {"schema_", "guarantee_", "_origin", "centre_", "spread_"}
    assert set(vars(found)) - set(vars(eq.PrivateScaler(WIDE))) == left
