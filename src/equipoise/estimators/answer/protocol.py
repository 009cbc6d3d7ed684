"""The answering protocol: learn once and keep everything inside; every new answer is paid for before it is computed.

A final predictor says how to learn (`_learn`, which returns an `Answerer` whose values are Private), how a raw
answer is shown (`_show`), and what its answers are worth beside a released model (`_offer` and the three after it).
Everything else is here, once: the ledger, the cache of answers already given, the lock, the price.  Why asking
again is free, and what fitting may say: docs/proofs/prediction.md.
"""

from __future__ import annotations

import math
import os
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NoReturn, Self, overload

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from equipoise._checks import whole
from equipoise._docs import documented
from equipoise.errors import BudgetExhausted, InvalidInput, LedgerFailure, MechanismRefused
from equipoise.estimators import _labels
from equipoise.estimators._account import checked_ledger
from equipoise.estimators._inputs import is_one_row, query_rows, training_rows
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators._warnings import warn_before_spending
from equipoise.estimators.answer.answerer import Answerer, OneAnswer
from equipoise.estimators.answer.asked import WORDS, Asked, Looked, refuse_infinite
from equipoise.estimators.answer.cost import Cost, price_of
from equipoise.estimators.answer.offers import Offer
from equipoise.estimators.answer.state import State, standing_lock
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.linear.given import rows_to_use
from equipoise.gate import Bits, RandomState, bits_from
from equipoise.inside import Private
from equipoise.inside.strangers import unseen
from equipoise.ledger import Ledger, LedgerLike, Spent
from equipoise.rows.owned import settle
from equipoise.rows.persons import People
from equipoise.theory.guarantees import Budget

if TYPE_CHECKING:
    from equipoise.estimators.answer.advice import Advice
    from equipoise.estimators.answer.measured import Measured, Part, Price

Array = npt.NDArray[np.float64]

MOST_QUERIES = 10**9
"""`queries_left` counts no further."""


