"""Momentum on quadratics, what fails elsewhere, averages that hide a pair, and the page of the catalogue."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.theory.stability.attacks import Array, descend, linear, worst_place

from equipoise import stability
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.stability import (
    StabilityBound,
    batch_normalisation,
    catalogue_table,
    heavy_ball,
    nesterov,
    sgd_random_position,
    sgd_with_replacement,
)
from equipoise.theory.stability.catalogue import CATALOGUE, Verdict

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "stability.md"
N, ETA, T, GAMMA = 6, 0.5, 40, 0.6


def momentum(bend: Array, aims: Array, *, nesterovs: bool) -> tuple[Array, float]:
    """Full batches over the losses (bend/2)(w − aim)², or aim·w without bend; the end, and the steepest slope met."""
    x, before, steepest = 0.0, 0.0, 0.0
    y = x
    for t in range(1, T + 1):
        at = y if nesterovs else x
        slopes = np.where(bend > 0, bend * (at - aims), aims)
        steepest = max(steepest, float(np.max(np.abs(slopes))))
        after = at - ETA * float(np.mean(slopes)) + (0.0 if nesterovs else GAMMA * (x - before))
        before, x = x, after
        y = x + t / (t + 3) * (x - before)
    return np.array([x]), steepest


def bound_for(nesterovs: bool, steepest: float, smoothness: float) -> StabilityBound:
    if nesterovs:
        return nesterov(steepest, ETA, smoothness, T, N, quadratic=True)
    return heavy_ball(steepest, ETA, smoothness, GAMMA, T, N, quadratic=True)


@pytest.mark.parametrize(("nesterovs", "share"), [(True, 0.999999), (False, 0.95)])
def test_without_curvature_momentum_attains_its_bound(nesterovs: bool, share: float) -> None:
    """Heavy ball does so in the limit of many steps."""
    aims = np.ones(N)
    other = aims.copy()
    other[0] = -1.0
    ends = [momentum(np.zeros(N), each, nesterovs=nesterovs)[0] for each in (aims, other)]
    bound = bound_for(nesterovs, 1.0, 1.0).value
    assert share * bound <= float(np.abs(ends[0] - ends[1])[0]) <= bound


@pytest.mark.parametrize("nesterovs", [True, False])
def test_no_quadratic_passes_the_bound_of_momentum(nesterovs: bool) -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        bend, aims = rng.uniform(0, 2.0, size=N) * (rng.random(N) < 0.7), rng.uniform(-1, 1, size=N)
        other_bend, other = bend.copy(), aims.copy()
        other_bend[0], other[0] = rng.uniform(0, 2.0), -np.sign(aims[0])
        left, steep = momentum(bend, aims, nesterovs=nesterovs)
        right, steeper = momentum(other_bend, other, nesterovs=nesterovs)
        bound = bound_for(nesterovs, max(steep, steeper), 2.0).value
        assert float(np.abs(left - right)[0]) <= bound


@pytest.mark.parametrize("nesterovs", [True, False])
def test_a_curvature_that_changes_along_the_way_pumps_momentum_beyond_that_bound(nesterovs: bool) -> None:
    """One nudge at the first step; the slope of a convex function may have any curvature in [0, β] at each next place.

    Chosen as a child on a swing would, the distance grows exponentially, past every response of a quadratic.
    """
    pump, quadratic = furthest(nesterovs), ETA * (T if nesterovs else 1 / (1 - GAMMA))
    assert pump > 3 * quadratic


def furthest(nesterovs: bool, paths: int = 64) -> float:
    """The furthest that curvatures of 0 and 1/η (2(1 + γ)/η for heavy ball) bring one nudge, by a beam search."""
    most = 1 / ETA if nesterovs else 1.9 * (1 + GAMMA) / ETA
    beam = [(ETA, 0.0)]
    for t in range(1, 4 * T):
        kept = t / (t + 3) if nesterovs else GAMMA
        after = []
        for x, before in beam:
            at = x + kept * (x - before) if nesterovs else x
            drift = 0.0 if nesterovs else kept * (x - before)
            after += [(at - ETA * bend * at + drift, x) for bend in np.linspace(0, most, 5)]
        beam = sorted(after, key=lambda pair: -abs(pair[0] - pair[1]) - abs(pair[0]))[:paths]
    return max(abs(x) for x, _ in beam)


@pytest.mark.parametrize("quadratic", [False, None, 1])
def test_momentum_without_quadratic_losses_is_refused(quadratic: object) -> None:
    with pytest.raises(MechanismRefused, match="quadratic"):
        nesterov(1.0, 0.1, 1.0, 5, 9, quadratic=quadratic)  # type: ignore[arg-type]
    with pytest.raises(MechanismRefused, match="quadratic"):
        heavy_ball(1.0, 0.1, 1.0, 0.5, 5, 9, quadratic=quadratic)  # type: ignore[arg-type]


def test_momentum_with_steps_too_long_is_refused_with_the_limit() -> None:
    with pytest.raises(MechanismRefused, match="at most 1,"):
        nesterov(1.0, 1.1, 1.0, 5, 9, quadratic=True)
    with pytest.raises(MechanismRefused, match="at most 3,"):
        heavy_ball(1.0, 3.1, 1.0, 0.5, 5, 9, quadratic=True)
    with pytest.raises(InvalidInput, match="momentum"):
        heavy_ball(1.0, 0.1, 1.0, 1.0, 5, 9, quadratic=True)


def test_batch_normalisation_turns_every_row_of_a_batch_for_a_change_that_is_nothing() -> None:
    """Records 2·10⁻⁹ apart, normalised rows as far apart as they can be."""
    batches = [np.array([tiny, 0.0, 0.0, 0.0]) for tiny in (1e-9, -1e-9)]
    left, right = ((batch - batch.mean()) / batch.std() for batch in batches)
    assert np.all(np.abs(left - right) > 1.0)
    with pytest.raises(MechanismRefused, match="public numbers"):
        batch_normalisation(1.0)


def test_a_record_drawn_every_time_passes_the_average_over_draws() -> None:
    steps, n = 20, 10
    always_first = worst_place(1, lambda X, y: descend(X, y, linear, [0.1] * steps))
    assert always_first > 9 * sgd_with_replacement(1.0, 0.1, 1.0, steps, n).value


def test_the_first_place_passes_the_average_over_places() -> None:
    first = worst_place(30, lambda X, y: descend(X, y, linear, [0.1] * 30, average=True))
    assert first > 1.9 * sgd_random_position(1.0, 0.1, 1.0).value


def test_averages_are_refused_as_a_ground_for_noise() -> None:
    for bound in (sgd_with_replacement(1.0, 0.1, 1.0, 20, 10), sgd_random_position(1.0, 0.1, 1.0)):
        with pytest.raises(MechanismRefused, match="average"):
            bound.weights_l2()


def test_the_catalogue_names_public_functions_and_its_page_is_current() -> None:
    assert len(CATALOGUE) >= 20
    assert {row.function.__name__ for row in CATALOGUE} <= set(stability.__all__)
    assert all(row.function.__doc__ for row in CATALOGUE)
    assert catalogue_table() in PAGE.read_text(encoding="utf-8"), "write catalogue_table() into the page again"


def test_only_what_is_refused_claims_no_bound_of_the_worst_case() -> None:
    refused = {row.algorithm for row in CATALOGUE if row.verdict is Verdict.REFUSED}
    assert {"batch normalisation", "SGD, number of steps", "SGD with replacement", "SGD, random position"} <= refused
    assert not [row.algorithm for row in CATALOGUE if row.attained and row.verdict is Verdict.REFUSED]
