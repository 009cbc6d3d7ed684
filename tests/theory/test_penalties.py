"""One contract for every penalty: its facts are those of its own value and gradient."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.errors import InvalidInput
from equipoise.theory.regularisers import L2, Bridge, Elastic, Penalty

Array = npt.NDArray[np.float64]

PENALTIES: list[Penalty] = [
    L2(0.3),
    L2(7.0),
    L2(0.3, centre=(0.5, -1.0, 2.0)),
    Elastic(0.3, 2.0, 0.1),
    Elastic(7.0, 0.5, 1.0, spared=True),
    Bridge(0.3, 1.5, 0.1),
    Bridge(0.02, 1.1, 0.001, spared=True),
    Bridge(5.0, 2.0, 0.1),
    Bridge(1.0, 1.0001, 10.0, start=3.0),
]


def pairs(count: int = 50) -> list[tuple[Array, Array]]:
    rng = np.random.default_rng(0)
    return [(rng.normal(size=3) * size, rng.normal(size=3) * size) for size in np.geomspace(0.01, 100, count)]


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_gradient_is_the_derivative_of_value(penalty: Penalty) -> None:
    for at, way in pairs():
        step = 1e-6 * np.linalg.norm(at)
        numeric = (penalty.value(at + step * way) - penalty.value(at - step * way)) / (2 * step)
        assert numeric == pytest.approx(float(penalty.gradient(at) @ way), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_the_gradient_grows_as_fast_as_strong_convexity_says(penalty: Penalty) -> None:
    """⟨∇(u) − ∇(v), u − v⟩ ≥ μ‖u − v‖²: what every sensitivity of a minimiser divides by."""
    for one, other in pairs():
        apart = one - other
        grown = float((penalty.gradient(one) - penalty.gradient(other)) @ apart)
        assert grown >= penalty.strong_convexity * float(apart @ apart) * (1 - 1e-12)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_it_is_least_at_its_centre_whose_norm_is_rounded_up(penalty: Penalty) -> None:
    centre = np.zeros(3) if penalty.centre is None else np.array(penalty.centre)
    assert np.linalg.norm(centre) <= penalty.centre_norm <= np.linalg.norm(centre) * (1 + 1e-9)
    assert not penalty.gradient(centre).any()
    assert all(penalty.value(centre) <= penalty.value(w) for w, _ in pairs())


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_of_strength_changes_the_strength_and_nothing_else(penalty: Penalty) -> None:
    other = penalty.of_strength(2.5)
    assert (other.strong_convexity, other.centre) == (2.5, penalty.centre)
    assert other.of_strength(penalty.strong_convexity) == penalty
    with pytest.raises(InvalidInput):
        penalty.of_strength(0.0)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_a_guarantee_can_name_all_its_numbers(penalty: Penalty) -> None:
    assert penalty.constants()
    assert all(np.isfinite(list(penalty.constants().values())))


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_the_curvature_is_the_gradients_slope_and_within_its_bound(penalty: Penalty) -> None:
    for at, _ in pairs():
        bent = penalty.bent(at)
        assert np.all((bent >= 0) & (bent <= penalty.bend * (1 + 1e-12)))
        for place, way in enumerate(np.eye(3)):
            step = 1e-7 * float(np.linalg.norm(at))
            turn = (penalty.gradient(at + step * way) - penalty.gradient(at - step * way)) / (2 * step)
            assert turn[place] == pytest.approx(penalty.strong_convexity + bent[place], rel=1e-4, abs=1e-6)
            assert not np.delete(turn, place).any()


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_no_gradient_is_longer_than_its_bound(penalty: Penalty) -> None:
    for at, _ in pairs():
        norm = float(np.linalg.norm(at))
        assert float(np.linalg.norm(penalty.gradient(at))) <= penalty.steepness(norm, 3) * (1 + 1e-12)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_its_gradient_never_points_inwards(penalty: Penalty) -> None:
    """⟨∇(w), w − centre⟩ ≥ μ‖w − centre‖²: why a minimiser's norm bound holds for every penalty."""
    centre = np.zeros(3) if penalty.centre is None else np.array(penalty.centre)
    for at, _ in pairs():
        away = at - centre
        assert float(penalty.gradient(at) @ away) >= penalty.strong_convexity * float(away @ away) * (1 - 1e-12)


def test_an_elastic_net_is_the_l1_norm_but_for_its_corners() -> None:
    penalty, w = Elastic(0.4, 2.0, 0.04, spared=True), np.array([3.0, -2.0, 5.0])
    assert (penalty.l1, penalty.width) == pytest.approx((0.8, 0.1))
    assert penalty.value(w) == pytest.approx(0.2 * float(w @ w) + 0.8 * (3.0 + 2.0 - 0.1))
    assert penalty.gradient(w) == pytest.approx(0.4 * w + np.array([0.8, -0.8, 0.0]))
    wide, narrow = (Elastic.of(1.0, 1.0, 1.0, n, spared=False).width for n in (100, 10**9))
    assert (wide, narrow) == (1 / 200, 1 / 2**18)
