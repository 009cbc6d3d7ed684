"""Settings chosen by an oracle that is not private, for studies.  docs/proofs/selection.md, section 6."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from equipoise._docs import documented
from equipoise.errors import EquipoiseError, InvalidInput
from equipoise.estimators._inputs import query_rows
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators.linear.classifier import PrivateClassifier
from equipoise.estimators.linear.source import Source
from equipoise.estimators.search.base import Search, fit_parts, settled, take_in, with_unit
from equipoise.estimators.search.candidates import checked_estimator
from equipoise.estimators.search.charges import for_one_row
from equipoise.gate import RandomState
from equipoise.ledger import LedgerLike
from equipoise.theory.guarantees import Budget, Guarantee

NOT_PRIVATE = "NOT PRIVATE: the candidate was chosen by looking at rows without noise, for studies only"


@documented("search")
class OracleSearch(Search):
    """NOT PRIVATE, for studies only: fits every candidate on all rows and looks which does best.

    It chooses on `X_val`, `y_val` given to `fit`, or on the training rows.  Shows what a search could reach at most.
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        allow_nonprivate: bool = False,
        random_state: RandomState = None,
        ledger: LedgerLike | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.allow_nonprivate = allow_nonprivate
        self.random_state = random_state
        self.ledger = ledger

    @documented(returns="self: The fitted search.")
    def fit(self, X: Any, y: Any = None, groups: Any = None, *, X_val: Any = None, y_val: Any = None) -> Self:
        """Fit each candidate with its own noise; keep the one with the smallest loss."""
        with before_the_debit():
            if self.allow_nonprivate is not True:
                raise EquipoiseError(
                    "allow_nonprivate=False: an oracle is not private, use DataSplitSearch or set it True"
                )
            if (X_val is None) != (y_val is None):
                raise InvalidInput("X_val: give X_val and y_val, or neither")
            if self.ledger is not None or checked_estimator(self.estimator).ledger is not None:
                raise InvalidInput("ledger: no budget pays for an oracle, leave it None here and in the estimator")
        with self._nothing_left_by_failure():
            return self._fit(X, y, groups, X_val, y_val)

    def _fit(self, X: Any, y: Any, groups: Any, X_val: Any, y_val: Any) -> Self:
        taken = take_in(self, X, y, groups)
        rows, columns = taken.rows.shape
        share = for_one_row(Budget(taken.estimator.epsilon, taken.estimator.delta), taken.groups)
        sizes = (rows,) * len(taken.settings) + (0,)
        problem = settled(taken.estimator, taken.settings, sizes, columns, taken.listed, taken.groups, share)
        taken.check(problem.plans)
        if isinstance(taken.rows, Source) and X_val is None:
            raise InvalidInput(
                "X_val: rows on many machines are not looked at here, give public rows to choose on; nothing was spent"
            )
        names = taken.listed
        everything = [np.arange(rows)] * len(taken.settings)
        fitted = fit_parts(problem, everything, taken.rows, taken.labels, names, taken.bits)
        shown = (taken.rows, taken.labels) if X_val is None else (query_rows(self, X_val, None), np.asarray(y_val))
        best = int(np.argmin([_loss_of(model, *shown) for model in fitted]))
        promise = with_unit(_no_guarantee(fitted[best].guarantee_, taken.bits.seeded), taken.groups)
        self._publish(problem, best, fitted[best], promise)
        return self


def _loss_of(model: Any, X: Any, y: npt.NDArray[Any]) -> float:
    """Mean squared error, or the share of wrong classes."""
    predicted = model.predict(X)
    return float(np.mean(predicted != y if isinstance(model, PrivateClassifier) else (predicted - y) ** 2))


def _no_guarantee(fitted: Guarantee, seeded: bool) -> Guarantee:
    """The noise of the fits does not hide what choosing among them shows."""
    return replace(
        fitted,
        epsilon=math.inf,
        mechanism="oracle search",
        theorem="not private: oracle",
        sensitivity=math.inf,
        noise_scale=0.0,
        seeded=seeded,
        notes=(*fitted.notes, NOT_PRIVATE),
    )
