"""A value computed from records, in a wrapper that shows nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NoReturn, TypeVar

T = TypeVar("T")
U = TypeVar("U")
V = TypeVar("V")


def _refuse(what: str) -> NoReturn:
    raise TypeError(f"a private value has no {what}: only a release through the gate may leave")


class Private(Generic[T]):
    """Holds a value without repr, truth, copy or pickle; two wrappers are equal only if they are the same object."""

    __slots__ = ("__value",)

    def __init__(self, value: T) -> None:
        self.__value = value

    def map(self, function: Callable[[T], U]) -> Private[U]:
        """Compute on the value without letting it out.  For `inside` only; the function must keep nothing of it."""
        return Private(function(self.__value))

    def meet(self, other: Private[U], function: Callable[[T, U], V]) -> Private[V]:
        """Compute on two private values together.  For `inside` only, and as for `map`: keep nothing."""
        return Private(function(self.__value, other.__value))

    def reveal(self) -> T:
        """The bare value.  For `gate/door.py` only: what it hands on must have had its noise added."""
        return self.__value

    def __repr__(self) -> str:
        return "<private>"

    def __bool__(self) -> bool:
        _refuse("truth value")

    def __copy__(self) -> NoReturn:
        _refuse("copy")

    def __deepcopy__(self, memo: object) -> NoReturn:
        _refuse("copy")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        _refuse("pickle")

    def __getstate__(self) -> NoReturn:
        _refuse("state")
