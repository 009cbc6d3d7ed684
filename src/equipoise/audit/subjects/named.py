"""An estimator by its name, ours or a stranger's, made ready for an audit."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.tree import DecisionTreeClassifier

from equipoise import answering, estimators, tuning
from equipoise._checks import fraction, one_of, positive
from equipoise.audit.subjects.targets import Target, answers, corners, density_corners, fits
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.plan import OutputPlan, Plan, TiltedPlan

TASKS = ("auto", "classifier", "regressor", "density")
NUMBERS, SIGNS, CODES = (-1.0, 1.0), (-1, 1), (0, 1)

CLASSIFIERS = (
    estimators.LogisticRegression,
    estimators.LinearSVC,
    estimators.KernelClassifier,
    estimators.SimplexClassifier,
)

SEARCHES = ("BudgetSplitSearch", "DataSplitSearch", "RandomSearch", "RandomStopSearch", "StabilitySearch")


def find_class(name: str) -> Callable[..., Any]:
    """`LogisticRegression`, a name of equipoise.answering or equipoise.tuning, or `package.module:Class`."""
    module, mark, attribute = name.rpartition(":")
    if mark:
        return _imported(module, attribute, name)
    for home in (estimators, answering, tuning):
        if name in home.__all__ and inspect.isclass(getattr(home, name)):
            found: Callable[..., Any] = getattr(home, name)
            return found
    raise InvalidInput(f"{name}: no such file, address or estimator; a stranger's is written package.module:Class")


def _imported(module: str, attribute: str, name: str) -> Callable[..., Any]:
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError):
        raise InvalidInput(f"{name}: cannot be imported, write package.module:Class of an installed package") from None
    if not callable(found):
        raise InvalidInput(f"{name}: must be a class or a function that makes an estimator")
    made: Callable[..., Any] = found
    return made


def estimator_target(
    name: str,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    options: dict[str, Any] | None = None,
    task: str = "auto",
    rows: int | None = None,
    columns: int = 1,
    row_norm: float | None = None,
) -> Target:
    """The audit's target: what is claimed, how it is run, and neighbours to run it on.

    `epsilon` and `delta` are passed on to an estimator that has them as parameters; otherwise they are only the claim.
    """
    if rows is not None and rows < 2:
        raise InvalidInput(f"rows={rows}: must be at least 2, one to exchange and one to keep")
    kind = find_class(name)
    ours = kind.__module__.split(".")[0] == "equipoise"
    make = _maker(kind, _settings(kind, epsilon, delta, options or {}))
    one = _made(make, name)
    claim = _claim(one, epsilon, delta)
    if isinstance(one, estimators.HistogramDensity) or task == "density":
        pairs = density_corners(8 if rows is None else rows, columns)
        return Target(_title(name, one), *claim, fits(make), pairs, ours=ours)
    labels = _labels(one, one_of(TASKS, task=task))
    usual = 24 if type(one).__name__ in SEARCHES else 8
    many = usual if rows is None else rows
    size = positive(row_norm=vars(one).get("row_norm", 1.0) if row_norm is None else row_norm)
    pairs = corners(many, columns, labels=labels, row_norm=size)
    asked = isinstance(one, answering.PrivatePredictor)
    release = answers(make, np.eye(columns)[:1] * size) if asked else fits(make)
    title, adjacency = _title(name, one), str(vars(one).get("adjacency", "replace-one"))
    plan = _plan(one, many, columns) if labels == SIGNS or isinstance(labels[0], float) else None
    kept = labels if ours else None
    return Target(title, *claim, release, pairs, ours=ours, plan=plan, labels=kept, adjacency=adjacency)


def _settings(
    kind: Callable[..., Any], epsilon: float | None, delta: float | None, options: dict[str, Any]
) -> dict[str, Any]:
    """Options as given, with ε and δ where they are parameters, and what an audit needs to be fair."""
    known = inspect.signature(kind).parameters
    strange = [option for option in options if option not in known and not _takes_any(known)]
    if strange:
        raise InvalidInput(f"{strange[0]}: not an option of {kind.__name__}, use one of {', '.join(known)}")
    given = dict(options)
    for option, value in (("epsilon", epsilon), ("delta", delta)):
        if value is not None and option in known:
            given.setdefault(option, value)
    return given


def _takes_any(known: Any) -> bool:
    return any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in known.values())


def _maker(kind: Callable[..., Any], given: dict[str, Any]) -> Callable[[], Any]:
    name = kind.__name__
    if name in SEARCHES:
        epsilon, delta = given.pop("epsilon", 1.0), given.pop("delta", 0.0)
        grid = given.pop("param_grid", {"alpha": [0.5, 1.0]})
        return lambda: kind(estimators.LogisticRegression(epsilon, delta, classes=SIGNS), grid, **given)
    if name in ("VotingPredictor", "AveragingPredictor"):
        given.setdefault("estimator", DecisionTreeClassifier(max_depth=1))
        given.setdefault("shards", 8)
        given.setdefault("n_jobs", 1)
    if kind in CLASSIFIERS:
        given.setdefault("classes", SIGNS)  # left to the data, a table of ones would tell which labels are missing
    if "label_bounds" in inspect.signature(kind).parameters:
        given.setdefault("label_bounds", NUMBERS)  # those of the audit's own tables
    if kind is estimators.MultiTaskRegressor:
        given.setdefault("tasks", CODES)
    if kind is estimators.HistogramDensity:
        given.setdefault("bounds", (0.0, 1.0))
        given.setdefault("bins", 2)
    return lambda: kind(**given)


def _made(make: Callable[[], Any], name: str) -> Any:
    try:
        return make()
    except TypeError as problem:
        raise InvalidInput(f"{name}: cannot be made ({problem}), give its options with --set name=value") from None


def _claim(one: Any, epsilon: float | None, delta: float | None) -> tuple[float, float]:
    stated = vars(one)
    inner = vars(stated["estimator"]) if type(one).__name__ in SEARCHES else stated
    found = epsilon if epsilon is not None else inner.get("epsilon")
    if found is None:
        raise InvalidInput("epsilon: this estimator states none, give the claim with --epsilon")
    slip = delta if delta is not None else inner.get("delta") or 0.0
    return positive(epsilon=found), fraction(delta=slip)


def _labels(one: Any, task: str) -> tuple[Any, Any]:
    """Two classes, or the ends of the range of numbers."""
    stated, inner = vars(one), vars(one).get("estimator", one)
    if stated.get("classes") is not None:
        first, second, *_ = stated["classes"]
        return first, second
    if type(one).__name__ in SEARCHES:
        return SIGNS
    low, high = stated.get("label_bounds") or stated.get("bounds") or NUMBERS
    numbers = float(low), float(high)
    if task == "regressor" or (task == "auto" and _predicts_numbers(inner)):
        return numbers
    if task == "auto" and stated.get("loss") in ("squared", "huber", "absolute"):
        return numbers
    return CODES


def _predicts_numbers(one: Any) -> bool:
    try:
        return bool(is_regressor(one) and not is_classifier(one))
    except AttributeError:  # a stranger without scikit-learn's tags
        return False


def _plan(one: Any, n: int, d: int) -> Plan | None:
    """Where the law of what is released can be computed from the plan: one or two numbers, no ball."""
    if not isinstance(one, estimators.LogisticRegression | estimators.LinearSVC) and not isinstance(
        one, estimators.LinearRegression | estimators.HuberRegressor
    ):
        return None
    try:
        plan = one.plan(n, d)
    except MechanismRefused:
        return None
    tilted_ball = isinstance(plan, TiltedPlan) and plan.facts.ball < np.inf
    known = isinstance(plan, OutputPlan | TiltedPlan) and plan.facts.bounds.columns is None
    return plan if known and plan.facts.dim <= 2 and not tilted_ball else None


def _title(name: str, one: Any) -> str:
    how = vars(one).get("mechanism") or vars(one).get("method")
    return f"{name}, {how}" if how else name
