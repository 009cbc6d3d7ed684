"""In `make test` secure bits are the same in every run, so that no statistical test can fail by chance."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from equipoise.gate.noise import bits


@pytest.fixture
def stream() -> Any:
    if vars(bits)["os"] is os:
        pytest.skip("drawn afresh in this run")
    return vars(bits)["os"]


def test_a_test_draws_the_same_bits_in_every_run_and_others_than_the_next(stream: Any) -> None:
    drawn = []
    for name in ("one test", "one test", "another"):
        stream.start(name)
        drawn.append(bits.SecureBits().words(64))
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.intersect1d(drawn[0], drawn[2]).size
    assert not np.intersect1d(bits.SecureBits().words(64), drawn[2]).size


def test_what_tests_share_draws_the_same_bits_whichever_test_comes_first(stream: Any) -> None:
    shared, after = [], []
    for name in ("one test", "another", "one test"):
        stream.start(name)
        bits.SecureBits().words(1)
        with stream.apart("a shared fixture"):
            shared.append(bits.SecureBits().words(64))
        after.append(bits.SecureBits().words(64))
    assert np.array_equal(shared[0], shared[1])
    assert np.array_equal(after[0], after[2])
    assert not np.intersect1d(shared[0], after[0]).size


def test_a_fork_does_not_repeat_what_its_parent_draws(stream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stream.start("a test with workers")
    first = bits.SecureBits().words(8)
    monkeypatch.setattr(os, "getpid", lambda: 10**9)
    assert not np.intersect1d(bits.SecureBits().words(8), first).size


def test_what_a_test_puts_in_place_of_the_system_is_asked(stream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", lambda count: b"\x01" * count)
    assert set(bits.SecureBits().words(3).tolist()) == {0x0101010101010101}


@pytest.fixture(scope="module")
def shared_draw() -> list[int]:
    return [int(word) for word in bits.SecureBits().words(4)]


@pytest.mark.parametrize("first", [False, True])
def test_shared_fixtures_are_made_apart(first: bool, shared_draw: list[int], stream: Any) -> None:
    """Run alone or after the other, on any worker: a stream named by the fixture, not by the test."""
    with stream.apart(f"{__name__.replace('.', '/')}.py::shared_draw[0]"):
        assert bits.SecureBits().words(4).tolist() == shared_draw, first
