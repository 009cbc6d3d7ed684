"""Private online learning over experts: decide, see what everybody would have cost, decide again."""

from __future__ import annotations

import os
import threading
from contextlib import AbstractContextManager
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from equipoise._checks import at_most, is_word, one_of, positive
from equipoise._docs import documented
from equipoise.errors import BoundsRequired, InvalidInput, LedgerFailure, MechanismRefused
from equipoise.estimators._account import checked_ledger
from equipoise.estimators._spent import FREE, after_the_debit, before_the_debit
from equipoise.gate import Bits, RandomState, bits_from
from equipoise.gate.simplex import rounds as gate
from equipoise.inside.simplex.costs import no_costs, with_cost
from equipoise.inside.strangers import unseen
from equipoise.ledger import Entry, Ledger, LedgerLike
from equipoise.outside.simplex.regret import Regret, regret_of
from equipoise.rows.cells import number_of
from equipoise.rows.lists import is_list
from equipoise.rows.tables import own_table
from equipoise.theory.adjacency import ONE_ROW_REPLACED
from equipoise.theory.guarantees import Budget
from equipoise.theory.simplex.rounds import FIRST_EPOCH, RoundsPlan, plan_rounds

Array = npt.NDArray[np.float64]


MOST_EXPERTS = 2**40
"""As many as a table may have rows."""

_STARTING = threading.Lock()
"""Of several threads that make the first call one plans and pays, and the others find that done."""


