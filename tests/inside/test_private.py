"""A private value shows nothing of what it holds."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest

from equipoise.inside.private import Private

SECRET = "3.14159"


@pytest.mark.parametrize("show", [repr, str, lambda held: f"{held}", lambda held: f"{held!r:>20}", "{}".format])
def test_no_way_of_printing_shows_the_value(show: Callable[[Private[str]], str]) -> None:
    assert SECRET not in show(Private(SECRET))
    assert "<private>" in show(Private(SECRET))


@pytest.mark.parametrize("leak", [bool, copy.copy, copy.deepcopy, pickle.dumps, len, iter, float, int, vars])
def test_every_way_out_is_a_type_error_without_the_value(leak: Callable[[Private[str]], object]) -> None:
    with pytest.raises(TypeError) as caught:
        leak(Private(SECRET))
    assert SECRET not in str(caught.value)


def test_equality_and_hash_tell_nothing_about_the_value() -> None:
    one, other = Private(SECRET), Private(SECRET)
    assert one != other
    assert len({one, other}) == 2


def test_attributes_of_the_value_are_out_of_reach_and_none_can_be_added() -> None:
    held = Private(SECRET)
    for name in ("upper", "value", "_value", "__value"):
        with pytest.raises(AttributeError):
            getattr(held, name)
    with pytest.raises(AttributeError):
        held.note = SECRET  # type: ignore[attr-defined]


def test_map_stays_private_and_reveal_opens() -> None:
    mapped = Private(SECRET).map(len)
    assert isinstance(mapped, Private)
    assert mapped.reveal() == len(SECRET)
