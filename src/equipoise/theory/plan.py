"""Facts and plans: everything about a release that is settled before a record is seen."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from equipoise._checks import at_most, shown, whole
from equipoise.errors import InvalidInput
from equipoise.theory.adjacency import Adjacency, Neighbours, Unit
from equipoise.theory.bounds import Bounds
from equipoise.theory.evening import Evening, heaviest
from equipoise.theory.events import Event
from equipoise.theory.guarantees import ONE_ROW, Budget, Guarantee
from equipoise.theory.losses import Loss
from equipoise.theory.named_constants import of_added_noise, of_choices
from equipoise.theory.noise import Noise
from equipoise.theory.regularisers import Penalty
from equipoise.theory.schedule import Anchor, Metric, Middle, Schedule
from equipoise.theory.stability.descents import SGD, Walk
from equipoise.theory.stability.momentum import HeavyBall, Nesterov, Swing
from equipoise.theory.usual_labels import UsualLabels
from equipoise.theory.usual_length import UsualLength
from equipoise.theory.weights import LARGEST_TOTAL, MOST_ROWS

if TYPE_CHECKING:
    from equipoise.theory.expected import Expected

Descent = SGD | HeavyBall | Nesterov
"""How gradient steps are taken, where a caller says."""

W = TypeVar("W", Walk, Swing)

MOST_RECORDS = 2**40
"""Counted or nominal: beyond it rounding would drown the sensitivity."""


def person_unit(rows: int) -> str:
    """The unit of privacy where a person has so many rows at most."""
    return f"one person with at most {rows} row{'s' if rows > 1 else ''}"


@dataclass(frozen=True, slots=True)
class Facts:
    """The public facts of a problem.  `n` is the number of records when that is public (replace-one), and a public
    nominal size, never counted from the data, under add-remove.  `features` counts the constant column."""

    loss: Loss
    penalty: Penalty
    bounds: Bounds
    n: int
    features: int
    adjacency: Adjacency = Adjacency.REPLACE_ONE
    person_rows: int | None = None
    """The most rows of one person, where the unit of privacy is the person; None where it is the row."""
    descent: Descent | None = None
    """How gradient steps over the records are taken; None for the usual way."""
    partners: int | None = None
    """Where rows are pairs of records: how many of them each record is in.  `n` is then the number of pairs."""
    evened: bool = False
    """Whether records count the more the shorter their rows are (theory/evening.py)."""
    longer: float = 1.0
    """How many times as long as their bound rows can be, where that is a usual length: longer ones count less."""

    def __post_init__(self) -> None:
        if whole(n=self.n) > MOST_RECORDS:
            raise InvalidInput(f"n={shown(self.n)}: must be at most 2**40")
        at_most(MOST_RECORDS, features=self.features)
        if self.person_rows is not None:
            whole(rows_per_person=self.person_rows)
        centre = self.penalty.centre
        if centre is not None and len(centre) != self.dim:
            raise InvalidInput(f"centre: must have {self.dim} numbers, one for each coefficient")
        if self.penalty.centre_norm > self.bounds.coef_norm:
            raise InvalidInput("centre: must lie within coef_norm")

    @property
    def together(self) -> int:
        """How many rows change between neighbours, at most (docs/proofs/groups.md, docs/proofs/pairs.md)."""
        return (self.person_rows or 1) * (self.partners or 1)

    @property
    def records(self) -> int:
        """As many as there are people's rows: rows themselves, or those that pairs are made of."""
        return self.n if self.partners is None else 2 * self.n // self.partners

    @property
    def neighbours(self) -> Neighbours:
        """Whom the promise is about."""
        return Neighbours(self.adjacency, Unit.ROW if self.person_rows is None else Unit.PERSON)

    @property
    def unit(self) -> str:
        """The same in words."""
        return ONE_ROW if self.person_rows is None else person_unit(self.person_rows)

    @property
    def dim(self) -> int:
        """How many numbers are released."""
        return self.loss.outputs * self.features

    @property
    def ball(self) -> float:
        """Radius of the constraint the solver enforces."""
        return self.bounds.coef_norm

    @property
    def evened_to(self) -> Evening | None:
        """By what records count, where that depends on the lengths of their rows."""
        by_length = self.evened or self.longer > 1
        return Evening(self.bounds.norm, heaviest(self.evened)) if by_length else None

    @property
    def total(self) -> float:
        """What the records can count for in all, over n (theory/weights.py)."""
        return LARGEST_TOTAL if self.adjacency is Adjacency.ADD_REMOVE else 1.0

    @property
    def most_rows(self) -> int:
        """Rows that are ever summed."""
        return self.n * (MOST_ROWS if self.adjacency is Adjacency.ADD_REMOVE else 1)

    def without_kink(self) -> Facts:
        """Of the problem that is solved: what stands in for a loss with a kink has none."""
        return replace(self, loss=self.loss.stand_in())


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How far an L2 distance can move between neighbours, and the theorem that says so."""

    l2: float
    because: str


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Plan(ABC):
    """One release, settled.  A pure function of public facts: printing it costs nothing.

    Abstract: below is one final class for each way to release, with what that way alone needs.  Nothing here supposes
    that noise is added to a value.
    """

    mechanism: str
    theorem: str
    facts: Facts
    budget: Budget
    event: Event
    sensitivity: Sensitivity
    notes: tuple[str, ...] = ()
    expected: Expected | None = None
    """What to expect of the model, where that can be said (theory/expected.py)."""
    length: UsualLength | None = None
    """What finds a usual length first, where something does; `facts` are those of rows of that length then."""
    labels: UsualLabels | None = None
    """What finds a usual range of labels first, where something does; `facts` are those of labels within it then."""

    @property
    @abstractmethod
    def noise_scale(self) -> float:
        """Of the randomness that hides a record, in units of what `sensitivity` measures."""

    @abstractmethod
    def _named(self) -> dict[str, float]:
        """The constants, those without a bound included."""

    def constants(self) -> dict[str, float]:
        """Every number the guarantee rests on, by name."""
        found = self._named() | of_choices(self)
        return {name: value for name, value in found.items() if math.isfinite(value)}

    def guarantee(self, seeded: bool) -> Guarantee:
        """What a release by this plan promises."""
        return Guarantee(
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            delta_numeric=self.event.delta_numeric,
            adjacency=self.facts.adjacency,
            mechanism=self.mechanism,
            theorem=self.theorem,
            sensitivity=self.sensitivity.l2,
            noise_scale=self.noise_scale,
            seeded=seeded,
            unit=self.facts.unit,
            constants=self.constants(),
            notes=self.notes,
        )

    def __repr__(self) -> str:
        head = [
            f"mechanism   {self.mechanism}: {self.theorem}",
            f"budget      epsilon {self.budget.epsilon:g}, delta {self.budget.delta:g}"
            f" (+ {self.event.delta_numeric:.2g} for arithmetic), {self.facts.adjacency}",
            f"loss        {self.facts.loss.name}",
            f"because     {self.sensitivity.because}",
        ]
        width = max(len(name) for name in self.constants())
        rows = [f"  {name:<{width}}  {value:.6g}" for name, value in self.constants().items()]
        ahead = [] if self.expected is None else [f"expect      {self.expected}"]
        return "\n".join([*head, *rows, *(f"note        {note}" for note in self.notes), *ahead])


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class OutputPlan(Plan):
    """Noise on a certified minimiser."""

    noise: Noise
    norm: float
    """The coefficient norm up to which the loss's constants are taken."""
    radius: float
    """How far from the minimiser the solver may stop."""

    @property
    def noise_scale(self) -> float:
        return self.noise.scale

    def _named(self) -> dict[str, float]:
        return of_added_noise(self, self.norm, self.radius, self.noise)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class TiltedPlan(Plan):
    """Noise that tilts the objective, and a little more on the certified minimiser of that."""

    tilt: Noise
    noise: Noise
    norm: float
    radius: float
    blur: float
    """The part of the budget that pays for the second noise."""

    @property
    def noise_scale(self) -> float:
        return self.tilt.scale

    def _named(self) -> dict[str, float]:
        tilt = {"tilt noise scale": self.tilt.scale, "tilt grid step": self.tilt.step, "second noise's part": self.blur}
        return of_added_noise(self, self.norm, self.radius, self.noise) | tilt


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class GradientPlan(Plan):
    """Noise on gradient after gradient; `noise` is that of the first."""

    schedule: Schedule
    noise: Noise
    norm: float
    anchor: Anchor | None = None
    middle: Middle | None = None
    metric: Metric | None = None

    @property
    def passes(self) -> int:
        """How often the records are gone over."""
        return self.schedule.steps + (0 if self.metric is None else self.metric.passes(self.facts.features))

    @property
    def noise_scale(self) -> float:
        return self.noise.scale

    def _named(self) -> dict[str, float]:
        named = of_added_noise(self, self.norm, 0.0, self.noise)
        for part in (self.schedule, self.anchor, self.middle, self.metric):
            named |= {} if part is None else part.constants()
        return named | ({} if self.middle is None else {"reach around the middle": self.facts.bounds.reach})


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class WalkPlan(Plan, Generic[W]):
    """Noise on the end of a walk of gradient steps: over batches of records, or over all with momentum."""

    walk: W
    noise: Noise
    norm: float

    @property
    def noise_scale(self) -> float:
        return self.noise.scale

    def _named(self) -> dict[str, float]:
        return of_added_noise(self, self.norm, 0.0, self.noise) | self.walk.constants()


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class StatisticsPlan(Plan):
    """Noise on sums over the records, from which the coefficients are computed."""

    noise: Noise
    norm: float

    @property
    def noise_scale(self) -> float:
        return self.noise.scale

    def _named(self) -> dict[str, float]:
        return of_added_noise(self, self.norm, 0.0, self.noise)
