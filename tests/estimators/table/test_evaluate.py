"""Evaluation says which rows it speaks of: public and exact, or private and charged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import equipoise as eq
from equipoise.schema import Classes, Number, Person, Range

COLUMNS = {"age": Number((0, 100))}
CLASSES = eq.Schema(COLUMNS, Classes("ill", ("no", "yes")))
DOSES = eq.Schema(COLUMNS, Range("dose", (0, 50), "mg"))


def clinic(rows: int = 2000, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.uniform(0, 100, rows)
    dose = np.clip(10 + 0.3 * age + rng.normal(0, 2, rows), 0, 50)
    return pd.DataFrame({"age": age, "ill": np.where(age + rng.normal(0, 10, rows) > 50, "yes", "no"), "dose": dose})


def test_public_rows_are_judged_exactly_and_for_nothing(tmp_path: Path) -> None:
    test = clinic(500, seed=1)
    test.to_csv(tmp_path / "t.csv", index=False)
    model = eq.fit(clinic(), CLASSES, 5.0)
    found = eq.evaluate(model, tmp_path / "t.csv", public=True)
    assert found.value == pytest.approx(np.mean(model.predict(test) == test["ill"]))
    assert found.low < found.value < found.high
    assert found.guarantee is None
    doses = eq.fit(clinic(), DOSES, 5.0)
    error = np.sqrt(np.mean((np.clip(doses.predict(test), 0, 50) - test["dose"]) ** 2))
    assert eq.evaluate(doses, test, public=True).value == pytest.approx(error)
    assert "mg" in str(eq.evaluate(doses, test, public=True))


def test_private_rows_are_charged_once_and_judged_nearly_as_well() -> None:
    test, ledger = clinic(2000, seed=1), eq.Ledger(epsilon=3.0)
    for schema in (CLASSES, DOSES):
        model = eq.fit(clinic(), schema, 5.0)
        exact = eq.evaluate(model, test, public=True)
        found = eq.evaluate(model, test, epsilon=1.0, ledger=ledger, random_state=0)
        assert found.value == pytest.approx(exact.value, rel=0.15)
        assert found.low < exact.value < found.high
        if found.clipped is None:  # errors within a usual size are known better than those within the bounds
            assert found.high - found.low > exact.high - exact.low
        assert found.guarantee is not None
        assert found.guarantee.seeded
    assert ledger.spent().epsilon == pytest.approx(2.0)
    with pytest.raises(eq.BudgetExhausted):
        eq.evaluate(model, test, epsilon=2.0, ledger=ledger)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "say public=True"),
        ({"public": True, "epsilon": 1.0}, "say public=True"),
        ({"public": True, "ledger": eq.Ledger()}, "nothing is charged for public rows"),
        ({"public": "yes"}, "must be True or False"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"epsilon": 1.0, "level": 1.0}, "level"),
        ({"epsilon": 1.0, "ledger": "book.db"}, "must be a ledger"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_spent(more: Any, said: str) -> None:
    with pytest.raises(eq.EquipoiseError, match=said):
        eq.evaluate(eq.fit(clinic(50), CLASSES, 1.0), clinic(20), **more)


def test_names_no_rows_and_other_models_are_refused() -> None:
    ledger, model = eq.Ledger(epsilon=1.0), eq.fit(clinic(50), CLASSES, 1.0)
    for data, said in ((clinic(20)[["age"]], "column 'ill'"), (clinic(0), "no rows")):
        with pytest.raises(eq.InvalidInput, match=said):
            eq.evaluate(model, data, epsilon=1.0, ledger=ledger)
    with pytest.raises(eq.InvalidInput, match="must be a TableModel"):
        eq.evaluate(model.model, clinic(20), epsilon=1.0)  # type: ignore[arg-type]
    assert ledger.spent().epsilon == 0


def test_persons_are_protected_and_judged_by_the_first_rows_of_each() -> None:
    people = eq.Schema(COLUMNS, Classes("ill", ("no", "yes")), Person("who", 2))
    test, ledger = clinic(3000, seed=1).assign(who=np.arange(3000) // 3), eq.Ledger(epsilon=9.0, unit="person")
    model = eq.fit(clinic().assign(who=np.arange(2000)), people, 5.0)
    found = eq.evaluate(model, test, epsilon=1.0, ledger=ledger)
    assert found.guarantee is not None
    assert (found.guarantee.unit, found.records) == ("one person with at most 2 rows", 2000)
    assert found.guarantee.sensitivity == pytest.approx(2.0)
    assert ledger.spent().epsilon == pytest.approx(1.0)
    used = test[np.arange(3000) % 3 < 2]
    exact = eq.evaluate(model, test, public=True)
    assert exact.value == pytest.approx(np.mean(model.predict(used) == used["ill"]))
    rows = eq.evaluate(eq.fit(clinic(), CLASSES, 5.0), used, public=True)
    assert exact.high - exact.low > 1.2 * (rows.high - rows.low)


def test_no_cell_is_an_error() -> None:
    test = clinic(30).astype(object)
    test.iloc[0] = [None, "Xyzzy", "Xyzzy"]
    for schema in (CLASSES, DOSES):
        assert eq.evaluate(eq.fit(clinic(50), schema, 1.0), test, epsilon=1.0, random_state=0).low >= 0
