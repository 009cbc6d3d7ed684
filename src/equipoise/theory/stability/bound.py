"""A bound on how far an algorithm moves, and whether noise may rest on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from equipoise._checks import moderate, one_of, whole
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.rounding import FORMULA, up


class Kind(StrEnum):
    """What is bounded, for every pair of neighbours or only on average over them."""

    WEIGHTS_L2 = "weights in L2"
    WEIGHTS_L1 = "weights in L1"
    LOSS = "loss"
    PREDICTION = "prediction"
    WEIGHTS_ON_AVERAGE = "weights, on average"
    LOSS_ON_AVERAGE = "loss, on average"

    @property
    def worst_case(self) -> bool:
        return self not in (Kind.WEIGHTS_ON_AVERAGE, Kind.LOSS_ON_AVERAGE)


ON_AVERAGE = "stability: an average over neighbours bounds no single pair of them, use a worst-case bound"


@dataclass(frozen=True, slots=True)
class StabilityBound:
    """Replacing one of the n records moves what `kind` names by at most `value`.

    `assumes` lists what must be true for it, `because` names the theorem.  Whoever states a bound of their own answers
    for both.
    """

    value: float
    kind: Kind
    assumes: tuple[str, ...]
    because: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", moderate(2, stability=self.value))
        object.__setattr__(self, "kind", Kind(one_of(tuple(Kind), kind=self.kind)))
        if isinstance(self.assumes, str) or not all(isinstance(each, str) for each in self.assumes):
            raise InvalidInput("assumes: must be a list of sentences")
        object.__setattr__(self, "assumes", tuple(self.assumes))
        if not isinstance(self.because, str) or not self.because.strip():
            raise InvalidInput("because: a bound needs its reason, name the theorem or page that proves it")

    def weights_l2(self) -> float:
        """How far the coefficients move in L2, which is what noise is scaled to; refused where that does not follow."""
        if not self.kind.worst_case:
            raise MechanismRefused(ON_AVERAGE)
        if self.kind not in (Kind.WEIGHTS_L2, Kind.WEIGHTS_L1):
            raise MechanismRefused(
                f"stability: a bound on the {self.kind} does not bound the coefficients, convert it by"
                " from_uniform_stability where its theorem applies"
            )
        return self.value

    def for_rows(self, rows: int) -> StabilityBound:
        """The same for several replaced records: one after the other, each a step between neighbours."""
        if not self.kind.worst_case:
            raise MechanismRefused(ON_AVERAGE)
        return replace(self, value=up(whole(rows=rows) * self.value))


def granted(value: float, kind: Kind, assumes: tuple[str, ...], because: str) -> StabilityBound:
    """A bound of the catalogue, rounded up."""
    return StabilityBound(up(value, FORMULA), kind, assumes, because)
