"""SimplexFTRL: rounds, debits, horizons, refusals that change nothing, and regret within its bound."""

from __future__ import annotations

import copy
import itertools
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import chisquare
from sklearn.base import clone

import equipoise as eq
from equipoise.audit.exact.corner_laws import decisions_law
from equipoise.audit.frozen.replay import replay
from equipoise.theory.events import ApproximateRelease, BoundedRangeRelease, PureRelease
from equipoise.theory.simplex.draws import MIXED

Array = npt.NDArray[np.float64]
FALSE_ALARM = 1e-6


def learner(epsilon: float = 1.0, delta: float = 0.0, **settings: Any) -> eq.SimplexFTRL:
    made: dict[str, Any] = {"experts": 3, "horizon": 10, **settings}
    return eq.SimplexFTRL(epsilon, delta, **made)


def play(one: eq.SimplexFTRL, costs: Any) -> eq.SimplexFTRL:
    for cost in costs:
        one.decide()
        one.partial_fit(cost)
    return one


def test_the_whole_horizon_is_debited_at_the_first_call_and_nothing_later() -> None:
    ledger = eq.Ledger(1.0)
    one = learner(ledger=ledger)
    assert ledger.entries() == ()
    one.decide()
    (entry,) = ledger.entries()
    assert entry.event == BoundedRangeRelease(one.plan().eta, 9)
    assert entry.state == "reserved"
    assert ledger.spent().epsilon == pytest.approx(1.0)
    play(one, np.zeros((10, 3)))
    (entry,) = ledger.entries()
    assert entry.state == "committed"


def test_an_empty_account_stops_it_before_the_first_round() -> None:
    ledger = eq.Ledger(0.5)
    with pytest.raises(eq.BudgetExhausted):
        learner(ledger=ledger).partial_fit([0.0, 0.0, 0.0])
    assert ledger.entries() == ()


def test_a_decision_stands_until_its_cost_is_known() -> None:
    one = learner(random_state=0)
    first = one.decide()
    assert [one.decide() for _ in range(20)] == [first] * 20
    one.partial_fit([1, 0, 0])
    assert one.rounds_ == 1
    assert len(one.decisions_) == 1
    one.partial_fit([1, 0, 0])  # nobody asked: the round has a decision all the same
    assert len(one.decisions_) == 2


def test_the_horizon_ends_with_an_error_that_changes_nothing() -> None:
    one = play(learner(random_state=0), np.zeros((10, 3)))
    before = list(one.decisions_)
    for attempt in (one.decide, lambda: one.partial_fit([0, 0, 0])):
        with pytest.raises(eq.InvalidInput, match="every round is over"):
            attempt()
    assert one.decisions_ == before
    assert one.rounds_ == 10


@pytest.mark.parametrize("cost", [[1.0, 2.0], [[1.0, 2.0, 3.0]] * 2, np.zeros(4), 1.0, np.array(["x"] * 3)])
def test_a_cost_of_the_wrong_shape_or_type_changes_nothing_and_costs_nothing(cost: Any) -> None:
    ledger = eq.Ledger(1.0)
    fresh = learner(ledger=ledger)
    with pytest.raises(eq.InvalidInput, match="nothing was spent"):
        fresh.partial_fit(cost)
    assert ledger.entries() == ()
    one, other = learner(random_state=5), learner(random_state=5)
    play(one, np.ones((3, 3)))
    play(other, np.ones((3, 3)))
    with pytest.raises(eq.InvalidInput, match="nothing was spent"):
        one.partial_fit(cost)
    assert play(one, np.ones((7, 3))).decisions_ == play(other, np.ones((7, 3))).decisions_


