"""Where randomness comes from: uniform 64-bit words, from the operating system or, for tests, from a seed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from numbers import Integral
from typing import Protocol

import numpy as np
import numpy.typing as npt

from equipoise._checks import shown
from equipoise.errors import InvalidInput

Words = npt.NDArray[np.uint64]
RandomState = None | int | np.random.Generator | np.random.RandomState


class Bits(Protocol):
    """A source of independent, uniform 64-bit words."""

    @property
    def seeded(self) -> bool:
        """True when the words can be computed again, so that noise made from them hides nothing."""
        ...

    def words(self, count: int) -> Words:
        """The next `count` words."""
        ...

    def spawn(self) -> Bits:
        """A source for parallel work, independent of this one."""
        ...


@dataclass(frozen=True, slots=True)
class SecureBits:
    """The operating system's generator.  Holds no state: safe across threads, forks and pickles."""

    @property
    def seeded(self) -> bool:
        return False

    def words(self, count: int) -> Words:
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)

    def spawn(self) -> SecureBits:
        return self


class SeededBits:
    """NOT PRIVATE, for tests only: whoever knows the seed can subtract the noise."""

    def __init__(self, seed: int | np.random.SeedSequence) -> None:
        self._sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        self._generator = np.random.PCG64(self._sequence)

    @property
    def seeded(self) -> bool:
        return True

    def words(self, count: int) -> Words:
        return np.asarray(self._generator.random_raw(count), dtype=np.uint64)

    def spawn(self) -> SeededBits:
        return SeededBits(self._sequence.spawn(1)[0])


def bits_from(random_state: RandomState) -> Bits:
    """Secure bits for None; otherwise seeded ones, which mark every release made with them as not private."""
    if random_state is None:
        return SecureBits()
    if isinstance(random_state, np.random.Generator):
        return SeededBits(int(random_state.integers(2**63)))
    if isinstance(random_state, np.random.RandomState):
        return SeededBits(int(random_state.randint(2**31)))
    if isinstance(random_state, bool) or not isinstance(random_state, Integral) or random_state < 0:
        raise InvalidInput(
            f"random_state={shown(random_state)}: must be None, a whole number >= 0, or a numpy Generator or"
            " RandomState"
        )
    return SeededBits(int(random_state))
