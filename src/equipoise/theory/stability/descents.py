"""How gradient steps over records are taken: passes, batches and lengths, all of them public."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from equipoise._checks import number, one_of, positive, shown, whole
from equipoise.errors import BoundsRequired, InvalidInput, MechanismRefused
from equipoise.theory.rounding import LONG_SUM, up

SHRINKING, CONSTANT = "shrinking", "constant"

USUAL_WORK = 500_000
"""Records visited in all passes together, where nobody says how many passes."""

MOST_PASSES, FEWEST_PASSES = 20, 2
MOST_GIVEN = 1_000_000
LARGEST_BATCH, BATCHES = 256, 100
"""Batches are so large, unless that leaves fewer than so many of them."""


@dataclass(frozen=True, slots=True)
class SGD:
    """Gradient steps for `mechanism=`: how many `passes`, how large a `batch`, how long the steps.

    `schedule="shrinking"` takes steps min(1/β, 1/(αt)), whose end one record moves by D/(αn) whatever the passes and
    batches; "constant" takes steps of `step_size`, and `average` then releases the mean of all points.  None leaves a
    number to public facts.

    `keep` masks features: at each step a column is kept with this chance, by a mask drawn without looking, and what is
    left of a row is clipped to `keep` times its bound, so that every bound shrinks as much.  `slope_cap` clips the
    slope of a loss of one score, which leaves it convex and smooth.
    """

    passes: int | None = None
    batch: int | None = None
    schedule: str = SHRINKING
    step_size: float | None = None
    average: bool = False
    keep: float = 1.0
    slope_cap: float | None = None

    def __post_init__(self) -> None:
        if self.passes is not None and whole(passes=self.passes) > MOST_GIVEN:
            raise InvalidInput(f"passes={self.passes}: must be at most {MOST_GIVEN}")
        if self.batch is not None:
            whole(batch=self.batch)
        constant = one_of((SHRINKING, CONSTANT), schedule=self.schedule) == CONSTANT
        if constant and self.step_size is None:
            raise BoundsRequired("step_size: constant steps need their length, give one")
        if self.step_size is not None:
            positive(step_size=self.step_size)
        if not 0 < number(keep=self.keep) <= 1:
            raise InvalidInput(f"keep={shown(self.keep)}: must be above 0 and at most 1")
        if self.slope_cap is not None:
            positive(slope_cap=self.slope_cap)
        if not isinstance(self.average, bool):
            raise InvalidInput(f"average={shown(self.average)}: must be True or False")
        if not constant and (self.step_size is not None or self.average):
            raise InvalidInput('schedule="shrinking": has steps of its own and ends at the last, use "constant"')

    @classmethod
    def of_constants(cls, known: Mapping[str, float]) -> Self:
        """As a guarantee keeps it."""
        passes, batch = round(known["passes"]), round(known["batch"])
        keep, cap = known.get("features kept", 1.0), known.get("slope cap")
        if "constant step" not in known:
            return cls(passes, batch, keep=keep, slope_cap=cap)
        return cls(passes, batch, CONSTANT, known["constant step"], known["averaged"] > 0, keep, cap)

    def settled(self, n: int, strong_convexity: float, smoothness: float) -> Walk:
        """For n records; a step that is too long is refused with its limit."""
        batch = self.batch or max(1, min(LARGEST_BATCH, n // BATCHES))
        if batch > n:
            raise InvalidInput(f"batch={batch}: must be at most the number of records, {n}")
        passes = self.passes or max(FEWEST_PASSES, min(MOST_PASSES, USUAL_WORK // n))
        longest = 2 / (smoothness + strong_convexity)
        if self.step_size is not None and self.step_size > longest:
            raise MechanismRefused(
                f"step_size={shown(self.step_size)}: must be at most {longest:.6g}, two over smoothness plus ridge"
            )
        first = self.step_size or 1 / smoothness
        constant, cap = self.step_size is not None, math.inf if self.slope_cap is None else self.slope_cap
        return Walk(passes, batch, n // batch, first, strong_convexity, constant, self.average, self.keep, cap)


@dataclass(frozen=True, slots=True)
class Walk:
    """A schedule, settled."""

    passes: int
    batch: int
    per_pass: int
    """Steps in a pass; what is left of the records after so many batches is not used."""
    first: float
    """The longest step."""
    ridge: float
    constant: bool
    average: bool
    keep: float = 1.0
    """The chance of a feature to be kept at a step, and the part of its bound that a masked row is clipped to."""
    slope_cap: float = math.inf

    @property
    def used(self) -> int:
        """Records in a pass."""
        return self.batch * self.per_pass

    @property
    def steps(self) -> int:
        return self.passes * self.per_pass

    def length(self, step: int) -> float:
        """Of the step of this number, counted from one."""
        return self.first if self.constant else min(self.first, 1 / (self.ridge * step))

    @property
    def total_length(self) -> float:
        """Of all steps together, at most."""
        if self.constant:
            return self.first * self.steps
        return min(self.first * self.steps, (1 + math.log(self.steps)) / self.ridge)

    @property
    def visits(self) -> float:
        """What is left at the end of one record's change in gradient: its visits, each shrunk by the steps after it."""
        if not self.constant:
            return 1 / self.ridge / self.used
        if self.average:  # visits come first in their pass, and every point after one still feels it
            felt = math.fsum(self._felt(self.steps - earlier * self.per_pass) for earlier in range(self.passes))
            return self.first / self.batch * felt / self.steps
        kept = max(0.0, 1 - self.first * self.ridge) ** self.per_pass  # visits come last in their pass
        return self.first / self.batch * math.fsum(kept**later for later in range(self.passes))

    def _felt(self, points: int) -> float:
        """1 + r + r² + … over so many points, r what a step leaves of a distance; at most as many as there are."""
        shed = self.first * self.ridge
        left = 0.0 if shed >= 1 else math.exp(points * math.log1p(-shed))
        return min(float(points), up((1 - left) / shed, LONG_SUM))

    def constants(self) -> dict[str, float]:
        """By the names that a guarantee and its card use."""
        named = {"passes": float(self.passes), "batch": float(self.batch), "records used": float(self.used)}
        named |= {"features kept": self.keep} if self.keep < 1 else {}
        named |= {"slope cap": self.slope_cap} if math.isfinite(self.slope_cap) else {}
        if not self.constant:
            return named | {"longest step": self.first}
        return named | {"constant step": self.first, "averaged": float(self.average)}
