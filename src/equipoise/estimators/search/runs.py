"""Settling a random number of runs: how it stops, what it costs, how runs are scored.

Arguments: docs/proofs/selection.md, section 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._checks import number
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.estimators.linear.classifier import PrivateClassifier
from equipoise.estimators.search.base import Problem
from equipoise.estimators.search.charges import for_one_row, whole_event
from equipoise.gate.choices.stop import ScoreNoise, run_law
from equipoise.inside.scores.of_any_model import RecordScore
from equipoise.theory.accounting import epsilon_of
from equipoise.theory.accounting.search import greatest
from equipoise.theory.accounting.selection import PoissonStop, Stop, TruncatedNegativeBinomial, random_stop
from equipoise.theory.accounting.shares import Share
from equipoise.theory.events import ConcentratedRelease, Event, GaussianRelease, PureRelease, RenyiRelease
from equipoise.theory.guarantees import Budget, Concentrated, Gaussian, Measure, Pure, Renyi
from equipoise.theory.sensitivity import of_mean_loss

Array = npt.NDArray[np.float64]

NO_RUN = "stop: chance made no run at all this time, so nothing was released; what was reserved stays spent, fit again"


def stop_from(stop: Any, mean: Any) -> Stop:
    """A law for the number of runs, by name and mean or as it is."""
    if isinstance(stop, TruncatedNegativeBinomial | PoissonStop):
        return stop
    runs = number(mean=mean)
    if stop == "poisson":
        return PoissonStop(runs)
    if stop not in ("geometric", "logarithmic"):
        raise InvalidInput("stop: must be geometric, logarithmic, poisson or a stopping law of theory.accounting")
    if runs <= 1:
        raise InvalidInput(f"mean={mean!r}: must be > 1, there is always at least one run")
    if stop == "geometric":
        return TruncatedNegativeBinomial(1.0, 1 / runs)
    many = greatest(lambda odds: TruncatedNegativeBinomial(0.0, 1 / (1 + odds)).mean <= runs)
    return TruncatedNegativeBinomial(0.0, 1 / (1 + many))


def score_noise(hides: Pure | Gaussian, kept: int, many: int) -> ScoreNoise:
    """For a mean of numbers within [0, 1] over the rows kept, of which `many` may change at once."""
    return ScoreNoise(of_mean_loss(float(many), kept), hides)


def hidden_by(share: Share) -> Pure | Gaussian:
    """What the noise on scores must hide, to cost a row that is scored no more than a row that is fitted."""
    return Gaussian(share.mu) if share.kind == "gaussian" else Pure(share.budget.epsilon)


def own_event(problem: Problem, share: Share, stop: Stop, noise: ScoreNoise | None, budget: Budget) -> Event:
    """What the best of the runs costs when each costs the share."""
    row, law = for_one_row(budget, problem.groups), run_law(stop)
    events = [plan.event for plan in problem.plans]
    tail = 0.0 if noise is None else 2 * noise.slack.tail
    run_numeric = stop.mean * max(tail, *(event.delta_numeric for event in events))
    far = 2 * (run_numeric + law.distance)
    total: Pure | Renyi
    if share.kind == "any":
        total = random_stop(Pure(share.budget.epsilon), stop, row.delta / 2)
    else:
        total = random_stop(hidden_by(share), stop, row.delta)
    if share.kind == "gaussian" and isinstance(total, Renyi):
        total = _with_slack(total, law.most * _largest_slack(events, noise))
        if epsilon_of(total, row.delta) > row.epsilon:
            raise MechanismRefused(f"epsilon={row.epsilon!r}: too small for noise on a grid in so many runs, raise it")
    if isinstance(total, Renyi) and share.kind != "any" and problem.groups is None:
        return RenyiRelease(total.orders, total.epsilons, far)
    if share.kind == "gaussian":
        numeric = numeric_at(row.epsilon, far)
    else:
        numeric = run_numeric + numeric_at(row.epsilon, 2 * law.distance)
    # With a δ the runs may be dearer than ε by what δ hides: then the event is not a pure one.
    pure = share.kind == "pure" and isinstance(total, Pure) and total.epsilon <= row.epsilon
    return whole_event(budget, pure, numeric, problem.groups)


def numeric_at(epsilon: float, far: float) -> float:
    """What a law that is `far`/2 from the ideal one adds to δ at ε."""
    return min(1.0, far * (1 + math.exp(min(epsilon, 700.0))) / 2)


def delta_numeric(event: Event, epsilon: float) -> float:
    """The same for an event, as a guarantee states it."""
    return numeric_at(epsilon, event.delta_numeric) if isinstance(event, RenyiRelease) else event.delta_numeric


def runs_price(base: Measure, stop: Stop, delta: float) -> tuple[float, Event]:
    """ε at δ, and the event, of a random number of runs whose price is the caller's word."""
    total, far = random_stop(base, stop, delta), 2 * run_law(stop).distance
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
    raise InvalidInput(f"delta={delta!r}: this guarantee says nothing there, give the search another delta in (0, 1)")


def record_score(score: Any, estimator: Any, ours: bool) -> RecordScore:
    """One number in [0, 1] for each record, 1 for the best."""
    if callable(score):
        return _as_given(score)
    if score == "accuracy" or (score == "auto" and isinstance(estimator, PrivateClassifier)):
        return lambda labels, predicted: predicted == labels
    if score == "auto" and ours:
        low, high = estimator._bounds().label_range
        return lambda labels, predicted: _closeness(labels, predicted, low, high)
    raise InvalidInput(
        'score: must be "accuracy" or a function of labels and predictions with a number in [0, 1] for each row;'
        ' "auto" knows the estimators of this library only'
    )


def _as_given(score: Callable[..., Any]) -> RecordScore:
    """One row at a time, so that no record can touch the score of another."""

    def each(labels: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> Array:
        pairs = [(labels[row : row + 1], predicted[row : row + 1]) for row in range(len(labels))]
        return np.array([float(np.asarray(score(*pair)).item()) for pair in pairs])

    return each


def _closeness(labels: Any, predicted: Any, low: float, high: float) -> Array:
    """1 less the squared error, in units of the whole label range, both brought within it."""
    apart = np.clip(np.asarray(labels, dtype=float), low, high) - np.clip(predicted, low, high)
    return np.asarray(1 - (apart / (high - low)) ** 2)


def _with_slack(total: Renyi, slack: float) -> Renyi:
    """Laws within e^{±slack/2} of the ideal ones on either side: (2a − 1)/(a − 1) times that is added at order a."""
    pairs = zip(total.orders, total.epsilons, strict=True)
    grown = tuple(epsilon + slack / 2 * (2 * order - 1) / (order - 1) * (1 + 1e-9) for order, epsilon in pairs)
    return Renyi(total.orders, grown)


def _largest_slack(events: list[Event], noise: ScoreNoise | None) -> float:
    fits = [event.epsilon_numeric for event in events if isinstance(event, GaussianRelease)]
    return max([0.0 if noise is None else noise.slack.epsilon, *fits])
