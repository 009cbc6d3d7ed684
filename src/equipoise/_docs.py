"""Docstrings in numpydoc's form, put together from one text for each name: a parameter reads the same everywhere.

A name without a text is an error when the module is imported.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from equipoise._texts import ATTRIBUTES, FITTED, OWN, PARAMETERS
from equipoise._texts_audit import ATTACKS, FOUND, OWN_ATTACKS
from equipoise._texts_tables import ADDITIVE, READING, RECORDS, TABLES

T = TypeVar("T")

SINGLE = OWN | TABLES | OWN_ATTACKS
TABLE_MODULES = ("equipoise.schema", "equipoise.outside.table", "equipoise.estimators.table")

WIDTH = 96
PROMPT = ">" * 3


def documented(kind: str = "", *, returns: str = "", record: bool = False) -> Callable[[T], T]:
    """Adds the sections Parameters, Attributes and Returns to a docstring, before its example.

    `kind` names the attributes of a class, `returns` is "type: what it is".  The fields of a `record` are attributes:
    it is given back, not made by callers.
    """

    def add(thing: T) -> T:
        said = inspect.cleandoc(thing.__doc__ or "")
        words, mark, example = said.partition(f"\n{PROMPT}")
        if words.endswith("Examples\n--------"):
            words = words.removesuffix("Examples\n--------")
        parts = [words.rstrip(), _section("Parameters", [] if record else _parameters(thing)), _returns(returns)]
        parts.append(_section("Attributes", _fields(thing) if record else _fitted(kind)))
        parts.append(f"Examples\n--------\n{PROMPT}{example}" if mark else "")
        thing.__doc__ = "\n\n".join(part for part in parts if part) + "\n"
        return thing

    return add


def _parameters(thing: Any) -> list[tuple[str, str, str]]:
    """Name, default and text of each parameter."""
    found = inspect.signature(thing).parameters
    known = [(name, each) for name, each in found.items() if name not in ("self", "cls")]
    return [(name, _default(each), _text(thing, name)) for name, each in known]


def _fields(thing: Any) -> list[tuple[str, str, str]]:
    return [(name, "", _text(thing, name)) for name in inspect.signature(thing).parameters]


def _fitted(kind: str) -> list[tuple[str, str, str]]:
    own = ADDITIVE if kind.startswith("additive") else {}
    names = (*FITTED[kind.removeprefix("additive ")], *own) if kind else ()
    return [(name, "", own.get(name) or ATTRIBUTES[name]) for name in names]


def _text(thing: Any, name: str) -> str:
    """The text of one name: its own here, else what it means in this part of the library, else what it always means."""
    here, module = f"{thing.__qualname__}.{name}", thing.__module__
    if inspect.isclass(thing) and thing.__qualname__ in RECORDS:
        return RECORDS[thing.__qualname__][name]
    if module.startswith("equipoise.audit"):
        found = FOUND if inspect.isclass(thing) else ATTACKS
        return found.get(here) or SINGLE.get(here) or found[name]
    usual = READING | PARAMETERS if not module.startswith(TABLE_MODULES) else PARAMETERS | READING
    return SINGLE.get(here) or usual[name]


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
