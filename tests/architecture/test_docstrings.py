"""Every parameter of every public name, and every fitted attribute and method, is documented, in numpydoc's form."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise._texts import ATTRIBUTES, OWN, PARAMETERS
from equipoise._texts_audit import ATTACKS, FOUND, OWN_ATTACKS
from equipoise._texts_tables import READING, RECORDS, TABLES
from equipoise.tuning import RandomSearch

MODULES = tuple(f"equipoise{name}" for name in ("", ".answering", ".audit", ".calibration", ".not_private", ".tuning"))


def things() -> Iterator[tuple[str, Any]]:
    """Public classes that callers make or are given, their methods, and public functions."""
    for module in MODULES:
        found = importlib.import_module(module)
        for name in found.__all__:
            thing = getattr(found, name)
            if inspect.isclass(thing) and issubclass(thing, BaseException):
                continue
            if not inspect.isabstract(thing):
                yield f"{found.__name__}.{name}".removeprefix("equipoise."), thing
            if inspect.isclass(thing):
                yield from methods(f"{found.__name__}.{name}".removeprefix("equipoise."), thing)


def methods(name: str, kind: type) -> Iterator[tuple[str, Any]]:
    for each in dir(kind):
        found = inspect.getattr_static(kind, each)
        method = getattr(found, "fn", getattr(found, "__func__", found))  # scikit-learn's available_if, a classmethod
        if each.startswith("_") or not inspect.isfunction(method) or not method.__module__.startswith("equipoise"):
            continue
        if each not in ("get_params", "set_params"):  # scikit-learn's own, made to fit
            yield f"{name}.{each}", method


def section(doc: str, title: str) -> list[str]:
    """The names that a section documents."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=\n\n\w[\w ]*\n-+\n|\Z)", doc, flags=re.S | re.M)
    if found is None:
        return []
    heads = re.findall(r"^(\w[\w, ]*) : ", found[1], flags=re.M)
    return [name.strip() for head in heads for name in head.split(",")]


def members() -> Iterator[tuple[str, Any]]:
    """Methods and properties of ours of every public class, inherited from ours or its own."""
    for module in MODULES:
        found = importlib.import_module(module)
        kinds = [getattr(found, name) for name in found.__all__ if inspect.isclass(getattr(found, name))]
        for owner in {base for kind in kinds for base in kind.__mro__ if base.__module__.startswith("equipoise")}:
            for name, member in vars(owner).items():
                if not name.startswith("_") and inspect.isfunction(plain(member)):
                    yield f"{owner.__name__}.{name}", plain(member)


def plain(member: Any) -> Any:
    """The function behind a property, a cached one, a class method or scikit-learn's available_if."""
    for wrapped in ("fget", "func", "fn", "__func__"):
        member = getattr(member, wrapped, None) or member
    return member


def test_every_public_method_and_property_says_what_it_promises() -> None:
    found = dict(members())
    assert len(found) > 120
    assert {"Ledger.limit", "Schema.load", "Replay.worst", "LogisticRegression.predict_proba"} <= set(found)
    silent = sorted(name for name, function in found.items() if not (function.__doc__ or "").strip())
    assert not silent


THINGS = dict(things())


@pytest.mark.parametrize("name", THINGS)
def test_every_parameter_is_documented(name: str) -> None:
    thing = THINGS[name]
    doc = inspect.cleandoc(thing.__doc__ or "")
    assert doc.partition("\n")[0].strip(), "says what it does"
    asked = inspect.signature(thing.__init__ if inspect.isclass(thing) else thing).parameters
    wanted = [each for each in asked if each not in ("self", "cls", "args", "kwargs")]
    if name.endswith("PrivatePredictor"):
        wanted = []
    assert section(doc, "Parameters") == wanted or (
        dataclasses.is_dataclass(thing) and section(doc, "Attributes") == wanted
    )


def gives(method: Any) -> bool:
    return inspect.signature(method).return_annotation not in (None, "None")


@pytest.mark.parametrize("name", [name for name in THINGS if inspect.isfunction(THINGS[name]) and gives(THINGS[name])])
def test_every_method_says_what_it_returns(name: str) -> None:
    assert re.search(r"^Returns\n-+\n\S", inspect.cleandoc(THINGS[name].__doc__), flags=re.M)


def test_many_things_are_looked_at() -> None:
    assert len(THINGS) > 200


@pytest.mark.parametrize(
    "fitted",
    [
        eq.LogisticRegression().fit([[0.1], [0.2]], [0, 1]),
        eq.LinearRegression(label_bounds=(0, 1)).fit([[0.1], [0.2]], [0, 1]),
        eq.HistogramDensity(bounds=(0, 1), bins=2).fit([[0.1], [0.2]]),
        RandomSearch(eq.LogisticRegression(), {"alpha": [1.0]}).fit(np.ones((9, 1)), np.arange(9) % 2),
    ],
    ids=lambda fitted: type(fitted).__name__,
)
def test_every_fitted_attribute_is_documented(fitted: Any) -> None:
    shown = {name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")}
    assert shown <= set(section(inspect.cleandoc(type(fitted).__doc__ or ""), "Attributes"))


def test_no_text_is_left_over() -> None:
    """Of names that no longer exist; a name of its own must differ from the shared text."""
    used = {each for name in THINGS for each in section(inspect.cleandoc(THINGS[name].__doc__ or ""), "Parameters")}
    assert set(PARAMETERS) - used <= {"deep", "params"}
    assert set(READING) | set(ATTACKS) <= used
    own = {
        f"{THINGS[name].__qualname__}.{each}" for name in THINGS for each in inspect.signature(THINGS[name]).parameters
    }
    assert set(TABLES) | set(OWN_ATTACKS) | {f"{kind}.{each}" for kind in RECORDS for each in RECORDS[kind]} <= own
    assert {name for name in FOUND if "." in name} <= own
    assert {name for name in FOUND if "." not in name} <= {name.rpartition(".")[2] for name in own}
    assert all(OWN[name] != PARAMETERS.get(name.rpartition(".")[2]) for name in OWN)
    texts = (PARAMETERS, OWN, ATTRIBUTES, ATTACKS, OWN_ATTACKS, FOUND, READING, TABLES, *RECORDS.values())
    assert all(": " in text for part in texts for text in part.values())
