"""Settings chosen by trying them: privately on parts of the table, or by an oracle that is not private.

The argument for the private one is docs/proofs/selection.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from equipoise.errors import EquipoiseError, InvalidInput
from equipoise.estimators import _candidates
from equipoise.estimators._classifier import PrivateClassifier
from equipoise.estimators._inputs import query_rows, training_rows
from equipoise.estimators._linear import _checked_ledger
from equipoise.estimators._search import Index, Problem, Search, fit_parts, settled
from equipoise.gate import Bits, RandomState, noise_source
from equipoise.gate.select import grid_for, permute_and_flip, random_order
from equipoise.inside import enter
from equipoise.inside.validation import as_scores, mean_losses
from equipoise.ledger import Entry, Ledger, LedgerLike
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.sensitivity import of_mean_loss

MECHANISM = "data-split search"
ALONE = "one candidate: nothing to choose, so no split: it was fitted on all rows"
FORGOTTEN = "the models that were not chosen are forgotten"
NOT_PRIVATE = "NOT PRIVATE: the candidate was chosen by looking at rows without noise, for studies only"


class DataSplitSearch(Search):
    """Tries every setting of `param_grid` on a part of its own and chooses privately on one more part.

    A row is in exactly one part, so the search as a whole costs what one fit costs: the estimator's epsilon and
    delta, debited once.  `param_grid` may vary alpha, coef_norm and mechanism.  `validation` is the share of rows
    to choose on; None makes all parts equal.  `ledger` and `random_state` default to the estimator's.

    >>> import numpy as np, equipoise as eq
    >>> from equipoise.tuning import DataSplitSearch
    >>> X = np.linspace(-1, 1, 4000)[:, None]
    >>> search = DataSplitSearch(eq.LinearRegression(epsilon=5.0), {"alpha": [0.01, 100.0]}).fit(X, X[:, 0])
    >>> search.best_params_, search.guarantee_.epsilon
    ({'alpha': 0.01}, 5.0)
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        validation: float | None = None,
        random_state: RandomState = None,
        ledger: LedgerLike | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.validation = validation
        self.random_state = random_state
        self.ledger = ledger

    def fit(self, X: Any, y: Any = None) -> Self:
        """Settle everything, debit once, split, fit, choose."""
        with self._nothing_left_by_failure():
            return self._fit(X, y)

    def _fit(self, X: Any, y: Any) -> Self:
        estimator = _candidates.checked_estimator(self.estimator)
        settings = _candidates.candidates_from(self.param_grid)
        rows, labels = training_rows(self, X, y, fewest=2)
        sizes = _candidates.part_sizes(rows.shape[0], len(settings), self.validation)
        listed = estimator._classes_before_looking(labels)
        problem = settled(estimator, settings, sizes, rows.shape[1], listed)
        seed = estimator.random_state if self.random_state is None else self.random_state
        bits = noise_source(estimator.noise, seed)
        account: LedgerLike = _one_ledger(self.ledger, estimator.ledger) or Ledger()
        with account.reserve(_candidates.search_event(problem.plans), label=type(self).__name__) as entry:
            names = listed or estimator._classes_after_debit(labels)
            best, chosen = _split_and_choose(problem, rows, labels, names, entry, bits)
            entry.commit()
        self._publish(problem, best, chosen, _guarantee(problem, chosen.guarantee_, bits.seeded))
        return self


