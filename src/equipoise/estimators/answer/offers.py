"""What each predictor offers for k questions within a budget: the price of one answer and its predicted error.

Public facts alone: nothing of what was learnt is read.  Where the caller left a choice (ridge, step, number of shards)
to the library, it is made again for the lower price that k answers allow, so answers are shown at their best.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.estimators.answer.averaging_predictor import AverageAnswers, AveragingPredictor
from equipoise.estimators.answer.protocol import PrivatePredictor
from equipoise.estimators.answer.threshold_predictor import ThresholdPredictor, WalkAnswers
from equipoise.estimators.answer.votes import ConsensusAnswers, VoteAnswers
from equipoise.estimators.answer.voting_predictor import VotingPredictor
from equipoise.estimators.linear.base import INTERCEPT_SHARE
from equipoise.gate.answers.average import Coin, NoisyMean
from equipoise.gate.answers.linear_answers import LinearAnswers, plan_one_pass, plan_stable
from equipoise.gate.answers.vote import NoisyMaximum, SoftVote
from equipoise.theory.accounting.calibrate import gaussian_shift, rho_for
from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.accounting.convert import epsilon_of
from equipoise.theory.bounds import Bounds
from equipoise.theory.events import BoundedRangeRelease, Event, PureRelease
from equipoise.theory.guarantees import Budget, Gaussian
from equipoise.theory.losses import Logistic, Loss, Softmax, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.prediction import answer_risk
from equipoise.theory.prediction import linear_answers as answers
from equipoise.theory.prediction.sample_size import WalkSetting, walk_bound
from equipoise.theory.prediction.shards import (
    coin_floor,
    coin_voters,
    consensus,
    consensus_voters,
    noisy_maximum_voters,
    noisy_mean_voters,
    shards_within,
    voters_for,
)
from equipoise.theory.regularisers import L2

WRONG = "share of wrong answers beyond the best rule's"
DISTANCE = "root mean square distance from the best prediction"

LINEAR_VOTERS = "Models on shards are taken to learn as linear ones do; where a task needs more, answers may win."
UPPER_BOUND = "The figure for answers is an upper bound."

MOST_ROUNDS = 2**12


@dataclass(frozen=True, slots=True)
class Quote:
    """One of k answers: its price, and its predicted error."""

    epsilon: float
    delta: float
    error: float


@dataclass(frozen=True, slots=True)
class Offer:
    """`facts` are those of the model that would be released instead; `scale` turns errors into the labels' units."""

    facts: Facts
    quote: Callable[[int, Budget], Quote]
    unit: str = WRONG
    scale: float = 1.0
    notes: tuple[str, ...] = ()


def offer_of(predictor: PrivatePredictor) -> Offer:
    """By the kind of what was learnt."""
    answerer = predictor._here().answerer
    if isinstance(answerer, LinearAnswers):
        return _linear(answerer)
    if isinstance(predictor, ThresholdPredictor) and isinstance(answerer, WalkAnswers):
        return _walk(predictor, answerer)
    if isinstance(predictor, VotingPredictor) and isinstance(answerer, VoteAnswers | ConsensusAnswers):
        return _votes(predictor, answerer)
    if isinstance(predictor, AveragingPredictor) and isinstance(answerer, AverageAnswers):
        return _average(predictor, answerer)
    raise InvalidInput(f"{type(predictor).__name__}: no prediction is known for it")


@lru_cache(maxsize=4096)
def pure_price(kind: type[PureRelease] | type[BoundedRangeRelease], count: int, budget: Budget) -> float:
    """The ε of one of `count` answers that together stay within the budget, half a per cent too low at most."""
    low = budget.epsilon / count
    if budget.delta == 0 or count == 1:
        return low
    per_rho = 8 if kind is BoundedRangeRelease else 2  # zCDP alone gets close
    low = max(low, math.sqrt(per_rho * rho_for(budget.epsilon, budget.delta) / count))
    high = min(1.3 * low, budget.epsilon)

    def fits(epsilon: float) -> bool:
        event: Event = kind(epsilon, steps=count)
        return total_spent([event], budget.delta).epsilon <= budget.epsilon

    while high < budget.epsilon and fits(high):
        low, high = high, min(1.3 * high, budget.epsilon)
    while high > low * 1.005:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


