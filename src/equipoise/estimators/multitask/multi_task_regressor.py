"""Private regression for several related tasks: a common model, and for each task what is its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from equipoise._checks import number, one_of, positive, shown
from equipoise._docs import documented
from equipoise.errors import BoundsRequired, InvalidInput
from equipoise.estimators._inputs import rows_as_fitted
from equipoise.estimators.linear.entrance import Entrance
from equipoise.estimators.linear.regressor import PrivateRegressor
from equipoise.estimators.linear.source import LetsIn
from equipoise.gate import Bits, RandomState
from equipoise.ledger import LedgerLike
from equipoise.outside import LinearModel, Released
from equipoise.outside.inputs import column_names
from equipoise.outside.model import plain_labels
from equipoise.rows import RowBounds
from equipoise.rows.codes import refuse_words
from equipoise.rows.lifts.tasks import Tasks
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Huber, Loss, Squared
from equipoise.theory.plan import Plan
from equipoise.theory.stability.descents import SGD

Array = npt.NDArray[np.float64]

LOSSES = ("squared", "huber")


@documented("tasks")
class MultiTaskRegressor(PrivateRegressor):
    """Minimises mean loss + (alpha/2)(‖v‖²/c + Σ‖u_t‖²/(1 − c)) with w_t = v + u_t, c = `coupling`; labels in [−1, 1].

    One column of the table, `task_column`, says which of the public `tasks` a row belongs to.  Tasks with few rows
    lean on the others: `coupling` is the part of a coefficient that all tasks are expected to share.  0 fits each task
    by itself, 1 one model for everybody.  One row of one task is protected, and all tasks together cost what one model
    costs.  A row of a task that is not listed has the common model.

    >>> import numpy as np, equipoise as eq
    >>> rng = np.random.default_rng(0)
    >>> X, task = rng.uniform(-0.5, 0.5, size=(6000, 2)), rng.integers(3, size=6000)
    >>> y = X[:, 0] + 0.2 * task * X[:, 1]
    >>> model = eq.MultiTaskRegressor(5.0, tasks=[0, 1, 2], label_bounds=(-1, 1))
    >>> model = model.fit(np.column_stack([task, X]), y)
    >>> model.task_coef_.shape, bool(model.score(np.column_stack([task, X]), y) > 0.8)
    ((3, 2), True)
    """

    centre = None
    _searchable = False
    _by_schema = False
    _instead = "those of each task"

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        tasks: Sequence[Any] | None = None,
        task_column: int | str = 0,
        coupling: float = 0.5,
        loss: str = "squared",
        threshold: float | None = None,
        mechanism: str | SGD = "auto",
        alpha: float | str = "auto",
        row_norm: float = 1.0,
        fit_intercept: bool = True,
        label_bounds: tuple[float, float] | None = None,
        adjacency: str = "replace-one",
        public_n: int | None = None,
        rows_per_person: int | None = None,
        coef_norm: float | None = None,
        column_bounds: Any = None,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
        noise: str = "equipoise",
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.tasks = tasks
        self.task_column = task_column
        self.coupling = coupling
        self.loss = loss
        self.threshold = threshold
        self.mechanism = mechanism
        self.alpha = alpha
        self.row_norm = row_norm
        self.fit_intercept = fit_intercept
        self.label_bounds = label_bounds
        self.adjacency = adjacency
        self.public_n = public_n
        self.rows_per_person = rows_per_person
        self.coef_norm = coef_norm
        self.column_bounds = column_bounds
        self.ledger = ledger
        self.random_state = random_state
        self.noise = noise

    def _loss(self, classes: int) -> Loss:
        if one_of(LOSSES, loss=self.loss) == "squared":
            if self.threshold is not None:
                raise InvalidInput('threshold: is for loss="huber", the squared loss has none')
            return Squared()
        scale = self._bounds().label_scale
        return Huber(0.5 if self.threshold is None else positive(threshold=self.threshold) / scale)

    def _lift(self, d: int, names: tuple[str, ...] | None) -> Tasks:
        if self.tasks is None or isinstance(self.tasks, str):
            raise BoundsRequired("tasks: list them, known without the data")
        try:
            listed = plain_labels(tuple(self.tasks)) or ()
        except (TypeError, InvalidInput):
            raise InvalidInput("tasks: list different names or numbers, at most some thousands") from None
        place = self._place(d, names)
        given = self._bounds_of(d - 1, None if names is None else names[:place] + names[place + 1 :])
        limits = RowBounds(given.row_norm, given.columns)
        return Tasks(limits, d, place, listed, number(coupling=self.coupling), given.intercept)

    def _place(self, d: int, names: tuple[str, ...] | None) -> int:
        """Of the tasks' column; a name, before there is a table, may be any of them."""
        column = self.task_column
        if isinstance(column, str):
            if names is not None and column not in names:
                raise InvalidInput(f"task_column={shown(column)}: no column has this name")
            return 0 if names is None else names.index(column)
        if isinstance(column, bool) or not isinstance(column, int | np.integer) or not 0 <= column < d:
            raise InvalidInput(f"task_column={shown(column)}: is no column, give its name or its place, 0 to {d - 1}")
        return int(column)

    def _bounds_for(self, d: int, n: int) -> Bounds:
        given, lift = self._bounds(), self._lift(d, self._names())
        return Bounds(lift.norm, label_range=given.label_range, coef_norm=given.coef_norm, lift=lift)

    def _entrance(self, rows: Any, labels: npt.NDArray[Any], bounds: Bounds, plan: Plan, bits: Bits) -> LetsIn:
        """With the tasks as they are listed: a plan may be another's, whose tasks are equal but of other types."""
        return Entrance(rows, labels, replace(bounds, lift=self._lift(rows.shape[1], self._names())))

    def _middles(self, d: int, names: tuple[str, ...] | None) -> float:
        return np.nan

    def _in_numbers(self, X: Any) -> Any:
        refuse_words(X, () if self.tasks is None else self.tasks, "tasks")
        names, shape = column_names(X), tuple(getattr(X, "shape", ()))
        if names is None and isinstance(self.task_column, str):
            raise InvalidInput("task_column: a table without names has no such column, give its place")
        if names is None or len(shape) != 2 or shape[1] < 1:
            return X
        return self._lift(int(shape[1]), names).readable(X)

    def _measured(self, rows: Any, names: tuple[str, ...] | None) -> tuple[Any, tuple[str, ...] | None]:
        lift = self._lift(rows.shape[1], names)
        others = None if names is None else names[: lift.column] + names[lift.column + 1 :]
        return lift.apart(rows)[1], others

    def _asked(self, X: Any) -> Any:
        assert isinstance(self.model_.lift, Tasks)
        return rows_as_fitted(self, self.model_.lift.readable(X), self._names())

    def _refuse_filling(self, rows: Any) -> None:
        if self.column_bounds is not None and issparse(rows):
            raise InvalidInput("column_bounds: centring would fill a sparse X, scale it beforehand instead")

    def _model(self, value: Array, plan: Plan, released: Released, classes: tuple[Any, ...] | None) -> LinearModel:
        model = super()._model(value, plan, released, classes)
        assert isinstance(model.lift, Tasks)
        many = len(model.lift.tasks)
        note = f"{many} tasks taken as public, coupled by {model.lift.coupling:g}; one row of one task is protected"
        return replace(model, guarantee=replace(model.guarantee, notes=(*model.guarantee.notes, note)))

    def _publish(self, model: LinearModel) -> None:
        super()._publish(model)
        lift = model.lift
        assert isinstance(lift, Tasks)
        self.tasks_ = np.array(lift.tasks)
        (self.task_coef_, self.task_intercept_), (shared, constant) = by_task(model, lift)
        self.shared_coef_, self.shared_intercept_ = shared[0], float(constant[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def by_task(model: LinearModel, lift: Tasks) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Coefficients and intercepts of each task, then of the common part, for columns in their own units."""
    copies = model.coef[0].reshape(-1, lift.numbers)
    (shared, own), common = lift.weights, np.zeros((1, lift.numbers))
    if lift.coupling > 0:
        common, copies = shared * copies[:1], copies[1:]
    each = common + own * copies if lift.coupling < 1 else np.repeat(common, len(lift.tasks), axis=0)
    return _own_units(each, model, lift), _own_units(common, model, lift)


def _own_units(copies: Array, model: LinearModel, lift: Tasks) -> tuple[Array, Array]:
    coef, intercept = copies[:, : lift.width - 1], np.full(len(copies), model.intercept[0])
    if lift.constant:
        intercept = intercept + copies[:, -1] * lift.intercept
    if lift.bounds.columns is None:
        return np.array(coef), intercept
    bounds = Bounds(lift.bounds.row_norm, columns=lift.bounds.columns)
    coef = coef * np.array(bounds.column_scales)
    return coef, intercept - coef @ np.array(bounds.column_centres)
