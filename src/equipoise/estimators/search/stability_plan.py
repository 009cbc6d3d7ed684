"""All of a stability search that is settled before a record is seen: fits, steadiness, budgets, what choosing costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from equipoise._checks import shown
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.search.candidates import Settings, prepared
from equipoise.gate import MECHANISMS
from equipoise.gate.choices.procedures import Rows
from equipoise.gate.choices.training import LinearTraining, MeanScore
from equipoise.gate.choices.validate import Comparison
from equipoise.gate.models.mechanism import Steady
from equipoise.theory.accounting import total_spent
from equipoise.theory.accounting.searches import choice_and_fit
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget
from equipoise.theory.plan import Plan
from equipoise.theory.tuning import stability as tuning
from equipoise.theory.tuning.scores import Score

STEADY = tuple(name for name, option in MECHANISMS.items() if option.steady is not None)
Within = Callable[[Callable[[Budget], Plan], Budget], Plan]
AUTOMATIC = tuple(name for name in STEADY if MECHANISMS[name].in_auto)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: public facts and the caller's wishes."""

    estimator: PrivateLinear
    settings: list[Settings]
    rows: Rows
    features: int
    classes: int
    score: Score
    budget: Budget
    draws: int | None
    informed: bool = True
    """Whether predicted risk gives candidates a head start."""

    @property
    def records(self) -> int:
        return self.rows.training + self.rows.validation


@dataclass(frozen=True, slots=True, repr=False)
class SearchPlan:
    """A pure function of public facts: printing it costs nothing."""

    question: Question
    plans: tuple[Plan, ...]
    """Of the fit that follows the choice, for each candidate: on all records, with its part of the budget."""
    steady: tuple[Steady, ...]
    choosing: float
    """ε of the choice."""
    betas: tuple[tuning.Beta, ...]
    how: Comparison

    @property
    def training(self) -> LinearTraining:
        return LinearTraining(self.steady)

    @property
    def score(self) -> MeanScore:
        return mean_score(self.question, self.plans)

    @property
    def event(self) -> Event:
        """The choice, and a fit that covers whichever is chosen."""
        return choice_and_fit(self.choosing, [(plan.event, plan.budget) for plan in self.plans])

    @property
    def delta_numeric(self) -> float:
        return total_spent([self.event], self.question.budget.delta).delta_numeric

    @property
    def risks(self) -> list[float]:
        """Predicted excess risk of each candidate's fit."""
        return [_risk(plan) for plan in self.plans]

    @property
    def scale(self) -> float:
        """How far a score moves that is likely to be compared."""
        return tuning.usual_scale([beta.most for beta in self.betas], self.how.weights, graded=self.how.graded)

    @property
    def promise(self) -> float:
        """Predicted risk of the fit that will be chosen."""
        return tuning.promise(self.risks, self.scale, self.choosing)

    @property
    def poor(self) -> str:
        """What to say where the choice is not worth its price; nothing where it is."""
        loss, cap, rows = self.expected_loss, self.question.score.cap, self.question.rows
        if loss <= cap:
            return ""
        return (
            f"validation: with {rows.validation} of {rows.training + rows.validation} rows and epsilon"
            f" {self.choosing:.3g} to choose with, the chosen score may fall short of the best by {loss:.3g}, and"
            f" {cap:.3g} is the whole range: give more rows, a larger epsilon or share, or larger alphas"
        )

    @property
    def expected_loss(self) -> float:
        """What the choice may fall short of the best score, with a chance of nine in ten that it is less."""
        return tuning.expected_loss(self.scale, len(self.plans), self.choosing, tuning.RARELY)

    def constants(self) -> dict[str, float]:
        """Every number of the choice, by name."""
        most = [beta.most for beta in self.betas]
        return {
            "candidates": float(len(self.plans)),
            "records of all parts": float(self.question.records),
            "records to train on while choosing": float(self.question.rows.training),
            "records to choose on": float(self.question.rows.validation),
            "epsilon of choosing": self.choosing,
            "epsilon of the fit alone": self.plans[0].budget.epsilon,
            "largest loss of a record": self.question.score.cap,
            "score slope": self.question.score.slope(self.question.classes),
            "score sensitivity through training": max(beta.training for beta in self.betas),
            "score sensitivity through validation": self.betas[0].validation,
            "score sensitivity": max(most),
            "least score sensitivity of a candidate": min(most),
            "expected loss of choosing": self.expected_loss,
        }

    def __repr__(self) -> str:
        budget, how = self.question.budget, "pair by pair" if self.how.graded else "on one scale"
        rows = [f"  {name:<38}  {value:.6g}" for name, value in self.constants().items()]
        fits = [
            f"  {settings}: {plan.mechanism}, alpha {plan.facts.penalty.strong_convexity:.4g},"
            f" moves a score by {beta.most:.3g}"
            for settings, plan, beta in zip(self.question.settings, self.plans, self.betas, strict=True)
        ]
        return "\n".join(
            [
                f"budget      epsilon {budget.epsilon:g}, delta {budget.delta:g}"
                f" (+ {self.delta_numeric:.2g} for arithmetic)",
                f"score       {self.question.score.name}, candidates compared {how}",
                *rows,
                "candidates",
                *fits,
            ]
        )


