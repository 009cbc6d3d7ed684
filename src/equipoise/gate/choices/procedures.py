"""What tuning by stability asks of training and of a score, and a check of what they state.

Guarantee.  None by itself: `gate/choices/validate.py` rests on what is stated here.
Assumes.    That statements are true; `check_statement` catches one that invented neighbours disprove.
Adjacency.  Replace-one.
Numerics.   A statement must cover rounding; the choice allows for 2⁻²¹ of β beyond it.
Reference.  docs/proofs/tuning.md; Chaudhuri, Vinterbo 2013, Definitions 2 and 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from equipoise._checks import fraction, positive, quoted, whole
from equipoise._docs import documented
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.inside.scores.of_procedures import fit_each
from equipoise.theory.tuning.stability import Beta

Vector = npt.NDArray[np.float64]

Data = TypeVar("Data")
Held = TypeVar("Held")
Setting = TypeVar("Setting")
Draw = TypeVar("Draw")
Model = TypeVar("Model")
Setting_contra = TypeVar("Setting_contra", contravariant=True)
Model_contra = TypeVar("Model_contra", contravariant=True)
Held_contra = TypeVar("Held_contra", contravariant=True)

WORKING = "output and objective perturbation state theirs"


class TrainingProcedure(Protocol[Data, Setting_contra, Draw, Model]):
    """F(T, θ, R): training taken apart.  `draw` never sees a record; `fit_all` never draws."""

    @property
    def name(self) -> str: ...

    @property
    def delta(self) -> float:
        """The chance, over one draw for all settings, that what `stability` states does not hold; 0 for ours."""
        ...

    def stability(self, setting: Setting_contra) -> float | None:
        """How far the model moves in L2 when one record is replaced, at the same draw, whatever the draw."""
        ...

    def draw(self, bits: Bits) -> Draw:
        """The randomness R, one for all settings: what is never let out may be shared."""
        ...

    def fit_all(
        self, records: Private[Data], settings: Sequence[Setting_contra], randomness: Draw
    ) -> Private[list[Model]]:
        """One model for each setting."""
        ...


class ValidationScore(Protocol[Model_contra, Held_contra]):
    """How good a model is on held-out records: more is better."""

    @property
    def name(self) -> str: ...

    def beta(self, stability: float | None, rows: Rows) -> Beta | None:
        """What one record can do to it through a model this stable, and through the validation part."""
        ...

    def value(self, model: Model_contra, held: Held_contra) -> float: ...


@documented()
@dataclass(frozen=True, slots=True)
class Rows:
    """Public sizes of the two parts."""

    training: int
    validation: int

    def __post_init__(self) -> None:
        whole(training=self.training)
        whole(validation=self.validation)


@documented()
@dataclass(frozen=True, slots=True)
class Procedure(Generic[Data, Setting, Draw, Model]):
    """Anybody's training procedure: functions of bare data, and the stability its author stands for."""

    name: str
    drawing: Callable[[Bits], Draw]
    fit: Callable[[Data, Setting, Draw], Model]
    stated: Callable[[Setting], float] | None = None
    delta: float = 0.0

    def __post_init__(self) -> None:
        fraction(delta=self.delta)

    @documented(returns="float or None: None where nothing is stated.")
    def stability(self, setting: Setting) -> float | None:
        """What the author states for this setting; None if nothing was stated: then only a `StatedScore` will do."""
        return None if self.stated is None else positive(stability=self.stated(setting))

    @documented(returns="draw: The randomness, for every setting the same.")
    def draw(self, bits: Bits) -> Draw:
        """The randomness that all settings share, by the author's function."""
        return self.drawing(bits)

    @documented(returns="private list of models: One for each setting.")
    def fit_all(self, records: Private[Data], settings: Sequence[Setting], randomness: Draw) -> Private[list[Model]]:
        """One model for each setting, by the author's function; they stay private."""
        return fit_each(records, self.fit, settings, randomness)


@documented()
@dataclass(frozen=True, slots=True)
class LipschitzScore(Generic[Model, Held]):
    """A mean over records: `lipschitz` bounds its change per unit of L2 the model moves, `cap` one record's range."""

    name: str
    function: Callable[[Model, Held], float]
    lipschitz: float
    cap: float

    @documented(returns="Beta or None: None where no stability is stated.")
    def beta(self, stability: float | None, rows: Rows) -> Beta | None:
        """β₁ by the model's stability and the Lipschitz constant, β₂ by the cap; None without a stability."""
        if stability is None:
            return None
        return Beta(positive(lipschitz=self.lipschitz) * stability, positive(cap=self.cap) / rows.validation)

    @documented(returns="float: More is better.")
    def value(self, model: Model, held: Held) -> float:
        """The score of a model on held-out records, by the author's function."""
        return self.function(model, held)


@documented()
@dataclass(frozen=True, slots=True)
class StatedScore(Generic[Model, Held]):
    """A score whose (β₁, β₂) for this very procedure its author states: β = max(β₁/n, β₂/m)."""

    name: str
    function: Callable[[Model, Held], float]
    beta1: float
    beta2: float

    @documented(returns="Beta: As its author states it.")
    def beta(self, stability: float | None, rows: Rows) -> Beta | None:
        """β₁/n and β₂/m, whatever the stability: the author stands for both."""
        return Beta(positive(beta1=self.beta1) / rows.training, positive(beta2=self.beta2) / rows.validation)

    @documented(returns="float: More is better.")
    def value(self, model: Model, held: Held) -> float:
        """The score of a model on held-out records, by the author's function."""
        return self.function(model, held)


def betas_for(
    procedure: TrainingProcedure[Data, Setting, Draw, Model],
    settings: Sequence[Setting],
    score: ValidationScore[Model, Held],
    rows: Rows,
) -> list[float]:
    """How far one record moves each setting's score; a procedure that states no stability is refused by name."""
    if not settings:
        raise InvalidInput("settings: holds no candidate, give at least one")
    found = [score.beta(procedure.stability(setting), rows) for setting in settings]
    known = [beta.most for beta in found if beta is not None]
    if len(known) < len(found):
        raise MechanismRefused(
            f"procedure={quoted(procedure.name)}: states no training stability for score {quoted(score.name)}, so"
            " choosing by it"
            f" would cost an unknown amount; {WORKING}"
        )
    return known
