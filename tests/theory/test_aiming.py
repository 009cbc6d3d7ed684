"""Steps in a metric: a point without a gradient stays, normal scores are met at once, and noise is not followed."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import expit

from equipoise.theory.aiming import FARTHEST, LONGEST, Lasting, Walker
from equipoise.theory.losses import CappedLogistic, Logistic, Loss
from equipoise.theory.losses.links import log_odds
from equipoise.theory.metric import Moments, cleaned, edge

Array = npt.NDArray[np.float64]
WIDTH = 6
LOSSES: list[Loss] = [Logistic(), CappedLogistic()]


def normal_rows(n: int = 200_000, seed: int = 0) -> Array:
    """With a mean, and a constant last."""
    rng = np.random.default_rng(seed)
    rows = 0.1 + rng.standard_normal((n, WIDTH)) * 0.3 * np.arange(1, WIDTH + 1) ** -0.5
    return np.column_stack([rows, np.full(n, 0.5)])


def moments_of(rows: Array) -> Moments:
    square = np.asarray(rows.T @ rows / len(rows))
    return Moments(square, np.asarray(np.linalg.inv(square), dtype=np.float64))


def walker(rows: Array, loss: Loss, step_size: float = 6.0) -> Walker:
    return Walker(loss, moments_of(rows), 1.0, 0.5, step_size)


def best_of(rows: Array, loss: Loss, size: float) -> tuple[Array, Array]:
    """Coefficients, and the chances that make them the best: no labels are drawn, so nothing is by chance."""
    w = np.array([1.0, -2.0, 0.5, 1.5, -1.0, 0.7, -0.4])
    w *= size / (rows @ w).std()
    chance = expit(log_odds(rows @ w, loss.traits.cap))
    return w, chance


def gradient_at(rows: Array, loss: Loss, chance: Array, w: Array) -> Array:
    one, scores = np.ones(len(rows)), rows @ w
    slopes = chance * loss.slope(scores, one) + (1 - chance) * loss.slope(scores, -one)
    return np.asarray(rows.T @ slopes / len(rows))


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("size", [0.3, 2.0, 9.0])
def test_a_point_without_a_gradient_stays_where_it_is(loss: Loss, size: float) -> None:
    rows = normal_rows()
    w, chance = best_of(rows, loss, size)
    found = walker(rows, loss).next(w, gradient_at(rows, loss, chance, w), 0.0)
    assert np.allclose(found, w, rtol=2e-2, atol=1e-2 * float(np.linalg.norm(w)))


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("size", [0.3, 2.0, 7.0])
def test_normal_scores_are_met_in_a_few_steps(loss: Loss, size: float) -> None:
    """Where plain steps of the same length would need hundreds."""
    rows = normal_rows()
    w, chance = best_of(rows, loss, size)
    here, plain, take = np.zeros(WIDTH + 1), np.zeros(WIDTH + 1), walker(rows, loss)
    inverse = np.linalg.inv(rows.T @ rows / len(rows))
    for _ in range(8):
        here = take.next(here, gradient_at(rows, loss, chance, here), 0.0)
        plain = plain - 6.0 * inverse @ gradient_at(rows, loss, chance, plain)
    error = float(np.std(rows @ (here - w)) / size)
    assert error < 0.03
    if size > 5:
        assert float(np.std(rows @ (plain - w)) / size) > 4 * error


def test_pure_noise_does_not_make_coefficients_long() -> None:
    """Labels that say nothing: after many steps scores are as far out as one step's noise takes them."""
    rows, rng = normal_rows(20_000), np.random.default_rng(3)
    chance, take, noise = np.full(len(rows), 0.5), walker(rows, Logistic()), 0.01
    here, seen = np.zeros(WIDTH + 1), []
    for _ in range(40):
        gradient = gradient_at(rows, Logistic(), chance, here) + noise * rng.standard_normal(WIDTH + 1)
        here = take.next(here, gradient, noise)
        seen.append(float(np.std(rows @ here)))
    one = 6.0 * noise * math.sqrt(float(np.trace(np.linalg.inv(rows.T @ rows / len(rows)))))
    assert max(seen[10:]) < 4 * one


def test_noise_does_not_make_coefficients_long_where_there_is_a_signal() -> None:
    """From the best point on lengths scatter around the right one.  Seeded, no false alarm by chance."""
    rows, rng, noise = normal_rows(5000), np.random.default_rng(4), 0.01
    best, chance = best_of(rows, Logistic(), 2.0)
    take, here, lengths = walker(rows, Logistic()), best, []
    for _ in range(400):
        gradient = gradient_at(rows, Logistic(), chance, here) + noise * rng.standard_normal(WIDTH + 1)
        here = take.next(here, gradient, noise)
        lengths.append(float(np.std(rows @ here)) / 2.0)
    assert abs(float(np.mean(np.log(lengths[100:])))) < 0.1


