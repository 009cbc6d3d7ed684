"""Every generator in reach of a stranger's model, and how each is given a state of its own.

In reach are those among the model's attributes and parameters at any depth, in containers and what is kept beside their
contents, in closures, defaults, attributes and partial functions, on its classes and theirs, and in the modules that
define these classes and functions.  Numpy's and Python's global generators are not looked for: `alone` always takes
care of them.
"""

from __future__ import annotations

import functools
import random
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

Holder = np.random.Generator | np.random.RandomState | np.random.BitGenerator | random.Random

HOLDERS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)
PLAIN = frozenset((str, bytes, bytearray, int, float, complex, bool, type(None)))
CONTAINERS = (list, tuple, set, frozenset, deque)
OWN_CONTAINERS = frozenset((dict, *CONTAINERS, np.ndarray))
"""Python's and NumPy's own, which hold nothing beside their contents."""
WRAPPERS = (staticmethod, classmethod)
OUTER = (type, ModuleType)

POOL = 8
"""Words of 32 bits that a seed is spread over: all 256 bits of it count."""

MOST = 1_000_000
"""Objects looked at for one model."""


class Reach:
    """Finds generators.  Classes and modules are looked through once, so keep one of these for a batch of models."""

    def __init__(self, *, own: bool = False) -> None:
        """`own`: only what the model itself holds, not what its classes and modules do."""
        self._own = own
        self._outer: dict[int, tuple[Any, list[Holder], list[Any]]] = {}

    def of(self, *roots: Any) -> list[Holder]:
        """Each generator in reach of the roots, once."""
        found, seen, waiting = dict[int, Holder](), set[int](), list(roots)
        while waiting:
            near, outer = self._inside(waiting, seen)
            found |= {id(holder): holder for holder in near}
            waiting = []
            for each in outer:
                held, further = self._around(each)
                found |= {id(holder): holder for holder in held}
                waiting += [other for other in further if id(other) not in seen]
        return [holder for holder in found.values() if _takes_states(holder)]

    def _inside(self, roots: list[Any], seen: set[int]) -> tuple[list[Holder], list[Any]]:
        """Generators among what the roots are made of, and the classes and modules that these lead to."""
        found: list[Holder] = []
        outer: list[Any] = []
        waiting = list(roots)
        while waiting and len(seen) < MOST:
            each = waiting.pop()
            if type(each) in PLAIN or id(each) in seen or isinstance(each, np.generic):  # most are, so first
                continue
            seen.add(id(each))
            if isinstance(each, HOLDERS):
                found.append(each)
            elif isinstance(each, OUTER):
                outer.append(each)
            else:
                waiting.extend(_parts(each))
        return found, outer

    def _around(self, outer: type | ModuleType) -> tuple[list[Holder], list[Any]]:
        """On a class or in a module, which no copy of the model copies; and the classes and modules that it leads to.
        Those are kept as names and not as what they hold: of two classes that lead to each other neither is done
        first."""
        if self._own:
            return [], []
        if id(outer) not in self._outer:
            self._outer[id(outer)] = outer, *self._inside(_outer_parts(outer), set())
        return self._outer[id(outer)][1:]


def with_key(seed: int, *key: int) -> np.random.SeedSequence:
    """An independent use of a seed for each key."""
    return np.random.SeedSequence(seed, spawn_key=key, pool_size=POOL)


def small_seed(seed: int) -> int:
    """As scikit-learn's `random_state` takes it."""
    return int(with_key(seed, 0).generate_state(1)[0])


def renew(holder: Holder, sequence: np.random.SeedSequence) -> None:
    """Put the generator, in place, into a state that depends on the seed alone."""
    if isinstance(holder, random.Random):
        holder.seed(int.from_bytes(sequence.generate_state(POOL).tobytes(), "little"))
    elif isinstance(holder, np.random.RandomState) and isinstance(_bits(holder), np.random.MT19937):
        holder.seed(sequence.generate_state(POOL))  # which forgets a second normal number kept from the last draw
    else:
        _bits(holder).state = type(_bits(holder))(sequence).state


def state_of(holder: Holder) -> Any:
    """To be handed to `put_back`."""
    if isinstance(holder, random.Random):
        return holder.getstate()
    if isinstance(holder, np.random.RandomState):
        return holder.get_state(legacy=False)
    return _bits(holder).state