class PrivatePredictor(BaseEstimator):
    """Abstract.  `epsilon` and `delta` are the price of one answer; `ledger=None` keeps one without a limit."""

    epsilon: float
    delta: float
    ledger: LedgerLike | None
    random_state: RandomState

    @abstractmethod
    def _learn(self, rows: Any, labels: npt.NDArray[Any], bits: Bits, people: People | None = None) -> Answerer:
        """Look at the records and keep what was learnt inside.  `rows` is a float array or CSR matrix, unclipped."""

    @abstractmethod
    def _show(self, answers: Array) -> npt.NDArray[Any]:
        """Raw answers as `predict` returns them.  Free: they have been paid for."""

    def _offer(self) -> Offer:
        """Its answers at other prices, predicted from public facts, for the comparison with a released model."""
        self._not_stated("what its answers are worth at another price")

    def _one_answer(self, fitted: Self, rows: int) -> OneAnswer:
        """Of an unfitted copy of `fitted` that would learn from so many rows; refuses what has no formula."""
        self._not_stated("what one of its answers costs")

    def _expected_losses(self, learnt: Answerer, X: npt.NDArray[np.floating], y: npt.NDArray[Any]) -> Private[Array]:
        """What each held-out record's answer would lose; what is wrong with the records' values is found here."""
        self._not_stated("what its answers lose")

    def _usual_model(self) -> PrivateLinear:
        """The model to pilot where none is given, with the predictor's public bounds."""
        self._not_stated("which model would be released instead")

    def _not_stated(self, what: str) -> NoReturn:
        raise InvalidInput(f"{type(self).__name__}: does not state {what}, it cannot be compared with a release")

    def _listed(self) -> tuple[Any, ...]:
        """The classes of a fitted classifier."""
        return tuple(np.asarray(vars(self)["classes_"]).tolist())

    def _own_labels(self, y: Any) -> npt.NDArray[Any]:
        """Copied, and refused by dtype alone."""
        name, classes = type(self).__name__, vars(self).get("classes")
        return _labels.own_classes(y, classes, name) if is_classifier(self) else _labels.own_numbers(y, name)

    def _middles(self) -> float:
        """What a missing cell counts as."""
        return 0.0

    def _brought_within(self, rows: Array) -> Array:
        """Queries as its answers are computed of them: within the bounds of the fit, where a predictor has some."""
        return rows

    def _bring(self, part: Array) -> None:
        """In place, some rows: what counts when two queries are told apart.  Answers follow from that alone."""
        refuse_infinite(part)

    def _people(self, groups: Any, rows: int) -> People | None:
        """Whose rows are whose, and which of them are used; None where the unit of privacy is the row."""
        return rows_to_use(groups, vars(self).get("rows_per_person"), rows)

    @documented(returns="self: Fitted; nothing is charged.")
    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:
        """Learn and charge nothing: nothing leaves.  Whatever was answered before is forgotten.

        `groups` says whose rows are whose, one id for each; then it is a person that each answer protects.
        """
        before = dict(vars(self))
        try:
            with before_the_debit():
                state = self._taught(X, y, groups)
        except BaseException:
            self.__dict__ = before
            raise
        with standing_lock(vars(self).get("_state")):
            self._state = state
        self.guarantee_ = state.answerer.guarantee
        self.ledger_ = state.ledger
        return self

    def _taught(self, X: Any, y: Any, groups: Any) -> State:
        Budget(self.epsilon, self.delta)
        rows, labels = training_rows(self, X, self._own_labels(y), 2, self._middles())
        given, people = rows.shape[0], self._people(groups, rows.shape[0])
        rows, labels = (rows, labels) if people is None else (rows[people.rows], labels[people.rows])
        bits = bits_from(self.random_state)
        ledger = Ledger(delta=self.delta) if (named := checked_ledger(self.ledger)) is None else named
        warn_before_spending(self, self.epsilon, self.delta, given, bits.seeded)  # how many are left tells of ids
        asked = Asked(bits.words(WORDS * rows.shape[1]).reshape(-1, WORDS))
        with unseen():
            return State(self._learn(rows, labels, bits, people), ledger, bits, asked)

    @documented(returns="array of shape (n,), a single answer, or Cost: One answer for each row.")
    def predict(self, X: Any, explain_cost: bool = False) -> Any:
        """One answer per row; a single row may be given flat.  New queries are paid for, repeated ones are free.

        `explain_cost=True` returns the `Cost` instead: nothing is asked and nothing is charged.
        """
        rows, single = self._queries(X)
        if explain_cost:
            return self._explain(rows)
        shown = self._show(self._ask(rows))
        return shown[0] if single else shown

    @documented(returns="Spent: ε and δ together.")
    def cost_of(self, k: int) -> Spent:
        """What k new answers cost together, by the tightest composition known, at the ledger's δ."""
        return price_of(self._here().answerer.event(whole(k=k)), self._delta())

    @documented(returns="float: A whole number, or infinity.")
    def queries_left(self) -> float:
        """How many new answers the ledger still allows: a whole number, or infinity without a limit."""
        state = self._here()
        if state.ledger.limit is None:
            return math.inf
        return state.ledger.most(state.answerer.event, MOST_QUERIES, state.neighbours)

    @overload
    def compare_with_release(self, k: int, *, budget: Price = None) -> Advice: ...

    @overload
    def compare_with_release(
        self, k: int, *, budget: Price = None, train: Part, held_out: Part, charge: Price = None, model: Any = None
    ) -> Measured: ...

    @documented(returns="Advice or Measured: What each would err.")
    def compare_with_release(
        self,
        k: int,
        *,
        budget: Price = None,
        train: Part | None = None,
        held_out: Part | None = None,
        charge: Price = None,
        model: Any = None,
    ) -> Advice | Measured:
        """Whether k new answers or one released model errs less within one budget.  Free: predicted from public facts.

        `budget=None` takes what the ledger has left.  With `train` and `held_out`, (X, y) each, both are measured on
        held-out rows too, for a `charge`: a fifth of the budget unless given.  `model` is the one to pilot, unfitted.
        """
        from equipoise.estimators.answer import measured  # which imports this file

        return measured.compare(self, k, budget, train, held_out, charge, model)

    @property
    def last_cost_(self) -> Cost:
        """Of the last batch answered."""
        state = self._here()
        new, repeated = state.last
        return self._cost(new, repeated, paid=True)

    def _ask(self, rows: npt.NDArray[np.floating]) -> Array:
        """Raw answers: from memory where the query was asked before, else paid for first and then computed."""
        while True:
            state = self._here()
            with state.lock:
                if state is self._state:  # not fitted again while waiting
                    return self._ask_alone(state, rows)

    def _ask_alone(self, state: State, rows: npt.NDArray[np.floating]) -> Array:
        looked = state.asked.look_up(rows, self._bring)
        fresh = self._pay_and_answer(looked.queries) if looked.new else np.zeros(0)
        state.asked.remember(looked, fresh)
        state.last = (looked.new, looked.repeated)
        return looked.filled(fresh)

    def _pay_and_answer(self, queries: Array) -> Array:
        """One reservation for the whole batch of distinct new queries, then their answers."""
        state = self._state
        event = state.answerer.event(len(queries))
        try:
            label = f"{type(self).__name__}: {len(queries)} answers"
            entry = state.ledger.reserve(event, label=label, neighbours=state.neighbours)
        except BudgetExhausted:
            told = state.too_dear(len(queries), self._delta())
        else:
            with entry, unseen():
                fresh = state.answerer.answer(queries, entry, state.bits)
                entry.commit()
            return fresh
        raise BudgetExhausted(told)

    def _queries(self, X: Any) -> tuple[npt.NDArray[np.floating], bool]:
        """Rows to answer, taken as the records of the fit were."""
        rows, single = self._read_queries(X)
        return self._brought_within(rows), single

    def _read_queries(self, X: Any) -> tuple[Array, bool]:
        """What is missing is settled as in the fit."""
        rows, single = self._read(X)
        with np.errstate(over="ignore", invalid="ignore"):
            finite = math.isfinite(rows.sum())
        if not finite:
            rows = np.array(rows)
            settle(rows, self._middles())
        return rows, single

    def _read(self, X: Any) -> tuple[Array, bool]:
        """Checked: queries are public, and a refused one is not charged."""
        check_is_fitted(self, "_state")
        if issparse(X):
            raise InvalidInput("X: sparse queries are not served, give rows as an array (X.toarray())")
        single = is_one_row(X)
        names = getattr(self, "feature_names_in_", None)
        known = None if names is None else tuple(str(name) for name in names)
        return query_rows(self, [X] if single else X, known, finite=False), single

    def _explain(self, rows: npt.NDArray[np.floating]) -> Cost:
        state = self._here()
        with state.lock:
            looked: Looked = state.asked.look_up(rows, self._bring)
        return self._cost(looked.new, looked.repeated, paid=False)

    def _cost(self, new: int, repeated: int, *, paid: bool) -> Cost:
        state, delta = self._here(), self._delta()
        event = state.answerer.event(new) if new else None
        alone = Spent(0.0, delta, 0.0) if event is None else price_of(event, delta)
        total = state.ledger.spent(delta, None if paid else event, state.neighbours)
        affordable = event is None or paid or state.ledger.fits(event, state.neighbours)
        return Cost(new, repeated, event, alone.epsilon, delta, alone.delta_numeric, total.epsilon, affordable)

    def _delta(self) -> float:
        """The δ at which costs are told: the ledger's, or the predictor's own where the ledger has no limit."""
        limit = self._here().ledger.limit
        return float(self.delta) if limit is None else limit.delta

    def _here(self) -> State:
        """The fitted state, in the process that fitted it: a forked copy would forget what the other answers."""
        check_is_fitted(self, "_state")
        if self._state.process != os.getpid():
            raise LedgerFailure("predictor: it was fitted in another process, fit it in the one that answers")
        return self._state

    def __getstate__(self) -> Any:
        if "_state" in vars(self):
            raise MechanismRefused(
                "predictor: a fitted one holds private values and cannot be copied or pickled, clone and fit it instead"
            )
        return super().__getstate__()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.target_tags.required = True
        tags.non_deterministic = self.random_state is None
        return tags
