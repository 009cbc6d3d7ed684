"""How well forecasts of a classifier fit what happened: released or public numbers, intervals and a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._docs import documented
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.tables.calibration import mean_interval, rate_interval

Array = npt.NDArray[np.float64]


@documented(record=True)
@dataclass(frozen=True, slots=True)
class BrierScore:
    """The mean squared error of forecasts, with an interval for its value in the population."""

    value: float
    low: float
    high: float
    level: float
    guarantee: Guarantee | None = None
    """None where the rows are public and nothing was charged."""

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"Brier score {self.value:.4f} ({self.low:.4f} to {self.high:.4f}), {_paid(self.guarantee)}"


@documented(record=True)
@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A reliability curve: for each bin of the forecast how often the second class came.

    `mean_predicted` is exact for public rows and the middle of the bin otherwise.  `low` and `high` hold for each bin
    by itself, at `level`, and include the noise.  `observed` is NaN where no count is left.
    """

    edges: Array
    mean_predicted: Array
    observed: Array
    low: Array
    high: Array
    counts: Array
    brier: BrierScore
    level: float
    guarantee: Guarantee | None = None

    @documented(returns="matplotlib axes: What it was drawn on.")
    def plot(self, ax: Any = None) -> Any:
        """The curve with its intervals, beside the diagonal of a perfect forecast; the axes it was drawn on."""
        from equipoise.outside.density.plot import BLUE, new_axes  # matplotlib is not always there

        axes = new_axes() if ax is None else ax
        shown = np.isfinite(self.observed)
        x, y = self.mean_predicted[shown], self.observed[shown]
        sides = np.maximum([y - self.low[shown], self.high[shown] - y], 0.0)
        axes.plot([0, 1], [0, 1], color="#777777", linestyle="--", linewidth=1, label="perfect")
        axes.errorbar(x, y, yerr=sides, color=BLUE, marker="o", capsize=3, label=_paid(self.guarantee))
        axes.set(xlabel="forecast chance", ylabel="how often it came", xlim=(0, 1), ylim=(0, 1))
        axes.set_title(f"Brier score {self.brier.value:.3f}")
        axes.legend(frameon=False)
        return axes

    def __str__(self) -> str:
        rows = ["   forecast     came   interval        rows"]
        for place, middle in enumerate(self.mean_predicted):
            span = f"{self.low[place]:.3f}-{self.high[place]:.3f}"
            rows.append(f"     {middle:6.3f}   {self.observed[place]:6.3f}   {span}   {self.counts[place]:8.1f}")
        return "\n".join([str(self.brier), *rows])


def brier_of(mean: float, records: int, reach: float, level: float, guarantee: Guarantee | None) -> BrierScore:
    """From a mean of squared errors known up to ±reach but for half of 1 − level; exactly where reach is 0."""
    value = min(1.0, max(0.0, mean))
    chance = (1 - level) / (2 if reach > 0 else 1)
    return BrierScore(value, *mean_interval(mean, records, reach, chance), level, guarantee)


def curve_of(
    counts: Array, middles: Array, reach: float, brier: BrierScore, guarantee: Guarantee | None
) -> Calibration:
    """From counts (bins × outcome), each known up to ±reach but for a quarter of 1 − level; exactly where it is 0."""
    chance = (1 - brier.level) / (2 if reach > 0 else 1)
    low, high = np.array([rate_interval(came, not_, reach, chance) for not_, came in counts]).T
    kept = np.maximum(counts, 0.0)
    total = kept.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = np.where(total > 0, kept[:, 1] / total, np.nan)
    edges = np.linspace(0.0, 1.0, len(counts) + 1)
    return Calibration(edges, middles, observed, low, high, total, brier, brier.level, guarantee)


def middles_of(bins: int) -> Array:
    """The middle of each of so many equal bins of [0, 1]."""
    return (np.arange(bins) + 0.5) / bins


def public_counts(chance: Array, came: Array, bins: int) -> tuple[Array, Array]:
    """For rows that are public: counts (bins × outcome) and the mean forecast of each bin, its middle when empty."""
    place = np.minimum((chance * bins).astype(np.intp), bins - 1)
    counts = np.bincount(2 * place + came.astype(np.intp), minlength=2 * bins).reshape(bins, 2).astype(np.float64)
    total = counts.sum(axis=1)
    sums = np.bincount(place, weights=chance, minlength=bins)
    return counts, np.where(total > 0, sums / np.maximum(total, 1), middles_of(bins))


def _paid(guarantee: Guarantee | None) -> str:
    return "public rows" if guarantee is None else f"private, epsilon {guarantee.epsilon:g}"
