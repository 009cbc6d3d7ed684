"""What arithmetic adds to a random number of runs: each run has noise on a grid of its own, and scores have too."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.theory.accounting.runs import Drawn, event_of_runs
from equipoise.theory.accounting.selection import PoissonStop
from equipoise.theory.accounting.shares import Kind, Share
from equipoise.theory.accounting.slack import Slack
from equipoise.theory.events import Event, GaussianRelease, PureRelease, RenyiRelease
from equipoise.theory.guarantees import Budget

BUDGET = Budget(3.0, 1e-6)
PURE, GAUSSIAN = Share(Budget(0.1), Kind.PURE), Share(Budget(0.1, 1e-7), Kind.GAUSSIAN, mu=0.05)
FAR = 1e-20
"""How far the law of one run, as drawn, is from the one that was planned."""


def _event(share: Share, mean: float, far: float, tail: float = 0.0, slack: float = 0.0, most: int = 100) -> Event:
    run: Event = PureRelease(0.1, far)
    if share.kind is Kind.GAUSSIAN:
        run = GaussianRelease(0.05, delta_numeric=far, epsilon_numeric=slack)
    return event_of_runs([run], share, PoissonStop(mean), Drawn(0.0, most), Slack(slack, tail), BUDGET, None)


@pytest.mark.parametrize("share", [PURE, GAUSSIAN], ids=lambda share: share.kind.name)
@pytest.mark.parametrize("mean", [2.0, 10.0, 60.0])
def test_every_run_adds_its_distance_from_the_planned_law(share: Share, mean: float) -> None:
    """So many runs on average, each replaced by an ideal one at this price: what the best of them is worth."""
    assert _event(share, mean, FAR).delta_numeric >= mean * FAR
    assert _event(share, mean, 0.0, tail=FAR).delta_numeric >= 2 * mean * FAR
    assert _event(share, mean, 0.0).delta_numeric == 0.0


@pytest.mark.parametrize("most", [10, 1000])
def test_every_run_that_there_can_be_adds_the_slack_of_its_grid(most: int) -> None:
    """Each law lies within a factor e^(slack/2) of the planned one, so all of them together within its power."""
    slack = 1e-9
    plain, grown = (_event(GAUSSIAN, 5.0, 0.0, slack=by, most=most) for by in (0.0, slack))
    assert isinstance(plain, RenyiRelease)
    assert isinstance(grown, RenyiRelease)
    assert plain.orders == grown.orders
    assert np.all(np.array(grown.epsilons) - np.array(plain.epsilons) >= most * slack * (1 - 1e-3))
