"""Lists of values for those who have none: found, charged, and used."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import equipoise as eq
from equipoise.estimators.table.private_categories import NONE_FOUND
from equipoise.schema import Category, Classes, Ignored, Number, Person, Text

SCHEMA = eq.Schema(
    {"town": Ignored(), "job": Category(("nurse",), source="a form"), "note": Text(), "age": Number((0, 100))},
    Classes("ill", ("no", "yes")),
)


def clinic(rows: int = 4000) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    town = rng.choice(["Leeds", "York", "Hull"], rows, p=[0.5, 0.3, 0.2]).astype(object)
    town[:3] = ["Nowhere", None, 7]
    job = rng.choice(["nurse", "smith", "NA"], rows)
    ill = np.where(town == "Leeds", "yes", "no")
    return pd.DataFrame({"town": town, "job": job, "note": "x", "age": 50.0, "ill": ill})


def values(schema: eq.Schema, name: str) -> tuple[Any, ...]:
    column = schema.columns[name]
    assert isinstance(column, Category)
    return column.values


def test_frequent_values_are_listed_the_most_frequent_first_and_rare_ones_are_other() -> None:
    found = eq.PrivateCategories(SCHEMA, 1.0, 1e-6, columns=["town", "job"], random_state=0).fit(clinic())
    assert values(found.schema_, "town") == ("Leeds", "York", "Hull")
    assert values(found.schema_, "job") == ("nurse", "smith")  # what was listed stays, what is missing is no value
    assert found.schema_.columns["job"].source == "a form; found privately for epsilon 1"
    assert found.counts_["town"]["Leeds"] == pytest.approx(2000, abs=150)
    assert "nurse" not in found.counts_["job"]
    names = found.get_feature_names_out().tolist()
    assert names[:4] == ["town=Leeds", "town=York", "town=Hull", "town=other"]
    assert found.guarantee_.constants["least noisy count"] > 29
    assert "private-categories" in str(found.card())


def test_values_and_model_are_charged_to_one_ledger_in_a_pipeline() -> None:
    ledger, table = eq.Ledger(epsilon=3.0, delta=1e-5), clinic()
    pipe = make_pipeline(
        eq.PrivateCategories(SCHEMA, 1.0, 1e-6, columns=["town"], ledger=ledger),
        eq.LogisticRegression(2.0, classes=["no", "yes"], ledger=ledger),
    )
    pipe.fit(table, table["ill"])
    spent = ledger.spent()
    assert spent.epsilon == pytest.approx(3.0, rel=0.05)
    assert 1e-6 <= spent.delta <= 1e-5
    assert pipe.score(table, table["ill"]) > 0.9


def test_of_each_person_the_first_row_counts() -> None:
    schema = eq.Schema({"town": Text()}, person=Person("who", 5))
    table = {"town": ["Leeds"] * 200 + ["York"] * 200, "who": [*range(200), *range(200)]}
    ledger = eq.Ledger(5.0, 1e-3, unit="person")
    found = eq.PrivateCategories(schema, 2.0, 1e-6, columns=["town"], ledger=ledger, random_state=0).fit(table)
    assert values(found.schema_, "town") == ("Leeds",)  # York is only in second rows
    assert found.guarantee_.unit == "one person with at most 1 row"
    assert found.guarantee_.constants["records"] == 200.0


def test_no_cell_is_an_error_and_nothing_found_is_a_list_too() -> None:
    odd: list[Any] = [None, math.nan, math.inf, object(), ["Leeds"], b"x", True]
    cells = [*odd, "fill in here", "other", "missing", ""]
    for columns in (["town"], ["job"], ["note", "town"]):
        found = eq.PrivateCategories(SCHEMA, 1.0, 1e-9, columns=columns).fit(
            {"town": cells, "job": cells, "note": cells, "age": cells}
        )
        expected = ("nurse",) if columns == ["job"] else (NONE_FOUND,)
        assert values(found.schema_, columns[0]) == expected
        assert eq.Schema.from_dict(found.schema_.to_dict()) == found.schema_


def test_words_that_name_slots_or_blanks_are_never_listed() -> None:
    table = {"town": ["other", "missing", "fill in the town", " Leeds ", "NA"] * 100, "job": "x", "note": "x", "age": 1}
    table = {name: held if isinstance(held, list) else [held] * 500 for name, held in table.items()}
    found = eq.PrivateCategories(SCHEMA, 5.0, 1e-3, columns=["town"]).fit(table)
    assert values(found.schema_, "town") == ("Leeds",)


def test_no_more_than_asked_for_are_kept() -> None:
    words = [f"v{place:02}" for place in range(40) for _ in range(200 - place)]
    schema = eq.Schema({"code": Text()})
    found = eq.PrivateCategories(schema, 20.0, 1e-3, columns=["code"], most=5, random_state=0).fit({"code": words})
    assert len(values(found.schema_, "code")) == 5
    assert set(values(found.schema_, "code")) <= {f"v{place:02}" for place in range(10)}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"delta": 0.0}, "delta > 0 only"),
        ({"columns": ["age"]}, "columns: must be categories"),
        ({"columns": ["nobody"]}, "columns: must be categories"),
        ({"columns": []}, "columns: must be categories"),
        ({"most": 0}, "most"),
        ({"most": 10_000}, "at most 10000 values"),
        ({"epsilon": -1}, "epsilon"),
        ({"ledger": "book.db"}, "must be a ledger"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_spent(more: dict[str, Any], said: str) -> None:
    ledger = eq.Ledger(9.0, 1e-3)
    given: dict[str, Any] = {"schema": SCHEMA, "ledger": ledger, "columns": ["town", "job"]} | more
    with pytest.raises(eq.EquipoiseError, match=f"{said}.*nothing was spent"):
        eq.PrivateCategories(**given).fit(clinic(10))
    assert ledger.entries() == ()
