"""The best of a random number of runs, attacked with exactly enumerated mechanisms, and a second opinion."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.accounting import (
    PoissonStop,
    TruncatedNegativeBinomial,
    base_for,
    delta_of,
    epsilon_of,
    gaussian_shift,
    random_stop,
    rho_for,
    stop_with_mean,
    to_renyi,
)
from equipoise.theory.guarantees import Approximate, BoundedRange, Budget, Concentrated, Gaussian, Measure, Pure, Renyi

Array = npt.NDArray[np.float64]
Stop = TruncatedNegativeBinomial | PoissonStop

ORDERS = (1.05, 1.2, 1.5, 2.0, 3.0, 6.0, 12.0, 40.0, 200.0)
STOPS: list[Stop] = [
    TruncatedNegativeBinomial(1.0, 0.1),
    TruncatedNegativeBinomial(0.0, 0.02),
    TruncatedNegativeBinomial(-0.6, 0.001),
    TruncatedNegativeBinomial(2.5, 0.3),
    PoissonStop(0.2),
    PoissonStop(1.5),
    PoissonStop(12.0),
]


def generating(stop: Stop, at: Array) -> Array:
    """E[x^K]."""
    if isinstance(stop, PoissonStop):
        return np.exp(stop.mean * (at - 1))
    kept = 1 - (1 - stop.gamma) * at
    if stop.eta == 0:
        return np.log(kept) / math.log(stop.gamma)
    power: Array = (kept**-stop.eta - 1) / (stop.gamma**-stop.eta - 1)
    return power


def best_of(stop: Stop, law: Array) -> Array:
    """The law of the best run when outputs come in rising order of score; the first entry is `no run at all`."""
    below = np.concatenate([[0.0], np.minimum(np.cumsum(law), 1.0)])
    reached = generating(stop, below)
    return np.concatenate([[reached[0]], np.diff(reached)])


def divergence(left: Array, right: Array, order: float) -> float:
    seen = (left > 0) & (right > 0)
    logs = order * np.log(left[seen]) + (1 - order) * np.log(right[seen])
    return float(np.logaddexp.reduce(logs)) / (order - 1)


def both_ways(left: Array, right: Array, orders: tuple[float, ...]) -> tuple[float, ...]:
    """A mechanism's divergences: neighbours come in both orders."""
    return tuple(max(0.0, divergence(left, right, a), divergence(right, left, a)) * (1 + 1e-9) for a in orders)


def random_pairs(seed: int, count: int) -> list[tuple[Array, Array]]:
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(count):
        left = rng.dirichlet(np.full(int(rng.integers(2, 7)), rng.choice([0.2, 1.0, 5.0]))) + 1e-9
        right = left * np.exp(rng.uniform(-1, 1, len(left)) * rng.choice([0.05, 0.5, 2.0]))
        pairs.append((left / left.sum(), right / right.sum()))
    return pairs


@pytest.mark.parametrize("stop", STOPS, ids=str)
def test_no_small_mechanism_exceeds_the_renyi_bound(stop: Stop) -> None:
    for left, right in random_pairs(7, 100):
        stated = random_stop(Renyi(ORDERS, both_ways(left, right, ORDERS)), stop)
        assert isinstance(stated, Renyi)
        for order, epsilon in zip(stated.orders, stated.epsilons, strict=True):
            found = divergence(best_of(stop, left), best_of(stop, right), order)
            assert found <= epsilon + 1e-9


@pytest.mark.parametrize("stop", STOPS, ids=str)
def test_no_small_mechanism_exceeds_the_pure_bound(stop: Stop) -> None:
    for left, right in random_pairs(8, 300):
        base = float(np.max(np.abs(np.log(left / right))))
        stated = random_stop(Pure(base), stop)
        assert isinstance(stated, Pure)
        after = np.log(best_of(stop, left)[1:] / best_of(stop, right)[1:])
        assert np.max(np.abs(after)) <= stated.epsilon + 1e-7


@pytest.mark.parametrize("eta", [-0.5, 0.0, 1.0, 2.0])
def test_the_pure_bound_is_nearly_reached(eta: float) -> None:
    """A rare middle output that one record makes likelier while it makes the better outputs rarer."""
    base, stop = 0.5, TruncatedNegativeBinomial(eta, 1e-7)
    rare, top = 1e-9, 1e-3
    left = np.array([1 - rare * math.exp(base) - top, rare * math.exp(base), top])
    right = np.array([1 - rare - top * math.exp(base), rare, top * math.exp(base)])
    kept = 1 - (1 - stop.gamma) * (1 - np.array([left[1:].sum(), left[2], right[1:].sum(), right[2]]))
    powers = kept ** (-eta) if eta else -np.log(kept)
    reached = math.log((powers[1] - powers[0]) / (powers[3] - powers[2]))
    assert 0.97 * (2 + eta) * base < reached <= (2 + eta) * base + 1e-6
    assert reached > (1 + eta) * base + 0.4  # the defect: the run's own ε forgotten


def test_forgetting_the_second_order_would_be_noticed() -> None:
    """The defect: e(a) + ln E[K]/(a − 1), as if being chosen told nothing."""
    stop, caught = TruncatedNegativeBinomial(1.0, 0.01), 0
    base, rare, top = 1.0, 1e-6, 0.05
    left = np.array([1 - rare * math.exp(base) - top, rare * math.exp(base), top])
    right = np.array([1 - rare - top * math.exp(base), rare, top * math.exp(base)])
    for order in (40.0, 200.0, 1000.0):
        (alone,) = both_ways(left, right, (order,))
        caught += divergence(best_of(stop, left), best_of(stop, right), order) > alone + stop.log_mean / (order - 1)
    assert caught


