"""What a cell is, by its type and by identity alone: none of its own code is run to find out.

`isinstance` reads `__class__` through the object, and a set, a dictionary or `in` hashes and compares types through
their metaclass.  An object may answer these with an error of its own, and one row would then decide, for free, whether
a table is taken.  Questions that only an object's own code can answer are put by `asked`.  docs/proofs/entrance.md.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

T = TypeVar("T")

_bases: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
_names: Callable[[type], Any] = type.__dict__["__dict__"].__get__
"""As every type keeps them, whatever its metaclass says."""


def is_a(each: object, *kinds: type) -> bool:
    """Whether it is of one of these types, none of them abstract: for others see `is_kind`."""
    return issubclass(type(each), kinds)


def is_kind(kind: type, abstract: type) -> bool:
    """Whether a type counts as one of an abstract class.  Those keep lists of types, which hash them: a type with a
    metaclass of its own must have the class among its bases."""
    if type(kind) is type or type(kind) is ABCMeta:
        return issubclass(kind, abstract)
    return any(base is abstract for base in _bases(kind))


def defines(kind: type, name: str) -> bool:
    """Whether objects of this type have the method, as Python looks for `__len__` and its like: in the type alone,
    where None says that there is none."""

    def found() -> bool:
        held = next((_names(base)[name] for base in _bases(kind) if name in _names(base)), None)
        return held is not None

    return asked(found, otherwise=False)


def only_of(cells: Iterable[object], *kinds: type) -> bool:
    """Whether the type of every cell is exactly one of these."""
    return set(map(id, map(type, cells))) <= set(map(id, kinds))


def asked(question: Callable[[], T], otherwise: T) -> T:
    """The answer of somebody else's code, or `otherwise` where it ends in any error: SystemExit is one, and so are the
    panics of libraries, which are no `Exception`.  Ctrl-C is the caller's."""
    try:
        return question()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - whatever it is, it is not ours
        return otherwise
