"""What becomes of cells and rows by themselves, in steps that a compiler has made (`cells.c`): a matter of speed alone.

Where the library was installed without a compiler there are none, and numpy takes the same steps one after the other.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from types import ModuleType

from equipoise._checks import shown
from equipoise.errors import InvalidInput

NAME = "EQUIPOISE_COMPILED"


def wanted(environment: Mapping[str, str]) -> bool:
    """Whether nobody asked to do without what is compiled."""
    given = environment.get(NAME, "1")
    if given not in ("0", "1"):
        raise InvalidInput(f"{NAME}={shown(given)}: must be 0 or 1")
    return given == "1"


def _loaded() -> ModuleType | None:
    if not wanted(os.environ):
        return None
    try:
        from equipoise.rows.compiled import _cells
    except ImportError:
        return None
    return _cells


CELLS = _loaded()
"""None where there are none."""


def cells_are_there() -> bool:
    """Whether the library was installed with a compiler at hand, whatever is wanted."""
    return find_spec("equipoise.rows.compiled._cells") is not None
