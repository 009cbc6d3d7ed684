"""Probabilities that go with a loss: the chances at which its score is the best answer, and no others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from equipoise.theory.losses import CappedLogistic, CappedSoftmax, ClippedSoftmax, Logistic, Loss, zero_sum_basis
from equipoise.theory.losses.links import log_odds, probabilities
from equipoise.theory.losses.traits import Link

Array = npt.NDArray[np.float64]

CAPS = (0.5, 0.65, 0.9)


@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("classes", [2, 3, 6])
def test_at_these_chances_no_other_score_is_better(classes: int, cap: float) -> None:
    """The mean slope over labels drawn with the chances of a score vanishes there, and the loss is convex."""
    loss, rng = CappedSoftmax(classes, cap), np.random.default_rng(1)
    for size in (0.1, 1.0, 6.0):
        scores = rng.standard_normal((50, classes - 1)) * size
        chances = probabilities(scores @ zero_sum_basis(classes), cap)
        shaped = scores if classes > 2 else scores[:, 0]
        slopes = [loss.slope(shaped, np.full(50, float(place))).reshape(50, -1) for place in range(classes)]
        mean = sum(chances[:, [place]] * slope for place, slope in enumerate(slopes))
        assert np.abs(mean).max() < 1e-12


@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("classes", [2, 3, 6])
def test_at_these_chances_shortened_slopes_cancel(classes: int, cap: float) -> None:
    loss, rng = ClippedSoftmax(classes, cap), np.random.default_rng(4)
    for size in (0.1, 1.0, 6.0):
        scores = rng.standard_normal((50, classes - 1)) * size
        chances = probabilities(scores @ zero_sum_basis(classes), cap, loss.traits.link)
        shaped = scores if classes > 2 else scores[:, 0]
        slopes = [loss.slope(shaped, np.full(50, float(place))).reshape(50, -1) for place in range(classes)]
        mean = sum(chances[:, [place]] * slope for place, slope in enumerate(slopes))
        assert np.abs(mean).max() < 1e-11


@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("classes", [2, 3, 4, 10])
def test_shortened_slopes_keep_the_order_of_the_first(classes: int, cap: float) -> None:
    """Nearly even scores, and one or two far above the rest, where the order is nearest to failing."""
    rng = np.random.default_rng(5)
    scores = rng.standard_normal((3000, classes)) * np.geomspace(0.01, 40, 3000)[:, None]
    scores[::3, 0] += 5 * rng.random(1000)
    scores[1::3, :2] += 4 * rng.random((1000, 1))
    chances = probabilities(scores, cap, Link.CLIPPED_SOFTMAX)
    assert np.allclose(chances.sum(axis=1), 1.0)
    assert np.array_equal(chances.argmax(axis=1), scores.argmax(axis=1))


def test_shortened_slopes_of_two_classes_are_the_capped_ones() -> None:
    margins = np.linspace(-20, 20, 401)
    both = np.column_stack([-margins, margins]) / 2
    for cap in CAPS:
        assert np.allclose(probabilities(both, cap, Link.CLIPPED_SOFTMAX), probabilities(margins, cap), atol=1e-12)


@pytest.mark.parametrize("cap", CAPS)
def test_two_classes_have_the_odds_of_their_margin(cap: float) -> None:
    margins = np.linspace(-30, 30, 601)
    chances = probabilities(margins, cap)
    loss = CappedLogistic(cap)
    mean = chances[:, 1] * loss.slope(margins, np.ones(601)) + chances[:, 0] * loss.slope(margins, -np.ones(601))
    assert np.abs(mean).max() < 1e-12
    beyond = np.abs(margins) > np.log(cap / (1 - cap)) + 1e-9
    odds = np.sign(margins) * np.log(cap * (1 + np.exp(np.abs(margins))))
    assert np.allclose(log_odds(margins, cap), np.where(beyond, odds, margins), rtol=0, atol=1e-12)
    assert np.allclose(probabilities(np.column_stack([-margins, margins]) / 2, cap), chances, atol=1e-12)


@pytest.mark.parametrize("cap", [*CAPS, 1.0])
@pytest.mark.parametrize("classes", [3, 10])
def test_chances_add_up_and_keep_the_order_of_the_scores(classes: int, cap: float) -> None:
    scores = np.random.default_rng(2).standard_normal((400, classes)) * np.geomspace(0.01, 40, 400)[:, None]
    chances = probabilities(scores, cap)
    assert np.allclose(chances.sum(axis=1), 1.0)
    assert np.array_equal(chances.argmax(axis=1), scores.argmax(axis=1))


def test_without_a_cap_they_are_the_usual_ones() -> None:
    margins = np.linspace(-800, 800, 101)
    assert np.allclose(probabilities(margins, 1.0)[:, 1], expit(margins), rtol=1e-14)
    assert np.isfinite(probabilities(margins, 0.5)).all()


def fitted(loss: Loss, X: Array, y: Array) -> Array:
    """Margins of the best linear score, without privacy."""

    def value(w: Array) -> float:
        return float(np.mean(loss.value(X @ w, y)) + 1e-6 * w @ w)

    def slope(w: Array) -> Array:
        return X.T @ loss.slope(X @ w, y) / len(y) + 2e-6 * w

    return X @ minimize(value, np.zeros(X.shape[1]), jac=slope, method="L-BFGS-B").x


@pytest.mark.parametrize("strength", [0.6, 2.0])
def test_a_capped_fit_is_calibrated_by_its_link_and_not_by_the_plain_one(strength: float) -> None:
    """Log-loss and Brier score on 40,000 simulated rows, standard errors below 0.002: its own link is within 0.01 of
    the logistic fit; the plain link, which takes its scores for log-odds, is further off on both."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40_000, 3))
    chance = expit(X @ np.array([strength, -strength / 2, strength / 3]) - 0.5)
    y = np.where(rng.random(40_000) < chance, 1.0, -1.0)
    X = np.column_stack([X, np.ones(40_000)])
    plain = expit(fitted(Logistic(), X, y))
    margins = fitted(CappedLogistic(0.5), X, y)
    own, wrong = probabilities(margins, 0.5)[:, 1], expit(margins)
    for score in (log_loss, brier):
        best, linked, unlinked = (score(chances, y) for chances in (plain, own, wrong))
        assert abs(linked - best) < 0.01
        assert unlinked - best > 1.5 * max(linked - best, 1e-3)


def log_loss(chance: Array, y: Array) -> float:
    return float(-np.mean(np.log(np.where(y > 0, chance, 1 - chance))))


def brier(chance: Array, y: Array) -> float:
    return float(np.mean((chance - (y > 0)) ** 2))
