"""A mistake that types and public parameters show is refused for free and says so; no other mistake is an error."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise.answering import StablePredictor
from equipoise.estimators._spent import SPENT
from equipoise.tuning import DataSplitSearch

X = np.random.default_rng(2).normal(size=(60, 2))
WORDS = np.array(["yes", "no"] * 30)

MISTAKES: dict[str, tuple[Any, Any, Any]] = {
    "words without classes": (eq.LogisticRegression, X, WORDS),
    "words for numbers in classes": (lambda **g: eq.LogisticRegression(classes=[0, 1], **g), X, WORDS),
    "numbers for words in classes": (lambda **g: eq.LinearSVC(classes=["yes", "no"], **g), X, np.arange(60) % 2),
    "words for regression": (lambda **g: eq.LinearRegression(label_bounds=(0, 1), **g), X, WORDS),
    "no label bounds": (eq.HuberRegressor, X, X[:, 0]),
    "text in X": (eq.LogisticRegression, np.column_stack([X, WORDS]), np.arange(60) % 2),
    "one label too few": (eq.LogisticRegression, X, np.arange(59) % 2),
    "a class twice": (lambda **g: eq.LogisticRegression(classes=["yes", "yes"], **g), X, WORDS),
    "epsilon of zero": (lambda **g: eq.LogisticRegression(0.0, **g), X, np.arange(60) % 2),
    "a density without bounds": (eq.HistogramDensity, X[:, :1], None),
    "a search over words": (lambda **g: DataSplitSearch(eq.LogisticRegression(), {"alpha": [1.0, 2.0]}, **g), X, WORDS),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_that_types_show_costs_nothing_and_says_so(case: str) -> None:
    make, rows, labels = MISTAKES[case]
    ledger = eq.Ledger(1.0)
    with pytest.raises(eq.EquipoiseError, match=r"[Nn]othing was spent") as caught:
        make(ledger=ledger).fit(rows, labels)
    assert ledger.entries() == ()
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_class_misspelt_or_a_missing_cell_is_settled_and_stands_on_the_card() -> None:
    """Told by an error, one record's value would be known for certain; the price is the planned one."""
    rows = X.copy()
    rows[3, 0] = np.nan
    ledger = eq.Ledger(1.0)
    model = eq.LogisticRegression(classes=["yes", "noo"], ledger=ledger).fit(rows, WORDS)
    assert ledger.spent().epsilon == pytest.approx(1.0)
    page = " ".join(model.card().text().split())
    assert "a label that is none of the classes counts as the first of them" in page
    assert "a missing value of a feature counts as the middle of its column" in page


def test_what_fails_after_the_debit_says_that_it_was_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any, **named: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("equipoise.estimators.linear.entrance.enter", stop)
    ledger = eq.Ledger(1.0)
    with pytest.raises(KeyboardInterrupt) as caught:
        eq.LogisticRegression(ledger=ledger).fit(X, np.arange(60) % 2)
    assert caught.value.__notes__ == [SPENT]
    assert ledger.spent().epsilon == pytest.approx(1.0)


@pytest.mark.parametrize(
    "mistake",
    [
        lambda: eq.LogisticRegression().fit([[1.0], [2.0, 3.0]], [0, 1]),
        lambda: eq.LinearRegression().fit(X, np.arange(60.0)),
        lambda: eq.LogisticRegression(rows_per_person=1).fit(X, np.arange(60) % 2, groups=[1]),
        lambda: eq.fit({"a": [1]}, "no such schema", 1.0),
        lambda: DataSplitSearch(eq.LogisticRegression(), {"alpha": [1.0, 2.0]}).fit(X[:2], [0, 1]),
        lambda: StablePredictor(0.0).fit(X, np.arange(60) % 2),
    ],
)
def test_a_refusal_is_one_error_and_not_two(mistake: Callable[[], Any]) -> None:
    """Its words are made anew to say what it cost; nobody is to read both."""
    with pytest.raises(eq.EquipoiseError) as caught:
        mistake()
    told = "".join(traceback.format_exception(caught.value))
    assert told.count("Traceback") == 1
    assert "During handling" not in told


def test_no_message_sends_anybody_to_an_imputer() -> None:
    source = Path(eq.__file__).parent
    guilty = [path.name for path in source.rglob("*.py") if "mpute first" in path.read_text(encoding="utf-8")]
    assert not guilty
