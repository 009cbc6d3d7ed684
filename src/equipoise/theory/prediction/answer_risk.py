"""Predicted error of answers and of a released model in one unit, from public facts only: what advice compares.

Nothing here touches privacy, and nothing here is a promise.  Both sides are worked out on the reference problem of
theory/risk.py: its best scores follow a normal law, classes follow a score by the logistic curve, and a learner of m
rows without privacy misses the best coefficients as a well-chosen ridge would.  The unit is the share of answers
wrongly given beyond the best rule's, or, for numbers, the root mean square distance from the best prediction with
labels scaled to [−1, 1].  docs/explanation/prediction-or-release.md compares predictions with real tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit, ndtr

from equipoise.theory import risk
from equipoise.theory.losses.traits import OF_CLASSES
from equipoise.theory.plan import Facts
from equipoise.theory.risk import Reference

Array = npt.NDArray[np.float64]
Right = Callable[[Array], Array]
"""The chance of the better class, given the size of a score or the share of voters for it."""

_SIZES: Array = np.linspace(0.0, 5.0, 401, dtype=np.float64)[1:] - 0.00625  # of a standard normal number
_WEIGHTS: Array = np.exp(-(_SIZES**2) / 2) / np.sum(np.exp(-(_SIZES**2) / 2))
SCORES: Array = OF_CLASSES.score * _SIZES
"""Sizes of the reference problem's best scores; `_WEIGHTS` are their chances."""

_nodes, _chances = np.polynomial.hermite_e.hermegauss(15)
_BIASES: Array = np.asarray(_nodes, dtype=np.float64)
_BIAS_WEIGHTS: Array = np.asarray(_chances / np.sum(_chances), dtype=np.float64)

BEST_ERROR = float(np.sum(_WEIGHTS * expit(-SCORES)))
"""Share of wrong answers that even the best rule gives on the reference problem."""

NO_BETTER_THAN_CHANCE = float(np.sum(_WEIGHTS * np.tanh(SCORES / 2)) / 2)
"""What answers that know nothing add to it."""


def extra_errors(right: Right) -> float:
    """Wrong answers beyond the best rule's: a wrong side at score s costs 2·sigmoid(|s|) − 1."""
    return float(np.sum(_WEIGHTS * np.tanh(SCORES / 2) * (1 - right(SCORES))))


def sampling(problem: Reference, rows: int, noise: float) -> Array:
    """Mean squared miss of each coefficient after so many rows without privacy, by the best ridge."""
    told = rows * problem.curvature * problem.signal
    return np.asarray(problem.signal * noise / (told + noise), dtype=np.float64)


def score_variance(facts: Facts, excess: float) -> float:
    """Mean squared error of a score: `excess` predicted risk for privacy, and what n rows leave open."""
    problem, bend = risk.reference(facts), risk.usual_bend(facts) / facts.bounds.norm**2
    unknown = sampling(problem, facts.n, usual_noise(facts))
    open_risk = problem.excess(np.zeros_like(unknown), unknown)
    return 2 * (excess + open_risk) / bend / facts.loss.outputs


def usual_noise(facts: Facts) -> float:
    """Twice the variance of labels around the best prediction, as is usual for the loss."""
    return facts.loss.traits.usual.noise


def of_score(facts: Facts, excess: float) -> float:
    """The error of a linear model, released or asked, whose predicted excess risk is `excess`."""
    variance = score_variance(facts, excess)
    if facts.bounds.label_range is not None:
        return min(1.0, math.sqrt(variance))
    return extra_errors(lambda scores: ndtr(scores / math.sqrt(variance)))


def of_soft_vote(facts: Facts, voters: int, epsilon: float, classes: int = 2) -> float:
    """A class with probability ∝ exp(ε·votes/2)."""

    def right(share: Array) -> Array:
        return np.asarray(expit(epsilon * voters * (share - 0.5) - math.log(classes - 1)), dtype=np.float64)

    return _by_votes(facts, voters, right)


