"""What the demo measures: two questions asked of the simulated clinic, with and without privacy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn import linear_model

import equipoise as eq
from equipoise.cohort import COEF_NORM, LABEL_BOUNDS, Cohort, encode

Array = npt.NDArray[np.float64]

DELTA = 1e-6
HELD_OUT = 4
"""One patient in this many is kept for measuring."""


class Predictor(Protocol):
    """Anything that predicts, private or not."""

    def predict(self, X: Array) -> npt.NDArray[Any]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Encoded rows with both answers: the square root of the dose, and whether it is above the usual one."""

    rows: Array
    root_dose: Array
    high_dose: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to predict: how to fit it privately, openly and trivially, and how to score a prediction."""

    title: str
    measure: str
    higher_is_better: bool
    trivial: str
    private: Callable[[Part, float], Predictor]
    open: Callable[[Part], Predictor]
    guess: Callable[[Part], Predictor]
    score: Callable[[Predictor, Part], float]


@dataclass(frozen=True, slots=True)
class Level:
    """Scores of repeated fits at one ε: their mean and its standard error."""

    epsilon: float
    mean: float
    error: float


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything measured about one question."""

    question: Question
    levels: tuple[Level, ...]
    open: float
    guess: float


@dataclass(frozen=True, slots=True)
class Always:
    """The same prediction for everybody."""

    value: float

    def predict(self, X: Array) -> Array:
        return np.full(len(X), self.value)


def split(cohort: Cohort) -> tuple[Part, Part]:
    """Training and held-out patients.  The simulated ones come in no order, so every fourth will do."""
    held_out = np.arange(len(cohort.dose)) % HELD_OUT == 0
    return _part(cohort, ~held_out), _part(cohort, held_out)


def _part(cohort: Cohort, chosen: npt.NDArray[np.bool_]) -> Part:
    return Part(encode(cohort.X[chosen]), cohort.root_dose[chosen], cohort.high_dose[chosen])


def fit_dose(train: Part, epsilon: float) -> eq.LinearRegression:
    """A private model of the square root of the weekly dose; spends ε and the demo's δ."""
    model = eq.LinearRegression(epsilon=epsilon, delta=DELTA, label_bounds=LABEL_BOUNDS, coef_norm=COEF_NORM)
    return model.fit(train.rows, train.root_dose)


def fit_high_dose(train: Part, epsilon: float) -> eq.LogisticRegression:
    """A private model of who needs a high dose; spends ε and the demo's δ."""
    return eq.LogisticRegression(epsilon=epsilon, delta=DELTA).fit(train.rows, train.high_dose)


def dose_error(model: Predictor, test: Part) -> float:
    """Mean absolute error in mg a week.  Predictions are kept within the public bounds, for everyone alike."""
    predicted = np.clip(model.predict(test.rows), *LABEL_BOUNDS)
    return float(np.abs(predicted**2 - test.root_dose**2).mean())


def accuracy(model: Predictor, test: Part) -> float:
    """Per cent of patients put on the right side."""
    return float(100 * np.mean(model.predict(test.rows) == test.high_dose))


QUESTIONS = (
    Question(
        title="Which dose does a patient need?",
        measure="mean error of the dose (mg a week)",
        higher_is_better=False,
        trivial="the mean for all",
        private=fit_dose,
        open=lambda train: linear_model.LinearRegression().fit(train.rows, train.root_dose),
        guess=lambda train: Always(float(train.root_dose.mean())),
        score=dose_error,
    ),
    Question(
        title="Is it more than 35 mg a week?",
        measure="patients classified right (%)",
        higher_is_better=True,
        trivial="the majority's answer for all",
        private=fit_high_dose,
        open=lambda train: linear_model.LogisticRegression(C=1e4, max_iter=1000).fit(train.rows, train.high_dose),
        guess=lambda train: Always(float(train.high_dose.mean() > 0.5)),
        score=accuracy,
    ),
)


def answer(
    question: Question, train: Part, test: Part, epsilons: list[float], repetitions: int, done: Callable[[], None]
) -> Answer:
    """Fit `repetitions` times at each ε; `done` is called after each fit."""
    levels = [level(question, train, test, epsilon, repetitions, done) for epsilon in epsilons]
    return Answer(
        question=question,
        levels=tuple(levels),
        open=question.score(question.open(train), test),
        guess=question.score(question.guess(train), test),
    )


def level(
    question: Question, train: Part, test: Part, epsilon: float, repetitions: int, done: Callable[[], None]
) -> Level:
    """The mean score of so many private fits at one ε, with its standard error; calls `done` after each fit."""
    scores = []
    for _ in range(repetitions):
        scores.append(question.score(question.private(train, epsilon), test))
        done()
    return Level(epsilon, float(np.mean(scores)), float(np.std(scores, ddof=1) / np.sqrt(repetitions)))
