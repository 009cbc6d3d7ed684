"""How many rows and labels a fit would clip: it cannot be known for free, so it is asked for and charged."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.estimators._account import checked_ledger
from equipoise.estimators._columns import names_of, refuse_nameless
from equipoise.estimators._inputs import training_rows
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.gate import RandomState, bits_from
from equipoise.gate.tables.clipped import ClippedPlan, release
from equipoise.inside.strangers import unseen
from equipoise.inside.tables.clipped import enter_changes
from equipoise.ledger import Ledger, LedgerLike
from equipoise.outside.clipped import ClippedCounts
from equipoise.rows import RowBounds
from equipoise.theory.adjacency import Adjacency, Neighbours
from equipoise.theory.guarantees import Budget
from equipoise.theory.tables.calibration import noise_reach

CHANCE = 0.05 / 4
"""That one of the four counts is farther off than is told."""


def count_clipped(
    estimator: PrivateLinear,
    X: Any,
    y: Any,
    *,
    epsilon: float,
    ledger: LedgerLike | None = None,
    random_state: RandomState = None,
) -> ClippedCounts:
    """How many rows and labels a fit of this estimator would bring within its bounds or settle by rule.

    A fit in which nearly everything is clipped looks like any other, and saying so for free would tell of records.
    This is a release of its own: four noisy counts, ε-private, debited before a record is read.

    Parameters
    ----------
    estimator : estimator of this library
        Unfitted or fitted; its bounds, classes and adjacency are used, its epsilon is not.  What is promised is
        promised to one row: with `rows_per_person` it is refused.
    X : table of shape (n, d)
        The rows to fit on.
    y : array of shape (n,)
        Their labels.
    epsilon : float
        The price.  A tenth is plenty from a thousand rows on.
    ledger : Ledger or SQLLedger, optional
        The account that pays.
    random_state : int, optional
        A seed: not private, for tests only.

    Returns
    -------
    ClippedCounts
        Noisy numbers and shares, with their reach and their guarantee.

    Examples
    --------
    >>> import numpy as np, equipoise as eq
    >>> X, y = np.linspace(0, 3, 3000)[:, None], np.zeros(3000)
    >>> found = eq.count_clipped(eq.LogisticRegression(), X, y, epsilon=1.0)
    >>> round(found.share_of_rows, 1), round(found.share_of_labels, 1)
    (0.7, 0.0)
    """
    with before_the_debit():
        if not isinstance(estimator, PrivateLinear):
            raise InvalidInput(f"estimator of type {type(estimator).__name__}: must be one of our linear estimators")
        if estimator.rows_per_person is not None:
            raise MechanismRefused(
                "rows_per_person: counts are promised to one row, not to a person; give a copy of the estimator without"
                " it, clone(estimator).set_params(rows_per_person=None)"
            )
        plan = ClippedPlan(Budget(epsilon), estimator._adjacency())
        fewest = 1 if plan.adjacency is Adjacency.REPLACE_ONE else 0
        reader = _Reader()
        rows, labels = training_rows(reader, estimator._in_numbers(X), estimator._own_labels(y), fewest, np.nan)
        estimator._refuse_filling(rows)
        refuse_nameless(estimator.column_bounds, names_of(reader))
        rows, names = estimator._measured(rows, names_of(reader))
        bounds = estimator._bounds_of(rows.shape[1], names)
        limits = RowBounds(bounds.row_norm, bounds.columns)
        given, bits = checked_ledger(ledger), bits_from(random_state)
    account: LedgerLike = Ledger() if given is None else given
    about = Neighbours(plan.adjacency)
    with account.reserve(plan.event, label="count_clipped", neighbours=about) as entry, unseen():
        changed = enter_changes(rows, limits, labels, estimator._settled_labels(labels))
        counts = release(changed, plan, entry, bits)
        entry.commit()
    neither, label, row, both = (float(count) for count in counts)
    records = float(len(labels)) if plan.adjacency is Adjacency.REPLACE_ONE else neither + label + row + both
    reach = 2 * noise_reach(plan.noise, CHANCE)
    return ClippedCounts(row + both, label + both, records, reach, plan.guarantee(bits.seeded))


class _Reader(BaseEstimator):
    """Takes down names and number of columns, which the estimator is not to learn here."""
