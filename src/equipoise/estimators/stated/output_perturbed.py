"""Somebody else's linear estimator, made private by the stability that its caller states."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from equipoise._checks import moderate, whole
from equipoise._docs import documented
from equipoise.estimators import _labels
from equipoise.estimators._account import checked_ledger
from equipoise.estimators._inputs import rows_as_fitted, training_rows
from equipoise.estimators._origin import origin_now
from equipoise.estimators._spent import after_the_debit, before_the_debit
from equipoise.estimators._warnings import warn_before_spending
from equipoise.estimators.linear.given import rows_to_use
from equipoise.estimators.stated.claim import check_estimator, form_of, stated_for, try_claim
from equipoise.gate import Bits, RandomState, noise_source
from equipoise.gate.models.stated_stability import StatedPlan, plan, release
from equipoise.gate.source import seeds_for_strangers
from equipoise.inside.stated.coefficients import Form, fit_stranger, settled_targets
from equipoise.inside.strangers import apart
from equipoise.ledger import Ledger, LedgerLike
from equipoise.outside import Card, LinearModel, Released
from equipoise.outside.card_words import delta_of
from equipoise.rows import RowBounds
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Link, Task
from equipoise.theory.stability.bound import StabilityBound

Array = npt.NDArray[np.float64]


@documented("stated")
class OutputPerturbed(BaseEstimator):
    """Fits a scikit-learn estimator with `coef_` and `intercept_` and releases them with noise, if you say how far one
    row can move them.

    `stability` is your claim, a `equipoise.stability.StabilityBound` on the weights, or a function of the number of
    rows that gives one; the card names you as its source.  It must hold for every table within the bounds, for the fit
    as it runs, its solver's tolerance included, with one row of zeros for each class put in front of the table; a fit
    that fails counts as zeros.  A claim that made-up rows refute is refused, before anything is spent.  Bounds that
    hold on average are refused.

    >>> import numpy as np, equipoise as eq
    >>> from sklearn.linear_model import Ridge
    >>> X = np.linspace(-1, 1, 2000)[:, None]
    >>> ridge = Ridge(alpha=100.0, fit_intercept=False)  # Σ(y − x·w)² + 100‖w‖², |x| ≤ 1, |y| ≤ 1, so |w| ≤ √20
    >>> claim = eq.stability.regularised_erm(lipschitz=2 * (20**0.5 + 1), strong_convexity=2 * 100 / 2000, n=2000)
    >>> model = eq.OutputPerturbed(ridge, claim, epsilon=1.0, label_bounds=(-1, 1)).fit(X, X[:, 0])
    >>> bool(abs(model.coef_[0] - 0.87) < 0.8), model.guarantee_.mechanism
    (True, 'stated-stability')
    """

    def __init__(
        self,
        estimator: Any = None,
        stability: StabilityBound | Callable[[int], StabilityBound] | None = None,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        row_norm: float = 1.0,
        label_bounds: tuple[float, float] | None = None,
        classes: Sequence[Any] | str | None = None,
        rows_per_person: int | None = None,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
        noise: str = "equipoise",
    ) -> None:
        self.estimator = estimator
        self.stability = stability
        self.epsilon = epsilon
        self.delta = delta
        self.row_norm = row_norm
        self.label_bounds = label_bounds
        self.classes = classes
        self.rows_per_person = rows_per_person
        self.ledger = ledger
        self.random_state = random_state
        self.noise = noise

    @documented(returns="StatedPlan: Printing it costs nothing.")
    def plan(self, n: int, d: int) -> StatedPlan:
        """Everything about the release for n records of d features, before any record is seen."""
        check_estimator(self.estimator)
        classes = None
        if is_classifier(self.estimator):
            classes = (0, 1) if self.classes is None else _labels.listed(self.classes)
        return self._plan(whole(n=n), form_of(self.estimator, whole(d=d), classes))

    def _plan(self, n: int, form: Form) -> StatedPlan:
        budget, row_norm = Budget(self.epsilon, self.delta), moderate(row_norm=self.row_norm)
        return plan(stated_for(self.stability, n), n, form.size, row_norm, budget, self.rows_per_person)

    @documented(returns="self: The fitted estimator.")
    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:
        """Plan from public facts, try the claim on made-up rows, debit the ledger, fit, release.

        `groups` says whose rows are whose, as in the other estimators.
        """
        before = dict(vars(self))
        try:
            return self._fit(X, y, groups)
        except BaseException:
            self.__dict__ = before  # a failed fit leaves nothing behind
            raise

    def _fit(self, X: Any, y: Any, groups: Any) -> Self:
        with before_the_debit():
            check_estimator(self.estimator)
            rows, labels = training_rows(self, X, self._own_labels(y), 2)
            people = rows_to_use(groups, self.rows_per_person, rows.shape[0])
            rows, labels = (rows, labels) if people is None else (rows[people.rows], labels[people.rows])
            classes = _labels.declared(self.classes, labels) if self._classifies else None
            form = form_of(self.estimator, rows.shape[1], classes)
            settled = self._plan(rows.shape[0], form)
            ends = (0.0, 1.0) if classes else self._ends()
            try_claim(self.estimator, form, settled, ends)
            bits, ledger = noise_source(self.noise, self.random_state), checked_ledger(self.ledger)
        needed = delta_of(settled.guarantee(bits.seeded))
        warn_before_spending(self, settled.budget.epsilon, needed, settled.records, bits.seeded)
        released = self._release(rows, labels, classes, form, settled, bits, ledger)
        self._publish(form.split(released.value), settled, released, classes)
        return self

    def _release(
        self,
        rows: Any,
        labels: npt.NDArray[Any],
        classes: tuple[Any, ...] | None,
        form: Form,
        settled: StatedPlan,
        bits: Bits,
        ledger: LedgerLike | None,
    ) -> Released:
        account: LedgerLike = Ledger() if ledger is None else ledger
        event, neighbours = settled.added.event, settled.neighbours
        with account.reserve(event, label=type(self).__name__, neighbours=neighbours) as entry, apart():
            with after_the_debit():
                (seed,) = seeds_for_strangers(1, bits)
                targets = settled_targets(labels, classes, None if classes else self._ends())
                found = fit_stranger(rows, targets, self.estimator, form, settled.row_norm, seed)
                released = release(found, settled, entry, bits)
            entry.commit()
        return replace(released, origin=origin_now(ledger))

    @property
    def _classifies(self) -> bool:
        return bool(is_classifier(self.estimator))

    def _own_labels(self, y: Any) -> npt.NDArray[Any]:
        name = type(self).__name__
        if self._classifies:
            return _labels.own_classes(y, self.classes, name)
        self._ends()
        return _labels.own_numbers(y, name)

    def _ends(self) -> tuple[float, float]:
        """Between which numbers are held, by the rule of every regressor."""
        ends = _labels.label_range(self.label_bounds)
        Bounds(1.0, label_range=ends)
        return ends

    def _publish(
        self, parts: tuple[Array, Array], settled: StatedPlan, released: Released, classes: tuple[Any, ...] | None
    ) -> None:
        names = getattr(self, "feature_names_in_", None)
        self.model_ = LinearModel(
            kind=Task.REGRESSION if classes is None else Task.CLASSIFICATION,
            estimator=type(self).__name__,
            coef=parts[0],
            intercept=parts[1],
            classes=classes,
            link=Link.IDENTITY if classes is None else Link.SIGN,
            loss=None,
            guarantee=released.guarantee,
            feature_names=None if names is None else tuple(str(name) for name in names),
            row_bounds=RowBounds(settled.row_norm, None),
            origin=released.origin,
        )
        self.coef_ = np.array(self.model_.coef_)
        intercept = self.model_.intercept_
        self.intercept_ = np.array(intercept) if np.ndim(intercept) else intercept
        self.guarantee_ = self.model_.guarantee
        if classes is not None:
            self.classes_ = self.model_.classes_

    @documented(returns="array of shape (n,): A label or number for each row.")
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predictions from released values: free."""
        check_is_fitted(self)
        return self.model_.predict(rows_as_fitted(self, X, self.model_.feature_names))

    @documented(returns="float: The share that is right, or R².")
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """How well these rows are predicted, for free: they are not protected."""
        measure = accuracy_score if self._classifies else r2_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))

    @available_if(lambda self: self._classifies)
    @documented(returns="array of shape (n,) or (n, K): Above 0 speaks for the second class.")
    def decision_function(self, X: Any) -> Array:
        """Scores: (n,) for two classes, (n, K) for more."""
        check_is_fitted(self)
        return self.model_.decision_function(rows_as_fitted(self, X, self.model_.feature_names))

    @documented()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the released model as JSON; `equipoise.load` reads it."""
        check_is_fitted(self)
        self.model_.save(path)

    @documented(returns="Card: As text, HTML and JSON.")
    def card(self, data: str | None = None) -> Card:
        """The page to ship with the model; it names you as the source of the claim."""
        check_is_fitted(self)
        return self.model_.card(data)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            inner = get_tags(self.estimator)
            tags.estimator_type = inner.estimator_type
            tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
            if tags.regressor_tags is not None:
                tags.regressor_tags.poor_score = True  # at small ε honest noise can leave little of the signal
            if tags.classifier_tags is not None:
                tags.classifier_tags.poor_score = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True  # a missing cell counts as 0
        tags.target_tags.required = True
        tags.non_deterministic = self.random_state is None
        return tags
