"""Gradient steps: no neighbours move them further than the catalogue says, and the worst pair moves them that far."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from tests.theory.stability.attacks import Array, descend, hinge, linear, logistic, moved, searched, worst_place

from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.stability import (
    StabilityBound,
    gradient_clipping,
    s_dropout,
    sgd_averaging,
    sgd_decreasing_steps,
    sgd_minibatch,
    sgd_passes,
    sgd_step_size,
    sgd_steps,
    sgd_strongly_convex,
    sgd_strongly_convex_constant,
    sgd_with_kink,
)

N, ETA, SMOOTH = 12, 0.8, 0.25
FALLING = [0.9 / (1 + place) ** 0.5 for place in range(2 * N)]
MU = 0.3

Run = Callable[[Array, Array], Array]


def shrinking(smoothness: float, count: int) -> list[float]:
    return [min(1 / smoothness, 1 / (MU * t)) for t in range(1, count + 1)]


CASES: dict[str, tuple[StabilityBound, Callable[[bool], Run]]] = {
    "one pass": (
        sgd_step_size(1.0, ETA, SMOOTH),
        lambda flat: lambda X, y: descend(X, y, linear if flat else logistic, [ETA] * N),
    ),
    "three passes": (
        sgd_passes(1.0, ETA, SMOOTH, 3),
        lambda flat: lambda X, y: descend(X, y, linear if flat else logistic, [ETA] * 3 * N),
    ),
    "batches": (
        sgd_minibatch(1.0, ETA, SMOOTH, 2, 3),
        lambda flat: lambda X, y: descend(X, y, linear if flat else logistic, [ETA] * 8, batch=3),
    ),
    "averaged": (
        sgd_averaging(1.0, ETA, SMOOTH, 3, 4),
        lambda flat: lambda X, y: descend(X, y, linear if flat else logistic, [ETA] * 9, batch=4, average=True),
    ),
    "decreasing": (
        sgd_decreasing_steps(1.0, FALLING, SMOOTH, 2, 1),
        lambda flat: lambda X, y: descend(X, y, linear if flat else logistic, FALLING),
    ),
    "strongly convex": (
        sgd_strongly_convex(1.0, MU, N),
        lambda flat: (
            lambda X, y: descend(
                X, y, linear if flat else logistic, shrinking(MU if flat else SMOOTH + MU, 12), batch=3, ridge=MU
            )
        ),
    ),
    "strongly convex, constant": (
        sgd_strongly_convex_constant(1.0, ETA, MU, SMOOTH + MU, 3, 2, 6),
        lambda flat: lambda X, y: descend(X, y, linear if flat else logistic, [ETA] * 18, batch=2, ridge=MU),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_worst_place_attains_the_bound_and_never_passes_it(name: str) -> None:
    bound, run = CASES[name]
    assert 0.999 * bound.value <= worst_place(N, run(True)) <= bound.value


@pytest.mark.parametrize("name", CASES)
def test_no_random_neighbours_pass_the_bound(name: str) -> None:
    bound, run = CASES[name]
    assert 0.1 * bound.value < searched(150, N, run(False), spread=0.5) <= bound.value


def test_a_diameter_below_twice_the_slope_lowers_the_bound() -> None:
    narrow = sgd_minibatch(1.0, ETA, SMOOTH, 2, 3, diameter=1.1).value
    assert narrow == pytest.approx(0.55 * sgd_minibatch(1.0, ETA, SMOOTH, 2, 3).value)
    with pytest.raises(InvalidInput, match="diameter"):
        sgd_minibatch(1.0, ETA, SMOOTH, 2, 3, diameter=2.1)


def test_projections_leave_the_bound_and_may_use_the_diameter_within_the_ball() -> None:
    """G(1) = 1.0986 for logistic losses, rows within one and a ball of one (docs/proofs/sensitivity.md, section 3)."""
    bound = sgd_passes(1.0, ETA, SMOOTH, 2, diameter=1.0987)
    run = lambda X, y: descend(X, y, logistic, [ETA] * 2 * N, ball=1.0)  # noqa: E731
    assert searched(200, N, run, spread=0.2) <= bound.value


def test_a_short_last_batch_divided_by_its_own_size_passes_the_bound() -> None:
    """So batches are divided by the same number, or the short one is left out."""
    rows, labels = np.ones((5, 1)), np.ones(5)

    def own_size(X: Array, y: Array) -> Array:
        w = np.zeros(1)
        for part in (slice(0, 4), slice(4, 5)):
            w = w - ETA * X[part].T @ y[part] / len(y[part])
        return w

    assert moved(rows, labels, 4, rows[4], -1.0, own_size) > 3 * sgd_minibatch(1.0, ETA, SMOOTH, 1, 4).value


def test_records_left_out_do_not_count_as_used() -> None:
    """Fifteen records in batches of ten: one pass is one step, and the bound is that of ten records."""
    steps = shrinking(MU, 1)
    found = worst_place(15, lambda X, y: descend(X, y, linear, steps, batch=10, ridge=MU))
    assert sgd_strongly_convex(1.0, MU, 15).value < found <= sgd_strongly_convex(1.0, MU, 10).value


def test_a_step_longer_than_the_limit_is_refused_with_the_limit() -> None:
    with pytest.raises(MechanismRefused, match="at most 8,"):
        sgd_step_size(1.0, 8.1, SMOOTH)
    with pytest.raises(MechanismRefused, match="at most 8,"):
        sgd_decreasing_steps(1.0, [8.1, 1.0], SMOOTH, 1, 1)
    with pytest.raises(MechanismRefused, match=r"at most 1\.81818"):
        sgd_strongly_convex_constant(1.0, 1.9, 0.1, 1.0, 1, 1, 5)
    assert sgd_step_size(1.0, 8.0, SMOOTH).value == pytest.approx(16.0)


def test_the_limit_is_granted_and_the_next_number_after_it_is_not() -> None:
    for smoothness in (0.25, 1.0, 3.7):
        longest = 2 / smoothness
        assert sgd_passes(1.0, longest, smoothness, 1).value > 0
        with pytest.raises(MechanismRefused, match="must be at most"):
            sgd_passes(1.0, math.nextafter(longest, math.inf), smoothness, 1)


def test_beyond_the_limit_steps_do_drive_points_apart() -> None:
    """Curvature one, a step of 2.5: what the first record did is multiplied by 1.5 in every later step."""

    def long_steps(X: Array, y: Array) -> Array:
        w = np.zeros(1)
        for row, label in zip(X, y, strict=True):
            w = w - 2.5 * (row * (row @ w) - row * label)
        return w

    rows = np.ones((10, 1))
    found = moved(rows, np.zeros(10), 0, rows[0], 1.0, long_steps)
    assert found == pytest.approx(2.5 * 1.5**9)


def test_hinge_losses_never_pass_the_bound_for_kinks_and_do_pass_the_smooth_one() -> None:
    steps = [0.7] * 2 * N
    bound = sgd_with_kink(1.0, steps, 2, 1)
    assert searched(200, N, lambda X, y: descend(X, y, hinge, steps), spread=0.5) <= bound.value
    apart = [descend(np.ones((1, 1)), np.ones(1), hinge, [0.5], start=np.array([at])) for at in (1 - 1e-4, 1 + 1e-4)]
    assert abs(float((apart[0] - apart[1])[0])) > 0.49, "a step on a kink is not non-expansive"


def test_more_steps_do_not_make_descent_steadier() -> None:
    found = [worst_place(4, lambda X, y, k=k: descend(X, y, linear, [0.1] * 4 * k)) for k in (1, 2, 8)]  # type: ignore[misc]
    assert found == pytest.approx([0.2, 0.4, 1.6])
    with pytest.raises(MechanismRefused, match="sgd_steps"):
        sgd_steps(1.0, 0.1, 100)


def test_masked_features_shrink_the_bound_and_masked_gradients_are_refused() -> None:
    whole, share = sgd_passes(1.0, ETA, SMOOTH, 2), 0.5
    bound = s_dropout(whole, share, masks="features")
    masks = np.random.default_rng(1).integers(0, 2, size=(N, 2)).astype(float)

    def masked(X: Array, y: Array) -> Array:
        rows = X * masks
        rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True) / share)
        return descend(rows, y, logistic, [ETA] * 2 * N)

    assert bound.value == pytest.approx(share * whole.value)
    assert searched(150, N, masked, spread=0.3) <= bound.value
    assert worst_place(N, lambda X, y: descend(share * X, y, linear, [ETA] * 2 * N)) >= 0.999 * bound.value
    with pytest.raises(MechanismRefused, match="mask the features"):
        s_dropout(whole, share, masks="gradients")
    for outside in (0.0, 1.5, -1.0):
        with pytest.raises(InvalidInput, match="s="):
            s_dropout(whole, outside, masks="features")


def test_masked_gradients_expand_and_go_on_expanding() -> None:
    """Steps w − D·x(x·w) of one quadratic loss with rows of norm one: the worst single step, and forty in a row."""
    angles = np.linspace(0, np.pi, 91)
    rows = [np.array([math.cos(angle), math.sin(angle)]) for angle in angles]
    steps = [np.eye(2) - np.diag(mask) @ np.outer(row, row) for row in rows for mask in ([1.0, 0.0], [0.0, 1.0])]
    assert max(float(np.linalg.norm(step, 2)) for step in steps) > 1.14
    apart = np.array([1.0, 0.3])
    for _ in range(40):
        apart = max((step @ apart for step in steps), key=lambda end: float(np.linalg.norm(end)))
    assert float(np.linalg.norm(apart)) > 10


def test_a_clipped_slope_keeps_the_bound() -> None:
    cap = 0.4
    bound = gradient_clipping(cap, 1.0, ETA, SMOOTH, 2, 1)
    clipped = lambda scores, labels: np.clip(logistic(scores, labels), -cap, cap)  # noqa: E731
    assert searched(150, N, lambda X, y: descend(X, y, clipped, [ETA] * 2 * N), spread=0.3) <= bound.value
    push = lambda scores, labels: np.clip(5 * labels, -cap, cap)  # noqa: E731
    assert worst_place(N, lambda X, y: descend(X, y, push, [ETA] * 2 * N)) >= 0.999 * bound.value
    with pytest.raises(MechanismRefused, match="clip rows"):
        gradient_clipping(cap, 1.0, ETA, SMOOTH, 2, 1, scores=3)


def test_a_jointly_clipped_gradient_expands() -> None:
    """One quadratic of curvatures 1 and 0.1, gradients clipped to one, the longest step allowed."""
    curvature = np.array([1.0, 0.1])

    def step(w: Array) -> Array:
        gradient = curvature * w
        return w - 2.0 * gradient / max(1.0, float(np.linalg.norm(gradient)))

    rng, most = np.random.default_rng(0), 0.0
    for _ in range(2000):
        at = rng.normal(size=2) * 4
        near = at + 1e-5 * rng.normal(size=2)
        most = max(most, float(np.linalg.norm(step(at) - step(near)) / np.linalg.norm(at - near)))
    assert most > 1.05


@pytest.mark.parametrize("steps", [[], [0.1, 0.2, 0.3]])
def test_steps_that_do_not_fill_the_passes_are_refused(steps: list[float]) -> None:
    with pytest.raises(InvalidInput, match="steps"):
        sgd_decreasing_steps(1.0, steps, SMOOTH, 2, 1)
