"""Where an estimator's noise comes from: our samplers on secure bits, on a seed (not private), or OpenDP's."""

from __future__ import annotations

from equipoise._checks import one_of
from equipoise.errors import InvalidInput
from equipoise.gate.noise import Bits, OpenDPBits, RandomState, bits_from

SOURCES = ("equipoise", "opendp")

SEED_WORDS = 4
"""Of 64 bits, in a stranger's seed."""


def noise_source(noise: str, random_state: RandomState) -> Bits:
    """The source named by an estimator's parameters."""
    if one_of(SOURCES, noise=noise) == "equipoise":
        return bits_from(random_state)
    if random_state is not None:
        raise InvalidInput('random_state: OpenDP draws from secure bits only, use noise="equipoise" with a seed')
    return OpenDPBits()


def seeds_for_strangers(count: int, bits: Bits) -> tuple[int, ...]:
    """256 bits each: for a stranger that draws its noise from numpy's generators there is no other secret."""
    drawn = bits.words(count * SEED_WORDS).reshape(count, SEED_WORDS)
    return tuple(int.from_bytes(words.tobytes(), "little") for words in drawn)


def public_seed(bits: Bits) -> int:
    """128 bits that are published: they choose a map of rows, and hide nothing."""
    return int.from_bytes(bits.words(2).tobytes(), "little")