def of_noisy_maximum(facts: Facts, voters: int, deviation: float) -> float:
    """Gaussian noise of this standard deviation on every count."""

    def right(share: Array) -> Array:
        spread = np.sqrt(2 * deviation**2 + 4 * voters * share * (1 - share))
        return np.asarray(ndtr(voters * (2 * share - 1) / spread), dtype=np.float64)

    return _by_votes(facts, voters, right)


def of_consensus(facts: Facts, voters: int, line: float, scale: float, epsilon: float) -> tuple[float, float]:
    """The error, and the share of queries that are contested; line and noise scale are in votes of distance.

    A settled query is answered as most voters say; ε is that of a contested vote.
    """

    def contested(share: Array) -> Array:
        gap = (voters * np.abs(2 * share - 1) / 2 - 1 - line) / scale
        return np.asarray(np.where(gap > 0, np.exp(-np.abs(gap)) / 2, 1 - np.exp(-np.abs(gap)) / 2), dtype=np.float64)

    def right(share: Array) -> Array:
        by_vote, open_ones = expit(epsilon * voters * (share - 0.5)), contested(share)
        return np.asarray(open_ones * by_vote + (1 - open_ones) * (share > 0.5), dtype=np.float64)

    shares = Voters.of(facts, voters).shares()
    often = float(np.sum(_WEIGHTS * (contested(shares) @ _BIAS_WEIGHTS)))
    return _by_votes(facts, voters, right), often


def of_coin(facts: Facts, voters: int, floor: float) -> float:
    """The second class with the mean probability: a coin errs even where the probability is known exactly."""
    each = Voters.of(facts, voters)
    blur = math.sqrt(1 + math.pi / 8 * each.variance)
    right = np.clip(expit(each.scores() / blur), floor, 1 - floor) @ _BIAS_WEIGHTS
    return extra_errors(lambda scores: right)


@dataclass(frozen=True, slots=True)
class Voters:
    """Models on shards: what the ridge of so few rows leaves out is missing from all of them, their noise is not.

    At best score s all voters' scores lie around `kept`·s + b, with b common and of variance `bias`, each with
    `variance` of its own.
    """

    kept: float
    bias: float
    variance: float

    @classmethod
    def of(cls, facts: Facts, voters: int) -> Voters:
        problem, noise = risk.reference(facts), usual_noise(facts)
        told = facts.n / voters * problem.curvature * problem.signal
        learnt = told / (told + noise)
        size = problem.count * problem.curvature * problem.signal / risk.usual_bend(facts) * facts.bounds.norm**2
        size /= facts.loss.outputs
        kept = float(np.sum(size * learnt) / np.sum(size))
        bias = float(np.sum(size * learnt**2) - kept**2 * np.sum(size))
        return cls(kept, max(0.0, bias), float(np.sum(size * learnt * (1 - learnt))) + 1e-12)

    def scores(self) -> Array:
        """(best scores, biases): where the voters' scores lie."""
        return self.kept * SCORES[:, None] + math.sqrt(self.bias) * _BIASES

    def shares(self) -> Array:
        """The same for the share of voters on the better side."""
        return np.asarray(ndtr(self.scores() / math.sqrt(self.variance)), dtype=np.float64)


def _by_votes(facts: Facts, voters: int, right: Right) -> float:
    chances = right(Voters.of(facts, voters).shares()) @ _BIAS_WEIGHTS
    return extra_errors(lambda scores: chances)


def of_mean(facts: Facts, voters: int, deviation: float) -> float:
    """Numbers: voters share what their ridge leaves out, their noise averages out; `deviation` in label units."""
    problem, noise = risk.reference(facts), usual_noise(facts)
    told = facts.n / voters * problem.curvature * problem.signal
    kept_away, variance = noise / (told + noise), problem.signal * told * noise / (told + noise) ** 2 / voters
    bend = risk.usual_bend(facts) / facts.bounds.norm**2
    return min(1.0, math.sqrt(2 * problem.excess(kept_away, variance) / bend + deviation**2))
