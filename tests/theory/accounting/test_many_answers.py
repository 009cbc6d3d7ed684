"""Many answers are one vector of as many numbers: their price is no smaller than that vector's."""

from __future__ import annotations

from itertools import pairwise

import pytest

from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.accounting.prices import gaussian_answers
from equipoise.theory.accounting.slack import gaussian_on_grid
from equipoise.theory.events import GaussianRelease

EPSILON, DELTA = 0.7, 1e-6


@pytest.mark.parametrize("dim", [1, 3])
@pytest.mark.parametrize("count", [1, 100, 10_000, 1_000_000])
def test_a_batch_has_the_slack_of_all_its_numbers(count: int, dim: int) -> None:
    batch, joint = gaussian_answers(EPSILON, DELTA, dim, count), gaussian_on_grid(count * dim)
    assert batch.epsilon_numeric >= joint.epsilon
    assert batch.delta_numeric >= joint.tail
    assert total_spent([batch], DELTA).epsilon >= total_spent([GaussianRelease(batch.mu, count)], DELTA).epsilon


def test_more_answers_never_cost_less_in_any_part() -> None:
    batches = [gaussian_answers(EPSILON, DELTA, 2, count) for count in (1, 2, 50, 10**6, 10**7)]
    for fewer, more in pairwise(batches):
        assert more.epsilon_numeric >= fewer.epsilon_numeric
        assert more.delta_numeric >= fewer.delta_numeric
        assert total_spent([more], DELTA).epsilon > total_spent([fewer], DELTA).epsilon
