"""What a class's page of the reference lists: the methods and properties that Equipoise wrote, in the order of reading.

scikit-learn's own (metadata routing, `get_params`) are documented there, and a record's fields in its docstring.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from sphinx.application import Sphinx

FIRST = ("plan", "fit", "predict", "predict_proba", "score")
SCIKIT_LEARN = ("get_params", "set_params")


def ours(module: str, name: str) -> list[tuple[str, str]]:
    """(directive, member) of each."""
    kind = getattr(importlib.import_module(module), name)
    found = [(each, _directive(inspect.getattr_static(kind, each))) for each in dir(kind) if not each.startswith("_")]
    kept = [(directive, each) for each, directive in found if directive and each not in SCIKIT_LEARN]
    return sorted(kept, key=lambda pair: (FIRST.index(pair[1]) if pair[1] in FIRST else len(FIRST), pair[1]))


def _directive(member: Any) -> str:
    """Empty for what is not ours or is no method."""
    if isinstance(member, property):
        return "autoproperty" if getattr(member.fget, "__module__", "").startswith("equipoise") else ""
    method = getattr(member, "fn", getattr(member, "__func__", member))  # available_if, a classmethod
    if inspect.isfunction(method) and method.__module__.startswith("equipoise"):
        return "automethod"
    return ""


def setup(app: Sphinx) -> dict[str, Any]:
    early = 100  # before autosummary writes its pages
    app.connect("builder-inited", lambda app: app.config.autosummary_context.update(ours=ours), priority=early)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
