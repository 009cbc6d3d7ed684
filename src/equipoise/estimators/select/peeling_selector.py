"""Features chosen one after the other: pays for the choice alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from equipoise._checks import whole
from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.estimators import _labels
from equipoise.estimators._account import checked_ledger
from equipoise.estimators._columns import every_range, names_of, refuse_nameless
from equipoise.estimators._inputs import training_rows
from equipoise.estimators._origin import origin_now
from equipoise.estimators._spent import after_the_debit, before_the_debit
from equipoise.estimators._warnings import warn_before_spending
from equipoise.estimators.linear.given import rows_to_use
from equipoise.estimators.simplex.base import two_of
from equipoise.gate import RandomState, bits_from
from equipoise.gate.choices.peel import PeelingPlan, release
from equipoise.inside.labels import class_codes, numbers_within
from equipoise.inside.scores.covariances import covariance_sizes, within_one
from equipoise.inside.strangers import unseen
from equipoise.ledger import Ledger, LedgerLike
from equipoise.outside import Card
from equipoise.rows.owned import settle
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget

Array = npt.NDArray[np.float64]


@documented("peeling")
class PeelingSelector(SelectorMixin, BaseEstimator):
    """Chooses the `k` columns that go best with the label, one after the other, and releases nothing else.

    A column counts by its covariance with the label, both in units of their public ranges: `column_bounds`, or −1 to 1
    without; `label_bounds` for numbers, two `classes` without.  Cells beyond are clipped, missing ones count as the
    middle.  All of epsilon is spent on the choice: fit a model on what is chosen with a budget of its own, charged to
    the same ledger.  `plan` says beforehand how often the wrong columns are chosen.

    >>> import numpy as np, equipoise as eq
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(5000, 6))
    >>> selector = eq.PeelingSelector(2, epsilon=1.0).fit(X, (X[:, 1] + X[:, 4] > 0).astype(int))
    >>> sorted(selector.chosen_.tolist()), selector.transform(X).shape
    ([1, 4], (5000, 2))
    """

    data_free = True
    """It looks, and pays for what it sees: safe before a private estimator that is charged to the same ledger."""

    def __init__(
        self,
        k: int = 10,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        column_bounds: Any = None,
        label_bounds: tuple[float, float] | None = None,
        classes: Sequence[Any] | str | None = None,
        rows_per_person: int | None = None,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.epsilon = epsilon
        self.delta = delta
        self.column_bounds = column_bounds
        self.label_bounds = label_bounds
        self.classes = classes
        self.rows_per_person = rows_per_person
        self.ledger = ledger
        self.random_state = random_state

    @documented(returns="PeelingPlan: Printing it costs nothing.")
    def plan(self, n: int, d: int) -> PeelingPlan:
        """Everything about the choices for n records of d features, and how often they err."""
        self._bounds(whole(d=d))
        people = None if self.rows_per_person is None else whole(rows_per_person=self.rows_per_person)
        return PeelingPlan(whole(n=n), whole(d=d), self.k, Budget(self.epsilon, self.delta), people)

    def _bounds(self, d: int) -> Bounds:
        """Which checks what is given."""
        labels = None if self.label_bounds is None else _labels.label_range(self.label_bounds)
        return Bounds(1.0, label_range=labels, columns=every_range(self.column_bounds, d, names_of(self)))

    @documented(returns="self: The fitted selector.")
    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:
        """Debit the ledger, look at the columns, release which were chosen.

        `groups` says whose rows are whose, one id for each; then a person is protected, with the first
        `rows_per_person` of their rows, and further ones are left out.
        """
        before = dict(vars(self))
        try:
            return self._fit(X, y, groups)
        except BaseException:
            self.__dict__ = before  # a failed fit leaves nothing behind
            raise

    def _fit(self, X: Any, y: Any, groups: Any) -> Self:
        with before_the_debit():
            rows, labels = training_rows(self, X, self._own_labels(y), 2, np.nan)
            refuse_nameless(self.column_bounds, names_of(self))
            bounds = self._bounds(rows.shape[1])
            if bounds.columns is not None and issparse(rows):
                raise InvalidInput("column_bounds: centring would fill a sparse X, scale it beforehand instead")
            if not issparse(rows):
                settle(rows, 0.0 if bounds.columns is None else np.array(bounds.column_centres))
            people = rows_to_use(groups, self.rows_per_person, rows.shape[0])
            rows, labels = (rows, labels) if people is None else (rows[people.rows], labels[people.rows])
            classes = None if self.label_bounds is not None else two_of(_labels.declared(self.classes, labels))
            plan, ledger = self.plan(rows.shape[0], rows.shape[1]), checked_ledger(self.ledger)
            bits, event = bits_from(self.random_state), plan.event
        warn_before_spending(self, self.epsilon, self.delta, plan.records, bits.seeded)
        account: LedgerLike = Ledger() if ledger is None else ledger
        with account.reserve(event, label=type(self).__name__, neighbours=plan.neighbours) as entry, unseen():
            with after_the_debit():
                sizes = covariance_sizes(within_one(rows, bounds.columns), _coded(labels, classes, bounds))
                chosen = release(sizes, plan, entry, bits)
            entry.commit()
        self.chosen_, self.guarantee_ = np.array(chosen), plan.guarantee(bits.seeded)
        self._origin = origin_now(ledger)
        return self

    def _own_labels(self, y: Any) -> npt.NDArray[Any]:
        """Copied, and refused by dtype alone."""
        name = type(self).__name__
        return _labels.own_classes(y, self.classes, name) if self.label_bounds is None else _labels.own_numbers(y, name)

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        return np.isin(np.arange(self.n_features_in_), self.chosen_)

    @documented(returns="Card: As text, HTML and JSON.")
    def card(self) -> Card:
        """What was promised for the choice; the model fitted afterwards has a card of its own."""
        check_is_fitted(self)
        told = names_of(self)
        kind, count, origin = type(self).__name__, self.n_features_in_, self._origin
        return Card(kind, "transformer", count, None, self.guarantee_, feature_names=told, origin=origin)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.non_deterministic = self.random_state is None
        return tags


def _coded(labels: npt.NDArray[Any], classes: tuple[Any, ...] | None, bounds: Bounds) -> Array:
    """Within one: −1 and 1 for two classes, numbers scaled by their range."""
    if classes is not None:
        return class_codes(labels, classes)
    numbers = numbers_within(labels, *_labels.label_range(bounds.label_range))
    return np.clip((numbers - bounds.label_centre) / bounds.label_scale, -1.0, 1.0)
