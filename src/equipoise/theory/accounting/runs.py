"""What the best of a random number of runs costs, the laws as drawn and noise on a grid included.

Arguments: docs/proofs/selection.md, section 7.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise._checks import shown
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.accounting.convert import epsilon_of
from equipoise.theory.accounting.searches import for_one_row, whole_event
from equipoise.theory.accounting.selection import Stop, random_stop
from equipoise.theory.accounting.shares import Kind, Share
from equipoise.theory.accounting.slack import NO_SLACK, Slack, gaussian_slack
from equipoise.theory.events import ConcentratedRelease, Event, GaussianRelease, PureRelease, RenyiRelease
from equipoise.theory.guarantees import Budget, Concentrated, Gaussian, Measure, Pure, Renyi
from equipoise.theory.rounding import LONG_SUM, up


@dataclass(frozen=True, slots=True)
class Drawn:
    """How the number of runs is drawn: its distance from the law asked for, and the largest number there can be."""

    distance: float
    most: int


def hidden_by(share: Share) -> Pure | Gaussian:
    """What the noise on scores must hide, to cost a row that is scored no more than a row that is fitted."""
    return Gaussian(share.mu) if share.kind is Kind.GAUSSIAN else Pure(share.budget.epsilon)


def slack_of_scores(hides: Pure | Gaussian, moved: int) -> Slack:
    """Of whole-number noise on scores that one record moves by so many steps; Laplace noise has none."""
    return NO_SLACK if isinstance(hides, Pure) else gaussian_slack(1, moved / hides.mu)


def event_of_runs(
    events: Sequence[Event],
    share: Share,
    stop: Stop,
    drawn: Drawn,
    slack: Slack,
    budget: Budget,
    largest: int | None,
) -> Event:
    """What the best of the runs costs when each costs the share; `slack` is that of the noise on scores."""
    row = for_one_row(budget, largest)
    run_numeric = stop.mean * max(2 * slack.tail, *(event.delta_numeric for event in events))
    far = 2 * (run_numeric + drawn.distance)
    total: Pure | Renyi
    if share.kind is Kind.ANY:
        total = random_stop(Pure(share.budget.epsilon), stop, row.delta / 2)
    else:
        total = random_stop(hidden_by(share), stop, row.delta)
    if share.kind is Kind.GAUSSIAN and isinstance(total, Renyi):
        total = _with_slack(total, drawn.most * _largest_slack(events, slack))
        if epsilon_of(total, row.delta) > row.epsilon:
            raise MechanismRefused(
                f"epsilon={shown(row.epsilon)}: too small for noise on a grid in so many runs, raise it"
            )
    if isinstance(total, Renyi) and share.kind is not Kind.ANY and largest is None:
        return RenyiRelease(total.orders, total.epsilons, far)
    if share.kind is Kind.GAUSSIAN:
        numeric = numeric_at(row.epsilon, far)
    else:
        numeric = run_numeric + numeric_at(row.epsilon, 2 * drawn.distance)
    # With a δ the runs may be dearer than ε by what δ hides: then the event is not a pure one.
    pure = share.kind is Kind.PURE and isinstance(total, Pure) and total.epsilon <= row.epsilon
    return whole_event(budget, pure, numeric, largest)


def numeric_at(epsilon: float, far: float) -> float:
    """What a law that is `far`/2 from the ideal one adds to δ at ε."""
    return min(1.0, far * (1 + math.exp(min(epsilon, 700.0))) / 2)


def delta_numeric(event: Event, epsilon: float) -> float:
    """The same for an event, as a guarantee states it."""
    return numeric_at(epsilon, event.delta_numeric) if isinstance(event, RenyiRelease) else event.delta_numeric


def runs_price(base: Measure, stop: Stop, delta: float, drawn: Drawn) -> tuple[float, Event]:
    """ε at δ, and the event, of a random number of runs whose price is the caller's word."""
    total, far = random_stop(base, stop, delta), 2 * drawn.distance
    epsilon = _stated_epsilon(total, delta)
    if isinstance(total, Pure):
        return epsilon, PureRelease(total.epsilon, numeric_at(epsilon, far))
    return epsilon, RenyiRelease(total.orders, total.epsilons, far)


def one_price(base: Pure | Concentrated | Renyi, delta: float) -> tuple[float, Event]:
    """The same for a single fit."""
    epsilon = _stated_epsilon(base, delta)
    if isinstance(base, Pure):
        return epsilon, PureRelease(base.epsilon)
    if isinstance(base, Concentrated):
        return epsilon, ConcentratedRelease(base.rho)
    return epsilon, RenyiRelease(base.orders, base.epsilons)


def _stated_epsilon(total: Measure, delta: float) -> float:
    epsilon = epsilon_of(total, delta)
    if math.isfinite(epsilon) and epsilon > 0:
        return epsilon
    raise InvalidInput(
        f"delta={shown(delta)}: this guarantee says nothing there, give the search another delta in (0, 1)"
    )


def _with_slack(total: Renyi, slack: float) -> Renyi:
    """Laws within e^{±slack/2} of the ideal ones on either side: (2a − 1)/(a − 1) times that is added at order a."""
    pairs = zip(total.orders, total.epsilons, strict=True)
    grown = tuple(epsilon + up(slack / 2 * (2 * order - 1) / (order - 1), LONG_SUM) for order, epsilon in pairs)
    return Renyi(total.orders, grown)


def _largest_slack(events: Sequence[Event], slack: Slack) -> float:
    fits = [event.epsilon_numeric for event in events if isinstance(event, GaussianRelease)]
    return max([slack.epsilon, *fits])
