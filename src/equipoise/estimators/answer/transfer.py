"""Knowledge transfer: label public rows through a private predictor, train an ordinary model on them, release it.

The records are asked only through the predictor's answers, which are paid for; whatever is made of the answers is
post-processing.  So the model, and the labelled rows, have the guarantee of the labelling and no more needs paying,
however often the model is used.  The unlabelled rows must be **public**: nothing here protects them.

Why the guarantee is right: docs/proofs/prediction.md, section 1.  When some labels had been paid for earlier, or a
consensus could use a round bought earlier, the guarantee told is that of everything in the ledger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_classifier, is_regressor

from equipoise._checks import whole
from equipoise._docs import documented
from equipoise.errors import BudgetExhausted, InvalidInput
from equipoise.estimators.answer.protocol import PrivatePredictor
from equipoise.estimators.answer.votes import ConsensusAnswers
from equipoise.estimators.answer.voting_predictor import VotingPredictor
from equipoise.ledger import Spent
from equipoise.outside.card import Card
from equipoise.outside.model import plain_labels
from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.accounting.prices import told_at
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Guarantee

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[Any]

FEWEST = 2
MECHANISM = "transfer"
THEOREM = "post-processing of private answers to public rows"
PUBLIC = "the rows that were labelled are public: nothing protects them"
WHOLE_LEDGER = "some answers were paid for earlier: the promise is that of everything in the ledger"


@documented(record=True)
@dataclass(frozen=True, eq=False)
class Transferred:
    """A model free to release.  `X` and `y` are the public rows and their private labels, free as well.

    `cost` is what this labelling added to the ledger; `guarantee` covers every answer used.  `skipped` counts answers
    of a consensus that were contested and so not used.
    """

    model: Any
    guarantee: Guarantee
    labelled: int
    skipped: int
    cost: Spent
    X: Array
    y: Labels

    @documented(returns="array of shape (n,): Classes or numbers.")
    def predict(self, X: Any) -> Labels:
        """By the model: free, as often as one likes."""
        return np.asarray(self.model.predict(X))

    @documented(returns="Card: Print it, or take `html()`.")
    def card(self) -> Card:
        """The page to ship with the model."""
        kind, classes = ("classifier", tuple(self.model.classes_)) if is_classifier(self.model) else ("regressor", None)
        name = f"{type(self.model).__name__}, trained on {self.labelled} public rows"
        return Card(name, kind, int(self.X.shape[1]), plain_labels(classes), self.guarantee)

    def __str__(self) -> str:
        return self.card().text()


@documented(returns="Transferred: The model, its price and its guarantee.")
def transfer(predictor: PrivatePredictor, X_public: Any, estimator: Any, *, most: int | None = None) -> Transferred:
    """Ask the fitted `predictor` about public rows, from the first on, and fit a clone of `estimator` to its answers.

    It asks for as many distinct rows as the ledger allows, at most `most`, and stops before the budget is exceeded.
    `estimator` is any scikit-learn model of the same kind; it is given plain arrays.  Rows that count as the
    same question are asked once.

    >>> import numpy as np
    >>> import equipoise as eq
    >>> from sklearn.linear_model import LogisticRegression
    >>> from equipoise.answering import StablePredictor, transfer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(5000, 2)) / 2
    >>> ledger = eq.Ledger(epsilon=2.0, delta=1e-6)
    >>> asked = StablePredictor(0.2, 1e-7, ledger=ledger, random_state=1).fit(X, (X[:, 0] > 0).astype(int))
    >>> student = transfer(asked, rng.normal(size=(1000, 2)) / 2, LogisticRegression())
    >>> bool(student.labelled < 1000), bool(student.guarantee.epsilon <= 2.0)
    (True, True)
    >>> student.predict([[0.8, 0.0], [-0.8, 0.0]]).tolist()
    [1, 0]
    """
    _same_kind(predictor, estimator)
    rows = _distinct(predictor, X_public, most)
    before = {record.id for record in predictor.ledger_.entries()}
    known = len(rows) - _new(predictor, rows)
    consensus = isinstance(predictor._here().answerer, ConsensusAnswers)
    answered, labels, skipped = _settled(predictor, rows) if consensus else (*_labelled(predictor, rows), 0)
    records = predictor.ledger_.entries()
    added = [record.event for record in records if record.id not in before]
    every = known > 0 or consensus
    spent = _whole(predictor, [record.event for record in records]) if every else _spent(predictor, added)
    model = _taught(estimator, answered, labels)
    guarantee = _promise(predictor, spent, len(labels), (PUBLIC, *((WHOLE_LEDGER,) if every else ())))
    model.guarantee_ = guarantee
    return Transferred(model, guarantee, len(labels), skipped, _spent(predictor, added), answered, labels)


def _same_kind(predictor: PrivatePredictor, estimator: Any) -> None:
    for named, is_kind in (("classifier", is_classifier), ("regressor", is_regressor)):
        if is_kind(predictor) and not is_kind(estimator):
            raise InvalidInput(f"estimator: the predictor is a {named}, give a scikit-learn {named}")


def _distinct(predictor: PrivatePredictor, X_public: Any, most: int | None) -> Array:
    """The first public rows that are distinct questions, at most `most`; as they are, for the student to learn on."""
    rows, single = predictor._read_queries(X_public)
    if single:
        raise InvalidInput("X_public: must be a table, a single row teaches nothing")
    compared = np.array(predictor._brought_within(rows))
    predictor._bring(compared)
    _, first = np.unique(compared, axis=0, return_index=True)
    kept = np.sort(first)[: len(rows) if most is None else whole(most=most)]
    return np.asarray(rows[kept], dtype=np.float64)


def _new(predictor: PrivatePredictor, rows: Array) -> int:
    return int(predictor.predict(rows, explain_cost=True).new) if len(rows) else 0


def _labelled(predictor: PrivatePredictor, rows: Array) -> tuple[Array, Labels]:
    """As many rows from the front as the ledger pays for, and the answers to them."""
    left = predictor.queries_left()
    kept = rows[: _front(rows, lambda part: _new(predictor, part) <= left)]
    _enough(len(kept))
    try:
        return kept, np.asarray(predictor.predict(kept))
    except BudgetExhausted:  # somebody else spent from the same ledger meanwhile: what is known is still free
        kept = kept[: _front(kept, lambda part: _new(predictor, part) == 0)]
    _enough(len(kept))
    return kept, np.asarray(predictor.predict(kept))


def _settled(predictor: PrivatePredictor, rows: Array) -> tuple[Array, Labels, int]:
    """A consensus, one row at a time: contested answers are mostly noise and are left out.

    Which ones they are is part of what a round may tell.  Rows answered earlier are used as they are.
    """
    if not isinstance(predictor, VotingPredictor):
        raise InvalidInput(f"{type(predictor).__name__}: only VotingPredictor answers in rounds")
    kept: list[int] = []
    labels: list[Any] = []
    skipped = 0
    for place in range(len(rows)):
        contested = predictor.contested_
        try:
            label = predictor.predict(rows[place : place + 1])[0]
        except BudgetExhausted:
            break
        if predictor.contested_ > contested:
            skipped += 1
            continue
        kept.append(place)
        labels.append(label)
    _enough(len(kept))
    return rows[kept], np.asarray(labels), skipped


def _front(rows: Array, holds: Any) -> int:
    """The length of the longest front part for which `holds`, which stops holding once and for all."""
    low, high = 0, len(rows) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(rows[:middle]) else (low, middle)
    return low


def _enough(count: int) -> None:
    if count < FEWEST:
        raise BudgetExhausted(f"X_public: the ledger pays for {count} labels, too few to learn from: raise its limit")


def _taught(estimator: Any, rows: Array, labels: Labels) -> Any:
    if is_classifier(estimator) and len(set(labels.tolist())) < 2:
        raise InvalidInput(
            "X_public: every answer was the same class, so nothing can be learnt; answers are remembered, add rows"
        )
    return clone(estimator).fit(rows, labels)


def _spent(predictor: PrivatePredictor, events: list[Event]) -> Spent:
    """Told at the ledger's δ, or at what rounds of a consensus add up to where that is more."""
    delta = told_at(events, predictor._delta())
    return total_spent(events, delta) if events else Spent(0.0, delta, 0.0)


def _whole(predictor: PrivatePredictor, events: list[Event]) -> Spent:
    """All that is in the ledger, as the ledger adds it up: whoever else spent from it may have chosen prices as they
    went, or for other neighbours."""
    return predictor.ledger_.spent(_spent(predictor, events).delta)


def _promise(predictor: PrivatePredictor, spent: Spent, labelled: int, notes: tuple[str, ...]) -> Guarantee:
    one = predictor.guarantee_
    constants = dict(one.constants) | {"public rows labelled": float(labelled), "epsilon of one answer": one.epsilon}
    return Guarantee(
        epsilon=spent.epsilon,
        delta=spent.delta,
        delta_numeric=spent.delta_numeric,
        adjacency=one.adjacency,
        mechanism=MECHANISM,
        theorem=f"{THEOREM}; {one.theorem}",
        sensitivity=one.sensitivity,
        noise_scale=one.noise_scale,
        seeded=one.seeded,
        unit=one.unit,
        constants=constants,
        notes=notes,
    )
