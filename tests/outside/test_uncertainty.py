"""Quantiles of the noise laws, intervals and shrinkage, on models made by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.integrate import quad
from scipy.special import gamma, kv
from scipy.stats import norm

from equipoise.errors import InvalidInput
from equipoise.outside import LinearModel
from equipoise.outside.shrinkage import shrinkage_factor
from equipoise.outside.uncertainty import MINIMISER, POPULATION, Uncertainty, quantile, spherical_tail
from equipoise.theory.noise import Law

DRAWS = 4000
"""Of simulated noise, with a fixed seed."""


def bessel_tail(dim: int, x: float) -> float:
    """The same tail by the coordinate's own density, ∝ xᵛ·Kᵥ(x) with v = dim/2."""
    order = dim / 2
    scale = 2 / (math.sqrt(math.pi) * 2**order * gamma(order + 0.5))
    return float(quad(lambda t: scale * t**order * kv(order, t), x, x + 80)[0])


@pytest.mark.parametrize("dim", [1, 2, 3, 10, 40])
@pytest.mark.parametrize("x", [0.1, 2.0, 15.0])
def test_spherical_tail_agrees_with_the_bessel_density(dim: int, x: float) -> None:
    assert spherical_tail(dim, x) == pytest.approx(bessel_tail(dim, x), rel=1e-7)


@pytest.mark.parametrize("level", [1e-6, 0.5, 0.95, 0.999, 1 - 1e-12])
@pytest.mark.parametrize("dim", [2, 7, 100_000])
def test_spherical_quantile_leaves_the_asked_share_outside(dim: int, level: float) -> None:
    found = quantile(Law.SPHERICAL, dim, level) * math.sqrt(dim + 1)
    assert spherical_tail(dim, found) == pytest.approx(1 - level, rel=1e-4)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_quantiles_of_the_known_laws(level: float) -> None:
    assert quantile(Law.GAUSSIAN, 5, level) == pytest.approx(norm.ppf((1 + level) / 2), rel=1e-12)
    laplace = math.log(1 / (1 - level)) / math.sqrt(2)
    assert quantile(Law.LAPLACE, 5, level) == pytest.approx(laplace, rel=1e-12)
    assert quantile(Law.SPHERICAL, 1, level) == pytest.approx(laplace, rel=1e-12)
    assert quantile(Law.SPHERICAL, 10**6, level) == pytest.approx(norm.ppf((1 + level) / 2), rel=1e-5)


def test_quantile_agrees_with_draws_of_norm_and_direction() -> None:
    rng, dim = np.random.default_rng(3), 4
    steps = rng.normal(size=(50 * DRAWS, dim))
    steps *= (rng.gamma(dim, size=len(steps)) / np.linalg.norm(steps, axis=1))[:, None]
    inside = np.abs(steps[:, 0]) <= quantile(Law.SPHERICAL, dim, 0.95) * math.sqrt(dim + 1)
    assert steps[:, 0].std() == pytest.approx(math.sqrt(dim + 1), rel=0.01)
    assert inside.mean() == pytest.approx(0.95, abs=0.002)


