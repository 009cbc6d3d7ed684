"""An account is about one kind of neighbours: what was planned for others is converted or refused, in every store."""

from __future__ import annotations

import ast
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise.errors import BudgetExhausted, InvalidInput, MechanismRefused
from equipoise.ledger import Ledger, LedgerLike, SQLLedger, limits
from equipoise.ledger.tally import Tally
from equipoise.ledger.terms import Terms
from equipoise.theory.adjacency import Adjacency, Neighbours, Unit
from equipoise.theory.events import BoundedRangeRelease, Event, GaussianRelease, PureRelease
from equipoise.tuning import RandomSearch

SOURCE = Path(eq.__file__).parent
ADDED = Neighbours(Adjacency.ADD_REMOVE)
PERSON = Neighbours(unit=Unit.PERSON)
Opener = Callable[..., LedgerLike]


@pytest.fixture(params=["memory", "sqlite"])
def new_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    def opened(epsilon: float, delta: float = 0.0, **terms: str) -> LedgerLike:
        if request.param == "memory":
            return Ledger(epsilon, delta, **terms)
        return SQLLedger(file, epsilon, delta, **terms)

    file = tmp_path / "ledger.db"
    return opened


def test_added_rows_cost_twice_where_rows_are_replaced(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0, 1e-6)
    with pytest.raises(BudgetExhausted):
        ledger.reserve(PureRelease(0.6), neighbours=ADDED)
    assert not ledger.fits(PureRelease(0.6), ADDED)
    assert ledger.most(lambda count: PureRelease(0.1, steps=count), 20, ADDED) == 5
    entry = ledger.reserve(PureRelease(0.3), neighbours=ADDED)
    assert (entry.event, entry.neighbours) == (PureRelease(0.3), ADDED)
    (record,) = new_ledger(1.0, 1e-6).entries() or ledger.entries()
    assert (record.event, record.neighbours) == (PureRelease(0.3), ADDED)
    assert ledger.spent(0.0).epsilon == 0.6
    assert ledger.spent(0.0, PureRelease(0.1), ADDED).epsilon == pytest.approx(0.8)
    ledger.reserve(PureRelease(0.4))
    assert ledger.spent(0.0).epsilon == 1.0


def test_an_account_about_added_rows_refuses_replaced_ones(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0, adjacency="add-remove")
    with pytest.raises(MechanismRefused, match="added rows") as refused:
        ledger.reserve(PureRelease(0.1))
    assert "\n" not in str(refused.value)
    ledger.reserve(PureRelease(0.75), neighbours=ADDED)
    assert ledger.spent().epsilon == 0.75
    assert ledger.neighbours == ADDED


def test_an_account_about_persons_refuses_rows(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0, unit="person")
    with pytest.raises(MechanismRefused, match="groups="):
        ledger.reserve(PureRelease(0.1))
    ledger.reserve(PureRelease(0.5), neighbours=PERSON)
    assert ledger.spent().epsilon == 0.5


@pytest.mark.parametrize("terms", [{"adjacency": "swap"}, {"unit": "household"}, {"prices": "cheap"}])
def test_unknown_terms_are_refused(new_ledger: Opener, terms: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match="must be one of"):
        new_ledger(1.0, **terms)


def test_a_histogram_for_added_rows_costs_what_it_is_worth() -> None:
    """It was booked at ε = 1 while one replaced row could be told at 1.63."""
    rows = np.random.default_rng(3).uniform(size=(50, 1))
    made: dict[str, Any] = {"bounds": (0.0, 1.0), "bins": 4, "adjacency": "add-remove", "random_state": 1}
    ledger = eq.Ledger(1.0)
    with pytest.raises(BudgetExhausted):
        eq.HistogramDensity(1.0, ledger=ledger, **made).fit(rows)
    eq.HistogramDensity(0.5, ledger=ledger, **made).fit(rows)
    assert ledger.spent().epsilon == 1.0
    own = eq.Ledger(1.0, adjacency="add-remove")
    eq.HistogramDensity(1.0, ledger=own, **made).fit(rows)
    assert own.spent().epsilon == 1.0


def test_linear_models_and_searches_say_whom_they_protect() -> None:
    rng = np.random.default_rng(4)
    rows, labels = rng.normal(size=(60, 2)) / 3, rng.integers(0, 2, 60)
    ledger = eq.Ledger(100.0, 1e-6)
    model = eq.LogisticRegression(1.0, classes=[0, 1], random_state=1, ledger=ledger)
    model.fit(rows, labels)
    eq.LogisticRegression(
        1.0, classes=[0, 1], random_state=1, ledger=ledger, adjacency="add-remove", public_n=60, alpha=0.1
    ).fit(rows, labels)
    plain = eq.LogisticRegression(1.0, classes=[0, 1], random_state=1)
    RandomSearch(plain, {"alpha": [0.1, 1.0]}, ledger=ledger).fit(rows, labels, groups=np.arange(60) // 2)
    planned = [record.neighbours for record in ledger.entries()]
    assert planned == [Neighbours(), ADDED, PERSON]


def test_every_reservation_in_the_library_says_whom_it_protects() -> None:
    """Nobody relies on the default: it is for callers who write ledgers by hand."""
    silent: list[str] = []
    for path in SOURCE.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
        reserving = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "reserve"]
        silent += [
            f"{path.name}:{call.lineno}"
            for call in reserving
            if "neighbours" not in {keyword.arg for keyword in call.keywords}
        ]
    assert silent == []


def test_threads_that_check_at_leisure_still_cannot_overspend(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has looked waits for another to look too, and must wait in vain."""
    look, meeting = limits.refuse_over, threading.Barrier(2)

    def slowly(terms: Terms, tally: Tally, new: Event) -> None:
        look(terms, tally, new)
        with contextlib.suppress(threading.BrokenBarrierError):
            meeting.wait(timeout=1.0)

    monkeypatch.setattr(limits, "refuse_over", slowly)
    ledger = Ledger(1.0)

    def try_to_spend(_: int) -> bool:
        try:
            ledger.reserve(PureRelease(0.6))
        except BudgetExhausted:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(try_to_spend, range(8))) == 1
    assert ledger.spent().epsilon == 0.6


@pytest.mark.parametrize("prices", ["adaptive", "fixed"])
def test_k_votes_cost_more_than_one(prices: str) -> None:
    """By one reservation or by many, announced or not."""
    for delta in (0.0, 1e-6):
        at_once = Ledger(100.0, delta, prices=prices)
        at_once.reserve(BoundedRangeRelease(0.1, 40))
        singly = Ledger(100.0, delta, prices=prices)
        for _ in range(40):
            singly.reserve(BoundedRangeRelease(0.1))
        alone = Ledger(100.0, delta, prices=prices)
        alone.reserve(BoundedRangeRelease(0.1))
        assert at_once.spent().epsilon > 5 * alone.spent().epsilon
        assert singly.spent().epsilon >= at_once.spent().epsilon * (1 - 1e-9)


def test_gaussian_steps_for_added_rows_double_their_shift() -> None:
    ledger, twin = Ledger(5.0, 1e-6), Ledger(5.0, 1e-6)
    ledger.reserve(GaussianRelease(0.2, 3), neighbours=ADDED)
    twin.reserve(GaussianRelease(0.4, 3))
    assert ledger.spent() == twin.spent()
