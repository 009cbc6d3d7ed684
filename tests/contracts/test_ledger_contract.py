"""The laws of a ledger, whatever keeps it.  A new store adds one line to STORES and inherits them all."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from sklearn.base import clone

from equipoise.errors import BudgetExhausted, EquipoiseError, InvalidInput, LedgerFailure
from equipoise.gate.door import check_paid
from equipoise.ledger import Ledger, LedgerLike, SQLLedger
from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.events import ApproximateRelease, Event, GaussianRelease, PureRelease

SERVER = Path(__file__).parents[1] / "ledger" / "postgres.py"
STORES = ("memory", "sqlite", "postgresql")

Opener = Callable[..., LedgerLike]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with subprocess.Popen([sys.executable, str(SERVER)], stdin=-1, stdout=-1, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url, "PostgreSQL's server did not start: run scripts/install-postgres"
        yield url
        process.stdin.close()


@pytest.fixture(params=STORES)
def new_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    """Called as `new_ledger(epsilon, delta)`: an empty ledger of one kind."""
    if request.param == "memory":
        return Ledger
    place = str(tmp_path / "ledger.db") if request.param == "sqlite" else request.getfixturevalue("server")
    name = uuid4().hex

    def opened(epsilon: float | None = None, delta: float = 0.0, **terms: str) -> SQLLedger:
        return SQLLedger(place, math.inf if epsilon is None else epsilon, delta, name=name, **terms)

    return opened


def spend(ledger: LedgerLike, event: Event) -> None:
    with ledger.reserve(event) as entry:
        entry.commit()


def test_new_ledger_is_empty_and_has_its_whole_limit_left(new_ledger: Opener) -> None:
    ledger = new_ledger(2.0, 1e-6)
    assert ledger.entries() == ()
    assert ledger.spent().epsilon == 0.0
    left = ledger.remaining()
    assert left is not None
    assert 2.0 - 1e-9 < left.epsilon <= 2.0
    assert 1e-6 - 1e-15 < left.delta <= 1e-6
    assert ledger.limit is not None
    assert (ledger.limit.epsilon, ledger.limit.delta) == (2.0, 1e-6)


def test_reservation_counts_before_it_is_committed(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0)
    with ledger.reserve(PureRelease(0.75), label="first model") as entry:
        assert ledger.spent().epsilon == 0.75
        assert ledger.entries()[0].state == "reserved"
        entry.commit()
    assert ledger.spent().epsilon == 0.75
    (record,) = ledger.entries()
    assert (record.id, record.label, record.event) == (1, "first model", PureRelease(0.75))
    assert record.state == "committed"
    assert abs(datetime.now(UTC) - record.time) < timedelta(minutes=5)


def test_block_left_without_commit_stays_spent(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0)
    with ledger.reserve(PureRelease(0.75)):
        pass
    assert ledger.entries()[0].state == "reserved"
    with pytest.raises(BudgetExhausted):
        ledger.reserve(PureRelease(0.5))


def test_exception_in_the_block_stays_spent_and_is_not_swallowed(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0)
    with pytest.raises(ZeroDivisionError), ledger.reserve(PureRelease(0.75)):
        raise ZeroDivisionError
    assert ledger.spent().epsilon == 0.75


@pytest.mark.parametrize("end", [ZeroDivisionError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError])
def test_entry_is_closed_however_its_block_ended(new_ledger: Opener, end: type[BaseException]) -> None:
    """Else whoever catches the error may release once more for the same payment."""
    ledger = new_ledger(1.0)
    entry = ledger.reserve(PureRelease(0.75))
    with pytest.raises(end), entry:
        raise end
    assert not entry.open
    with pytest.raises(LedgerFailure, match="already closed"):
        entry.commit()
    with pytest.raises(LedgerFailure, match="nothing was released"):
        check_paid(entry, PureRelease(0.75))
    assert ledger.entries()[0].state == "reserved"


def test_entry_is_open_until_commit_or_end_of_block(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0)
    with ledger.reserve(PureRelease(0.1)) as committed:
        assert committed.open
        committed.commit()
        assert not committed.open
    with ledger.reserve(PureRelease(0.1)) as left:
        assert left.open
    assert not left.open


def test_closed_entry_cannot_be_committed(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0)
    with ledger.reserve(PureRelease(0.1)) as entry:
        entry.commit()
        with pytest.raises(LedgerFailure, match="closed"):
            entry.commit()
    with ledger.reserve(PureRelease(0.1)) as entry:
        pass
    with pytest.raises(LedgerFailure, match="closed"):
        entry.commit()
    assert [record.state for record in ledger.entries()] == ["committed", "reserved"]


def test_entry_cannot_be_copied_or_pickled(new_ledger: Opener) -> None:
    with new_ledger(1.0).reserve(PureRelease(0.1)) as entry:
        for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(LedgerFailure, match="copied"):
                cast(Callable[[Any], object], duplicate)(entry)


def test_refused_reservation_records_nothing_and_a_smaller_one_still_fits(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0)
    spend(ledger, PureRelease(0.5))
    with pytest.raises(BudgetExhausted, match=r"1\.1.*epsilon=1.*remaining") as refusal:
        ledger.reserve(PureRelease(0.6))
    assert "\n" not in str(refusal.value)
    assert len(ledger.entries()) == 1
    spend(ledger, PureRelease(0.5))
    assert ledger.spent().epsilon == 1.0


def test_ten_tenths_fit_in_one_and_not_a_crumb_more(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0)
    for _ in range(10):
        spend(ledger, PureRelease(0.1))
    assert ledger.remaining() is not None
    with pytest.raises(BudgetExhausted):
        ledger.reserve(PureRelease(1e-11))


def test_gaussian_release_needs_a_limit_with_delta(new_ledger: Opener) -> None:
    ledger = new_ledger(100.0)
    with pytest.raises(BudgetExhausted, match="delta=0"):
        ledger.reserve(GaussianRelease(0.01))
    assert ledger.entries() == ()


def test_deltas_alone_can_exhaust_the_limit(new_ledger: Opener) -> None:
    ledger = new_ledger(100.0, 3e-6, prices="sums")
    for _ in range(3):
        spend(ledger, ApproximateRelease(0.1, 1e-6))
    with pytest.raises(BudgetExhausted, match="delta"):
        ledger.reserve(ApproximateRelease(0.1, 1e-7))
    left = ledger.remaining()
    assert left is not None
    assert left.delta == pytest.approx(0.0, abs=1e-20)
    spend(ledger, PureRelease(0.1))


def test_mixed_events_come_back_equal_and_cost_what_the_accountant_says(new_ledger: Opener) -> None:
    events: list[Event] = [
        PureRelease(0.1 + 0.2, delta_numeric=2.0**-40),
        GaussianRelease(math.pi / 10, steps=7, delta_numeric=2.0**-41),
        ApproximateRelease(1e-300, 5e-324),
    ]
    ledger = new_ledger(50.0, 1e-5, prices="fixed")
    for event in events:
        spend(ledger, event)
    assert [record.event for record in ledger.entries()] == events
    assert ledger.spent() == total_spent(events, 1e-5)
    assert ledger.spent(1e-3) == total_spent(events, 1e-3)
    assert ledger.spent().delta_numeric > 2.0**-40


def test_numeric_delta_is_reported_but_not_charged(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0)
    spend(ledger, PureRelease(0.5, delta_numeric=2.0**-40))
    assert ledger.spent().delta == 0.0
    assert ledger.spent().delta_numeric == 2.0**-40


def test_what_remains_can_be_spent_and_then_nothing_is_left(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0)
    spend(ledger, PureRelease(0.7))
    left = ledger.remaining()
    assert left is not None
    assert left.epsilon == pytest.approx(0.3)
    spend(ledger, PureRelease(left.epsilon))
    left = ledger.remaining()
    assert left is not None
    assert left.epsilon < 1e-12
    with pytest.raises(BudgetExhausted):
        ledger.reserve(PureRelease(1e-6))


def test_what_remains_beside_gaussian_releases_can_be_spent(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0, 1e-5)
    spend(ledger, PureRelease(0.2))
    spend(ledger, GaussianRelease(0.05))
    left = ledger.remaining()
    assert left is not None
    assert 0.1 < left.epsilon < 0.8
    spend(ledger, PureRelease(left.epsilon))
    assert ledger.spent().epsilon <= 1.0


def test_ledger_without_limit_records_everything(new_ledger: Opener) -> None:
    ledger = new_ledger()
    for epsilon in (10.0, 1000.0):
        spend(ledger, PureRelease(epsilon))
    assert ledger.limit is None
    assert ledger.remaining() is None
    assert ledger.spent().epsilon == 1010.0


@pytest.mark.parametrize("label", ["two\nlines", "x" * 201, "nul\0", 3])
def test_label_that_is_not_a_short_line_is_refused(new_ledger: Opener, label: Any) -> None:
    ledger = new_ledger(1.0)
    with pytest.raises(InvalidInput, match="label"):
        ledger.reserve(PureRelease(0.1), label=label)
    assert ledger.entries() == ()


def test_unknown_event_is_refused_and_nothing_recorded(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0)
    with pytest.raises(InvalidInput, match="not known"):
        ledger.reserve(cast(Any, "a great deal of privacy"))
    assert ledger.entries() == ()


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (-1.0, 0.0), (math.nan, 0.0), (1.0, 1.0), (1.0, -0.1)])
def test_impossible_limit_is_refused(new_ledger: Opener, epsilon: float, delta: float) -> None:
    with pytest.raises(InvalidInput, match=r"epsilon|delta"):
        new_ledger(epsilon, delta)


def through_pickle(ledger: LedgerLike) -> LedgerLike:
    return cast(LedgerLike, pickle.loads(pickle.dumps(ledger)))  # noqa: S301 - our own bytes, that is the test


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda it: clone(it, safe=False), through_pickle])
def test_copies_spend_from_the_same_budget(new_ledger: Opener, duplicate: Callable[[LedgerLike], LedgerLike]) -> None:
    ledger = new_ledger(1.0)
    twin = duplicate(ledger)
    spend(ledger, PureRelease(0.4))
    spend(twin, PureRelease(0.4))
    for either in (ledger, twin):
        assert either.spent().epsilon == 0.8
        with pytest.raises(BudgetExhausted):
            either.reserve(PureRelease(0.4))


def test_threads_never_overspend_together_and_use_all_the_room(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0)

    def try_to_spend(_: int) -> bool:
        try:
            spend(ledger, PureRelease(0.1))
        except BudgetExhausted:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        successes = list(pool.map(try_to_spend, range(24)))
    assert sum(successes) == 10
    assert [record.id for record in ledger.entries()] == list(range(1, 11))
    assert {record.state for record in ledger.entries()} == {"committed"}
    assert ledger.spent().epsilon == 1.0


def test_only_one_of_many_threads_commits_an_entry(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0)
    entry = ledger.reserve(PureRelease(0.1))

    def try_to_commit(_: int) -> bool:
        try:
            entry.commit()
        except LedgerFailure:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(try_to_commit, range(16))) == 1


REFUSED: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "a row for a person": ({"unit": "person"}, {}),
    "a replaced row for an added one": ({"adjacency": "add-remove"}, {}),
    "no neighbours": ({}, {"neighbours": None}),
    "a label of two lines": ({}, {"label": "one\ntwo"}),
    "no event": ({}, {"event": None}),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_an_account_does_not_take_is_refused_for_free_and_says_so(new_ledger: Opener, case: str) -> None:
    terms, given = REFUSED[case]
    ledger = new_ledger(5.0, **terms)
    with pytest.raises(EquipoiseError, match=r"^[^\n]*nothing was spent$"):
        ledger.reserve(**{"event": PureRelease(1.0)} | given)
    assert ledger.entries() == ()
