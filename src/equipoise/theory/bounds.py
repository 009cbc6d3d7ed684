"""What is public about the records, chosen before looking at them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise._checks import LARGEST, SMALLEST, moderate, not_negative, number, shown
from equipoise.errors import InvalidInput
from equipoise.theory.additive import Encoding
from equipoise.theory.lifts import Lift
from equipoise.theory.rounding import ONE_STEP, up

ROUNDING = 1e-12
"""Clipping in doubles can leave a row a few ulp too long: rows are clipped to a little less than B and used as B."""


def clip_margin(columns: int) -> float:
    """Rows are clipped to B(1 − this): twice what measuring and scaling a row can err (docs/proofs/entrance.md)."""
    return ROUNDING + (columns + 8) * 2.0**-51


@dataclass(frozen=True, slots=True)
class View:
    """Where rows are seen from: what lies between a middle and a row, shortened to `reach`, is the row.

    The middle is in the units of the fit; None while it is still to be released (docs/proofs/noisy_gradients.md).
    """

    reach: float
    middle: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        moderate(reach=self.reach)
        if any(not abs(number(middle=each)) <= LARGEST for each in self.middle or ()):
            raise InvalidInput(f"middle: must be within {LARGEST:g}, choose other units")


@dataclass(frozen=True, slots=True)
class Bounds:
    """Rows have L2 norm at most `row_norm`; a constant column `intercept` is appended (0: none).

    `label_range` is for regression, `classes` for classification.  `coef_norm` is the radius of the ball of
    hypotheses, infinite when there is none.  `columns`, where given, are the range of each feature in its own units:
    values are clipped to it, centred, and scaled so that a row at the ranges' corners has norm `row_norm`.  `encoding`,
    of additive models, makes numbers of the columns whose norm is below one by itself; a `lift` makes others of the
    whole row, of norm `row_norm` by itself.  With a `view` the rows of the fit are what lies between its middle and a
    row within these bounds.  `usual_labels` are the part of `label_range` that labels are brought within, where one was
    released.
    """

    row_norm: float
    intercept: float = 0.0
    label_range: tuple[float, float] | None = None
    classes: tuple[object, ...] | None = None
    coef_norm: float = math.inf
    columns: tuple[tuple[float, float], ...] | None = None
    encoding: Encoding | None = None
    lift: Lift | None = None
    view: View | None = None
    usual_labels: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        self._in_doubles()
        moderate(row_norm=self.row_norm)
        if not_negative(intercept=self.intercept) > LARGEST:
            moderate(intercept=self.intercept)
        if math.isnan(self.coef_norm) or self.coef_norm <= 0:
            raise InvalidInput(f"coef_norm={shown(self.coef_norm)}: must be > 0")
        if math.isfinite(self.coef_norm):
            moderate(coef_norm=self.coef_norm)
        if self.label_range is not None:
            low, high = (number(label_bounds=edge) for edge in self.label_range)
            if not low < high:
                raise InvalidInput(f"label_bounds=({low}, {high}): the first must be below the second")
            # Labels are scaled to one before anything is computed, so they may be of almost any size.
            moderate(7, label_bounds=high / 2 - low / 2)
            moderate(7, label_bounds=max(abs(low), abs(high)))
        if self.usual_labels is not None:
            low, high = self.usual_labels
            if self.label_range is None or not self.label_range[0] <= low < high <= self.label_range[1]:
                raise InvalidInput("usual labels: must be a part of label_bounds")
            moderate(7, label_bounds=high / 2 - low / 2)
        if self.encoding is not None and (self.columns is not None or self.row_norm != 1.0):
            raise InvalidInput("row_norm: an additive model's encoded rows have norm one, give no other")
        if self.lift is not None and (self.columns, self.encoding, self.row_norm) != (None, None, self.lift.norm):
            raise InvalidInput("row_norm: rows that are lifted have the norm of their lift, give no other")
        if self.view is not None and (self.lift, self.encoding) != (None, None):
            raise InvalidInput("middle: rows that are encoded or lifted have none")
        for low, high in self.columns or ():
            _check_range("column_bounds", number(column_bounds=low), number(column_bounds=high))
        if self.classes is not None and len(set(self.classes)) < max(2, len(self.classes)):
            raise InvalidInput("classes: list at least two different labels")

    def _in_doubles(self) -> None:
        """Numbers of other types equal doubles, so that plans that are kept would hand them on; and they round as their
        type does."""
        plain: dict[str, object] = {
            "row_norm": number(row_norm=self.row_norm),
            "intercept": number(intercept=self.intercept),
        }
        if self.coef_norm != math.inf:
            plain["coef_norm"] = number(coef_norm=self.coef_norm)
        if self.label_range is not None:
            plain["label_range"] = tuple(number(label_bounds=edge) for edge in self.label_range)
        if self.columns is not None:
            plain["columns"] = tuple(tuple(number(column_bounds=edge) for edge in pair) for pair in self.columns)
        for name, value in plain.items():
            object.__setattr__(self, name, value)

    @property
    def norm(self) -> float:
        """The norm of a row of the fit with its constant column: the B of every theorem."""
        return up(math.hypot(self.reach, self.intercept), ONE_STEP)

    @property
    def reach(self) -> float:
        """The norm of a row of the fit without it."""
        return self.row_norm if self.view is None else self.view.reach

    def features(self, columns: int) -> int:
        """How many numbers a row of so many columns has when it is fitted, its constant column included."""
        own = columns if self.encoding is None else self.encoding.width
        own = own if self.lift is None else self.lift.features
        return own + (1 if self.intercept > 0 else 0)

    @property
    def label_centre(self) -> float:
        """Labels are shifted by this before fitting; zero without an intercept to put it back into."""
        inside = self.lift is not None and self.lift.constant
        ends = self.usual_labels or self.label_range
        if ends is None or (self.intercept == 0 and not inside):
            return 0.0
        return ends[0] / 2 + ends[1] / 2

    @property
    def label_scale(self) -> float:
        """Labels are divided by this, so that every theorem sees |y| ≤ 1."""
        ends = self.usual_labels or self.label_range
        if ends is None:
            return 1.0
        low, high = ends
        return max(high - self.label_centre, self.label_centre - low)

    @property
    def moved(self) -> bool:
        """Whether a row of the fit is in other units than the caller's, or seen from elsewhere."""
        return self.columns is not None or (self.view is not None and self.view.middle is not None)

    @property
    def column_centres(self) -> tuple[float, ...]:
        """What is zero to the fit, in each column's own units: the middle of its range, moved by that of the rows."""
        middles = tuple(low / 2 + high / 2 for low, high in self.columns or ())
        if self.view is None or self.view.middle is None:
            return middles
        own = middles or (0.0,) * len(self.view.middle)
        moved = zip(own, self.view.middle, self.column_scales, strict=True)
        return tuple(centre + by / scale for centre, by, scale in moved)

    @property
    def column_scales(self) -> tuple[float, ...]:
        """One unit of each column, after centring, becomes this much: row_norm/√d per half range."""
        if self.columns is None and self.view is not None:
            return (1.0,) * len(self.view.middle or ())
        ranges = self.columns or ()
        share = self.row_norm / math.sqrt(max(1, len(ranges)))
        return tuple(share / half if (half := (high - low) / 2) > 0 else math.inf for low, high in ranges)


def _check_range(name: str, low: float, high: float) -> None:
    if not low < high:
        raise InvalidInput(f"{name}=({low}, {high}): the first must be below the second")
    if max(abs(low), abs(high)) > LARGEST or high - low < SMALLEST:
        raise InvalidInput(f"{name}=({low}, {high}): must be within {LARGEST:g}, choose other units")