@pytest.mark.parametrize("stop", STOPS, ids=str)
def test_probabilities_add_up_to_one_and_to_the_mean(stop: Stop) -> None:
    first = 0 if isinstance(stop, PoissonStop) else 1
    masses = np.array([stop.pmf(runs) for runs in range(first, 20_000)])
    runs = np.arange(first, 20_000)
    assert masses.sum() == pytest.approx(1.0, abs=1e-6)
    assert masses @ runs == pytest.approx(stop.mean, rel=1e-5)
    at = np.array([0.3, 0.9])
    assert np.power.outer(at, runs) @ masses == pytest.approx(generating(stop, at), rel=1e-9)


@pytest.mark.parametrize("eta", [-0.9, -0.5, 0.0, 1.0, 3.0])
@pytest.mark.parametrize("mean", [1.5, 10.0, 1000.0])
def test_a_law_of_given_mean_has_it(eta: float, mean: float) -> None:
    assert stop_with_mean(eta, mean).mean == pytest.approx(mean, rel=1e-6)


@pytest.mark.parametrize(("eta", "mean"), [(0.0, 10.0), (1.0, 10.0), (0.5, 30.0), (math.inf, 10.0)])
@pytest.mark.parametrize("noise", [1.0, 4.0])
def test_second_opinion_agrees(eta: float, mean: float, noise: float) -> None:
    from dp_accounting import dp_event
    from dp_accounting.rdp import rdp_privacy_accountant

    orders = tuple(1 + step for step in np.geomspace(0.05, 500, 120))
    theirs = rdp_privacy_accountant.RdpAccountant(orders)
    theirs.compose(dp_event.RepeatAndSelectDpEvent(dp_event.GaussianDpEvent(noise), mean, eta))
    stop = PoissonStop(mean) if eta == math.inf else stop_with_mean(eta, mean)
    ours = random_stop(to_renyi(Gaussian(1 / noise), orders), stop)
    assert epsilon_of(ours, 1e-6) == pytest.approx(theirs.get_epsilon(1e-6), rel=5e-3)
    finer = random_stop(Gaussian(1 / noise), stop)
    assert epsilon_of(finer, 1e-6) <= epsilon_of(ours, 1e-6) * (1 + 1e-3)


FAMILIES: dict[str, Callable[[float], Measure]] = {
    "pure": Pure,
    "range": BoundedRange,
    "concentrated": lambda epsilon: Concentrated(rho_for(epsilon, 1e-6)),
    "gaussian": lambda epsilon: Gaussian(gaussian_shift(Budget(epsilon, 1e-6))),
}


@pytest.mark.parametrize("kind", FAMILIES)
@pytest.mark.parametrize("stop", [STOPS[0], STOPS[1]], ids=str)
def test_the_largest_base_spends_the_budget_and_no_more(kind: str, stop: Stop) -> None:
    total, family = Budget(1.0, 1e-6), FAMILIES[kind]
    found = base_for(total, family, stop)
    assert delta_of(random_stop(family(found), stop, total.delta), total.epsilon) <= total.delta
    assert delta_of(random_stop(family(found * 1.001), stop, total.delta), total.epsilon) > total.delta
    assert 0.2 < found < 1.0


def test_a_budget_without_delta_buys_a_pure_search_and_nothing_else() -> None:
    geometric = TruncatedNegativeBinomial(1.0, 0.1)
    assert base_for(Budget(3.0), Pure, geometric) == pytest.approx(1.0, rel=1e-9)
    assert base_for(Budget(3.0), BoundedRange, geometric) == pytest.approx(1.0, rel=1e-9)
    assert base_for(Budget(1.0), Pure, PoissonStop(10.0)) == pytest.approx(1 / 6, rel=0.01)
    with pytest.raises(MechanismRefused, match="raise"):
        base_for(Budget(1.0), Gaussian, geometric)


def test_more_runs_cost_more_and_candidates_cost_nothing() -> None:
    base = Gaussian(0.2)
    costs = [epsilon_of(random_stop(base, stop_with_mean(0.0, mean)), 1e-6) for mean in (2.0, 10.0, 100.0, 1000.0)]
    assert costs == sorted(costs)
    assert costs[-1] < 4 * costs[0]


def test_a_pure_base_gets_the_better_of_both_answers() -> None:
    stop, base = TruncatedNegativeBinomial(1.0, 0.1), Pure(0.01)
    pure, either = random_stop(base, stop), random_stop(base, stop, 1e-6)
    assert isinstance(pure, Pure)
    assert epsilon_of(either, 1e-6) <= epsilon_of(pure, 1e-6)


@pytest.mark.parametrize(("eta", "gamma"), [(-1.0, 0.5), (math.nan, 0.5), (1.0, 0.0), (1.0, 1.0), (0.0, -1.0)])
def test_impossible_laws_are_refused(eta: float, gamma: float) -> None:
    with pytest.raises(InvalidInput, match=r"eta|gamma"):
        TruncatedNegativeBinomial(eta, gamma)


def test_what_the_theorems_do_not_cover_is_refused() -> None:
    with pytest.raises(InvalidInput, match="mean"):
        PoissonStop(0.0)
    with pytest.raises(InvalidInput, match="mean"):
        stop_with_mean(1.0, 1.0)
    leaky: Measure = Approximate(0.5, 1e-9)
    with pytest.raises(InvalidInput, match="base"):
        random_stop(leaky, STOPS[0])
    with pytest.raises(InvalidInput, match="runs"):
        TruncatedNegativeBinomial(1.0, 0.5).pmf(0)
