"""Private answers by a vote of models, each trained on rows of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin

from equipoise._checks import one_of, shown
from equipoise._docs import documented
from equipoise.errors import BudgetExhausted, InvalidInput, MechanismRefused
from equipoise.estimators import _labels
from equipoise.estimators.answer.answerer import Answerer, OneAnswer, one_answer, own
from equipoise.estimators.answer.kinds import classifies
from equipoise.estimators.answer.offers import Offer, Quote, usual_facts
from equipoise.estimators.answer.protocol import PrivatePredictor
from equipoise.estimators.answer.shards import (
    LINEAR_VOTERS,
    Shape,
    guarantee_of,
    of_persons,
    rows_of,
    shape,
    taught,
    voters_at,
    workers_for,
)
from equipoise.estimators.answer.votes import ConsensusAnswers, VoteAnswers, quote_in_rounds
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.linear.logistic_regression import LogisticRegression
from equipoise.gate import Bits, RandomState
from equipoise.gate.answers.consensus import ConsensusVote
from equipoise.gate.answers.vote import VOTE_MOVES, NoisyMaximum, SoftVote
from equipoise.inside import Private
from equipoise.inside.answers import expected
from equipoise.inside.answers.shards import Says, codes_of, tallies
from equipoise.inside.strangers import unseen
from equipoise.ledger import Entry, LedgerLike
from equipoise.outside.model import label_array
from equipoise.rows.persons import People, people_in
from equipoise.theory.accounting.one_of_many import gaussian_price, pure_price
from equipoise.theory.accounting.prices import bounded_range_answers
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.prediction import answer_risk
from equipoise.theory.prediction.shards import consensus, consensus_voters, noisy_maximum_voters, voters_for

Array = npt.NDArray[np.float64]
Mechanism = SoftVote | NoisyMaximum | ConsensusVote

METHODS = ("soft", "gaussian", "consensus")
LEAST_PRICE = "prices told ahead take it that no query is contested; each contested one uses up a round"
NO_FORMULA = 'has no formula for the chance of a wrong answer, measure with method="soft" instead'


class NoRounds(InvalidInput, AttributeError):
    """So that `hasattr` and `dir`, which ask for every attribute, have their answer."""


@documented("voting")
class VotingPredictor(ClassifierMixin, PrivatePredictor):
    """Trains a classifier on each of `shards` disjoint parts of the rows and answers by their vote.

    `estimator` is any scikit-learn classifier; `classes=None` means 0/1, list any other labels.  `shards=None` takes
    as many as the `accuracy` asks for and the rows allow.  Three methods:

    - "soft": class b with probability ∝ exp(ε·votes/2).  `delta` only says at which δ costs are told.
    - "gaussian": the most votes after Gaussian noise; `epsilon` and `delta` are the price of one answer.
    - "consensus": `epsilon` and `delta` buy a round of up to `queries_per_round` answers.  Where the voters clearly
      agree the answer is theirs; a contested query gets a soft vote and ends the round.  Prices told ahead are the
      least.  When the budget ends within a batch, the answers paid for are remembered: asking them again is free.
      Rounds add up their δ, so give a `ledger` with a larger one.

    There is no predict_proba: an answer is one draw.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.linspace(-1, 1, 3000)[:, None]
    >>> voting = VotingPredictor(DecisionTreeClassifier(max_depth=2), epsilon=1.0, random_state=0)
    >>> voting = voting.fit(X, (X[:, 0] > 0).astype(int))  # a seed is for demonstrations only
    >>> voting.predict([[-0.5], [0.5]]).tolist()
    [0, 1]
    >>> voting.cost_of(2).epsilon
    2.0
    """

    def __init__(
        self,
        estimator: Any,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        shards: int | None = None,
        accuracy: float = 0.05,
        method: str = "soft",
        queries_per_round: int = 100,
        classes: Sequence[Any] | str | None = None,
        n_jobs: int = -1,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.epsilon = epsilon
        self.delta = delta
        self.shards = shards
        self.accuracy = accuracy
        self.method = method
        self.queries_per_round = queries_per_round
        self.classes = classes
        self.n_jobs = n_jobs
        self.ledger = ledger
        self.random_state = random_state

    @property
    def rounds_bought_(self) -> int:
        """How many rounds of a consensus were paid for so far.  Public: it follows from answers and ledger."""
        return self._in_rounds().bought

    @property
    def contested_(self) -> int:
        """How many of its answers were contested so far."""
        return self._in_rounds().contested

    def _people(self, groups: Any, rows: int) -> People | None:
        """A person's rows go to one shard, however many they are, so no cap is needed."""
        return None if groups is None else people_in(groups, rows)

    def _learn(self, rows: Any, labels: npt.NDArray[Any], bits: Bits, people: People | None = None) -> Answerer:
        if not classifies(self.estimator):
            raise InvalidInput("estimator: must be a scikit-learn classifier")
        classes = _labels.declared(self.classes, labels)
        mechanism = self._mechanism(len(classes))
        made = shape(rows.shape[0] if people is None else people.count, self.shards, self._wished(mechanism))
        workers = workers_for(self.estimator, made, rows.shape[1], Says.LABEL, len(classes), self.n_jobs)
        codes = codes_of(labels, classes)
        voters = taught(self.estimator, rows, codes, made, Says.LABEL, 0.0, workers, bits, people)
        guarantee = of_persons(self._promise(mechanism, made, len(classes), bits.seeded), people)
        self.classes_ = label_array(classes)
        if isinstance(mechanism, ConsensusVote):
            return ConsensusAnswers(voters, mechanism, len(classes), guarantee)
        return VoteAnswers(voters, mechanism, len(classes), guarantee)

    def _mechanism(self, classes: int) -> Mechanism:
        budget, method = Budget(self.epsilon, self.delta), one_of(METHODS, method=self.method)
        if method == "soft":
            return SoftVote(budget.epsilon)
        if budget.delta == 0:
            raise MechanismRefused(f'method="{method}": needs delta > 0, use "soft" for delta=0')
        if method == "gaussian":
            return NoisyMaximum(budget.epsilon, budget.delta, classes)
        rule = consensus(budget.epsilon, budget.delta, self.queries_per_round)
        return ConsensusVote(budget.epsilon, budget.delta, rule)

    def _wished(self, mechanism: Mechanism) -> int:
        """Shards that reach the accuracy."""
        if isinstance(mechanism, ConsensusVote):
            return consensus_voters(mechanism.rule)
        if isinstance(mechanism, NoisyMaximum):
            return noisy_maximum_voters(mechanism.noise.scale, self.accuracy)
        return voters_for(mechanism.epsilon, self.accuracy)

    def _promise(self, mechanism: Mechanism, made: Shape, classes: int, seeded: bool) -> Guarantee:
        named = {"shards": float(made.count), "rows in the smallest shard": float(min(made.sizes))}
        budget, one = Budget(self.epsilon, self.delta), _one(mechanism)
        if isinstance(mechanism, SoftVote):
            exact = Budget(budget.epsilon)
            theorem = "soft majority of disjoint shards, bounded range"
            return guarantee_of("soft-vote", theorem, exact, one, 1.0, 2 / exact.epsilon, named, (made.note,), seeded)
        if isinstance(mechanism, NoisyMaximum):
            scale = mechanism.noise.scale
            theorem, note = "noisy maximum of votes, Gaussian composition", made.note
            return guarantee_of("gaussian-vote", theorem, budget, one, VOTE_MOVES, scale, named, (note,), seeded)
        rule = mechanism.rule
        named |= {
            "answers in a round": float(rule.queries),
            "line, in votes of distance": rule.line / rule.unit,
            "noise of the line, in votes": rule.line_scale / rule.unit,
            "noise of a query, in votes": rule.query_scale / rule.unit,
            "epsilon of a contested vote": float(rule.vote),
        }
        theorem = "sparse vector on the distance to another winner; the price is that of a round"
        notes, scale = (LEAST_PRICE, made.note), rule.query_scale / rule.unit
        return guarantee_of("consensus-vote", theorem, budget, one, 1.0, scale, named, notes, seeded)

    def _in_rounds(self) -> ConsensusAnswers:
        answerer = self._here().answerer
        if isinstance(answerer, ConsensusAnswers):
            return answerer
        raise NoRounds(f'method={shown(self.method)}: only "consensus" answers in rounds')

    def _pay_and_answer(self, queries: Array) -> Array:
        """A consensus buys round after round; what was answered before the budget ended, or anything else did, stays
        answered."""
        state = self._state
        answerer = state.answerer
        if not isinstance(answerer, ConsensusAnswers):
            return super()._pay_and_answer(queries)
        price, label = answerer.mechanism.event, f"{type(self).__name__}: a round of {self.queries_per_round}"
        fresh, done = np.zeros(len(queries)), 0

        def buy() -> Entry:
            return state.ledger.reserve(price, label=label, neighbours=state.neighbours)

        try:
            with unseen():
                for told in answerer.in_rounds(queries, buy, state.bits):
                    fresh[done : done + len(told)] = told
                    done += len(told)
        except BaseException as error:  # a ledger that fails, an interrupt: whatever it is, these are paid for
            state.asked.remember(state.asked.look_up(queries[:done], self._bring), fresh[:done])
            short = f"queries={len(queries)}: {done} were answered and are remembered"
            if not isinstance(error, BudgetExhausted):
                if done:
                    error.add_note(f"{short}: asking them again is free")
                raise
        else:
            return fresh
        needs = f"another round needs epsilon={price.epsilon:.6g}, delta={price.delta:.6g}: raise the ledger's limit"
        raise BudgetExhausted(f"{short}, {needs}")

    def _show(self, answers: Array) -> npt.NDArray[Any]:
        return np.take(self.classes_, answers.astype(np.intp))

    def _offer(self) -> Offer:
        answerer, classes = self._here().answerer, len(self.classes_)
        rows = rows_of(answerer.guarantee)
        facts = usual_facts(rows, self.n_features_in_, classes, None)
        given, accuracy = self.shards, float(self.accuracy)
        if isinstance(answerer, ConsensusAnswers):
            each = answerer.mechanism.rule.queries
            return Offer(
                facts, lambda k, budget: quote_in_rounds(facts, given, each, k, budget), notes=(LINEAR_VOTERS,)
            )
        soft = isinstance(own(answerer, VoteAnswers).mechanism, SoftVote)

        def quote(count: int, budget: Budget) -> Quote:
            if soft or budget.delta == 0:
                epsilon = pure_price(bounded_range_answers, count, budget)
                voters = voters_at(given, rows, voters_for(epsilon, accuracy))
                return Quote(epsilon, 0.0, answer_risk.of_soft_vote(facts, voters, epsilon, classes))
            price = gaussian_price(count, budget)
            deviation = NoisyMaximum(price.epsilon, price.delta, classes).noise.scale
            voters = voters_at(given, rows, noisy_maximum_voters(deviation, accuracy))
            return Quote(price.epsilon, price.delta, answer_risk.of_noisy_maximum(facts, voters, deviation))

        return Offer(facts, quote, notes=(LINEAR_VOTERS,))

    def _one_answer(self, fitted: Self, rows: int) -> OneAnswer:
        classes = len(fitted.classes_)
        mechanism = self._mechanism(classes)
        if isinstance(mechanism, ConsensusVote):
            raise MechanismRefused(f'method="consensus": {NO_FORMULA}')
        if isinstance(mechanism, NoisyMaximum) and classes > 2:
            raise MechanismRefused(f'method="gaussian": with {classes} classes it {NO_FORMULA}')
        made = shape(rows, self.shards, self._wished(mechanism))
        workers_for(self.estimator, made, fitted.n_features_in_, Says.LABEL, classes, self.n_jobs, held_out=True)
        return one_answer(mechanism.event(1))

    def _expected_losses(self, learnt: Answerer, X: npt.NDArray[np.floating], y: npt.NDArray[Any]) -> Private[Array]:
        mine, rows = own(learnt, VoteAnswers), expected.held_rows(X)
        codes, counts = codes_of(y, self._listed()), tallies(mine.voters, rows, mine.classes)
        if isinstance(mine.mechanism, SoftVote):
            return expected.by_weights(counts, mine.mechanism.epsilon / 2, codes)
        return expected.by_lead(counts, mine.mechanism.noise.scale, codes)

    def _usual_model(self) -> PrivateLinear:
        return LogisticRegression()


def _one(mechanism: Mechanism) -> Event:
    return mechanism.event if isinstance(mechanism, ConsensusVote) else mechanism.event(1)