def test_a_cost_beyond_its_bound_is_clipped_or_by_the_callers_word_refused() -> None:
    wild, tame = [1e300, np.nan, -np.inf], [1.0, 0.0, -1.0]
    runs = [play(learner(30.0, random_state=2), [row] * 10).decisions_ for row in (wild, tame)]
    assert runs[0] == runs[1]
    strict = learner(outside="refuse", random_state=2)
    strict.decide()
    for bad in ([1.1, 0, 0], [np.nan, 0, 0]):
        with pytest.raises(eq.InvalidInput, match=r"the round is not over; nothing was spent"):
            strict.partial_fit(bad)
    assert strict.rounds_ == 0
    assert strict.partial_fit(tame).rounds_ == 1
    with pytest.raises(eq.InvalidInput, match="outside"):
        learner(outside="ignore").decide()


def test_decisions_follow_the_exact_law() -> None:
    """All sequences of four rounds; chi-square, false alarm one in a million."""
    costs, runs = np.array([[1, -1], [0.5, 0.0], [-1, 1], [0, 0]]), 1000
    plan = learner(20.0, experts=2, horizon=4).plan()
    law = decisions_law(costs, plan.smoothing, MIXED)
    seen = np.zeros(16)
    for seed in range(runs):
        decided = play(learner(20.0, experts=2, horizon=4, random_state=seed), costs).decisions_
        seen[int("".join(map(str, decided)), 2)] += 1
    assert chisquare(seen, runs * law).pvalue > FALSE_ALARM


def test_horizons_that_double_are_paid_once_and_start_afresh() -> None:
    for delta, event in ((0.0, PureRelease(1.0)), (1e-6, ApproximateRelease(1.0, 1e-6))):
        ledger = eq.Ledger(1.0, 1e-6)
        one = learner(1.0, delta, horizon="double", ledger=ledger, random_state=1)
        play(one, np.tile([1.0, -1.0, 0.0], (64 + 128 + 5, 1)))
        assert [entry.event for entry in ledger.entries()] == [event]
        assert one.rounds_ == 197
        assert one._now.horizon == 256
        assert one._seen == 5
    with pytest.raises(eq.InvalidInput, match="horizon"):
        learner(horizon="triple").plan()


def test_a_new_horizon_knows_nothing_of_the_last() -> None:
    """An expert that was hopeless is drawn like any other again; that none of forty does so has chance 1e-7."""
    runs = [play(learner(1e4, horizon="double", random_state=seed), [[1.0, -1.0, -1.0]] * 64) for seed in range(40)]
    assert not any(0 in one.decisions_[32:] for one in runs)
    assert 0 in [one.decide() for one in runs]


def test_regret_is_within_its_bound_and_costs_are_not_kept() -> None:
    """Mean regret of twenty runs against a bound on its expectation: three standard errors of room."""
    rng = np.random.default_rng(0)
    costs = np.clip(rng.uniform(-1, 1, (300, 5)) - 0.4 * (np.arange(5) == 2), -1, 1)
    reports = [
        play(learner(2.0, 1e-6, experts=5, horizon=300, random_state=seed), costs).regret(costs) for seed in range(20)
    ]
    regrets = np.array([report.regret for report in reports], dtype=float)
    assert regrets.mean() <= reports[0].bound
    assert regrets.mean() > 0
    assert "300 rounds" in str(reports[0])
    one = play(learner(random_state=0), np.ones((4, 3)))
    assert one.regret().regret is None
    assert one.regret().rounds == 4
    with pytest.raises(eq.InvalidInput, match="one row"):
        one.regret(np.ones((5, 3)))


def test_the_bound_grows_with_the_root_of_rounds_and_the_logarithm_of_experts() -> None:
    """λ ∝ √T at a fixed budget: four times the rounds, twice the bound."""
    bounds = {
        (rounds, experts): learner(1.0, 1e-6, experts=experts, horizon=rounds).plan().regret_bound(rounds)
        for rounds, experts in itertools.product((1000, 4000), (10, 100))
    }
    assert bounds[4000, 10] / bounds[1000, 10] == pytest.approx(2.0, rel=0.01)
    assert bounds[1000, 100] / bounds[1000, 10] == pytest.approx(2.0, rel=0.05)


