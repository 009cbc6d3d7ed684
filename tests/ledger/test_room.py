"""Is there room?  The same laws for every store: asking reserves nothing and answers as `reserve` would."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from equipoise.errors import BudgetExhausted, InvalidInput
from equipoise.ledger import Ledger, LedgerLike, SQLLedger
from equipoise.ledger.tally import Tally
from equipoise.theory.accounting import total_spent
from equipoise.theory.events import (
    ApproximateRelease,
    BoundedRangeRelease,
    Composed,
    ConcentratedRelease,
    Event,
    GaussianRelease,
    PureRelease,
    RenyiRelease,
)

Opener = Callable[..., LedgerLike]

KINDS: list[Event] = [
    PureRelease(0.01, 2.0**-41, steps=3),
    BoundedRangeRelease(0.02, 40, 2.0**-41),
    ConcentratedRelease(0.001),
    RenyiRelease((1.5, 4.0, 32.0), (0.01, 0.03, 0.2)),
    Composed((PureRelease(0.05), GaussianRelease(0.05, 2, 2.0**-41, 1e-9), Composed((PureRelease(0.01),)))),
]


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def new_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    if request.param == "memory":
        return Ledger
    place = str(tmp_path / "ledger.db") if request.param == "sqlite" else request.getfixturevalue("postgres")

    def opened(epsilon: float | None = None, delta: float = 0.0, **terms: str) -> SQLLedger:
        return SQLLedger(place, math.inf if epsilon is None else epsilon, delta, **terms)

    return opened


def votes(count: int) -> Event:
    return BoundedRangeRelease(0.1, count)


@pytest.mark.parametrize("event", [PureRelease(0.3), PureRelease(0.1, steps=4), votes(3), GaussianRelease(0.05)])
def test_an_event_fits_exactly_when_it_can_be_reserved(new_ledger: Opener, event: Event) -> None:
    ledger = new_ledger(1.0, 1e-6)
    for _ in range(30):
        before = ledger.entries()
        room = ledger.fits(event)
        assert ledger.entries() == before  # asking costs nothing
        try:
            ledger.reserve(event)
        except BudgetExhausted:
            assert not room
            return
        assert room
    raise AssertionError("the limit was never reached")


def test_delta_is_looked_at_too(new_ledger: Opener) -> None:
    ledger = new_ledger(100.0, 1e-6)
    assert ledger.fits(ApproximateRelease(0.1, 1e-6))
    assert not ledger.fits(ApproximateRelease(0.1, 2e-6))
    assert not ledger.fits(Composed((ApproximateRelease(0.1, 6e-7), ApproximateRelease(0.1, 6e-7))))


def test_what_the_grid_adds_to_epsilon_is_charged(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0, 1e-6)
    assert ledger.fits(GaussianRelease(1e-9, epsilon_numeric=0.9))
    assert not ledger.fits(GaussianRelease(1e-9, epsilon_numeric=1.1))
    assert not ledger.fits(Composed((PureRelease(0.2), GaussianRelease(1e-9, epsilon_numeric=0.9))))


def test_the_most_answers_fit_and_one_more_does_not(new_ledger: Opener) -> None:
    ledger = new_ledger(2.0, 1e-6)
    ledger.reserve(PureRelease(0.5))
    count = ledger.most(votes, 1_000_000)
    assert count > 20
    assert ledger.fits(votes(count))
    assert not ledger.fits(votes(count + 1))
    assert len(ledger.entries()) == 1
    ledger.reserve(votes(count))
    assert ledger.most(votes, 1_000_000) == 0
    assert ledger.spent().epsilon <= 2.0 * (1 + 1e-12)


def test_no_more_than_asked_for_and_nothing_when_nothing_fits(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0)
    assert ledger.most(votes, 5) == 5
    assert ledger.most(votes, 1000) == 10
    assert ledger.most(votes, 0) == 0
    assert ledger.most(lambda count: PureRelease(2.0, steps=count), 9) == 0


def test_without_limit_everything_fits(new_ledger: Opener) -> None:
    ledger = new_ledger()
    assert ledger.fits(PureRelease(1000.0))
    assert ledger.most(votes, 12345) == 12345


@pytest.mark.parametrize("at_most", [-1, 2.5, True])
def test_an_impossible_count_is_refused(new_ledger: Opener, at_most: Any) -> None:
    with pytest.raises(InvalidInput, match="at_most"):
        new_ledger(1.0).most(votes, at_most)


def test_strange_events_are_refused_when_asked_about(new_ledger: Opener) -> None:
    ledger = new_ledger(1.0)
    with pytest.raises(InvalidInput, match="not known"):
        ledger.fits(cast(Any, "a vote"))
    with pytest.raises(InvalidInput, match="not known"):
        ledger.most(lambda count: cast(Any, count), 5)


def test_every_kind_of_event_comes_back_equal_and_costs_what_the_accountant_says(new_ledger: Opener) -> None:
    ledger = new_ledger(50.0, 1e-5, prices="fixed")
    for event in KINDS:
        ledger.reserve(event)
    assert [record.event for record in ledger.entries()] == KINDS
    assert ledger.spent() == total_spent(KINDS, 1e-5)
    again = new_ledger(50.0, 1e-5, prices="fixed")
    if isinstance(again, SQLLedger):  # another handle reads it from the store
        assert again.spent() == ledger.spent()
        assert again.most(votes, 1000) == ledger.most(votes, 1000)


def test_what_another_handle_spent_leaves_less_room(place: str) -> None:
    ours, theirs = SQLLedger(place, 1.0), SQLLedger(place, 1.0)
    assert ours.most(votes, 100) == 10
    for _ in range(4):
        theirs.reserve(votes(1))
    assert ours.most(votes, 100) == 6
    ours.reserve(votes(6))
    assert not theirs.fits(votes(1))
    assert [record.id for record in theirs.entries()] == [1, 2, 3, 4, 5]


def test_thousands_of_equal_entries_do_not_slow_reserving_down() -> None:
    ledger, started = Ledger(5.0, 1e-6), time.process_time()
    for _ in range(3000):
        ledger.reserve(BoundedRangeRelease(1e-3))
    assert time.process_time() - started < 5.0  # a few tenths; adding up all entries each time takes minutes
    together = total_spent([BoundedRangeRelease(1e-3, 3000)], 1e-6).epsilon
    assert together < ledger.spent().epsilon < 1.1 * together  # prices chosen as one goes cost a little more


def test_a_tally_is_a_value() -> None:
    first = Tally().plus([PureRelease(0.1), PureRelease(0.1)])
    second = first.plus([PureRelease(0.2)])
    assert (first.entries, dict(first.events)) == (2, {PureRelease(0.1): 2})
    assert (second.entries, dict(second.events)) == (3, {PureRelease(0.1): 2, PureRelease(0.2): 1})
    with pytest.raises(TypeError):
        cast(Any, first.events)[PureRelease(0.1)] = 0