def settle(question: Question, share: float | None) -> SearchPlan:
    """The plan of a search among at least two candidates; `share` of ε for choosing, or the one that promises most."""
    if share is None:
        return min((_settled(question, tried) for tried in tuning.SHARES), key=lambda plan: plan.promise)
    if not 0 < share < 1:
        raise InvalidInput(f"share={shown(share)}: must be above 0 and below 1, the part of epsilon for choosing")
    return _settled(question, share)


def _settled(question: Question, share: float) -> SearchPlan:
    """Candidates are compared in pairs where those that public facts favour are far steadier than the worst."""
    choosing = question.budget.epsilon * share
    plans = _plans(question, choosing)
    steady = tuple(_steady(plan, question) for plan in plans)
    score = mean_score(question, plans)
    betas = tuple(beta for each in steady if (beta := score.beta(each.stability, question.rows)) is not None)
    weights = tuple(tuning.log_weights([_risk(plan) for plan in plans])) if question.informed else None
    most = [beta.most for beta in betas]
    graded = tuning.usual_scale(most, weights, graded=True) < max(most)
    return SearchPlan(question, tuple(plans), steady, choosing, betas, Comparison(graded, weights))


def mean_score(question: Question, plans: Sequence[Plan]) -> MeanScore:
    """The score of a question as a mean over records; the plans differ in nothing that it needs."""
    return MeanScore(question.score, question.classes, plans[0].facts)


def _plans(question: Question, choosing: float) -> list[Plan]:
    """A fit for each candidate; budgets by joint accounting where all fits are Gaussian, by addition otherwise."""
    jointly = [
        _planned(question, each, lambda at, budget: tuning.plan_within(at, budget, choosing))
        for each in question.settings
    ]
    if len({type(plan.event) for plan in jointly}) == 1:
        return jointly
    return [
        _planned(question, each, lambda at, budget: at(tuning.what_is_left(budget, choosing)))
        for each in question.settings
    ]


def _planned(question: Question, settings: Settings, within: Within) -> Plan:
    """The steady plan with the smallest predicted risk; pure noise is tried too where the choice is ours."""
    asked = settings.get("mechanism", question.estimator.mechanism)
    if asked != "auto":
        if asked in MECHANISMS and asked not in STEADY:
            raise refusal(asked)
        return within(lambda budget: _plan_at(question, settings, asked, budget), question.budget)
    budgets = {question.budget, replace(question.budget, delta=0.0)}
    found = [
        within(lambda budget, name=name: _plan_at(question, settings, name, budget), budget)  # type: ignore[misc]
        for name in AUTOMATIC
        if serves(name, question)
        for budget in sorted(budgets, key=lambda each: -each.delta)
    ]
    return min(found, key=_risk)


def serves(name: str, question: Question) -> bool:
    """Whether the mechanism takes the estimator's loss, and its penalty whatever the strength."""
    estimator, needs = question.estimator, MECHANISMS[name].needs
    bounds = estimator._bounds_for(question.features, question.records)
    plain = estimator._penalty(1.0, None, bounds, question.records).bend == 0
    return needs.met_by(estimator._loss(question.classes), question.budget) and (plain or not needs.ridge)


def _plan_at(question: Question, settings: Settings, mechanism: str, budget: Budget) -> Plan:
    changed = settings | {"mechanism": mechanism, "epsilon": budget.epsilon, "delta": budget.delta}
    copy: Any = prepared(question.estimator, changed, None, None)
    plan: Plan = copy._plan(question.records, question.features, question.classes)
    return plan


def _risk(plan: Plan) -> float:
    return MECHANISMS[plan.mechanism].predict_risk(plan)


def _steady(plan: Plan, question: Question) -> Steady:
    taken_apart = MECHANISMS[plan.mechanism].steady
    if taken_apart is None:
        raise refusal(plan.mechanism)
    return taken_apart(plan, question.rows.training, question.draws)


def refusal(mechanism: str) -> MechanismRefused:
    """The error for a mechanism that cannot be tried at fixed noise; it names those that can."""
    named = ", ".join(f'"{name}"' for name in STEADY)
    return MechanismRefused(
        f'mechanism="{mechanism}": states no training stability, use "auto", {named}, or tuning.DataSplitSearch'
    )
