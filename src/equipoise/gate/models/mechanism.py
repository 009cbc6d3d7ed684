"""What a mechanism says of itself.  Each file of this folder ends with one such description; `choose.py` lists them.

Choosing, refusing, searching, cards, audits and contract tests go by these descriptions and by nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records
from equipoise.ledger import Entry
from equipoise.outside.released import Released
from equipoise.theory.extremes import SMALLEST_DELTA
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Loss
from equipoise.theory.mechanisms import About
from equipoise.theory.plan import Facts, OutputPlan, Plan, TiltedPlan

P = TypeVar("P", bound=Plan)


@dataclass(frozen=True, slots=True)
class Needs:
    """What must hold for a plan to exist."""

    delta: bool = False
    """A budget with δ > 0."""
    smooth: bool = True
    """A loss without a kink."""
    potential: bool = True
    """A loss whose slope is the derivative of something, which has a minimum."""
    ball: bool = True
    """A ball of coefficients where the loss's slope has no bound of its own."""
    quadratic: bool = False
    """The squared loss."""
    constant_column: bool = False
    """A constant column, and no centre: all there is to learn is what stands there."""
    ridge: bool = True
    """A penalty whose curvature is the same everywhere."""
    most_features: float = math.inf
    most_pure: float = math.inf
    """Numbers that can be released with δ = 0."""
    least_delta: float = SMALLEST_DELTA
    """The least δ > 0 that its noise can be calibrated for; 0 where it has no use for one."""
    pure_for_persons: bool = False
    """Whether several rows of a person are covered with δ = 0 alone, whatever the budget's."""

    def met_by_facts(self, facts: Facts, budget: Budget) -> bool:
        """The same for a whole problem."""
        lone = facts.bounds.intercept > 0 and facts.penalty.centre is None
        spent = replace(budget, delta=0.0) if self.pure_for_persons and facts.together > 1 else budget
        plain = facts.penalty.bend == 0 or not self.ridge
        return self.met_by(facts.loss, spent, facts.features) and (lone or not self.constant_column) and plain

    def met_by(self, loss: Loss, budget: Budget, features: int = 1) -> bool:
        return (
            (budget.delta >= self.least_delta or (budget.delta == 0 and not self.delta))
            and (loss.smooth or not self.smooth)
            and (loss.traits.potential or not self.potential)
            and (loss.traits.quadratic or not self.quadratic)
            and features <= self.most_features
            and (budget.delta > 0 or loss.outputs * features <= self.most_pure)
        )


@dataclass(frozen=True, slots=True)
class Steady:
    """One setting, to be tried on a training part: steady at fixed noise."""

    plan: OutputPlan | TiltedPlan
    """Of the fit on all records that will follow: its noise is what is tried."""
    facts: Facts
    """Of the training part: fewer records, everything else the same."""
    radius: float
    stability: float
    draws: int


@dataclass(frozen=True, slots=True)
class Mechanism(Generic[P]):
    """The two halves of a mechanism, what it needs, and what it predicts of itself."""

    about: About
    needs: Needs
    plan: Callable[[Facts, Budget], P]
    """From public facts alone; refuses by name what it does not serve."""
    release: Callable[[Private[Records], P, Entry, Bits], Released]
    predict_risk: Callable[[P], float]
    """Excess risk on the reference problem: what `"auto"` compares."""
    ridges: Callable[[Facts], list[float]] | None = None
    """The ridges worth trying where nobody chose one; None for the usual search, none if it has no use for a ridge."""
    steady: Callable[[P, int, int | None], Steady] | None = None
    """Its training taken apart, for a part of this many rows and so many draws; None: it states no stability."""
    finish: Callable[[P, float], P] | None = None
    """A last step that "auto" may add to its plan, at no more than this much predicted risk; None: there is none."""
    rescaled: Callable[[P, Facts, Budget], P] | None = None
    """The same plan for rows of another length, of which longer ones count less; None: it takes rows up to their bound
    alone (usual_length.py)."""
    in_auto: bool = True
    """Whether "auto" considers it; baselines are offered by name alone."""
    by_sums: bool = True
    """Whether all it asks of the records are sums over them: then they may lie on a disk, or on many machines."""
    by_walk: bool = False
    """Whether it asks for the records one after the other instead, in an order drawn without them: then they may lie on
    a disk."""
    opens: bool = False
    """Whether the bends of an additive model open as it walks; "auto" takes no other for shapes that start shut."""
    evens: bool = False
    """Whether records count the more the shorter their rows are (theory/evening.py) in every plan of it where that is
    free; minimisers do so by a last step of "auto" (evened.py)."""
    on_grid: bool = False
    """Whether what it releases is a minimiser with noise on a grid; the others compute theirs from noisy numbers."""

    @property
    def name(self) -> str:
        return self.about.name


AnyMechanism = Mechanism[Any]
