"""Passes over the records that a compiler has made (`passes.c`): scores, slopes and their sum, each row read once.

They are a matter of speed alone.  Where the library was installed without a compiler there are none, and numpy does the
same in several calls for every block; the additions behind a sum are as many or fewer (docs/proofs/certificates.md,
section 3), so nothing rests on which of the two it was.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from types import ModuleType

from equipoise.rows.compiled import NAME as NAME
from equipoise.rows.compiled import wanted as wanted


def _loaded() -> ModuleType | None:
    if not wanted(os.environ):
        return None
    try:
        from equipoise.inside.compiled import _passes
    except ImportError:
        return None
    return _passes


PASSES = _loaded()
"""None where there are none."""


def passes_are_there() -> bool:
    """Whether the library was installed with a compiler at hand, whatever is wanted."""
    return find_spec("equipoise.inside.compiled._passes") is not None