def test_what_a_noisy_gradient_says_of_the_length_counts_the_less_the_noisier_it_is() -> None:
    rows = normal_rows(20_000)
    _, chance = best_of(rows, Logistic(), 6.0)
    gradient = gradient_at(rows, Logistic(), chance, np.zeros(WIDTH + 1))
    plain = float(np.linalg.norm(6.0 * np.linalg.inv(rows.T @ rows / len(rows)) @ gradient))
    found = [walker(rows, Logistic()).next(np.zeros(WIDTH + 1), gradient, noise) for noise in (0.0, 0.05, 100.0)]
    off = [abs(math.log(float(np.linalg.norm(each)) / plain)) for each in found]
    assert off[0] > 0.5
    assert off[0] > off[1] > off[2]
    assert off[2] < 1e-3


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_no_gradient_makes_a_step_fail(loss: Loss) -> None:
    """Released numbers can be anything: whatever comes, a finite point, no error, no warning."""
    rows = normal_rows(1000)
    for gradient in (
        np.zeros(7),
        np.full(7, 1e-300),
        np.full(7, 1e30),
        np.array([1e20, *[-1e20] * 6]),
        np.full(7, 1e200),
    ):
        for noise in (0.0, 1e-30, 1.0, 1e20):
            for norm in (1e-30, 1.0, 1e30):
                take = Walker(loss, moments_of(rows), norm, 0.5 * norm, 6.0 / norm**2)
                here = np.zeros(7)
                try:
                    for _ in range(4):
                        here = take.next(here, gradient * norm, noise * norm)
                except ArithmeticError as error:
                    pytest.fail(f"a step failed: {error}")
                assert np.isfinite(here).all()


def test_units_of_rows_do_not_matter() -> None:
    rows = normal_rows(2000)
    _, chance = best_of(rows, Logistic(), 3.0)
    found = []
    for norm in (1e-9, 1.0, 1e9):
        take, here = (
            Walker(Logistic(), moments_of(rows), norm, 0.5 * norm, 6 / norm**2),
            np.zeros(7),
        )
        for _ in range(5):
            here = take.next(here, gradient_at(rows, Logistic(), chance, here * norm) * norm, 1e-3 * norm)
        found.append(here * norm)
    assert np.allclose(found[0], found[1], rtol=1e-9)
    assert np.allclose(found[2], found[1], rtol=1e-9)


def test_steps_become_shorter_where_the_gradient_turns_against_them() -> None:
    rows = normal_rows(1000)
    take, here = walker(rows, Logistic()), np.zeros(7)
    gradient = np.full(7, 0.1)
    for sign in (1, -1, 1, -1, 1):
        here = take.next(here, sign * gradient, 0.0)
    assert take._longest == 1.0 < LONGEST
    assert math.exp(FARTHEST) == pytest.approx(4.0)


def test_cleaned_moments_are_nearer_to_what_they_were() -> None:
    """Where eigenvalues lie close, noise spreads them by its whole edge; seeded, no false alarm by chance."""
    rng, columns, noise = np.random.default_rng(1), 60, 0.01
    own = np.linspace(0.4, 0.6, columns)
    for _ in range(5):
        turn = np.linalg.qr(rng.standard_normal((columns, columns)))[0]
        push = noise * rng.standard_normal((columns, columns))
        heights, axes = np.linalg.eigh((turn * own) @ turn.T + (push + push.T) / 2)
        true = np.einsum("ij,ij->j", axes, (turn * own) @ turn.T @ axes)
        assert np.abs(cleaned(heights, noise) - true).mean() < 0.5 * np.abs(heights - true).mean()
        assert np.abs(heights - true).max() <= 1.2 * edge(noise, columns)


def test_without_noise_moments_are_what_they_are() -> None:
    square = np.diag([0.5, 0.2, 0.01])
    found = Moments.of(square, 0.0, 0.0)
    assert np.allclose(found.square, square)
    assert np.allclose(found.inverse @ square, np.eye(3))


def test_a_gradient_like_its_noise_is_seen_by_what_lasts_of_it_and_noise_alone_is_not() -> None:
    """Of 400 directions a quarter have a gradient as large as its noise.  Seeded: no false alarm by chance."""
    rng = np.random.default_rng(3)
    told, lasting = np.zeros(400), Lasting(np.zeros(400))
    told[:100] = 1.0
    for noise in (1.0, 3.0, 0.5, *[1.0] * 30):  # whatever size it had before
        lasting.learn(told + noise * rng.standard_normal(400), noise)
    seen = lasting.seen(lambda each: each)
    assert np.mean(seen[:100]) > 0.5
    assert np.mean(seen[100:]) < 0.06
    assert np.all((seen >= 0) & (seen <= 1))


def test_the_noise_of_what_lasts_is_known() -> None:
    """The variance over 20,000 sums, within 4 %: four standard errors."""
    rng = np.random.default_rng(4)
    lasting = Lasting(np.zeros(20_000))
    for noise in (2.0, 0.3, 1.0, 5.0, 0.1):
        lasting.learn(noise * rng.standard_normal(20_000), noise)
    assert float(np.var(lasting.total)) == pytest.approx(lasting.variance, rel=0.04)
