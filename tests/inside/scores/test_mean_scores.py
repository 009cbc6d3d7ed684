"""The mean score of private records: no record moves it by more than its share, however wild the score."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.inside.scores.of_any_model import clipped_mean

Array = npt.NDArray[np.float64]


def wild(labels: Array, predicted: Array) -> Array:
    """A caller's score that knows no bounds."""
    return np.asarray(1e300 * labels + predicted)


@pytest.mark.parametrize("record", [1.0, -1.0, np.nan, np.inf, -np.inf, 1e-300])
def test_a_wild_record_moves_the_mean_by_its_share_at_most(record: float) -> None:
    labels, predicted = np.zeros(8), np.linspace(0, 1, 8)
    before = clipped_mean(wild, labels, predicted)
    labels[3] = record
    after = clipped_mean(wild, labels, predicted)
    assert 0 <= after <= 1
    assert abs(after - before) <= 1 / 8 + 2.0**-51