@lru_cache(maxsize=4096)
def gaussian_price(count: int, budget: Budget) -> Budget:
    """(ε, δ) of one of `count` Gaussian answers: μ/√count of the budget's μ, told at δ/count."""
    if budget.delta == 0:
        return Budget(budget.epsilon / count)
    delta, mu = budget.delta / count, gaussian_shift(budget) / math.sqrt(count)
    return Budget(max(epsilon_of(Gaussian(mu), delta), 1e-9), delta)


def _linear(answerer: LinearAnswers) -> Offer:
    facts, one_pass, laplace = answerer.plan.facts, answerer.plan.step_size is not None, answerer.plan.mu is None
    usual = replace(facts, penalty=L2(1.0))  # the loss has no kink: a plan puts another in its place

    def quote(count: int, budget: Budget) -> Quote:
        price = Budget(pure_price(PureRelease, count, budget)) if laplace else gaussian_price(count, budget)
        if one_pass:
            plan = plan_one_pass(facts, price, None)
            excess = answers.risk_of_one_pass(facts, plan.step_size or 0.0, plan.spread)
        else:
            plan = plan_stable(facts, price, None)
            excess = answers.risk_of_minimiser(replace(usual, penalty=plan.facts.penalty), plan.spread)
        return Quote(price.epsilon, price.delta, answer_risk.of_score(usual, excess))

    released = replace(usual, bounds=replace(facts.bounds, coef_norm=math.inf))
    notes = ("The figure for answers includes a worst-case regret.",) if one_pass else ()
    if facts.bounds.label_range is None:
        return Offer(released, quote, notes=notes)
    return Offer(released, quote, DISTANCE, facts.bounds.label_scale, notes)


def _walk(predictor: ThresholdPredictor, answerer: WalkAnswers) -> Offer:
    rows = round(answerer.guarantee.constants["records"])
    accuracy, intervals = float(predictor.accuracy), int(predictor.intervals)

    def quote(count: int, budget: Budget) -> Quote:
        most, best = pure_price(BoundedRangeRelease, count, budget), answer_risk.BEST_ERROR
        slower = [WalkSetting(most / 2**halved, accuracy) for halved in range(8)]  # which follow wrong labels less
        errors = [walk_bound(rows, setting, intervals, best) - best for setting in slower]
        place = errors.index(min(errors))
        return Quote(slower[place].epsilon, 0.0, min(errors[place], answer_risk.NO_BETTER_THAN_CHANCE))

    return Offer(_usual_facts(rows, 1, 2, None), quote, notes=(UPPER_BOUND,))


def _votes(predictor: VotingPredictor, answerer: VoteAnswers | ConsensusAnswers) -> Offer:
    rows = _rows(answerer.guarantee.constants)
    facts = _usual_facts(rows, predictor.n_features_in_, answerer.classes, None)
    given, accuracy, classes = predictor.shards, float(predictor.accuracy), answerer.classes
    if isinstance(answerer, ConsensusAnswers):
        in_round = answerer.mechanism.rule.queries
        return Offer(facts, lambda k, budget: _in_rounds(facts, given, in_round, k, budget), notes=(LINEAR_VOTERS,))
    soft = isinstance(answerer.mechanism, SoftVote)

    def quote(count: int, budget: Budget) -> Quote:
        if soft or budget.delta == 0:
            epsilon = pure_price(BoundedRangeRelease, count, budget)
            voters = _voters(given, rows, voters_for(epsilon, accuracy))
            return Quote(epsilon, 0.0, answer_risk.of_soft_vote(facts, voters, epsilon, classes))
        price = gaussian_price(count, budget)
        deviation = NoisyMaximum(price.epsilon, price.delta, classes).noise.scale
        voters = _voters(given, rows, noisy_maximum_voters(deviation, accuracy))
        return Quote(price.epsilon, price.delta, answer_risk.of_noisy_maximum(facts, voters, deviation))

    return Offer(facts, quote, notes=(LINEAR_VOTERS,))


