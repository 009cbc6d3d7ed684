"""From added and removed rows to replaced ones, against the exact divergences of random chains of three data sets."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import norm

from equipoise.errors import MechanismRefused
from equipoise.theory.accounting.neighbours import as_charged, replaced
from equipoise.theory.adjacency import Adjacency, Neighbours, Unit
from equipoise.theory.events import (
    ApproximateRelease,
    BoundedRangeRelease,
    Composed,
    ConcentratedRelease,
    GaussianRelease,
    PureRelease,
    RenyiRelease,
)

Array = npt.NDArray[np.float64]
ADDED, REPLACED = Neighbours(Adjacency.ADD_REMOVE), Neighbours(Adjacency.REPLACE_ONE)
PERSON = Neighbours(unit=Unit.PERSON)
ORDERS = (1.25, 1.5, 2.5, 4.0, 8.0, 32.0)


def chain(seed: int, spread: float) -> list[Array]:
    """The log-laws of a mechanism on a table, with a row less, and with another row in its place."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(3, rng.integers(2, 7))) * spread
    return [row - logsumexp(row) for row in rows]


def renyi(left: Array, right: Array, order: float) -> float:
    return float(logsumexp(order * left + (1 - order) * right)) / (order - 1)


def divergences(left: Array, right: Array, orders: Array) -> Array:
    sums = logsumexp(orders[:, None] * left + (1 - orders[:, None]) * right, axis=1)
    return np.asarray(sums / (orders - 1))


def hockey(left: Array, right: Array, epsilon: float) -> float:
    return float(np.sum(np.maximum(np.exp(left) - math.exp(epsilon) * np.exp(right), 0.0)))


def steps(laws: list[Array]) -> list[tuple[Array, Array]]:
    pairs = [(laws[0], laws[1]), (laws[1], laws[2])]
    return pairs + [(right, left) for left, right in pairs]


chains = st.builds(chain, st.integers(0, 10**6), st.floats(0.01, 3.0))


@settings(max_examples=150, deadline=None)
@given(laws=chains, share=st.floats(0.0, 1.0))
def test_no_chain_of_two_steps_costs_more_than_is_charged(laws: list[Array], share: float) -> None:
    ends = [(laws[0], laws[2]), (laws[2], laws[0])]
    pure = max(float(np.max(left - right)) for left, right in steps(laws))
    charged = replaced(PureRelease(pure))
    assert isinstance(charged, PureRelease)
    assert max(float(np.max(left - right)) for left, right in ends) <= charged.epsilon * (1 + 1e-12)
    epsilon = share * pure
    leak = max(hockey(left, right, epsilon) for left, right in steps(laws))
    if leak * (1 + math.exp(epsilon)) < 0.999:
        loose = replaced(ApproximateRelease(epsilon, leak))
        assert isinstance(loose, ApproximateRelease)
        assert max(hockey(left, right, loose.epsilon) for left, right in ends) <= loose.delta + 1e-14
    wide = max(float(np.ptp(left - right)) for left, right in steps(laws))
    ranged = replaced(BoundedRangeRelease(wide))
    assert isinstance(ranged, BoundedRangeRelease)
    assert max(float(np.ptp(left - right)) for left, right in ends) <= ranged.eta * (1 + 1e-12)


def told_apart(chance: float) -> Array:
    """The log-law of one bit."""
    return np.log([chance, 1 - chance])


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("leak", [1e-6, 1e-3])
def test_some_chain_of_two_steps_leaks_all_that_is_charged(epsilon: float, leak: float) -> None:
    """Each step is as far as (ε, δ) lets it go: q = e^ε·p + δ, twice."""
    chances = [1e-4]
    for _ in range(2):
        chances.append(math.exp(epsilon) * chances[-1] + leak)
    laws = [told_apart(chance) for chance in chances]
    assert max(hockey(left, right, epsilon) for left, right in steps(laws)) == pytest.approx(leak, rel=1e-6)
    charged = replaced(ApproximateRelease(epsilon, leak, leak))
    assert isinstance(charged, ApproximateRelease)
    leaked = hockey(laws[2], laws[0], charged.epsilon)
    assert leaked * (1 - 1e-9) <= charged.delta <= leaked * (1 + 1e-6)
    assert charged.delta_numeric == charged.delta


