"""Objects whose own code answers no question about them, and those that hold a number or a word all the same."""

from __future__ import annotations

import datetime
import weakref
from collections.abc import Callable
from decimal import Decimal
from itertools import count
from typing import Any

import numpy as np

DIFFERENT = count()


class Refusal(BaseException):
    """Of a kind that `except Exception` does not catch, as the panics of some libraries."""


def _refuse(*_: Any, **__: Any) -> Any:
    raise Refusal("41.5")


class Plain:
    """Something that a proxy can point to."""


def dead_proxy() -> Any:
    """Of an object that is gone: every question ends in a ReferenceError."""
    return weakref.proxy(Plain())


class Closed:
    """Shows no attribute, its class neither."""

    __getattribute__ = _refuse


class Classless:
    """Has a class that cannot be asked for."""

    __class__ = property(_refuse)


def posing_as(kind: Any) -> type:
    """A class whose objects say that they are of another."""
    return type("Posing", (), {"__class__": property(lambda _: kind)})


def with_meta(**answers: Any) -> Callable[[], Any]:
    """A class whose own class answers so."""
    made: Callable[[], Any] = type("Meta", (type,), answers)("OfMeta", (), {})
    return made


class Lengthless:
    """A container by its methods, and none of them works."""

    __len__ = __iter__ = __getitem__ = __array__ = __contains__ = _refuse


class Incomparable:
    """Cannot be compared, hashed or told apart from nothing."""

    __eq__ = __ne__ = __lt__ = __bool__ = __float__ = __int__ = __index__ = __str__ = __repr__ = _refuse
    __hash__ = _refuse


class Listed(list[Any]):
    """A list that is not gone through."""

    __iter__ = __len__ = __getitem__ = __contains__ = __eq__ = _refuse


class Tuple(tuple[Any, ...]):
    """A tuple that is not gone through."""

    __iter__ = __len__ = __getitem__ = __contains__ = __eq__ = __hash__ = _refuse


class Scalar(np.float32):
    """A scalar of NumPy's that tells neither dtype nor number."""

    dtype = property(_refuse)
    item = __float__ = __int__ = __eq__ = __hash__ = __array__ = _refuse


class Array(np.ndarray[Any, Any]):
    """An array that tells nothing."""

    dtype = shape = ndim = property(_refuse)
    __array__ = __iter__ = __len__ = __eq__ = tolist = _refuse


class Day(datetime.date):
    """A date without a year."""

    year = month = day = property(_refuse)
    __eq__ = __hash__ = __str__ = toordinal = isoformat = _refuse


UNREADABLE: dict[str, Callable[[], Any]] = {
    "a dead proxy": dead_proxy,
    "no attributes": Closed,
    "no class": Classless,
    **{f"as {kind.__name__}": posing_as(kind) for kind in (float, int, str, bool, list, tuple, dict, bytes, Decimal)},
    **{f"as {kind.__name__}": posing_as(kind) for kind in (np.float64, np.ndarray, np.ma.MaskedArray, datetime.date)},
    "a type without a hash": with_meta(__hash__=_refuse),
    "a type that equals nothing": with_meta(__eq__=_refuse, __hash__=type.__hash__),
    "a type that shows nothing": with_meta(__getattribute__=_refuse),
    "a type of no kind": with_meta(__instancecheck__=_refuse, __subclasscheck__=_refuse, __hash__=_refuse),
    "a container": Lengthless,
    "incomparable": Incomparable,
    "a list": lambda: Listed([1.0]),
    "a tuple": lambda: Tuple([1.0]),
    "an array": lambda: np.array([next(DIFFERENT), 0.5]).view(Array),  # as an id it may be read
    "a day": lambda: Day(2020, 1, 1),
}
"""Each is no number, word or truth that anybody could read."""


def speechless(kind: type) -> type:
    """A class of numbers or words whose objects answer for nothing themselves."""
    names = ("eq", "ne", "hash", "float", "int", "index", "bool", "str", "repr", "lt", "gt", "len", "iter", "format")
    held = {f"__{name}__": _refuse for name in names if hasattr(kind, f"__{name}__")}
    return type("Speechless", (kind,), {**held, "__class__": property(_refuse)})


HOLDING: dict[str, tuple[Callable[[], Any], Any]] = {
    "a float": (lambda: speechless(float)(0.5), 0.5),
    "a whole number": (lambda: speechless(int)(1), 1),
    "a word": (lambda: speechless(str)("a"), "a"),
    "a scalar": (lambda: Scalar(0.5), 0.5),
    "a decimal": (lambda: speechless(Decimal)("0.5"), 0.5),
}
"""What they hold can be read without their help."""
