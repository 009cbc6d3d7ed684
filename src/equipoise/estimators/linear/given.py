"""What a caller gave, in the units of the fit and checked by type."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from equipoise._checks import shown, whole
from equipoise.errors import BoundsRequired, InvalidInput
from equipoise.estimators.linear.units import in_scaled_columns
from equipoise.rows.persons import People, people_in
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import zero_sum_basis
from equipoise.theory.mechanisms import MOMENTUM, STABLE_SGD
from equipoise.theory.plan import Descent
from equipoise.theory.stability.descents import SGD
from equipoise.theory.stability.momentum import HeavyBall, Nesterov

Array = npt.NDArray[np.float64]


def fit_centre(centre: Any, bounds: Bounds, classes: int) -> tuple[float, ...]:
    """A published model in the units of the fit: the intercept on its column, labels scaled, classes summing to 0."""
    try:
        rows = np.atleast_2d(np.array(centre, dtype=float))
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput("centre: must be numbers, the coefficients of each class and then its intercept") from None
    if rows.ndim != 2 or len(rows) != (1 if classes == 2 else classes):
        raise InvalidInput("centre: must have one row per class, or one in all for two classes and for regression")
    if not rows.size:
        raise InvalidInput("centre: must have a number for each coefficient, it has none")
    if bounds.columns is not None:
        rows = in_scaled_columns(rows, bounds)
    if bounds.intercept > 0:
        rows[:, -1] = (rows[:, -1] - bounds.label_centre) / bounds.intercept
    if classes > 2:
        rows = zero_sum_basis(classes) @ rows
    return tuple(float(number) for number in (rows / bounds.label_scale).ravel())


def refuse_filling(rows: Any) -> None:
    """Ranges of columns move what is zero."""
    columns = rows.shape[1]
    if issparse(rows):
        size = f"{columns:,} numbers in every row, {8e-6 * columns:,.3g} megabytes each"
        raise InvalidInput(f"column_bounds: centring would fill a sparse X ({size}), scale it beforehand instead")


def into_ball(value: Array, ball: float) -> Array:
    """Noise may push the released vector out of the ball of hypotheses; bringing it back is free."""
    norm = float(np.linalg.norm(value))
    return value if norm <= ball else value * (ball / norm)


def rows_to_use(groups: Any, cap: Any, rows: int) -> People | None:
    """The rows that a cap on rows per person leaves; None where the unit is the row."""
    most = cap_for(groups, cap)
    return None if most is None else people_in(groups, rows, most)


def cap_for(groups: Any, cap: Any) -> int | None:
    """The most rows of one person; None where the unit is the row.  One without the other is refused."""
    if groups is None and cap is None:
        return None
    if groups is None:
        raise InvalidInput("rows_per_person: names a person's rows, give groups= to fit, or leave the cap out")
    if cap is None:
        raise BoundsRequired("rows_per_person: groups= needs a public cap on the rows of one person, give one")
    return whole(rows_per_person=cap)


def mechanism_and_steps(mechanism: str | Descent) -> tuple[str, Descent | None]:
    """The mechanism's name, and how its gradient steps are taken where the caller says."""
    if isinstance(mechanism, HeavyBall | Nesterov):
        return MOMENTUM.name, mechanism
    if isinstance(mechanism, SGD):
        return STABLE_SGD.name, mechanism
    if not isinstance(mechanism, str):  # which name it is, `choose` says
        raise InvalidInput(f"mechanism of type {type(mechanism).__name__}: must be a name, or how steps are taken")
    return mechanism, None


def check_flag(**named: object) -> bool:
    """True or False, nothing else."""
    ((name, value),) = named.items()
    if not isinstance(value, bool | np.bool_):
        raise InvalidInput(f"{name}={shown(value)}: must be True or False")
    return bool(value)


def may_see(middle: str | None) -> bool:
    """Whether "auto" may see rows from their middle."""
    if middle is not None and not (isinstance(middle, str) and middle == "auto"):
        raise InvalidInput(f'middle={shown(middle)}: must be "auto", or None for rows as they are')
    return middle is not None