def test_standard_errors_are_shaped_as_the_coefficients(noisy: LinearModel, binary: LinearModel) -> None:
    coef, intercept = noisy.standard_errors()
    np.testing.assert_array_equal(coef, [0.5, 0.5])
    assert intercept == 0.25
    known = Uncertainty(np.zeros((1, 4)), np.diag([1.0, 4.0, 9.0, 16.0]), Law.GAUSSIAN, MINIMISER)
    coef, intercept = replace(binary, uncertainty=known).standard_errors()
    np.testing.assert_array_equal(coef, [[1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(intercept, [4.0])


def test_covariance_is_square_however_it_is_kept(noisy: LinearModel, regressor: LinearModel) -> None:
    np.testing.assert_array_equal(noisy.covariance, np.diag([0.25, 0.25, 0.0625]))
    full = replace(noisy, uncertainty=Uncertainty(np.ones((1, 3)), np.eye(3) + 0.5, Law.GAUSSIAN, MINIMISER))
    np.testing.assert_array_equal(full.covariance, np.eye(3) + 0.5)
    assert regressor.covariance is None
    assert regressor.covers is None


def test_intervals_lie_around_the_estimate_and_count_the_slack(noisy: LinearModel) -> None:
    found = noisy.confidence_intervals(0.9)
    reach = quantile(Law.SPHERICAL, 3, 0.9) + 0.001
    np.testing.assert_allclose(found.coef_low, [1.5 - 0.5 * reach, -0.5 - 0.5 * reach], rtol=1e-12)
    np.testing.assert_allclose(found.coef_high, [1.5 + 0.5 * reach, -0.5 + 0.5 * reach], rtol=1e-12)
    assert found.intercept_high == pytest.approx(5 + 0.25 * reach, rel=1e-12)
    assert (found.level, found.covers) == (0.9, MINIMISER)
    assert np.all(noisy.confidence_intervals(0.99).coef_low < found.coef_low)


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, math.nan, "0.95", True, None])
def test_level_must_be_a_share(noisy: LinearModel, level: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^level=") as caught:
        noisy.confidence_intervals(level)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("mechanism", ["constant", "functional"])
def test_who_cannot_say_names_who_can(regressor: LinearModel, mechanism: str) -> None:
    model = replace(regressor, guarantee=replace(regressor.guarantee, mechanism=mechanism))
    for asked in (model.standard_errors, model.confidence_intervals, model.shrunk):
        with pytest.raises(InvalidInput, match=f"{mechanism}' cannot say.*output, .* or sufficient-stat") as caught:
            asked()
        assert "\n" not in str(caught.value)


def test_joint_classes_have_no_standard_errors(joint: LinearModel) -> None:
    with pytest.raises(InvalidInput, match="classes fitted jointly"):
        joint.standard_errors()


def test_uncertainty_must_have_the_shape_of_the_model(noisy: LinearModel) -> None:
    with pytest.raises(InvalidInput, match="uncertainty"):
        replace(noisy, uncertainty=Uncertainty(np.zeros((1, 4)), np.ones(4), Law.GAUSSIAN, MINIMISER))


def known(slopes: npt.ArrayLike, covariance: npt.ArrayLike, law: Law = Law.GAUSSIAN) -> Uncertainty:
    return Uncertainty(np.append(slopes, 1.0)[None], np.array(covariance), law, MINIMISER)


def test_factor_is_that_of_james_and_stein() -> None:
    slopes, zero = np.array([3.0, 4.0, 0.0, 0.0]), np.zeros((1, 4))
    assert shrinkage_factor(known(slopes, [2.0] * 5), zero) == pytest.approx(1 - 2 * 2.0 / 25)
    assert shrinkage_factor(known(slopes, np.eye(5) * 2.0), zero) == pytest.approx(1 - 2 * 2.0 / 25)
    assert shrinkage_factor(known(slopes, [2.0] * 5, Law.SPHERICAL), zero) == pytest.approx(1 - (4 / 6) * 2 * 2.0 / 25)
    assert shrinkage_factor(known(slopes, [50.0] * 5), zero) == 0.0
    assert shrinkage_factor(known(slopes, [2.0] * 5), slopes[None]) == 0.0


def test_correlated_noise_is_measured_along_its_own_axes() -> None:
    covariance = np.eye(5)
    covariance[0, 1] = covariance[1, 0] = 0.5
    slopes = np.array([1.0, -1.0, 3.0, 2.0])
    distance = slopes @ np.linalg.solve(covariance[:4, :4], slopes)
    expected = 1 - (4 / 1.5 - 2) / distance
    assert shrinkage_factor(known(slopes, covariance), np.zeros((1, 4))) == pytest.approx(expected)


@pytest.mark.parametrize("law", [Law.GAUSSIAN, Law.SPHERICAL])
def test_two_slopes_are_left_alone(law: Law) -> None:
    assert shrinkage_factor(known([0.1, 0.1], [1.0] * 3, law), np.zeros((1, 2))) == 1.0


def test_laplace_noise_is_left_alone() -> None:
    assert shrinkage_factor(known([0.1] * 5, [1.0] * 6, Law.LAPLACE), np.zeros((1, 5))) == 1.0


def test_estimates_of_the_population_are_left_alone() -> None:
    noisy = replace(known([0.1] * 5, [1.0] * 6), covers=POPULATION)
    assert shrinkage_factor(noisy, np.zeros((1, 5))) == 1.0


def test_a_model_that_gains_nothing_is_returned_as_it_is(noisy: LinearModel) -> None:
    assert noisy.shrunk() is noisy


def test_no_noise_is_left_alone() -> None:
    assert shrinkage_factor(known([0.1] * 5, [0.0] * 6), np.zeros((1, 5))) == 1.0


def wide(regressor: LinearModel, uncertainty: Uncertainty) -> LinearModel:
    return replace(regressor, coef=uncertainty.estimate[:, :-1], uncertainty=uncertainty)


def test_shrinking_keeps_the_guarantee_the_intercept_and_the_intervals(regressor: LinearModel) -> None:
    model = wide(regressor, known([3.0, 4.0, 0.0, 0.0], [2.0] * 5))
    less = model.shrunk()
    np.testing.assert_allclose(less.coef_, model.coef_ * (1 - 4 / 25))
    assert less.intercept_ == model.intercept_
    assert (less.guarantee.epsilon, less.guarantee.constants) == (model.guarantee.epsilon, model.guarantee.constants)
    assert less.guarantee.notes[:-1] == model.guarantee.notes
    assert "costs no privacy" in less.guarantee.notes[-1]
    np.testing.assert_array_equal(less.confidence_intervals().coef_low, model.confidence_intervals().coef_low)


def test_shrinking_twice_is_shrinking_once(regressor: LinearModel) -> None:
    once = wide(regressor, known([3.0, 4.0, 0.0, 0.0], [2.0] * 5)).shrunk()
    np.testing.assert_array_equal(once.shrunk().coef, once.coef)
    assert once.shrunk().guarantee == once.guarantee


def test_shrinking_never_leaves_the_ball(regressor: LinearModel) -> None:
    uncertainty = known([3.0, 4.0, 0.0, 0.0], [2.0] * 5)
    in_ball = replace(wide(regressor, uncertainty), coef=uncertainty.estimate[:, :-1] / 5)
    np.testing.assert_array_equal(in_ball.shrunk().coef, in_ball.coef)


def test_shrinking_towards_a_public_guess(regressor: LinearModel) -> None:
    model = wide(regressor, known([3.0, 4.0, 0.0, 0.0], [2.0] * 5))
    guess = np.array([3.0, 3.0, 0.0, 0.0])
    np.testing.assert_array_equal(model.shrunk(guess).coef_, guess)


@pytest.mark.parametrize("towards", [[1.0, 2.0, 3.0], "zero", math.nan, [[0.0], [0.0]]])
def test_a_guess_of_another_shape_is_refused(noisy: LinearModel, towards: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^towards: ") as caught:
        noisy.shrunk(towards)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("length", [0.0, 2.0, 10.0])
@pytest.mark.parametrize("law", [Law.GAUSSIAN, Law.SPHERICAL])
def test_shrinking_lowers_the_mean_squared_error_wherever_the_truth_is(law: Law, length: float) -> None:
    rng, dim = np.random.default_rng(11), 6
    truth = np.full(dim, length / math.sqrt(dim))
    noise = rng.normal(size=(DRAWS, dim + 1))
    if law is Law.SPHERICAL:
        noise *= np.sqrt(2 * rng.gamma((dim + 2) / 2, size=(DRAWS, 1)) / (dim + 2))
    seen = truth + noise[:, :-1]
    kept = [shrinkage_factor(known(row, [1.0] * (dim + 1), law), np.zeros((1, dim))) for row in seen]
    raw = ((seen - truth) ** 2).sum(axis=1)
    gained = raw - ((np.array(kept)[:, None] * seen - truth) ** 2).sum(axis=1)
    assert gained.mean() > 3 * gained.std() / math.sqrt(DRAWS)
