"""Settling a random number of runs: how it stops, what it costs, how runs are scored.

Arguments: docs/proofs/selection.md, section 7.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._checks import is_word, number, shown
from equipoise.errors import InvalidInput
from equipoise.estimators.linear.classifier import PrivateClassifier
from equipoise.estimators.search.base import Problem
from equipoise.estimators.search.charges import rows_of_one
from equipoise.gate.choices.stop import ScoreNoise, run_law
from equipoise.inside.scores.of_any_model import RecordScore
from equipoise.inside.strangers import alone
from equipoise.theory.accounting.runs import Drawn, event_of_runs
from equipoise.theory.accounting.search import greatest_within
from equipoise.theory.accounting.selection import PoissonStop, Stop, TruncatedNegativeBinomial
from equipoise.theory.accounting.shares import Share
from equipoise.theory.accounting.slack import NO_SLACK
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget, Gaussian, Pure
from equipoise.theory.sensitivity import of_mean_loss

Array = npt.NDArray[np.float64]

NO_RUN = "stop: chance made no run at all this time, so nothing was released; what was reserved stays spent, fit again"


def stop_from(stop: Any, mean: Any) -> Stop:
    """A law for the number of runs, by name and mean or as it is."""
    if isinstance(stop, TruncatedNegativeBinomial | PoissonStop):
        return stop
    runs = number(mean=mean)
    if is_word(stop, "poisson"):
        return PoissonStop(runs)
    if not is_word(stop, "geometric", "logarithmic"):
        raise InvalidInput("stop: must be geometric, logarithmic, poisson or a stopping law of theory.accounting")
    if runs <= 1:
        raise InvalidInput(f"mean={shown(mean)}: must be > 1, there is always at least one run")
    if stop == "geometric":
        return TruncatedNegativeBinomial(1.0, 1 / runs)
    many = greatest_within(lambda odds: TruncatedNegativeBinomial(0.0, 1 / (1 + odds)).mean, runs)
    return TruncatedNegativeBinomial(0.0, 1 / (1 + many))


def score_noise(hides: Pure | Gaussian, kept: int, many: int) -> ScoreNoise:
    """For a mean of numbers within [0, 1] over the rows kept, of which `many` may change at once."""
    return ScoreNoise(of_mean_loss(float(many), kept), hides)


def own_event(problem: Problem, share: Share, stop: Stop, noise: ScoreNoise | None, budget: Budget) -> Event:
    """What the best of the runs costs when each costs the share."""
    slack = NO_SLACK if noise is None else noise.slack
    events = [plan.event for plan in problem.plans]
    return event_of_runs(events, share, stop, drawn(stop), slack, budget, rows_of_one(problem.groups))


def drawn(stop: Stop) -> Drawn:
    """How far the number of runs as drawn is from its law, and how large it can be."""
    law = run_law(stop)
    return Drawn(law.distance, law.most)


def record_score(score: Any, estimator: Any, ours: bool) -> RecordScore:
    """One number in [0, 1] for each record, 1 for the best."""
    if callable(score):
        return _as_given(score)
    if is_word(score, "accuracy") or (is_word(score, "auto") and isinstance(estimator, PrivateClassifier)):
        return lambda labels, predicted: predicted == labels
    if is_word(score, "auto") and ours:
        low, high = estimator._bounds().label_range
        return lambda labels, predicted: _closeness(labels, predicted, low, high)
    raise InvalidInput(
        'score: must be "accuracy" or a function of labels and predictions with a number in [0, 1] for each row;'
        ' "auto" knows the estimators of this library only'
    )


def refuse_useless(given: Any, score: RecordScore, kind: np.dtype[Any], listed: tuple[Any, ...] | None) -> None:
    """A function that fails on every made-up pair of labels is refused before anything is spent."""
    if not callable(given) or (listed is None and kind.kind not in "biuf"):
        return
    labels = np.array([-1, 0, 1]).astype(kind) if listed is None else np.array(listed)
    kinds: list[str] = []

    def works(label: int, said: int) -> bool:
        try:
            return bool(np.shape(score(labels[label : label + 1], labels[said : said + 1])) == (1,))
        except BaseException as error:
            kinds.append(type(error).__name__)
            raise

    pairs = [(label, said) for label in range(len(labels)) for said in range(len(labels))]
    if not any(alone(partial(works, *pair), 0) is True for pair in pairs):
        raise InvalidInput(f"score: failed on made-up labels with {kinds[0] if kinds else 'another shape'}, correct it")


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