def _in_rounds(facts: Facts, given: int | None, in_round: int, count: int, budget: Budget) -> Quote:
    """The fewest rounds, their prices added up, that are expected to answer so many questions."""
    if budget.delta == 0:
        raise MechanismRefused('method="consensus": needs a budget with delta > 0')
    rounds = max(1, -(-count // in_round))
    while rounds <= MOST_ROUNDS:
        price = Budget(budget.epsilon / rounds, budget.delta / rounds)
        error, answered = _round(facts, given, in_round, price)
        if answered * rounds >= count:
            return Quote(price.epsilon, price.delta, error)
        rounds = rounds + 1 if rounds < 16 else rounds * 5 // 4
    return Quote(budget.epsilon / rounds, budget.delta / rounds, answer_risk.NO_BETTER_THAN_CHANCE)


@lru_cache(maxsize=4096)
def _round(facts: Facts, given: int | None, in_round: int, price: Budget) -> tuple[float, float]:
    """The predicted error of an answer, and how many a round is expected to give."""
    rule = consensus(price.epsilon, price.delta, in_round)
    voters = _voters(given, facts.n, consensus_voters(rule))
    scale = (rule.line_scale + rule.query_scale) / rule.unit
    error, contested = answer_risk.of_consensus(facts, voters, rule.line / rule.unit, scale, float(rule.vote))
    contested = min(max(1e-12, contested), 1 - 1e-12)
    return error, -math.expm1(in_round * math.log1p(-contested)) / contested


def _average(predictor: AveragingPredictor, answerer: AverageAnswers) -> Offer:
    rows, features = _rows(answerer.guarantee.constants), predictor.n_features_in_
    given, accuracy = predictor.shards, float(predictor.accuracy)
    if isinstance(answerer.mechanism, Coin):
        return _coin(_usual_facts(rows, features, 2, None), given, accuracy)
    facts, laplace = _usual_facts(rows, features, 0, answerer.bounds), answerer.mechanism.delta == 0

    def quote(count: int, budget: Budget) -> Quote:
        price = Budget(pure_price(PureRelease, count, budget)) if laplace else gaussian_price(count, budget)
        spread = NoisyMean(price.epsilon, price.delta, 1).noise.rms
        voters = _voters(given, rows, noisy_mean_voters(spread, accuracy))
        return Quote(price.epsilon, price.delta, answer_risk.of_mean(facts, voters, 2 * spread / voters))

    return Offer(facts, quote, DISTANCE, facts.bounds.label_scale, (LINEAR_VOTERS,))


def _coin(facts: Facts, given: int | None, accuracy: float) -> Offer:
    def floor(epsilon: float, voters: int) -> float:
        try:
            return float(coin_floor(epsilon, voters))
        except MechanismRefused:
            return 0.5

    def quote(count: int, budget: Budget) -> Quote:
        epsilon = pure_price(PureRelease, count, budget)
        voters = _voters(given, facts.n, coin_voters(epsilon, accuracy))
        return Quote(epsilon, 0.0, answer_risk.of_coin(facts, voters, floor(epsilon, voters)))

    return Offer(facts, quote, notes=(LINEAR_VOTERS,))


def _usual_facts(rows: int, columns: int, classes: int, labels: tuple[float, float] | None) -> Facts:
    """Of the linear model that would be released for this task, rows scaled to norm one."""
    loss: Loss = Squared() if labels is not None else Logistic() if classes == 2 else Softmax(classes)
    bounds = Bounds(1.0, INTERCEPT_SHARE, labels, None if labels is not None else tuple(range(classes)))
    return Facts(loss, L2(1.0), bounds, rows, columns + 1)


def _rows(constants: dict[str, float]) -> int:
    """About as many as there are: shards differ by one row at most."""
    return round(constants["shards"] * constants["rows in the smallest shard"])


def _voters(given: int | None, rows: int, wished: int) -> int:
    """As many shards as the predictor itself would make at that price."""
    return shards_within(wished, rows) if given is None else int(given)
