"""Noise laws as types: a law that is not in the list cannot be named, drawn or planned with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from equipoise._checks import shown
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]


class Law(Enum):
    """A law of noise vectors; the value is the word that files and theorems write."""

    LAPLACE = "laplace"
    """exp(−|k|/scale) in each coordinate."""
    SPHERICAL = "spherical"
    """exp(−‖k‖/scale) of the whole vector."""
    GAUSSIAN = "gaussian"
    """A standard deviation of `scale` in each coordinate."""

    @property
    def words(self) -> str:
        """As in a sentence: two laws bear a person's name."""
        return "spherical" if self is Law.SPHERICAL else str(self.value).capitalize()

    @classmethod
    def named_in(cls, theorem: str) -> frozenset[Law]:
        """The laws that a theorem speaks of: the one place where the words that files write become types again."""
        return frozenset(law for law in cls if law.value in theorem.lower())

    def spread(self, dim: int) -> float:
        """Root mean square of one coordinate at scale one."""
        match self:
            case Law.GAUSSIAN:
                return 1.0
            case Law.LAPLACE:
                return math.sqrt(2)
            case Law.SPHERICAL:
                return math.sqrt(dim + 1)

    def sizes(self, values: Array) -> Array:
        """The norm in which the law measures each row: L1 for Laplace noise, else L2."""
        return np.asarray(np.abs(values).sum(axis=-1) if self is Law.LAPLACE else np.linalg.norm(values, axis=-1))


@dataclass(frozen=True, slots=True)
class Noise:
    """A law on the grid `step`·ℤ^dim."""

    law: Law
    scale: float
    step: float
    dim: int

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law):
            raise InvalidInput(f"law={shown(self.law)}: must be a Law, such as Law.GAUSSIAN")

    @property
    def rms(self) -> float:
        """Root mean square of one coordinate."""
        return self.scale * self.law.spread(self.dim)
