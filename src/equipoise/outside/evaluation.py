"""How good a model is: a number with its interval, exact on public rows or released on private ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise.theory.guarantees import Guarantee
from equipoise.theory.tables.calibration import mean_interval


@dataclass(frozen=True, slots=True)
class Evaluation:
    """`metric` is "accuracy", or "root mean squared error" in the target's unit.

    The interval, at `level`, is for the population that the rows are a sample of, noise included.  It holds for rows
    that the model was not trained on.
    """

    metric: str
    value: float
    low: float
    high: float
    level: float
    records: int
    unit: str = ""
    guarantee: Guarantee | None = None
    """None where the rows are public and nothing was charged."""
    clipped: float | None = None
    """Errors beyond this count as this; None where they count as they are."""
    clipped_part: float | None = None
    """The part of the rows that err by more, at most, at `level`."""

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        paid = "public rows" if self.guarantee is None else f"private, epsilon {self.guarantee.epsilon:g}"
        unit = f" {self.unit}" if self.unit else ""
        known = f"{self.low:.4g} to {self.high:.4g}" if self.low > 0 else f"below {self.high:.4g}"
        found = f"{self.value:.4g}{unit} ({known})"
        if self.value <= 0 and self.guarantee is not None:  # noise has swallowed it: it is not nought
            found = f"below {self.high:.4g}{unit}"
        return f"{self.metric} {found}, {self._beyond(unit)}{paid}"

    def _beyond(self, unit: str) -> str:
        if self.clipped is None or self.clipped_part is None:
            return ""
        return f"errors beyond {self.clipped:.4g}{unit} (at most {self.clipped_part:.2%} of rows) count as that, "


def accuracy_of(
    mean: float, records: int, reach: float, level: float, guarantee: Guarantee | None, independent: int | None = None
) -> Evaluation:
    """From the share of rows predicted right, known up to ±reach but for half of 1 − level; exactly where it is 0.

    `independent` is how many of them the interval may count on, where rows of one person belong together.
    """
    low, high = mean_interval(mean, independent or records, reach, _chance(level, reach))
    return Evaluation("accuracy", min(1.0, max(0.0, mean)), low, high, level, records, guarantee=guarantee)


def root_error_of(
    mean: float,
    width: float,
    unit: str,
    records: int,
    reach: float,
    level: float,
    guarantee: Guarantee | None,
    independent: int | None = None,
    *,
    square: float = 1.0,
    sizes: int = 1,
    part: float | None = None,
) -> Evaluation:
    """From the mean of squared errors in units of the bounds' width, or of a usual size with this square: one of so
    many `sizes` that the rows themselves chose among, so that the interval holds for all of them at once."""
    size = width * math.sqrt(square)
    ends = mean_interval(mean, independent or records, reach, _chance(level, reach) / sizes)
    value, low, high = (size * math.sqrt(min(1.0, max(0.0, each))) for each in (mean, *ends))
    beyond = (size, part) if square < 1 else (None, None)
    return Evaluation("root mean squared error", value, low, high, level, records, unit, guarantee, *beyond)


def _chance(level: float, reach: float) -> float:
    """What is left for sampling."""
    return (1 - level) / (2 if reach > 0 else 1)