def put_back(holder: Holder, state: Any) -> None:
    """As if nothing had been drawn since."""
    if isinstance(holder, random.Random):
        holder.setstate(state)
    elif isinstance(holder, np.random.RandomState) and isinstance(_bits(holder), np.random.MT19937):
        holder.set_state(state)
    elif isinstance(holder, np.random.RandomState):
        _bits(holder).state = {name: value for name, value in state.items() if name not in ("has_gauss", "gauss")}
    else:
        _bits(holder).state = state


def global_generators() -> list[Holder]:
    """Numpy's and Python's own, which anybody may draw from without asking."""
    return [np.random.mtrand._rand, random._inst]


@contextmanager
def kept_globals() -> Iterator[None]:
    """They stand afterwards where they stood, on the same source should a stranger have exchanged numpy's."""
    source, states = np.random.mtrand.get_bit_generator(), [state_of(holder) for holder in global_generators()]
    try:
        yield
    finally:
        if np.random.mtrand.get_bit_generator() is not source:
            np.random.mtrand.set_bit_generator(source)
        for holder, state in zip(global_generators(), states, strict=True):
            put_back(holder, state)


def _bits(holder: Any) -> Any:
    if isinstance(holder, np.random.BitGenerator):
        return holder
    return holder.bit_generator if isinstance(holder, np.random.Generator) else holder._bit_generator


def _takes_states(holder: Holder) -> bool:
    """Not the global ones, and not those that draw from the operating system."""
    return not isinstance(holder, random.SystemRandom) and all(holder is not known for known in global_generators())


def _parts(each: Any) -> Iterable[Any]:
    """What an object holds."""
    if isinstance(each, FunctionType):  # as most are; to ask whether it is a mapping takes longer
        return [*_kept_by(each), *vars(each).values(), sys.modules.get(each.__module__ or "")]
    if isinstance(each, MethodType):
        return [each.__self__, each.__func__]
    if isinstance(each, WRAPPERS):
        return [each.__func__]
    if isinstance(each, property):
        return [each.fget, each.fset, each.fdel]
    contents = _contents(each)
    return contents if type(each) in OWN_CONTAINERS else [*contents, *_beside(each)]


def _contents(each: Any) -> list[Any]:
    """Of a container."""
    if isinstance(each, Mapping):
        return [*each.keys(), *each.values()]
    if isinstance(each, CONTAINERS):
        return list(each)
    if isinstance(each, np.ndarray):
        return list(each.ravel().tolist()) if each.dtype == object else []
    return [each.func, *each.args, *each.keywords.values()] if isinstance(each, functools.partial) else []


def _beside(each: Any) -> list[Any]:
    """Class and attributes: a list of somebody's own kind may hold a generator beside what is in it."""
    slots = [name for kind in type(each).__mro__ for name in _named_slots(kind)]
    return [type(each), getattr(each, "__dict__", None), *(getattr(each, name, None) for name in slots)]


def _kept_by(function: FunctionType) -> list[Any]:
    """Closure and defaults, and generators that its code can name."""
    cells = [cell.cell_contents for cell in function.__closure__ or () if _filled(cell)]
    known = vars(sys.modules.get(function.__module__ or "", sys))
    names = {} if function.__globals__ is known else function.__globals__  # else the module is looked through anyway
    named = [value for value in names.values() if isinstance(value, HOLDERS)]
    return [*cells, *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *named]


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # nothing in it yet
        return False


def _named_slots(kind: type) -> list[str]:
    slots = vars(kind).get("__slots__")
    if slots is None:
        return []
    names = [name for name in ([slots] if isinstance(slots, str) else list(slots)) if isinstance(name, str)]
    return [_mangled(name, kind) for name in names if not name.endswith("__")]


def _mangled(name: str, kind: type) -> str:
    """As Python writes the private names of a class."""
    owner = kind.__name__.lstrip("_")
    return f"_{owner}{name}" if name.startswith("__") and owner else name


def _outer_parts(outer: type | ModuleType) -> list[Any]:
    """Of a module the generators it holds; of a class its attributes, its bases and its module."""
    if isinstance(outer, ModuleType):
        return [value for value in vars(outer).values() if isinstance(value, HOLDERS)]
    if outer.__module__ in ("builtins", "abc", "typing"):
        return []
    own = [value for value in vars(outer).values() if not isinstance(value, type)]
    return [*own, type(outer), *outer.__bases__, sys.modules.get(outer.__module__)]
