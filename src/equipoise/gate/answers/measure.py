"""What asking and releasing lose on held-out records: two noisy means, beside a model that is released on the way.

Guarantee.  The pilot's fit, the answers' figure and the pilot's figure compose to the charge (ε, δ); all of δ is the
            fit's.
Assumes.    One answer at the price that is measured moves no chance by more than `moved`; a held-out record's loss
            depends on that record and on what was learnt alone; numbers of rows are public.
Adjacency.  Replace-one: of a training record, of a held-out record, or of one of each.
Numerics.   Losses are right within 2⁻⁴⁰, which the sensitivity includes; means are rounded to a grid; δ_numeric is that
            of the fit.
Reference.  docs/proofs/advice.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.gate.answers.linear_answers import LinearAnswers
from equipoise.gate.door import add_noise
from equipoise.gate.laws import pure, spanning
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records
from equipoise.inside.answers.expected import by_score
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import fit_then_figures
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import Composed, Event
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.noise import Noise
from equipoise.theory.prediction.advice import half_width, interval, of_mean_expected_loss

Array = npt.NDArray[np.float64]

NAME = "measured-comparison"


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean loss in [0, 1] and its interval, at the level of theory.advice: noise and sampling included."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class MeasurePlan:
    """Everything about the measurement, before a record is seen."""

    charge: Budget
    fit: Event
    """Of the pilot model."""
    answers: float
    """ε of the answers' figure."""
    pilot: float
    """ε of the pilot's figure."""
    moved: float
    """By how much a training record can change the expected loss of an answer."""
    records: int
    """Held-out rows."""

    @property
    def event(self) -> Composed:
        return fit_then_figures(self.fit, self.answers, self.pilot)

    @property
    def answers_noise(self) -> Noise:
        return pure(spanning(of_mean_expected_loss(self.moved, self.records), self.answers, 1.0), 1, self.answers).noise

    @property
    def pilot_noise(self) -> Noise:
        return pure(spanning(of_mean_expected_loss(0.0, self.records), self.pilot, 1.0), 1, self.pilot).noise

    @property
    def half_width(self) -> float:
        """How far the interval of the answers' figure reaches either way, at most."""
        return half_width(self.records, self.answers_noise)

    def guarantee(self, seeded: bool) -> Guarantee:
        """Of model and figures together."""
        return Guarantee(
            epsilon=self.charge.epsilon,
            delta=self.charge.delta,
            delta_numeric=self.event.delta_numeric,
            adjacency=Adjacency.REPLACE_ONE,
            mechanism=NAME,
            theorem="mean expected loss of private answers, Laplace noise; a pilot model and its mean loss",
            sensitivity=of_mean_expected_loss(self.moved, self.records),
            noise_scale=self.answers_noise.scale,
            seeded=seeded,
            constants={
                "held-out records": float(self.records),
                "change of an expected loss by one training record": self.moved,
                "epsilon of the answers' figure": self.answers,
                "epsilon of the pilot's figure": self.pilot,
                "noise scale of the pilot's figure": self.pilot_noise.scale,
            },
            notes=("a person may have one row in the training part and one among the held-out rows",),
        )


def score_losses(learnt: LinearAnswers, held: Private[Records]) -> Private[Array]:
    """Coefficients and held-out records meet here; what comes of it is private again."""
    plan = learnt.plan
    return by_score(held, learnt.coefficients, plan.stability.per_norm, plan.noise, plan.facts.bounds)


def release(
    answers: Private[Array], pilot: Private[Array], plan: MeasurePlan, entry: Entry, bits: Bits
) -> tuple[Figure, Figure]:
    """Let the two means out: that of the answers, and that of the pilot model, which is released already."""
    return (
        _figure(add_noise(answers, plan.answers_noise, plan.event, entry, bits), plan.answers_noise, plan.records),
        _figure(add_noise(pilot, plan.pilot_noise, plan.event, entry, bits), plan.pilot_noise, plan.records),
    )


def _figure(noisy: Array, noise: Noise, records: int) -> Figure:
    mean = float(noisy[0])
    return Figure(min(1.0, max(0.0, mean)), *interval(mean, records, noise))