class OracleSearch(Search):
    """NOT PRIVATE, for studies only: fits every candidate on all rows and looks which does best.

    It chooses on `X_val`, `y_val` given to `fit`, or on the training rows.  Shows what a search could reach at most.
    """

    def __init__(self, estimator: Any, param_grid: Any, *, allow_nonprivate: bool = False) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.allow_nonprivate = allow_nonprivate

    def fit(self, X: Any, y: Any = None, X_val: Any = None, y_val: Any = None) -> Self:
        """Fit each candidate with its own noise; keep the one with the smallest loss."""
        if self.allow_nonprivate is not True:
            raise EquipoiseError("allow_nonprivate=False: an oracle is not private, use DataSplitSearch or set it True")
        if (X_val is None) != (y_val is None):
            raise InvalidInput("X_val: give X_val and y_val, or neither")
        with self._nothing_left_by_failure():
            return self._fit(X, y, X_val, y_val)

    def _fit(self, X: Any, y: Any, X_val: Any, y_val: Any) -> Self:
        estimator = _candidates.checked_estimator(self.estimator)
        if estimator.ledger is not None:
            raise InvalidInput("ledger: no budget pays for an oracle, give the estimator ledger=None")
        settings = _candidates.candidates_from(self.param_grid)
        rows, labels = training_rows(self, X, y, fewest=2)
        listed = estimator._classes_before_looking(labels)
        problem = settled(estimator, settings, (rows.shape[0],) * len(settings) + (0,), rows.shape[1], listed)
        bits = noise_source(estimator.noise, estimator.random_state)
        names = listed or estimator._classes_after_debit(labels)
        fitted = fit_parts(problem, [np.arange(rows.shape[0])] * len(settings), rows, labels, names, bits)
        shown = (rows, labels) if X_val is None else (query_rows(self, X_val, None), np.asarray(y_val))
        best = int(np.argmin([_loss_of(model, *shown) for model in fitted]))
        self._publish(problem, best, fitted[best], _no_guarantee(fitted[best].guarantee_, bits.seeded))
        return self


def split(sizes: Sequence[int], bits: Bits) -> list[Index]:
    """Positions of the rows of each part: a random order, cut.  It knows the number of rows and nothing else."""
    order = random_order(sum(sizes), bits)
    return [np.sort(part) for part in np.split(order, np.cumsum(sizes)[:-1])]


def _split_and_choose(
    problem: Problem, rows: Any, labels: npt.NDArray[Any], names: tuple[Any, ...] | None, entry: Entry, bits: Bits
) -> tuple[int, Any]:
    """The chosen candidate's place and its fitted estimator; the others go no further than this function."""
    *parts, kept = split(problem.sizes, bits)
    fitted = fit_parts(problem, parts, rows, labels, names, bits)
    if len(fitted) == 1:
        return 0, fitted[0]
    records = enter(rows[kept], labels[kept], replace(problem.plans[0].facts.bounds, classes=names))
    pairs = zip(fitted, problem.plans, strict=True)
    models = [_candidates.flat_model(model, plan, problem.classes) for model, plan in pairs]
    loss = _candidates.record_loss(problem.estimator, problem.classes)
    cap, sensitivity = _scale(problem)
    scores = as_scores(mean_losses(records, loss, models, cap))
    best = permute_and_flip(scores, sensitivity, problem.plans[0].budget.epsilon, entry, bits)
    return best, fitted[best]


def _scale(problem: Problem) -> tuple[float, float]:
    """The cap on one record's loss, and how far one record moves the mean."""
    cap = _candidates.loss_cap(problem.estimator, problem.plans)
    return cap, of_mean_loss(cap, problem.sizes[-1])


def _guarantee(problem: Problem, fitted: Guarantee, seeded: bool) -> Guarantee:
    """One promise for the whole search; sensitivity and noise are those of the chosen fit."""
    if len(problem.settings) == 1:
        return replace(fitted, mechanism=MECHANISM, notes=(*fitted.notes, ALONE))
    return replace(
        fitted,
        delta_numeric=_candidates.search_event(problem.plans).delta_numeric,
        adjacency=Adjacency.REPLACE_ONE,
        mechanism=MECHANISM,
        theorem=f"disjoint parts: one fit on each ({fitted.theorem} for the chosen one), permute-and-flip on another",
        seeded=seeded,
        constants=fitted.constants | _split_constants(problem),
        notes=(*fitted.notes, FORGOTTEN),
    )


def _split_constants(problem: Problem) -> dict[str, float]:
    cap, sensitivity = _scale(problem)
    return {
        "records of all parts": float(sum(problem.sizes)),
        "candidates": float(len(problem.settings)),
        "smallest part": float(min(problem.sizes[:-1])),
        "largest part": float(max(problem.sizes[:-1])),
        "records to choose on": float(problem.sizes[-1]),
        "largest loss of a record": cap,
        "score sensitivity": sensitivity,
        "score noise scale": 2 * sensitivity / problem.plans[0].budget.epsilon,
        "score grid step": grid_for(sensitivity).step,
    }


def _one_ledger(given: LedgerLike | None, inner: LedgerLike | None) -> LedgerLike | None:
    """The search pays, from whichever ledger was named."""
    if given is not None and inner is not None and given is not inner:
        raise InvalidInput("ledger: the search and its estimator name different ones, give it to the search alone")
    return _checked_ledger(inner if given is None else given)


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
