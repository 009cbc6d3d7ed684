"""A parameter that breaks a rule is named in one line, before the ledger or a record is touched."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import equipoise as eq

NOT_POSITIVE: list[Any] = [0, -1.0, math.nan, math.inf, "1", True, None]

SHARED: list[tuple[str, Any]] = [
    *(("epsilon", value) for value in NOT_POSITIVE),
    *(("delta", value) for value in (-1e-9, 1.0, 2.0, math.nan, math.inf, "0", True, None)),
    *(("alpha", value) for value in (0, -1.0, math.nan, math.inf, "strong", True, None)),
    *(("row_norm", value) for value in NOT_POSITIVE),
    *(("coef_norm", value) for value in (0, -1.0, math.nan, math.inf, "1", True)),
    *(("adjacency", value) for value in ("swap-two", None, 1)),
    *(("mechanism", value) for value in ("magic", None, 1, "Output")),
    *(("fit_intercept", value) for value in ("yes", 1, None)),
    *(("random_state", value) for value in (-1, "seed", 1.5, True)),
    *(("centre", value) for value in ("abc", [1.0], [1.0, 2.0, 3.0, math.nan], np.zeros((2, 2, 2)), np.zeros((5, 4)))),
]

OWN: list[tuple[Any, str, Any]] = [
    *((eq.LogisticRegression, "classes", value) for value in (["a"], ["a", "a"], [], 5, "seen", [None, 1], [[1], [2]])),
    *((eq.LinearSVC, "classes", value) for value in (["a", "b", "c"], [0, 0])),
    *((eq.LinearSVC, "smoothing", value) for value in (-0.1, math.nan, 2.0, "x", None, True)),
    *((eq.HuberRegressor, "threshold", value) for value in (0, -1.0, math.nan, math.inf, "x", True)),
    *(
        (kind, "label_bounds", value)
        for kind in (eq.LinearRegression, eq.HuberRegressor)
        for value in ((1, -1), (0, 0), (math.nan, 1), (0, math.inf), 5, (1, 2, 3), ("a", "b"), None)
    ),
]


@pytest.mark.parametrize(("name", "value"), SHARED, ids=repr)
def test_broken_rule_is_named_and_nothing_is_debited(
    kind: Any, name: str, value: Any, table: Any, refused: Any
) -> None:
    ledger = eq.Ledger()
    message = refused(kind(ledger=ledger).set_params(**{name: value}), *table)
    assert name in message.split(":")[0]
    assert ledger.entries() == ()


@pytest.mark.parametrize(("kind", "name", "value"), OWN, ids=repr)
def test_broken_rule_of_one_estimator_is_named(kind: Any, name: str, value: Any, table: Any, refused: Any) -> None:
    ledger = eq.Ledger()
    needed = {"label_bounds": (-1, 1)} if "label_bounds" in kind().get_params() else {}
    message = refused(kind(ledger=ledger).set_params(**needed | {name: value}), *table)
    assert name in message.split(":")[0]
    assert ledger.entries() == ()


@pytest.mark.parametrize("kind", [eq.LinearRegression, eq.HuberRegressor])
def test_label_bounds_that_nobody_stated_are_asked_for_before_anything_is_spent(kind: Any, table: Any) -> None:
    ledger = eq.Ledger()
    with pytest.raises(eq.BoundsRequired, match=r"label_bounds: nobody stated .* nothing was spent"):
        kind(ledger=ledger).fit(*table)
    assert ledger.entries() == ()
    with pytest.raises(eq.BoundsRequired):
        kind().plan(100, 3)


@pytest.mark.parametrize(("name", "value"), [("epsilon", -1.0), ("alpha", 0), ("mechanism", "magic")])
def test_planning_refuses_what_fitting_refuses(kind: Any, name: str, value: Any) -> None:
    with pytest.raises(eq.InvalidInput, match=name):
        kind().set_params(**{name: value}).plan(100, 3)


@pytest.mark.parametrize("public_n", [None, 0, 1.5, True])
def test_add_remove_needs_a_public_size(kind: Any, public_n: Any, table: Any, refused: Any) -> None:
    ledger = eq.Ledger()
    message = refused(kind(adjacency="add-remove", public_n=public_n, ledger=ledger), *table)
    assert message.startswith("public_n")
    assert ledger.entries() == ()


def test_missing_public_size_is_a_missing_bound(kind: Any, table: Any) -> None:
    with pytest.raises(eq.BoundsRequired, match="public_n"):
        kind(adjacency="add-remove").fit(*table)


@pytest.mark.parametrize("mechanism", ["objective", "noisy-gradient"])
def test_hinge_is_refused_by_name_where_a_mechanism_needs_a_smooth_loss(mechanism: str, table: Any) -> None:
    ledger = eq.Ledger()
    with pytest.raises(eq.MechanismRefused, match=rf'mechanism="{mechanism}".*hinge.*"output"'):
        eq.LinearSVC(1.0, 1e-6, mechanism=mechanism, smoothing=0, ledger=ledger).fit(*table)
    assert ledger.entries() == ()


def test_noisy_gradients_without_delta_are_refused_by_name(kind: Any, table: Any) -> None:
    smooth = {"smoothing": 0.5} if kind is eq.LinearSVC else {}
    with pytest.raises(eq.MechanismRefused, match=r'mechanism="noisy-gradient".*delta > 0'):
        kind(mechanism="noisy-gradient", **smooth).fit(*table)


def test_more_classes_than_a_support_vector_machine_takes_points_to_logistic_regression() -> None:
    with pytest.raises(eq.MechanismRefused, match="LogisticRegression"):
        eq.LinearSVC(classes=["a", "b", "c"]).plan(100, 3)


@pytest.mark.parametrize("make", [set, frozenset])
@pytest.mark.parametrize("kind", [eq.LogisticRegression, eq.LinearSVC, eq.ElasticNetClassifier, eq.SimplexClassifier])
def test_classes_without_an_order_are_refused(kind: Any, make: Any) -> None:
    """Their order would be another in every process, and with it what `classes_` and the coefficients say."""
    with pytest.raises(eq.InvalidInput, match="classes: a set has no order"):
        kind(classes=make(["no", "yes"])).fit([[0.1], [0.2]] * 5, ["no", "yes"] * 5)