@settings(max_examples=150, deadline=None)
@given(laws=chains)
def test_no_chain_of_two_steps_has_more_divergence_than_is_charged(laws: list[Array]) -> None:
    ends = [(laws[0], laws[2]), (laws[2], laws[0])]
    known = tuple(max(renyi(left, right, order) for left, right in steps(laws)) for order in ORDERS)
    charged = replaced(RenyiRelease(ORDERS, known))
    assert isinstance(charged, RenyiRelease)
    for order, most in zip(charged.orders, charged.epsilons, strict=True):
        assert max(renyi(left, right, order) for left, right in ends) <= most * (1 + 1e-9) + 1e-12
    orders = np.concatenate([1 + np.logspace(-3, 0, 40), np.linspace(2.1, 200, 200)])
    rho = max(float(np.max(divergences(left, right, orders) / orders)) for left, right in steps(laws))
    squared = replaced(ConcentratedRelease(rho))
    assert isinstance(squared, ConcentratedRelease)
    for left, right in ends:
        assert np.all(divergences(left, right, orders) <= squared.rho * orders * (1 + 1e-9) + 1e-12)


def discrete_laplace(epsilon: float, centre: int) -> Array:
    places = np.arange(-60, 61)
    return np.asarray(-epsilon * np.abs(places - centre) - logsumexp(-epsilon * np.abs(places)))


def test_counts_that_are_private_at_one_for_added_rows_are_worth_two_for_replaced_ones() -> None:
    """A row that moves from one cell to the next: nothing less than twice ε will do."""
    tables = [(3, 2), (2, 2), (2, 3)]
    laws = [np.add.outer(discrete_laplace(1.0, a), discrete_laplace(1.0, b)).ravel() for a, b in tables]
    assert max(float(np.max(left - right)) for left, right in steps(laws)) == pytest.approx(1.0)
    assert float(np.max(laws[0] - laws[2])) == pytest.approx(2.0)
    assert as_charged(PureRelease(1.0), ADDED, REPLACED) == PureRelease(2.0)


def test_a_sum_with_gaussian_noise_moves_twice_as_far() -> None:
    """Values in [-1, 1]: adding one moves the sum by 1, replacing one by 2."""
    charged = as_charged(GaussianRelease(0.3, 4, 1e-12, 1e-9), ADDED, REPLACED)
    assert charged == GaussianRelease(0.6, 4, 1e-12, 2e-9)
    edges = np.linspace(-9, 9, 4001)
    laws = [norm.logpdf(edges - shift) + math.log(edges[1] - edges[0]) for shift in (0.3, 0.0, -0.3)]
    assert renyi(laws[0], laws[2], 3.0) == pytest.approx(3.0 * 0.6**2 / 2, rel=1e-3)


def test_parts_are_converted_one_by_one_and_numeric_leaks_grow_too() -> None:
    both = Composed((PureRelease(0.5, 1e-12, 3), ApproximateRelease(0.2, 1e-7, 1e-13)))
    charged = replaced(both)
    assert isinstance(charged, Composed)
    first, second = charged.parts
    assert isinstance(first, PureRelease)
    assert isinstance(second, ApproximateRelease)
    assert (first.epsilon, first.steps, second.epsilon) == (1.0, 3, 0.4)
    assert first.delta_numeric == pytest.approx(1e-12 * (1 + math.exp(0.5)))
    assert second.delta >= 1e-7 * (1 + math.exp(0.2))


def test_what_has_no_theorem_is_refused_in_one_line() -> None:
    with pytest.raises(MechanismRefused, match="added rows"):
        as_charged(PureRelease(1.0), REPLACED, ADDED)
    with pytest.raises(MechanismRefused, match="groups="):
        as_charged(PureRelease(1.0), REPLACED, PERSON)
    with pytest.raises(MechanismRefused, match="order"):
        as_charged(RenyiRelease((1.5, 2.0), (0.1, 0.2)), ADDED, REPLACED)
    with pytest.raises(MechanismRefused, match="nothing is left"):
        as_charged(ApproximateRelease(5.0, 0.3), ADDED, REPLACED)


def test_a_promise_about_persons_covers_their_rows() -> None:
    assert as_charged(PureRelease(1.0), PERSON, REPLACED) == PureRelease(1.0)
    assert as_charged(PureRelease(1.0), PERSON, PERSON) == PureRelease(1.0)
