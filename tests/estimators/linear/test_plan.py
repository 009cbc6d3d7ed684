"""The plan is settled by public facts, says everything, and is the one that is carried out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import equipoise as eq

BUDGETS = [(1.0, 0.0), (0.1, 1e-6), (8.0, 1e-6)]


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_the_plan_is_what_fitting_does(kind: Any, epsilon: float, delta: float, table: Any) -> None:
    model = kind(epsilon, delta)
    promised = model.plan(37, 3).guarantee(seeded=False)
    kept = model.fit(*table).guarantee_
    assert kept.notes[: len(promised.notes)] == promised.notes
    assert replace(kept, notes=promised.notes) == promised


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_the_planned_event_is_what_is_debited(kind: Any, epsilon: float, delta: float, table: Any) -> None:
    ledger = eq.Ledger()
    model = kind(epsilon, delta, ledger=ledger)
    plan = model.plan(37, 3)
    assert ledger.entries() == ()
    model.fit(*table)
    assert [record.event for record in ledger.entries()] == [plan.event]


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_the_printed_plan_holds_every_constant(kind: Any, epsilon: float, delta: float) -> None:
    plan = kind(epsilon, delta).plan(500, 4)
    text = str(plan)
    for name, value in plan.constants().items():
        assert any(name in line and f"{value:.6g}" in line for line in text.splitlines()), name
    for word in (plan.mechanism, plan.theorem, f"epsilon {epsilon:g}", "replace-one", plan.facts.loss.name):
        assert word in text
    assert "chosen by predicted excess risk" in text


def test_planning_leaves_the_estimator_untouched(kind: Any) -> None:
    model = kind()
    before = dict(vars(model))
    model.plan(100, 3)
    assert vars(model) == before


def test_planning_twice_gives_the_same_plan(kind: Any) -> None:
    assert kind(1.0, 1e-6).plan(1000, 5) == kind(1.0, 1e-6).plan(1000, 5)


@pytest.mark.parametrize(("n", "d"), [(0, 3), (-5, 3), (10, 0), (2.5, 3), ("a", 3), (10, True), (None, 3)])
def test_sizes_must_be_whole_numbers(kind: Any, n: Any, d: Any) -> None:
    with pytest.raises(eq.InvalidInput, match="whole number"):
        kind().plan(n, d)


def test_what_is_given_is_what_is_planned(kind: Any) -> None:
    plan = kind(mechanism="output", alpha=0.25, row_norm=2.0, fit_intercept=False).plan(100, 3)
    constants = plan.constants()
    assert (plan.mechanism, constants["alpha"], constants["row norm"]) == ("output", 0.25, 2.0)
    assert constants["released numbers"] == 3


def test_more_records_need_less_noise(kind: Any) -> None:
    few, many = (kind(alpha=0.1, mechanism="output").plan(n, 3) for n in (100, 10_000))
    assert many.noise.scale < few.noise.scale / 50


def test_smaller_epsilon_needs_more_noise(kind: Any) -> None:
    loose, tight = (kind(epsilon, alpha=0.1, mechanism="output").plan(100, 3) for epsilon in (1.0, 0.1))
    assert tight.noise.scale > 9 * loose.noise.scale


def test_automatic_choice_never_looks_at_the_records(kind: Any) -> None:
    rng = np.random.default_rng(2)
    easy = np.repeat([[1.0, 0.0], [-1.0, 0.0]], 30, axis=0)
    hard = rng.normal(size=(60, 2))
    one = kind(1.0, 1e-6).fit(easy, np.repeat([1, 0], 30))
    other = kind(1.0, 1e-6).fit(hard, rng.integers(0, 2, 60))
    assert one.guarantee_ == other.guarantee_


def test_observed_classes_cannot_be_planned(classifier: Any) -> None:
    with pytest.raises(eq.BoundsRequired, match="classes"):
        classifier(classes="observed").plan(100, 3)


def test_observed_classes_are_confessed_on_the_card(classifier: Any, table: Any) -> None:
    observed = classifier(classes="observed", random_state=0).fit(*table)
    assert "caller's word" in " ".join(str(observed.card()).split())
    listed = classifier(classes=[0, 1], random_state=0).fit(*table)
    assert "caller's word" not in str(listed.card())
    np.testing.assert_array_equal(observed.coef_, listed.coef_)