@documented("experts")
class SimplexFTRL(BaseEstimator):
    """Follow the regularised leader: in each round one expert, drawn the likelier the less it has cost so far.

    A round is a decision and then its cost vector: `decide()` names an expert, `partial_fit(cost)` says what each
    expert would have cost, within ±`cost_bound`.  Every cost vector is one person's and is protected over all rounds;
    decisions may be published.  The ledger pays for the whole `horizon` at the first call.  `horizon="double"` needs no
    end: horizons of 64, 128, … rounds follow each other, each afresh, for one payment.

    >>> import numpy as np, equipoise as eq
    >>> learner = eq.SimplexFTRL(1.0, 1e-6, experts=3, horizon=200)
    >>> for _ in range(200):
    ...     chosen = learner.decide()
    ...     learner = learner.partial_fit([1.0, 0.0, 1.0])
    >>> learner.decisions_.count(1) > 100, learner.guarantee_.epsilon
    (True, 1.0)
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        experts: int | None = None,
        horizon: int | str | None = None,
        cost_bound: float = 1.0,
        outside: str = "clip",
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.experts = experts
        self.horizon = horizon
        self.cost_bound = cost_bound
        self.outside = outside
        self.ledger = ledger
        self.random_state = random_state

    @documented(returns="RoundsPlan: Printing it costs nothing.")
    def plan(self) -> RoundsPlan:
        """Everything about the rounds, or about the first horizon of several, before a cost is seen."""
        if self.experts is None or self.horizon is None:
            raise BoundsRequired('experts, horizon: say how many, or horizon="double" where nobody knows the end')
        doubling = isinstance(self.horizon, str) and one_of(("double",), horizon=self.horizon) == "double"
        rounds: Any = FIRST_EPOCH if doubling else self.horizon
        budget = Budget(self.epsilon, self.delta)
        experts = at_most(MOST_EXPERTS, experts=self.experts)
        return plan_rounds(experts, rounds, positive(cost_bound=self.cost_bound), budget, doubling=doubling)

    def _begun(self) -> AbstractContextManager[Any]:
        """What one thread at a time holds, in the process that paid.  Rounds begin here, at the first call."""
        if not hasattr(self, "decisions_"):
            with _STARTING:
                if not hasattr(self, "decisions_"):
                    self._pay()
        if self._process != os.getpid():  # before the lock, which a forked child might find held for ever
            raise LedgerFailure("experts: these rounds were paid for in another process, go on in that one")
        return self._turn

    def _pay(self) -> None:
        """Plan, and debit everything there will be; `decisions_` comes last, since it says that all of this is done."""
        with before_the_debit():
            one_of(("clip", "refuse"), outside=self.outside)
            plan, given = self.plan(), checked_ledger(self.ledger)
            bits = bits_from(self.random_state)
        account: LedgerLike = Ledger() if given is None else given
        # Open until the horizon is over: each decision is a part of this one release.
        self._entry: Entry = account.reserve(plan.event, label=type(self).__name__, neighbours=ONE_ROW_REPLACED)
        self._bits: Bits = bits
        self._process, self._turn = os.getpid(), threading.Lock()
        self._epoch(plan)
        self._bounds_before = 0.0
        self.rounds_ = 0
        self.guarantee_ = plan.guarantee(bits.seeded)
        self.decisions_: list[int] = []

    def _epoch(self, plan: RoundsPlan) -> None:
        self._now = plan
        self._totals = no_costs(plan.experts)
        self._left = plan.paid_draws
        self._seen = 0

    @documented(returns="int: The number of an expert, from 0 on.")
    def decide(self) -> int:
        """The expert of this round; asked again in the same round, the same."""
        with self._begun():
            return self._decided()

    def _decided(self) -> int:
        """One thread at a time: two draws in a round would be one more than was paid for it."""
        if len(self.decisions_) > self.rounds_:
            return self.decisions_[-1]
        if self._seen == self._now.horizon:
            self._next_epoch()
        if self._seen:
            self._left -= 1  # before the draw: one that is interrupted is spent
            if self._left < 0:
                raise InvalidInput("decide: every draw of the horizon is spent, an interrupted one included")
        with unseen(), after_the_debit():
            chosen = gate.decide(self._totals, self._now, self._entry, self._bits)
        self.decisions_.append(chosen)
        return chosen

    def _next_epoch(self) -> None:
        """Where horizons double, the next; otherwise the end."""
        if not self._now.doubling:
            raise InvalidInput(f"horizon={self._now.horizon}: every round is over, make another one; {FREE}")
        self._bounds_before += self._now.regret_bound(self._seen)
        was = self._now
        self._epoch(plan_rounds(was.experts, 2 * was.horizon, was.cost_bound, was.budget, doubling=True))

    @documented(returns="self: One round further.")
    def partial_fit(self, cost: Any) -> Self:
        """What each expert would have cost in this round.  It ends the round, and spends nothing."""
        with before_the_debit():
            row = self._checked(cost)
        with self._begun():
            self._decided()
            with unseen(), after_the_debit():
                self._totals = with_cost(self._totals, row, self._now.cost_bound)
            self._seen += 1
            self.rounds_ += 1
            if self._seen == self._now.horizon and not self._now.doubling:
                self._entry.commit()
        return self

    def _checked(self, cost: Any) -> Array:
        """One number for each expert; refused by its shape, and by its values only where the caller asked for it."""
        with unseen():  # the list is one record: how many of its cells are words is that record's affair
            cells = np.array([number_of(cell) for cell in cost]) if is_list(cost) else cost
        row = own_table(np.atleast_2d(cells), np.nan)
        plan = self._now if hasattr(self, "_now") else self.plan()
        if row.shape != (1, plan.experts):
            raise InvalidInput(f"cost: must be {plan.experts} numbers, one for each expert; the round is not over")
        plain: Array = np.asarray(row, dtype=np.float64)[0]
        if is_word(self.outside, "refuse") and not np.all(np.abs(plain) <= plan.cost_bound):
            raise InvalidInput("cost: holds a number beyond cost_bound, or none at all; the round is not over")
        return plain

    @documented(returns="Regret: Of the rounds that are over.")
    def regret(self, costs: npt.ArrayLike | None = None) -> Regret:
        """The bound, and with public costs what was reached: costs are not kept, and showing them protects nobody."""
        with self._begun():
            bound = self._bounds_before + self._now.regret_bound(self._seen)
            decided = self.decisions_[: self.rounds_]
        return regret_of(decided, bound, costs, self._now.experts, self._now.cost_bound)

    def __getstate__(self) -> Any:
        """A copy would count the draws that are left by itself, and make them again for nothing."""
        if "_entry" in vars(self):
            raise MechanismRefused(
                "experts: rounds that have begun hold private costs and paid draws, which cannot be copied or pickled;"
                " clone it and begin anew"
            )
        return super().__getstate__()
