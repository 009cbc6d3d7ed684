"""Private ranking: a score that puts records with higher labels above those with lower ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from equipoise._checks import is_word, one_of, positive, whole
from equipoise._docs import documented
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.estimators._labels import own_numbers
from equipoise.estimators.linear.base import MISSING, PrivateLinear
from equipoise.estimators.linear.given import mechanism_and_steps
from equipoise.estimators.linear.source import LetsIn
from equipoise.gate import Bits, RandomState, choose
from equipoise.gate.order import random_order
from equipoise.inside import Private, Records
from equipoise.inside.pairs import enter_pairs
from equipoise.ledger import Entry, LedgerLike
from equipoise.outside import LinearModel, Released
from equipoise.rows import RowBounds
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Logistic, Loss
from equipoise.theory.pairs import Ring
from equipoise.theory.plan import Facts, Plan
from equipoise.theory.regularisers import L2
from equipoise.theory.stability.descents import SGD

Array = npt.NDArray[np.float64]

BLOCK = 1000
"""Rows compared with all others at once, when a ranking is judged."""


@dataclass(slots=True, repr=False)
class PairsEntrance:
    """Records at the door, and who will be paired with whom."""

    rows: Any
    labels: Array
    bounds: Bounds
    limits: RowBounds
    ring: Ring
    order: npt.NDArray[np.intp]

    def __call__(self, entry: Entry) -> Private[Records]:
        return enter_pairs(self.rows, self.labels, self.limits, self.ring, self.order)


@documented("ranker")
class PairwiseRanker(PrivateLinear):
    """Minimises mean logistic loss over pairs of records + (alpha/2)‖w‖²: higher labels are to have higher scores.

    Labels are any numbers; only their order counts, and two different ones make it a bipartite ranker (its score is
    the AUC).  Each record is compared with the same public number of `partners`, in an order drawn without the
    records: all others in small tables.  `predict` gives scores.

    >>> import numpy as np, equipoise as eq
    >>> X = np.random.default_rng(0).uniform(-0.5, 0.5, size=(3000, 3))
    >>> y = X[:, 0] + 0.1 * X[:, 1]
    >>> model = eq.PairwiseRanker(epsilon=3.0).fit(X, y)
    >>> bool(model.score(X, y) > 0.8), model.guarantee_.epsilon
    (True, 3.0)
    """

    centre = None
    fit_intercept = False
    public_n = None
    _searchable = False
    _by_schema = False
    _instead = "those of differences between rows"

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        pairs: str = "all",
        partners: int | str = "auto",
        mechanism: str | SGD = "auto",
        alpha: float | str = "auto",
        row_norm: float = 1.0,
        adjacency: str = "replace-one",
        rows_per_person: int | None = None,
        coef_norm: float | None = None,
        column_bounds: Any = None,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
        noise: str = "equipoise",
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.pairs = pairs
        self.partners = partners
        self.mechanism = mechanism
        self.alpha = alpha
        self.row_norm = row_norm
        self.adjacency = adjacency
        self.rows_per_person = rows_per_person
        self.coef_norm = coef_norm
        self.column_bounds = column_bounds
        self.ledger = ledger
        self.random_state = random_state
        self.noise = noise

    def _loss(self, classes: int) -> Loss:
        return Logistic()

    def _bounds(self) -> Bounds:
        return self._given_bounds()

    def _adjacency(self) -> Adjacency:
        about = super()._adjacency()
        if about is Adjacency.ADD_REMOVE:
            raise MechanismRefused("adjacency: one record more would change everybody's partners, use replace-one")
        return about

    def _plan(self, n: int, d: int, classes: int, bounds: Bounds | None = None) -> Plan:
        if one_of(("all", "cross"), pairs=self.pairs) == "cross":
            raise MechanismRefused(
                'pairs="cross": how many pairs of different classes there are is a secret of the labels, use "all"'
            )
        budget, given = Budget(self.epsilon, self.delta), self._bounds_of(d, self._names())
        alpha = None if is_word(self.alpha, "auto") else positive(alpha=self.alpha)
        ring = self._ring(n, d)
        bounds = Bounds(2 * given.row_norm, coef_norm=given.coef_norm)
        name, steps = mechanism_and_steps(self.mechanism)
        facts = Facts(
            self._loss(2), L2(alpha or 1.0), bounds, ring.pairs, d, self._adjacency(), self.rows_per_person, steps,
            partners=ring.partners,
        )  # fmt: skip
        return choose(facts, budget, name, alpha)

    def _ring(self, n: int, d: int) -> Ring:
        return Ring.usual(n, d) if is_word(self.partners, "auto") else Ring(n, whole(partners=self.partners))

    def _own_labels(self, y: Any) -> Array:
        return own_numbers(y, type(self).__name__)

    def _settled_labels(self, labels: npt.NDArray[Any]) -> Array:
        return np.asarray(labels)

    def _entrance(self, rows: Any, labels: npt.NDArray[Any], bounds: Bounds, plan: Plan, bits: Bits) -> LetsIn:
        given = self._bounds_of(rows.shape[1], self._names())
        ring = Ring(plan.facts.records, plan.facts.partners or 1)
        order = np.asarray(random_order(ring.records, bits), dtype=np.intp)
        return PairsEntrance(rows, labels, bounds, RowBounds(given.row_norm, given.columns), ring, order)

    def _model(self, value: Array, plan: Plan, released: Released, classes: tuple[Any, ...] | None) -> LinearModel:
        own = replace(self._bounds_of(value.shape[1], self._names()), intercept=0.0)
        coef, intercept = self._split(value, own)
        compared = f"each record was compared with {plan.facts.partners} others, in an order drawn without them"
        note = f"{compared}; a label that is no number is neither above nor below; {MISSING}"
        return LinearModel(
            kind=plan.facts.loss.traits.task,
            estimator=type(self).__name__,
            coef=coef,
            intercept=intercept,
            classes=("lower", "higher"),
            link=plan.facts.loss.traits.link,
            loss=plan.facts.loss,
            guarantee=replace(released.guarantee, notes=(*released.guarantee.notes, note)),
            feature_names=self._names(),
            row_bounds=RowBounds(own.row_norm, own.columns),
            origin=released.origin,
        )

    def _refuse_filling(self, rows: Any) -> None:
        if issparse(rows):
            raise InvalidInput("X: differences of rows would fill a sparse matrix, give an array (X.toarray())")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags

    @documented(returns="array of shape (n,): A score for each row; the highest comes first.")
    def predict(self, X: Any) -> Array:
        """Scores from released values: free."""
        check_is_fitted(self)
        return self.model_.decision_function(self._asked(X))

    @documented(returns="float: In [0, 1]; a half is chance.")
    def score(self, X: Any, y: Any) -> float:
        """The share of pairs with different labels that are in the right order, for free: these rows are not protected.

        With two values of labels it is the area under the ROC curve.
        """
        return concordance(self.predict(X), self._own_labels(y))


def concordance(scores: Array, labels: Array) -> float:
    """Ties of scores count half; a half where no two labels differ."""
    right = wanted = 0.0
    for first in range(0, len(labels), BLOCK):
        part = slice(first, first + BLOCK)
        above = labels[part, None] > labels
        apart = scores[part, None] - scores
        right += float(np.sum(above * ((apart > 0) + 0.5 * (apart == 0))))
        wanted += float(np.sum(above))
    return right / wanted if wanted else 0.5
