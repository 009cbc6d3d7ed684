"""The family of problems behind "auto": its arithmetic is that of the mechanisms it stands for."""

from __future__ import annotations

import numpy as np
import pytest
from tests.lists.losses import ONE_EACH, name_of

from equipoise.theory import family
from equipoise.theory.bounds import Bounds
from equipoise.theory.felt import felt
from equipoise.theory.losses import CappedLogistic, Huber, Logistic, Loss, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import L2
from equipoise.theory.scanning import best_of
from equipoise.theory.schedule import Schedule

FALSE_ALARM = 1e-6


def facts_of(loss: Loss, features: int = 6, intercept: float = 0.5) -> Facts:
    return Facts(loss, L2(0.01), Bounds(1.0, intercept), 1000, features)


@pytest.mark.parametrize(
    ("steps", "momentum", "memory"), [(32, 0.0, 0.5), (100, 0.5, 0.5), (256, 0.95, 0.5), (16, 0.0, 0.75)]
)
def test_a_walk_leaves_and_echoes_what_a_simulated_one_does(steps: int, momentum: float, memory: float) -> None:
    """20,000 noisy walks for each of three curvatures; six standard errors are off with a chance below 1e-8."""
    rng, runs, first = np.random.default_rng(0), 20_000, round(steps * (1 - memory))
    for steepness in (1e-3, 0.05, 0.7):
        left, echo = family._answers(np.array([steepness]), Schedule(steps, 1.0, momentum, np.inf, 1.0, memory))
        point, speed, late = np.ones(runs), np.zeros(runs), np.zeros(runs)
        for step in range(steps):
            moved = point - steepness * point + rng.standard_normal(runs) + momentum * speed
            point, speed = moved, moved - point
            late += point if step >= first else 0.0
        late /= steps - first
        assert abs(late.mean() - left[0]) < 6 * late.std() / np.sqrt(runs)
        assert late.var() == pytest.approx(echo[0], rel=6 * np.sqrt(2 / runs) + 2e-3)


@pytest.mark.parametrize("intercept", [0.0, 0.5])
@pytest.mark.parametrize("features", [1, 2, 50, 10**6])
@pytest.mark.parametrize("loss", ONE_EACH, ids=name_of)
def test_every_member_is_finite_and_fits_its_rows(loss: Loss, features: int, intercept: float) -> None:
    found = family.family_of(facts_of(loss.stand_in(), features, intercept))
    for numbers in (found.share, found.signal, found.bend, found.spread, found.null, found.bias):
        assert np.isfinite(numbers).all()
        assert (numbers >= 0).all()
    filled = np.sum(found.count * found.share, axis=1)
    assert (filled <= 1 + 1e-9).all()
    assert (found.bend > 0).all()


@pytest.mark.parametrize("loss", [Logistic(), CappedLogistic(0.5), Squared(), Huber(0.125, scale=2.0)], ids=repr)
def test_noise_raises_every_figure_and_perfection_leaves_the_floor(loss: Loss) -> None:
    facts = facts_of(loss)
    for of in (family.of_output, lambda facts, noise: family.of_objective(facts, noise, 0.0)):
        figures = [of(facts, noise) for noise in (0.0, 1e-3, 0.1, 10.0)]
        assert figures == sorted(figures)
    nothing = family.family_of(facts)
    best = nothing.figure(np.zeros_like(nothing.share), np.zeros_like(nothing.share), 1e15)
    floor = np.exp(np.mean(np.log(nothing.null * family.FLOOR)))
    assert floor <= best <= 4 * floor  # what a capped or clipped loss never mends comes on top


def test_a_constant_costs_what_constants_cost() -> None:
    facts = facts_of(Logistic())
    null = np.exp(np.mean(np.log(family.family_of(facts).null * (1 + family.FLOOR))))
    assert family.of_constant(replace_rows(facts, 10**12), 0.0) == pytest.approx(null, rel=1e-6)
    assert family.of_constant(facts, 1.0) > null


def replace_rows(facts: Facts, n: int) -> Facts:
    return Facts(facts.loss, facts.penalty, facts.bounds, n, facts.features)


def test_what_a_loss_feels_is_what_it_does() -> None:
    """The plain logistic loss bends as log-loss does; a cap halves the bend of weak signals and doubles their scores; a
    threshold below the noise bends where residuals are within it, and leaves the middle of skewed labels off."""
    plain, capped = felt(Logistic(), 0.2, 0.0, 0.0), felt(CappedLogistic(0.5), 0.2, 0.0, 0.0)
    assert plain.bend == pytest.approx(plain.worth)
    assert plain.stretch == pytest.approx(1.0, rel=1e-3)
    assert plain.bias == pytest.approx(0.0, abs=1e-6)
    assert capped.bend == pytest.approx(plain.bend / 2, rel=0.1)
    assert capped.stretch == pytest.approx(2.0, rel=0.2)
    square, clipped = felt(Squared(), 0.2, 0.0, 0.2), felt(Huber(0.05, scale=2.0), 0.2, 0.0, 0.2)
    assert square.bend == pytest.approx(2.0)
    assert square.bias < 1e-8
    assert clipped.bend < 0.7
    assert clipped.bias > 1e-4


def test_the_best_of_a_list_is_found_where_figures_fall_and_rise() -> None:
    for bottom in range(0, 49, 5):
        looked: list[int] = []

        def made(place: int, looked: list[int] = looked) -> int:
            looked.append(place)
            return place

        def figure(place: int, bottom: int = bottom) -> float:
            return abs(place - bottom)

        assert best_of(49, made, figure, 8) == bottom
        assert len(looked) <= 14
