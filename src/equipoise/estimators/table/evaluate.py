"""How good a released model is on a table: exactly where the rows are public, charged where they are not.

The argument is docs/proofs/evaluation.md.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from equipoise._checks import fraction, positive
from equipoise.errors import InvalidInput
from equipoise.estimators._account import checked_ledger
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators._warnings import warn_of_price
from equipoise.estimators.cluster.parts import Parts
from equipoise.estimators.linear.given import check_flag
from equipoise.estimators.table.far_evaluation import far_table, mean_of_public, sum_of_terms
from equipoise.estimators.table.fit import _check_table
from equipoise.estimators.table.labels import labels_of, target_of
from equipoise.estimators.table.people import neighbours_of, people_of
from equipoise.estimators.table.spread import without_rows
from equipoise.gate import RandomState, bits_from
from equipoise.gate.tables.evaluation import EvaluationPlan, UsualMean, release_sum, release_usual
from equipoise.inside import Private
from equipoise.inside.design.contract import Array
from equipoise.inside.strangers import unseen
from equipoise.inside.tables.evaluation import right_or_wrong, squared_shares
from equipoise.ledger import Ledger, LedgerLike
from equipoise.outside.evaluation import Evaluation, accuracy_of, root_error_of
from equipoise.outside.table.model import TableModel
from equipoise.schema import Classes, Range
from equipoise.schema.tables import Table, column_types, read_table
from equipoise.schema.tables.parquet import is_parquet, open_parquet
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.tables.calibration import noise_reach
from equipoise.theory.tables.usual_errors import LEVELS, offer


def evaluate(
    model: TableModel,
    data: Any,
    *,
    public: bool = False,
    epsilon: float | None = None,
    delta: float = 0.0,
    level: float = 0.95,
    ledger: LedgerLike | None = None,
    random_state: RandomState = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    decimal: str | None = None,
    engine: Any = None,
) -> Evaluation:
    """Accuracy of a classifier, root mean squared error of a regressor, with an interval.

    Say which: `public=True` for rows that need no protection, exact and free; or `epsilon`, which is charged to the
    ledger and pays for one noisy number.  Labels and predictions are settled as in the fit: a label that is no class
    counts as the first, numbers are clipped to the target's bounds.  Where the schema names persons, the first rows of
    each up to its cap are used, and a person is protected.  Rows that the model was trained on flatter it.

    Of private numbers a usual size of errors is found first, for 5 to 20 % of ε, where rows times ε are 1,100 or more:
    errors beyond twice that size count as that, and the noise is made for it instead of for the bounds.  `clipped` says
    where that is, and `clipped_part` how many of the rows are beyond at most.

    Parameters
    ----------
    model : TableModel
        What `equipoise.fit` or `equipoise.load` gave.
    data : path, data frame or dictionary of columns
        Rows with the target; also a Dask data frame.
    public : bool, default False
        Whether the rows are public.
    epsilon, delta : float
        The price of a private evaluation; δ is not used.
    level : float, default 0.95
        Of the interval.
    ledger : Ledger or SQLLedger, optional
        Whom to charge.
    random_state : int, optional
        Makes the result repeatable and not private, for tests only.
    delimiter, encoding : str
        Of a CSV file.
    decimal : str, optional
        "," where a CSV file writes numbers as 1,5; else a point.
    engine : distributed.Client, optional
        Whose workers read the table and predict, a Dask data frame or Parquet that all of them can read; None for the
        client in force where the table is Dask's, and else for this machine.

    Returns
    -------
    Evaluation
        `metric`, `value`, `low`, `high`; `guarantee` is None where the rows are public, `clipped` where errors count as
        they are.

    Examples
    --------
    >>> import equipoise as eq
    >>> schema = eq.Schema.from_dict({"target": {"column": "ill", "classes": ["no", "yes"]},
    ...                               "columns": {"age": {"kind": "number", "bounds": [0, 100]}}})
    >>> table = {"age": list(range(100)) * 20, "ill": (["no"] * 50 + ["yes"] * 50) * 20}
    >>> model = eq.fit(table, schema, epsilon=5.0)
    >>> found = eq.evaluate(model, table, epsilon=1.0)
    >>> bool(found.low < found.value <= 1.0), found.guarantee.epsilon
    (True, 1.0)
    """
    written: dict[str, Any] = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal}
    with before_the_debit():
        level = _checked(model, public, epsilon, level, ledger)
        data = open_parquet(data) if engine is not None and is_parquet(data) else data
        far = far_table(model, data, engine)
        _check_table(model.schema, column_types(without_rows(data), **written))
        near = None if far is not None else _near(model, data, written)
        rows = _rows_of(far, near)
        if rows < 1:
            raise InvalidInput("data: has no rows")
        together = None if model.schema.person is None else model.schema.person.rows_per_person
        if epsilon is None:
            return _public(model, far, near, level, together)
        budget = Budget(epsilon, delta)
        errors = offer(rows, budget.epsilon, together or 1) if near is not None and _of_numbers(model) else None
        plan, bits = EvaluationPlan(rows, budget, together, errors), bits_from(random_state)
    if not bits.seeded:
        warn_of_price(epsilon, 0.0, rows)
    account: LedgerLike = Ledger() if ledger is None else ledger
    about = neighbours_of(model.schema)
    with account.reserve(plan.event, label="evaluate", neighbours=about) as entry, unseen():
        found = UsualMean(0.0)
        if near is not None:
            found = release_usual(_terms(model, near), plan, entry, bits)
        elif far is not None:
            found = UsualMean(release_sum(sum_of_terms(model, far), plan, entry, bits))
        entry.commit()
    reach = noise_reach(plan.noise, (1 - level) / 2) / plan.records
    return _told(model, found, plan, reach, level, plan.guarantee(bits.seeded))


def _of_numbers(model: TableModel) -> bool:
    return isinstance(target_of(model.schema), Range)


def _terms(model: TableModel, table: Table) -> Private[Array]:
    """One number in [0, 1] for each record."""
    said, labels, target = model.predict(table), labels_of(table, model.schema), target_of(model.schema)
    if isinstance(target, Classes):
        return right_or_wrong(said, labels, target.classes)
    return squared_shares(said, labels, *target.bounds)


def _near(model: TableModel, data: Any, written: dict[str, Any]) -> Table:
    """Read here; of persons the rows that are used."""
    table = read_table(data, model.schema.needed, **written, numbers=model.schema.numbers)
    people = people_of(model.schema, table)
    return table if people is None else table.take(people.rows)


def _rows_of(far: Parts | None, near: Table | None) -> int:
    """Of whichever there is."""
    if near is not None:
        return len(near)
    return 0 if far is None else far.shape[0]


def _public(model: TableModel, far: Parts | None, near: Table | None, level: float, together: int | None) -> Evaluation:
    """The same number without noise."""
    free = EvaluationPlan(_rows_of(far, near), Budget(1.0), together)  # for its sizes
    mean = _mean_here(model, near) if near is not None else 0.0 if far is None else mean_of_public(model, far)
    return _told(model, UsualMean(mean), free, 0.0, level, None)


def _mean_here(model: TableModel, table: Table) -> float:
    said, labels, target = model.predict(table), labels_of(table, model.schema), target_of(model.schema)
    if isinstance(target, Range):
        low, high = target.bounds
        held = np.where(np.isnan(labels), low / 2 + high / 2, labels)
        terms = ((np.clip(said, low, high) - np.clip(held, low, high)) / (high - low)) ** 2
    else:
        terms = (said == labels).astype(np.float64)
    return math.fsum(terms.tolist()) / len(table)


def _told(
    model: TableModel, told: UsualMean, plan: EvaluationPlan, reach: float, level: float, guarantee: Guarantee | None
) -> Evaluation:
    target, records, counted = target_of(model.schema), plan.records, plan.independent
    if isinstance(target, Classes):
        return accuracy_of(told.mean, records, reach, level, guarantee, counted)
    sizes, part = 1, None
    if told.beyond is not None:
        sizes = LEVELS
        part = min(1.0, max(0.0, told.beyond + noise_reach(plan.count_noise, 1 - level) / records))
    width = target.bounds[1] - target.bounds[0]
    found = (told.mean, width, target.unit, records, reach, level, guarantee, counted)
    return root_error_of(*found, square=told.square, sizes=sizes, part=part)


def _checked(model: Any, public: Any, epsilon: float | None, level: float, ledger: LedgerLike | None) -> float:
    """The level, as a double."""
    if not isinstance(model, TableModel):
        raise InvalidInput(f"model of type {type(model).__name__}: must be a TableModel, as equipoise.fit gives")
    check_flag(public=public)
    if public == (epsilon is not None):
        raise InvalidInput("public, epsilon: say public=True for public rows, or give epsilon to protect private ones")
    if public and ledger is not None:
        raise InvalidInput("ledger: nothing is charged for public rows, give epsilon to protect them")
    checked_ledger(ledger)
    target_of(model.schema)
    return positive(level=fraction(level=level))
