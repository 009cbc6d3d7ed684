"""Histogram densities: the public box and its grids, how far one record moves a score, and defaults from public facts.

Everything is stated for the unit cube: a grid of m equal cells has cell volume h = 1/m.  Proofs:
docs/proofs/histogram_density.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise._checks import number, positive, shown, whole
from equipoise.errors import InvalidInput
from equipoise.theory.rounding import up

MOST_CELLS = 2**18
MOST_DIMENSIONS = 3
MOST_RECORDS = 2**26
"""Up to here the arithmetic of a score stays well below the grid on which scores are compared."""

MOST_CANDIDATES = 64
REACH = 4.0
"""Default candidates go up to this many times (nε)^(1/(d+1)) bins a side, where noise and bias balance for a density
with slopes of order one; sharper densities want more, and a grid too fine does no harm to the choice of a coarser."""

COARSEN_REACH = 3.0
"""The same where a fine grid is released and coarsened afterwards: its noise stays in what is merged."""

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Box:
    """The public box [low, high] in one to three dimensions; values outside are moved to its edge."""

    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.low) != len(self.high) or not 1 <= len(self.low) <= MOST_DIMENSIONS:
            raise InvalidInput(f"bounds: give one (low, high) pair for each of 1 to {MOST_DIMENSIONS} dimensions")
        for low, high in zip(self.low, self.high, strict=True):
            if not number(bounds=low) < number(bounds=high):
                raise InvalidInput(f"bounds=({shown(low)}, {shown(high)}): low must be below high")
            if not math.isfinite(float(high) - float(low)):
                raise InvalidInput(f"bounds=({shown(low)}, {shown(high)}): too far apart for doubles, rescale")
        object.__setattr__(self, "low", tuple(float(low) for low in self.low))
        object.__setattr__(self, "high", tuple(float(high) for high in self.high))
        if not 0 < self.volume < math.inf:
            raise InvalidInput("bounds: the volume of the box is too small or too large for doubles, rescale")

    @property
    def dimensions(self) -> int:
        return len(self.low)

    @property
    def volume(self) -> float:
        return math.prod(high - low for low, high in zip(self.low, self.high, strict=True))


def cells_of(shape: Shape) -> int:
    """How many cells a grid has; too many are refused."""
    cells = math.prod(whole(bins=bins) for bins in shape)
    if cells > MOST_CELLS:
        raise InvalidInput(f"bins: {cells} cells, at most {MOST_CELLS} are allowed, use fewer bins")
    return cells


def training_stability(records: int, floor: float, cells: int) -> float:
    """β₁ = 4n/(N₀h): n times how far one replaced training record moves the held-out score, for every noise value.

    The sub-density is normalised by max(Σ noisy counts, N₀); it must not fall back to anything else when empty.
    """
    return up(4 * whole(records=records) * whole(cells=cells) / positive(floor=floor))


def validation_stability(cells: int) -> float:
    """β₂ = 2/h: m times how far one replaced validation record moves the held-out score."""
    return up(2 * whole(cells=cells))


def of_held_out(training: int, floor: float, validation: int, cells: int) -> float:
    """max(β₁/n, β₂/m): a record is in one part only, so the larger of the two counts."""
    first = training_stability(training, floor, cells) / training
    return up(max(first, validation_stability(cells) / whole(validation=validation)))


def charge(records: int, cells: int, noise_scale: float) -> float:
    """What leave-one-out takes off for m cells: 2m/(n−1), and the integrated squared error of Laplace noise.

    The noise of m counts adds m·Σz²/n² on average, but never more than the 2m by which two densities can differ.
    """
    noise = 2 * (cells * noise_scale / records) ** 2
    return 2 * cells / (records - 1) + min(noise, 2.0 * cells)


def coarse_score(squares: float, records: float, cells: int, finest: int, variance: float) -> float:
    """The leave-one-out score of m cells from noisy counts of the `finest` ones, corrected for the noise's variance.

    Sums of noisy counts have noise of variance finest/m·variance, so Σc² is too large by finest·variance on average,
    and the histogram released from them loses m·finest·variance/n².
    """
    others = max(records - 1, 1.0)
    fitted = (records + 1) / others * (squares - finest * variance) / records**2
    return cells * (fitted - 2 / others - finest * variance / records**2)


def default_candidates(records: int, epsilon: float, dimensions: int, reach: float = REACH) -> tuple[int, ...]:
    """Bins a side: 1, 2, 4 and so on, up to reach·(nε)^(1/(d+1)).  A function of public facts."""
    most = max(1.0, reach * (records * epsilon) ** (1 / (dimensions + 1)))
    most = min(most, up(MOST_CELLS ** (1 / dimensions)))
    return tuple(2**power for power in range(math.floor(math.log2(most)) + 1))