def test_a_replaced_cost_is_hidden_in_every_round() -> None:
    costs = np.tile([1.0, -1.0, 0.5], (6, 1))
    other = costs.copy()
    other[1] = [-1.0, 1.0, -1.0]
    nobody = np.zeros(6)
    found = replay(lambda table: play(learner(3.0, horizon=6), table[0]), (costs, nobody), (other, nobody))
    assert found.holds, str(found)
    assert 0.5 < found.ratio <= 1


def test_what_it_keeps_of_costs_cannot_be_copied_or_seen() -> None:
    one = play(learner(random_state=0), np.ones((2, 3)))
    assert repr(one._totals) == "<private>"
    assert "decisions_" not in one.get_params()


@pytest.mark.parametrize("horizon", [10, "double"])
@pytest.mark.parametrize("begun", [lambda one: one.decide(), lambda one: play(one, np.ones((2, 3)))])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])  # noqa: S301 - our own text
def test_rounds_under_way_have_no_copy_with_draws_of_its_own(copied: Any, begun: Any, horizon: Any) -> None:
    one = learner(horizon=horizon)
    assert copied(one).get_params() == one.get_params()
    begun(one)
    before = dict(vars(one))
    with pytest.raises(eq.MechanismRefused, match="cannot be copied or pickled"):
        copied(one)
    assert vars(one) == before
    assert clone(one).get_params() == one.get_params()


def test_a_forked_child_decides_nothing_whoever_holds_a_lock() -> None:
    one = play(learner(), np.ones((2, 3)))
    with one._turn:
        child = os.fork()
        if child == 0:  # which finds the lock held for ever
            try:
                one.decide()
            except eq.LedgerFailure:
                os._exit(0)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads take turns a thousand times as often as they usually do."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(usual)


def at_once(work: Callable[[], Any], count: int = 12) -> list[Any]:
    """What so many threads got that began together."""
    start, found = threading.Barrier(count), []

    def turn() -> None:
        start.wait()
        found.append(work())

    threads = [threading.Thread(target=turn) for _ in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return found


@pytest.mark.usefixtures("hasty")
def test_threads_pay_once_and_draw_once_a_round() -> None:
    for _ in range(20):
        ledger = eq.Ledger(1.0)
        one = learner(ledger=ledger, horizon=4)
        for round_ in range(4):
            assert len(set(at_once(one.decide))) == 1
            assert len(one.decisions_) == round_ + 1
            one.partial_fit([1.0, 0.0, -1.0])
        (entry,) = ledger.entries()
        assert entry.state == "committed"


@pytest.mark.usefixtures("hasty")
def test_threads_that_bring_costs_end_a_round_each() -> None:
    for _ in range(20):
        one = learner(horizon=12)
        at_once(partial(one.partial_fit, [1.0, 0.0, -1.0]))
        assert (one.rounds_, len(one.decisions_), one._left) == (12, 12, 0)


def test_parameters_that_change_midway_change_nothing() -> None:
    one, other = (learner(1.0, 1e-6, horizon="double", random_state=3) for _ in range(2))
    play(one, np.ones((64, 3)))
    play(other, np.ones((64, 3)))
    other.set_params(epsilon=1e6, experts=9)
    assert play(one, np.ones((70, 3))).decisions_ == play(other, np.ones((70, 3))).decisions_


def test_nothing_is_assumed_in_silence() -> None:
    for one in (learner(experts=None), learner(horizon=None)):
        with pytest.raises(eq.BoundsRequired):
            one.decide()


@pytest.mark.parametrize("cell", ["a", b"a", None, [1.0], object(), float("nan")], ids=lambda cell: type(cell).__name__)
def test_what_the_cells_of_a_cost_are_decides_nothing(cell: Any) -> None:
    """The list is one record, so a rule about all its cells is one about a record."""
    for many in range(4):
        assert learner().partial_fit([cell] * many + [1.0] * (3 - many)).rounds_ == 1
