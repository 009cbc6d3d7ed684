"""The one-run audit: published values, the exact law of the best attack on randomised response, and whole audits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom

from equipoise.audit import insert_canaries, one_run, one_run_audit, one_run_p_value
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]

FALSE_ALARM = 1e-6


@pytest.mark.parametrize(
    ("canaries", "guesses", "correct", "delta", "epsilon"),
    [(1000, 100, 75, 1e-4, 0.673), (100_000, 1510, 1439, 1e-5, 2.675)],
)
def test_published_values_are_reproduced(
    canaries: int, guesses: int, correct: int, delta: float, epsilon: float
) -> None:
    found = one_run(correct, guesses, canaries, delta=delta, confidence=0.95)
    assert found.epsilon == pytest.approx(epsilon, abs=1e-3)
    assert one_run_p_value(correct, guesses, canaries, found.epsilon, delta) == pytest.approx(0.05, rel=1e-6)


def test_the_formula_agrees_with_its_sums_written_out() -> None:
    m, r, v, epsilon, delta = 50, 30, 24, 0.7, 1e-3
    chance = math.exp(epsilon) / (1 + math.exp(epsilon))
    tails = [
        sum(math.comb(r, k) * chance**k * (1 - chance) ** (r - k) for k in range(start, r + 1))
        for start in range(v + 1)
    ]
    by_hand = tails[v] + 2 * m * delta * max((tails[v - i] - tails[v]) / i for i in range(1, v + 1))
    assert one_run_p_value(v, r, m, epsilon, delta) == pytest.approx(by_hand, rel=1e-12)


def test_more_right_guesses_prove_more_and_delta_proves_less() -> None:
    found = [one_run(correct, 100, 100, delta=0.0).epsilon for correct in (50, 60, 75, 90, 100)]
    assert found == sorted(found)
    assert found[0] == 0.0
    assert one_run(90, 100, 100, delta=1e-3).epsilon < found[3]


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_randomised_response_is_refuted_no_oftener_than_stated(epsilon: float) -> None:
    """Exactly: every canary answers by itself, so right guesses are binomial, the worst case of the theorem."""
    honest, law = 1 / (1 + math.exp(-epsilon)), np.arange(201)
    wrong = [one_run(int(v), 200, 200, delta=0.0, confidence=0.9).epsilon > epsilon for v in law]
    chance = float(np.sum(binom.pmf(law, 200, honest) * wrong))
    assert 0.03 < chance <= 0.1


def test_a_twin_that_drops_delta_is_caught() -> None:
    """With probability δ per canary everything leaks: the law without the δ term is then refuted too often."""
    epsilon, delta, count = 1.0, 0.02, 400
    law = np.arange(280, 340)  # fewer refute nothing, more have a chance below 1e-7
    leaky = delta + (1 - delta) / (1 + math.exp(-epsilon))
    chances = []
    for believed in (delta, 0.0):
        wrong = [one_run(int(v), count, count, delta=believed, confidence=0.9).epsilon > epsilon for v in law]
        chances.append(float(np.sum(binom.pmf(law, count, leaky) * wrong)))
    assert chances[0] <= 0.1 < chances[1]


@pytest.mark.parametrize(
    ("correct", "guesses", "canaries", "message"),
    [
        (-1, 10, 10, "correct=-1: must be a whole number from 0 to guesses=10"),
        (11, 10, 10, "correct=11: must be"),
        (5, 0, 10, "guesses=0: must be a whole number"),
        (5, 20, 10, "guesses=20: must be at most canaries=10"),
        (2.5, 10, 10, "correct=2.5: must be a whole number"),
    ],
)
def test_impossible_counts_are_refused(correct: Any, guesses: int, canaries: int, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        one_run(correct, guesses, canaries, delta=1e-5)


def table(count: int, columns: int = 3) -> tuple[Array, Array]:
    draw = np.random.default_rng(count)
    return draw.normal(size=(count, columns)), draw.integers(2, size=count).astype(float)


def test_canaries_go_in_by_fair_coins_and_nothing_else_moves() -> None:
    data, canaries = table(50), table(2000)
    planted = insert_canaries(data, canaries, random_state=0)
    assert np.array_equal(planted.X[:50], data[0])
    assert np.array_equal(planted.X[50:], canaries[0][planted.inserted])
    assert np.array_equal(planted.y[50:], canaries[1][planted.inserted])
    assert binom.ppf(FALSE_ALARM, 2000, 0.5) <= planted.inserted.sum() <= binom.isf(FALSE_ALARM, 2000, 0.5)
    again = [insert_canaries(data, canaries).inserted for _ in range(2)]
    assert not np.array_equal(again[0], again[1])


def test_fillers_keep_the_number_of_rows() -> None:
    canaries = table(40)
    planted = insert_canaries(table(50), canaries, fillers=(np.zeros((40, 3)), np.zeros(40)), random_state=1)
    assert len(planted.X) == 90
    assert np.array_equal(planted.X[50:][planted.inserted], canaries[0][planted.inserted])
    assert not planted.X[50:][~planted.inserted].any()


class Sum:
    """A release of the sum of all rows, with noise: every canary is a direction of its own."""

    def __init__(self, noise: float, seed: int) -> None:
        self.noise, self.draw = noise, np.random.default_rng(seed)

    def __call__(self, X: Array, y: Array) -> Array:
        total: Array = X.sum(axis=0)
        return total + self.noise * self.draw.normal(size=len(total))


def along(model: Array, rows: Array, labels: Array) -> Array:
    return np.asarray(rows @ model)


def audit_of_sum(noise: float, **changes: Any) -> float:
    count = 500
    settings: dict[str, Any] = {"canaries": (np.eye(count), np.zeros(count)), "score": along, "delta": 1e-5}
    settings |= {"random_state": 3} | changes
    return one_run_audit(Sum(noise, 0), np.zeros((5, count)), np.zeros(5), **settings).epsilon


def test_one_training_bounds_a_noisy_sum() -> None:
    """μ = 1/noise for add-remove; the bound stays below the truth and grows when the noise shrinks."""
    from equipoise.theory.accounting.convert import epsilon_of
    from equipoise.theory.guarantees import Gaussian

    for noise in (2.0, 0.5):
        assert audit_of_sum(noise) <= epsilon_of(Gaussian(1 / noise), 1e-5)
    assert audit_of_sum(0.5) > 1.0
    assert audit_of_sum(0.1) > audit_of_sum(0.5)
    assert audit_of_sum(1e6) == 0.0


def test_the_number_of_guesses_may_be_said() -> None:
    found = one_run_audit(
        Sum(0.2, 0), np.zeros((5, 300)), np.zeros(5), canaries=(np.eye(300), np.zeros(300)), score=along, delta=0.0,
        guesses=100, random_state=0,
    )  # fmt: skip
    assert found.guesses == 100
    assert found.canaries == 300
    assert "of 100 guesses right, 300 canaries, one training" in str(found)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"guesses": 501}, "guesses=501: must be"),
        ({"guesses": []}, "guesses=.*: must be numbers from 1"),
        ({"confidence": 0.0}, r"confidence=0.0: must be in \(0, 1\)"),
        ({"score": lambda model, rows, labels: np.zeros(3)}, "score: gave shape"),
        ({"canaries": (np.eye(4), np.zeros(4))}, "canaries: have 4 columns"),
        ({"canaries": (np.zeros((0, 500)), np.zeros(0))}, "canaries: must be a table"),
        ({"fillers": (np.eye(500)[:3], np.zeros(3))}, "fillers: has 3 rows"),
    ],
)
def test_bad_audits_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        audit_of_sum(1.0, **changes)
