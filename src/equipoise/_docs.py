"""Docstrings in numpydoc's form, put together from one text for each name: a parameter reads the same everywhere.

A name without a text is an error when the module is imported.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from equipoise._texts import ATTRIBUTES, FITTED, OWN, PARAMETERS

T = TypeVar("T")

WIDTH = 96
PROMPT = ">" * 3


def documented(kind: str = "", *, returns: str = "") -> Callable[[T], T]:
    """Adds the sections Parameters, Attributes and Returns to a docstring, before its example.

    `kind` names the attributes of a class, `returns` is "type: what it is".
    """

    def add(thing: T) -> T:
        said = inspect.cleandoc(thing.__doc__ or "")
        words, mark, example = said.partition(f"\n{PROMPT}")
        if words.endswith("Examples\n--------"):
            words = words.removesuffix("Examples\n--------")
        parts = [words.rstrip(), _section("Parameters", _parameters(thing)), _returns(returns)]
        fitted = FITTED[kind] if kind else ()
        parts.append(_section("Attributes", [(name, "", ATTRIBUTES[name]) for name in fitted]))
        parts.append(f"Examples\n--------\n{PROMPT}{example}" if mark else "")
        thing.__doc__ = "\n\n".join(part for part in parts if part) + "\n"
        return thing

    return add


def _parameters(thing: Any) -> list[tuple[str, str, str]]:
    """Name, default and text of each parameter."""
    found = inspect.signature(thing).parameters
    known = [(name, each) for name, each in found.items() if name not in ("self", "cls")]
    here = thing.__qualname__
    return [(name, _default(each), OWN.get(f"{here}.{name}") or PARAMETERS[name]) for name, each in known]


def _default(parameter: inspect.Parameter) -> str:
    return "" if parameter.default is inspect.Parameter.empty else f", default={parameter.default!r}"


def _section(title: str, entries: list[tuple[str, str, str]]) -> str:
    lines = [line for entry in entries for line in _entry(*entry)]
    return "\n".join([title, "-" * len(title), *lines]) if lines else ""


def _entry(name: str, default: str, text: str) -> list[str]:
    kind, _, words = text.partition(": ")
    indent = "    "
    return [f"{name} : {kind}{default}", *textwrap.wrap(words, WIDTH, initial_indent=indent, subsequent_indent=indent)]


def _returns(text: str) -> str:
    if not text:
        return ""
    kind, _, words = text.partition(": ")
    return "\n".join(
        ["Returns", "-------", kind, *textwrap.wrap(words, WIDTH, initial_indent="    ", subsequent_indent="    ")]
    )
