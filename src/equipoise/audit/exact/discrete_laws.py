"""The exact law of every discrete answer, written down again by the auditor: pure formulas, nothing of the gate.

Each returns one probability per outcome, for `exact_discrete` to compare.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Polynomial

from equipoise._checks import positive, shown, whole
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]


def vote_law(votes: npt.ArrayLike, epsilon: float) -> Array:
    """The soft majority: class b with probability ∝ exp(ε·votes_b/2)."""
    return _softmax(_flat(votes) * positive(epsilon=epsilon) / 2)


def walk_law(stand: float, epsilon: float) -> Array:
    """The exponential projected walk: 1 with probability sigmoid(ε·v/2)."""
    return _softmax(np.array([0.0, stand * positive(epsilon=epsilon) / 2]))


def exponential_law(scores: npt.ArrayLike, sensitivity: float, epsilon: float) -> Array:
    """The exponential mechanism: a candidate with probability ∝ exp(ε·score/(2·sensitivity))."""
    return _softmax(_flat(scores) * positive(epsilon=epsilon) / (2 * positive(sensitivity=sensitivity)))


def permute_and_flip_law(scores: npt.ArrayLike, sensitivity: float, epsilon: float) -> Array:
    """In random order, the first whose coin, of probability exp(−ε(best − score)/(2·sensitivity)), shows.

    A uniform arrival time t for each candidate makes the order: whoever arrives at t wins if its coin shows and
    nobody's who came before did, so P(i) = ∫ p_i·Π_{j≠i}(1 − p_j·t) dt, a polynomial's integral.
    """
    ranked = _flat(scores)
    coins = np.exp((ranked - ranked.max()) * positive(epsilon=epsilon) / (2 * positive(sensitivity=sensitivity)))
    if len(coins) > 40:
        return _by_quadrature(coins)
    return np.array(
        [float(_beaten(np.delete(coins, place)).integ()(1.0)) * coins[place] for place in range(len(coins))]
    )


def _beaten(others: Array) -> Polynomial:
    """The chance, as a polynomial in t, that none of the others has shown by then."""
    product = Polynomial([1.0])
    for coin in others:
        product = product * Polynomial([1.0, -coin])
    return product


def _by_quadrature(coins: Array) -> Array:
    """Gauss-Legendre is exact for polynomials of degree below twice its points, and never cancels."""
    points, weights = np.polynomial.legendre.leggauss(len(coins) // 2 + 2)
    left = 1 - coins[:, None] * ((points + 1) / 2)[None, :]
    survive = np.array([np.prod(np.delete(left, place, axis=0), axis=0) for place in range(len(coins))])
    return np.asarray(coins * (survive @ weights) / 2)


def coin_law(probability: float, floor: float) -> Array:
    """The clamped coin: 1 with a probability kept `floor` away from 0 and 1."""
    if not 0 < floor <= 0.5:
        raise InvalidInput(f"floor={shown(floor)}: must be above 0 and at most a half")
    heads = min(max(probability, floor), 1 - floor)
    return np.array([1 - heads, heads])


def randomised_response_law(answer: int, outcomes: int, epsilon: float) -> Array:
    """The true answer with e^ε times the probability of any other."""
    if not 0 <= answer < whole(outcomes=outcomes):
        raise InvalidInput(f"answer={shown(answer)}: must be a whole number below outcomes")
    return vote_law(2.0 * (np.arange(outcomes) == answer), epsilon)


def _flat(numbers: npt.ArrayLike) -> Array:
    array = np.asarray(numbers, dtype=np.float64)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
        raise InvalidInput("scores: must be one flat list of finite numbers")
    return array


def _softmax(exponents: Array) -> Array:
    weights = np.exp(exponents - exponents.max())
    return np.asarray(weights / math.fsum(weights.tolist()))
