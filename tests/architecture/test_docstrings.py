"""Every parameter, fitted attribute and method of the public classes is documented, in numpydoc's form."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import equipoise as eq
from equipoise._texts import ATTRIBUTES, OWN, PARAMETERS
from equipoise.tuning import RandomSearch

MODULES = ("equipoise", "equipoise.answering", "equipoise.calibration", "equipoise.tuning")
WRITTEN_BY_HAND = {
    *("Schema", "Encoder", "PrivateBounds", "PrivateCategories", "PrivateScaler"),
    *("AdditiveClassifier", "AdditiveRegressor"),
}
"""Classes whose texts stand beside them; their own tests look at those."""
KNOWN = (BaseEstimator, eq.Ledger, eq.SQLLedger, eq.LinearModel)


def things() -> Iterator[tuple[str, Any]]:
    """Public classes that do something, their methods, and public functions."""
    for module in MODULES:
        found = importlib.import_module(module)
        for name in found.__all__:
            thing = getattr(found, name)
            if inspect.isclass(thing) and issubclass(thing, KNOWN) and name not in WRITTEN_BY_HAND:
                if issubclass(thing, BaseEstimator | eq.Ledger | eq.SQLLedger) and not inspect.isabstract(thing):
                    yield name, thing
                yield from methods(name, thing)


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
    assert section(doc, "Parameters") == wanted


def gives(method: Any) -> bool:
    return inspect.signature(method).return_annotation not in (None, "None")


@pytest.mark.parametrize("name", [name for name in THINGS if "." in name and gives(THINGS[name])])
def test_every_method_says_what_it_returns(name: str) -> None:
    assert re.search(r"^Returns\n-+\n\S", inspect.cleandoc(THINGS[name].__doc__), flags=re.M)


def test_many_things_are_looked_at() -> None:
    assert len(THINGS) > 100


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
    functions = [eq.load, importlib.import_module("equipoise.answering").transfer]
    functions += [
        getattr(importlib.import_module("equipoise.calibration"), n) for n in ("reliability_curve", "brier_score")
    ]
    used |= {each for function in functions for each in inspect.signature(function).parameters}
    assert set(PARAMETERS) - used <= {"deep", "params"}
    assert all(OWN[name] != PARAMETERS.get(name.rpartition(".")[2]) for name in OWN)
    assert all(": " in text for text in (*PARAMETERS.values(), *OWN.values(), *ATTRIBUTES.values()))
