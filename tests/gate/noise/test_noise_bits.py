"""The sources of randomness: never the same twice unless seeded, and then always."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from equipoise.errors import InvalidInput
from equipoise.gate.noise import Bits, SecureBits, SeededBits, bits_from, discrete_gaussian

SIGMA = 2.0**40
COUNT = 8

FORKED = """
import os
from equipoise.gate.noise import SecureBits, discrete_gaussian
bits = SecureBits()
discrete_gaussian(2.0**40, 8, bits)
for _ in range(3):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, repr(discrete_gaussian(2.0**40, 8, bits).tolist()).encode())
        os._exit(0)
    os.wait()
    print(os.read(reader, 4096).decode())
print(discrete_gaussian(2.0**40, 8, bits).tolist())
"""


def draw(bits: Bits) -> tuple[int, ...]:
    return tuple(int(value) for value in discrete_gaussian(SIGMA, COUNT, bits))


def test_threads_that_share_secure_bits_never_draw_the_same() -> None:
    bits = SecureBits()
    with ThreadPoolExecutor(4) as pool:
        draws = list(pool.map(draw, [bits] * 32))
    assert len({value for row in draws for value in row}) == 32 * COUNT


def test_processes_that_receive_pickled_secure_bits_never_draw_the_same() -> None:
    bits = SecureBits()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        draws = [*pool.map(draw, [bits] * 4), draw(bits)]
    assert len({value for row in draws for value in row}) == 5 * COUNT


def test_forked_children_never_draw_the_same_as_each_other_or_the_parent() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True, env=environment)
    lines = result.stdout.split("\n")[:4]
    assert len({value for line in lines for value in line.strip("[]").split(", ")}) == 4 * COUNT


def test_secure_bits_give_fresh_words_and_are_their_own_child() -> None:
    bits = SecureBits()
    assert not bits.seeded
    assert bits.spawn() is bits
    assert not np.array_equal(bits.words(4), bits.words(4))


def test_seeded_bits_repeat_and_say_that_they_are_seeded() -> None:
    assert SeededBits(3).seeded
    assert draw(SeededBits(3)) == draw(SeededBits(3))
    assert draw(SeededBits(3)) != draw(SeededBits(4))


def test_seeded_children_differ_from_each_other_and_from_the_parent_but_repeat() -> None:
    parent = SeededBits(3)
    first, second = parent.spawn(), parent.spawn()
    draws = {draw(first), draw(second), draw(parent)}
    assert len(draws) == 3
    assert draw(SeededBits(3).spawn()) in draws


def test_every_bit_of_a_word_is_used_about_half_the_time() -> None:
    words = SecureBits().words(40_000)
    share = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1).mean(axis=0)
    assert np.abs(share - 0.5).max() < 0.5 * 7.5 / np.sqrt(40_000)  # 7.5 standard deviations, 64 bits: 4e-12


def test_random_state_none_is_secure_and_anything_else_is_seeded() -> None:
    assert not bits_from(None).seeded
    for state in (7, np.random.default_rng(7), np.random.RandomState(7)):
        assert bits_from(state).seeded
    assert draw(bits_from(7)) == draw(SeededBits(7))


def test_a_generator_moves_on_so_that_two_uses_differ() -> None:
    generator = np.random.default_rng(7)
    assert draw(bits_from(generator)) != draw(bits_from(generator))


@pytest.mark.parametrize("state", [-1, True, 1.5, "seed"])
def test_a_random_state_of_another_kind_is_refused(state: object) -> None:
    with pytest.raises(InvalidInput, match="random_state="):
        bits_from(state)  # type: ignore[arg-type]
