"""Constants of choosing a grid: common grids, how far one record moves a lead, weights from public facts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from equipoise.theory.tables import grid_choice as choosing
from equipoise.theory.tables.density import default_candidates


def test_the_constants_are_those_of_the_proof() -> None:
    assert choosing.of_detail(101, 8) == pytest.approx(math.sqrt(16 * 102 / 100) / 101)
    assert choosing.of_detail(101, 8) > math.sqrt(16 * 102 / 100) / 101, "rounded up"
    assert choosing.detail(8 * 25 - 100, 10) == pytest.approx(math.sqrt(11 / 9))


@pytest.mark.parametrize(
    ("first", "second", "common"), [((12,), (18,), (6,)), ((4,), (8,), (4,)), ((2, 3), (3, 3), (1, 3))]
)
def test_the_common_grid_divides_both(first: tuple[int, ...], second: tuple[int, ...], common: tuple[int, ...]) -> None:
    assert choosing.common_grid(first, second) == common == choosing.common_grid(second, first)


def test_a_duel_weighs_details_against_charges() -> None:
    """A finer grid wins when its detail is worth more than what it is dearer by."""
    assert choosing.duel((0.5, 0.0), (0.3, 0.05), (0.1, 0.0)) == pytest.approx(0.0)
    assert choosing.duel((0.6, 0.0), (0.3, 0.05), (0.1, 0.0)) == pytest.approx(1.0)
    assert choosing.duel((0.4, 0.0), (0.3, 0.05), (0.1, 0.0)) == pytest.approx(-1.0)
    assert choosing.duel((0.6, 0.2), (0.3, 0.3), (0.1, 0.3)) == pytest.approx(1.0)


def test_a_grid_does_not_beat_itself() -> None:
    assert choosing.duel((0.0, 0.0), (0.3, 0.3), (0.0, 0.0)) == 0.0


def test_leads_allow_for_what_rounding_does_to_large_numbers() -> None:
    assert choosing.lead_moved(2, np.zeros(3)) == pytest.approx(1, abs=1e-12)
    assert choosing.lead_moved(2**26, np.array([0.0, -1e12])) >= 1 + 2.0**-20 + 1e12 * 2.0**-51


def test_the_least_lead_is_that_over_the_worst_opponent() -> None:
    duels = np.array([[0.0, 2.0, -1.0], [-2.0, 0.0, 3.0], [1.0, -3.0, 0.0]])
    assert choosing.least_lead(duels, np.zeros(3)).tolist() == [-1.0, -2.0, -3.0]
    started = choosing.least_lead(duels, choosing.head_starts((0.0, -1.0, 0.0), 0.5))
    assert started.tolist() == [-1.0, -6.0, 0.0]


@pytest.mark.parametrize("width", choosing.WIDTHS)
def test_the_predicted_error_is_the_blur_of_a_hump_and_sampling_and_noise(width: float) -> None:
    fine, bins = 2**14, 8
    hump = np.diff(stats.norm(0.5, width).cdf(np.arange(fine + 1) / fine)) * fine
    seen = np.repeat(hump.reshape(bins, -1).mean(axis=1), fine // bins)
    blur = float(np.mean((hump - seen) ** 2))
    assert choosing.predicted_error(10**9, (bins,), 0.0, width) == pytest.approx(blur, rel=1e-3, abs=1e-6)
    more = choosing.predicted_error(1000, (bins,), 3.0, width) - blur
    assert more == pytest.approx(bins / 1000 + 2 * (bins * 3 / 1000) ** 2, rel=1e-3)
    plane = choosing.predicted_error(10**9, (bins, bins), 0.0, width)
    assert plane == pytest.approx(np.mean(hump**2) ** 2 - np.mean(seen**2) ** 2, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize(("records", "scale"), [(100, 20.0), (20_000, 3.0), (10**6, 1.0), (50, 1e6)])
def test_weights_favour_no_grid_at_either_end_when_there_are_rows_enough(records: int, scale: float) -> None:
    shapes = [(side,) for side in default_candidates(records, 2 / scale, 1)]
    weights = choosing.beforehand(records, shapes, scale)
    assert max(weights) == 0.0
    assert min(weights) >= choosing.FAINTEST
    if len(shapes) > 4:
        assert 0 < weights.index(0.0) < len(shapes) - 1
