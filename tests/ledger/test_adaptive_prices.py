"""A limit holds when prices are chosen as one goes: attacked by the best adaptive strategy we can compute."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ledger.adaptive_attack import Opener, best_delta, families, replayed

from equipoise.ledger import Ledger, LedgerLike
from equipoise.theory.accounting import gaussian_shift
from equipoise.theory.accounting.filters import SHARES
from equipoise.theory.events import ApproximateRelease, Composed, Event, GaussianRelease, PureRelease
from equipoise.theory.guarantees import Budget

PREFIXES: dict[str, list[Event]] = {
    "nothing": [],
    "eighty small": [PureRelease(0.015)] * 80,
    "twenty middling": [PureRelease(0.03)] * 20,
    "one large": [PureRelease(0.7)],
    "Gaussians": [GaussianRelease(0.03)] * 12,
    "both": [GaussianRelease(0.1), *[PureRelease(0.02)] * 25],
    "announced": [PureRelease(0.015, steps=80)],
}


def opener(epsilon: float, delta: float, prices: str) -> Opener:
    def fresh() -> LedgerLike:
        return Ledger(epsilon, delta, prices=prices)

    return fresh


@pytest.mark.parametrize("prices", ["adaptive", "sums"])
@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
def test_no_adaptive_strategy_exceeds_the_limit(prefix: list[Event], prices: str) -> None:
    for epsilon, delta in ((1.0, 1e-6), (1.0, 1e-2)):
        fresh = opener(epsilon, delta, prices)
        assert best_delta(fresh, prefix, families(delta), depth=1) <= delta * (1 + 1e-6)


@pytest.mark.parametrize("prefix", [PREFIXES["eighty small"], PREFIXES["one large"]], ids=["small", "large"])
def test_choosing_twice_does_not_help_either(prefix: list[Event]) -> None:
    ways = families(1e-6)[:4]
    assert best_delta(opener(1.0, 1e-6, "adaptive"), prefix, ways, depth=2) <= 1e-6 * (1 + 1e-6)


def test_the_exact_curve_falls_to_the_same_attack() -> None:
    """The twin: what an account does that trusts the word "fixed".  The attack is strong enough to matter."""
    broken = opener(1.0, 1e-6, "fixed")
    assert best_delta(broken, PREFIXES["eighty small"], families(1e-6), depth=1) > 2e-6
    pure_only = [lambda size, share=share: PureRelease(size * share) for share in (1.0, 0.9, 0.7, 0.4)]
    assert best_delta(broken, PREFIXES["eighty small"], pure_only[:1], depth=1) < 1.01e-6  # no choice, no gain


def test_whoever_goes_on_only_when_it_pays_gains_nothing() -> None:
    """Stopping early is a choice of prices too."""
    fresh = opener(1.0, 1e-6, "adaptive")
    once = best_delta(fresh, PREFIXES["eighty small"], families(1e-6)[:1], depth=1)
    twice = best_delta(fresh, PREFIXES["eighty small"], families(1e-6)[:1], depth=2)
    assert once <= twice <= 1e-6


def test_a_plan_announced_at_once_is_exact() -> None:
    """The same releases, told before the first of them is made, may use the whole limit."""
    shift = gaussian_shift(Budget(1.0, 1e-6))
    plan: Event = Composed(tuple(GaussianRelease(shift / 10.000001) for _ in range(100)))
    assert Ledger(1.0, 1e-6).reserve(plan).open
    one_by_one = Ledger(1.0, 1e-6)
    assert one_by_one.most(lambda count: GaussianRelease(shift / 10.000001, count), 1000) == 100
    shares: Event = Composed(tuple(ApproximateRelease(0.1, 1e-7) for _ in range(10)))
    assert Ledger(1.0, 1e-6).reserve(shares).open
    assert not Ledger(1.0, 1e-6).fits(Composed((shares, PureRelease(1e-6))))


def test_many_small_releases_one_by_one_cost_little_more_than_announced() -> None:
    announced = Ledger(3.0, 1e-5).most(lambda count: PureRelease(0.02, steps=count), 10_000)
    ledger = replayed(opener(3.0, 1e-5, "adaptive"), [PureRelease(0.02)])
    assert 0.75 * announced < 1 + ledger.most(lambda count: PureRelease(0.02, steps=count), 10_000) < announced
    few = replayed(opener(3.0, 1e-5, "adaptive"), [GaussianRelease(gaussian_shift(Budget(1.0, 1e-6)))])
    for event in (PureRelease(1.0), ApproximateRelease(1.0, 1e-6)):  # a third of the limit each, as they were planned
        few.reserve(event)


prices_of = st.one_of(
    st.builds(PureRelease, st.floats(1e-3, 0.5)),
    st.builds(GaussianRelease, st.floats(1e-3, 0.2), st.integers(1, 3)),
    st.builds(ApproximateRelease, st.floats(0.0, 0.5), st.floats(0.0, 1e-6)),
)


@settings(max_examples=30, deadline=None)
@given(opening=prices_of, later=st.lists(prices_of, max_size=5), seed=st.randoms(use_true_random=False))
def test_what_came_after_the_opening_counts_the_same_in_any_order(
    opening: Event, later: list[Event], seed: object
) -> None:
    shuffled = list(later)
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    left, right = (replayed(opener(50.0, 1e-4, "adaptive"), [opening, *order]) for order in (later, shuffled))
    assert left.spent() == right.spent()
    assert left.remaining() == right.remaining()


@settings(max_examples=30, deadline=None)
@given(events=st.lists(prices_of, min_size=1, max_size=5), more=prices_of)
def test_another_release_never_leaves_more(events: list[Event], more: Event) -> None:
    ledger = replayed(opener(50.0, 1e-4, "adaptive"), events)
    before, room = ledger.spent().epsilon, ledger.remaining()
    ledger.reserve(more)
    after = ledger.remaining()
    assert room is not None
    assert after is not None
    assert ledger.spent().epsilon >= before * (1 - 1e-9)
    assert after.epsilon <= room.epsilon
    assert after.delta <= room.delta


@settings(max_examples=60, deadline=None)
@given(
    deltas=st.lists(st.floats(1e-12, 4e-7), min_size=2, max_size=8), epsilons=st.lists(st.floats(0.0, 0.1), min_size=8)
)
def test_deltas_add_up_exactly_whatever_their_epsilons(deltas: list[float], epsilons: list[float]) -> None:
    """Equal δ beside different ε, and differences far below any absolute tolerance."""
    ledger = Ledger(5.0, 1e-6, prices="sums")
    claimed = 0.0
    for delta, epsilon in zip([*deltas, deltas[0]], [*epsilons, 0.05], strict=False):
        room = claimed + delta <= 1e-6 * (1 - 1e-13)
        assert ledger.fits(ApproximateRelease(epsilon, delta)) == room or abs(claimed + delta - 1e-6) < 1e-18
        if room:
            ledger.reserve(ApproximateRelease(epsilon, delta))
            claimed += delta


@pytest.mark.parametrize("delta", [1e-12, 1e-6, 1e-3])
@pytest.mark.parametrize("prices", ["adaptive", "sums", "fixed"])
def test_the_limit_on_delta_is_sharp_at_every_size(delta: float, prices: str) -> None:
    ledger = Ledger(5.0, delta, prices=prices)
    assert ledger.fits(ApproximateRelease(0.1, delta))
    assert not ledger.fits(ApproximateRelease(0.1, delta * (1 + 1e-9)))
    ledger.reserve(ApproximateRelease(0.1, delta))
    assert not ledger.fits(ApproximateRelease(0.2, delta * 1e-6))
    assert ledger.fits(PureRelease(0.2))


def test_shares_of_delta_add_up_to_one() -> None:
    """The strategy may choose its filter by what it saw, so each alternative costs its own δ."""
    for shares in SHARES.values():
        assert shares.leaks + shares.opening + shares.smooth + shares.moments == 1
        assert min(shares.leaks, shares.opening, shares.smooth, shares.moments) >= 0


def test_the_sums_take_no_more_smooth_releases_than_their_share_pays_for() -> None:
    """A large pure opening leaves nothing to the moments; eight Gaussian releases fit by their own ε, and no ninth."""
    ledger = replayed(opener(1.0, 1e-6, "adaptive"), [PureRelease(0.9)])
    tiny = GaussianRelease(1e-4)
    assert ledger.most(lambda count: Composed((tiny,) * count), 20) == 8
    for _ in range(8):
        ledger.reserve(tiny)
    assert not ledger.fits(tiny)
    assert ledger.fits(PureRelease(0.05))
